"""The machines of a run, as far as the slots of the log show them.

HTCondor divides a partitionable slot, slot1@host, into dynamic slots: slot1_1@host and so on. What
the dynamic slots held at once, the machine has at least.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats, Ids, Mask
from icsched.history.usage import CLOCK_S, Usage
from icsched.sim.machines import CORES, MEMORY, MEMORY_STEP

_DYNAMIC = re.compile(r"([^@]*?)_\d+(@.*)?")
_MOST_UNKNOWN = 0.1  # of the attempts: with more, the log says too little about machines


@dataclass(frozen=True)
class MachineKind:
    """Machines that are alike: how many, what each has at least, and whether they are divided.

    `memory_bytes` is the most that jobs held at once on one of them; None if the log does not say.
    """

    count: int
    cores: float
    memory_bytes: float | None
    is_partitionable: bool


@dataclass(frozen=True, eq=False)
class Seen:
    """The machines of a run.

    The arrays have one entry per machine, in the order of their first attempts. A partitionable
    slot is a machine, and so is a static slot. `machine` has the machine of each attempt of a
    `Usage`, -1 if it is unknown. `asked` and `held` are the cores of each attempt, `asked_memory`
    and `held_memory` its memory: 0 if the log does not say.
    """

    machine: Ids
    cores: Floats
    memory: Floats
    is_partitionable: np.ndarray[tuple[int], np.dtype[np.bool_]]
    hosts: int
    asked: Floats
    held: Floats
    asked_memory: Floats
    held_memory: Floats

    @property
    def kinds(self) -> tuple[MachineKind, ...]:
        """The machines by kind, the largest first."""
        rows = list(zip(self.is_partitionable.tolist(), self.cores.tolist(), strict=True))
        found = []
        for kind in sorted(set(rows), key=lambda row: (-row[1], not row[0])):
            own = np.array([row == kind for row in rows])
            memory = float(self.memory[own].max())
            found.append(MachineKind(int(own.sum()), kind[1], memory or None, kind[0]))
        return tuple(found)

    def is_of(self, kind: MachineKind) -> Mask:
        """Return which machines are of a kind."""
        found: Mask = (self.is_partitionable == kind.is_partitionable) & (self.cores == kind.cores)
        return found

    @property
    def has_sizes(self) -> bool:
        """Whether jobs asked for different numbers of cores."""
        return len(np.unique(self.asked[self.machine >= 0])) > 1

    @property
    def has_memory_sizes(self) -> bool:
        """Whether jobs asked for different memory, in the steps in which HTCondor gives it."""
        steps = np.ceil(self.asked_memory[self.machine >= 0] / MEMORY_STEP)
        return len(np.unique(steps)) > 1

    @property
    def is_divided(self) -> bool:
        """Whether jobs of different sizes shared a machine: workers do not describe this pool.

        They asked for different cores or memory, or got more cores than they asked for.
        """
        if not self.is_partitionable.any():
            return False
        got_more = (self.held > self.asked)[self.machine >= 0].any()
        return self.has_sizes or self.has_memory_sizes or bool(got_more)


def machines_of(usage: Usage, slots: Sequence[str]) -> Seen | None:
    """Return the machines of a run whose log names its *slots*; None if the log says too little.

    Stamps may be a second late, so slots count as held together if that took more than a second.
    """
    size = len(usage)
    held, asked = _known(usage.held, CORES, size), _known(usage.asked, CORES, size)
    held, asked = np.where(np.isnan(held), asked, held), np.where(np.isnan(asked), held, asked)
    is_known = ~np.isnan(held) & (usage.slot >= 0)
    if not size or is_known.mean() < 1 - _MOST_UNKNOWN:
        return None
    names = [_machine(slots[slot]) for slot in usage.slot[is_known].tolist()]
    ids = {name: number for number, name in enumerate(dict.fromkeys(names))}
    machine = np.full(size, -1, np.int32)
    machine[is_known] = [ids[name] for name in names]
    dynamic = {_machine(slot) for slot in slots if _DYNAMIC.fullmatch(slot)}
    amounts = (asked, held, *(_known(told, MEMORY, size) for told in (usage.asked, usage.held)))
    asked, held, asked_memory, held_memory = (np.nan_to_num(each) for each in amounts)
    cores, memory = (peaks(usage, machine, each, len(ids)) for each in (held, held_memory))
    is_partitionable = np.array([name in dynamic for name in ids])
    hosts = len({name.partition("@")[2] or name for name in ids})
    return Seen(
        machine, cores, memory, is_partitionable, hosts, asked, held, asked_memory, held_memory
    )


def _known(amounts: Mapping[str, Floats], name: str, size: int) -> Floats:
    """Return the amounts of a resource; unknown if the log never says them."""
    return amounts.get(name, np.full(size, np.nan))


def _machine(slot: str) -> str:
    """Return the slot that is divided, if *slot* is a part of it.

    >>> _machine("slot1_3@ep"), _machine("slot2@ep"), _machine("10.0.0.2:9618")
    ('slot1@ep', 'slot2@ep', '10.0.0.2:9618')
    """
    match = _DYNAMIC.fullmatch(slot)
    return match[1] + (match[2] or "") if match else slot


def peaks(usage: Usage, machine: Ids, amount: Floats, machines: int) -> Floats:
    """Return the largest sum of *amount* that attempts held at once, for each machine."""
    own = np.flatnonzero(machine >= 0)
    over = np.maximum(usage.end[own] - CLOCK_S, usage.start[own])
    moments = np.concatenate([usage.start[own], over])
    changes = np.concatenate([amount[own], -amount[own]])
    where = np.tile(machine[own], 2)
    in_order = np.lexsort((changes, moments, where))  # ends before starts
    sums = np.cumsum(changes[in_order])  # 0 after each machine, because every attempt ends
    found = np.zeros(machines)
    np.maximum.at(found, where[in_order], sums)
    np.maximum.at(found, machine[own], amount[own])  # an attempt of no length is there, too
    most: Floats = np.round(found, 3).astype(np.float64)
    return most
