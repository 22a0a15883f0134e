"""Pools of machines: each runs as many tasks at once as fit into what it has."""

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from icsched import checks
from icsched.arrays import LONGEST, Floats, Ids, Mask
from icsched.errors import ArgumentError, PoolError
from icsched.frames import changed

CORES, MEMORY = "cores", "memory_bytes"
MOST_MACHINES = MOST_CORES = 10**6  # of a pool, and of a machine: the kernel adds up cores
LARGEST_AMOUNT = 10**15  # of another resource
_EVERYWHERE = (MEMORY, "disk_bytes")  # every machine has some, also if nobody says how much
MEMORY_STEP = 128 * 2**20  # HTCondor rounds the memory of a claim up to whole multiples
_FRACTION = 1000  # amounts that are not bytes are counted in thousandths
_SHORT = re.compile(r"(?:(\d{1,7})x)?(\d{1,6})(?:x(\d{1,12})([KMGTP])(?:i?B)?)?", re.ASCII)
_UNITS = "KMGTP"


@dataclass(frozen=True)
class Machine:
    """What a machine has, by the names of ``Workflow.needs``, and how many such machines there are.

    A machine must say its cores. A resource that no machine of a pool names is not limited. If only
    some machines name a resource, the others have none of it; but their memory and disk space are
    not limited, because every machine has some.

    >>> Machine({"cores": 8, "memory_bytes": 2**36}, count=12).resources["cores"]
    8.0
    """

    resources: Mapping[str, float]
    count: int = 1

    def __post_init__(self) -> None:
        count = checks.whole_number("count", self.count, least=1, most=MOST_MACHINES)
        if not isinstance(self.resources, Mapping) or CORES not in self.resources:
            raise ArgumentError(f"machine: expected its {CORES}, got {self.resources!r:.60}")
        if "count" in self.resources:
            raise ArgumentError("machine: expected names of resources, got 'count'")
        amounts = {
            str(name): checks.number_within(name, amount, least=0, most=LARGEST_AMOUNT)
            for name, amount in self.resources.items()
        }
        checks.number_within(CORES, amounts[CORES], least=1 / _FRACTION, most=MOST_CORES)
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "resources", amounts)


def machine_in(words: str) -> Machine:
    """Return the machines that a short text stands for: COUNTxCORES or COUNTxCORESxMEMORY.

    Raises ArgumentError for another text.

    >>> machine_in("12x8x64G").count, machine_in("8").resources
    (12, {'cores': 8.0})
    """
    found = _SHORT.fullmatch(words.strip())
    if not found:
        expected = "COUNTxCORES or COUNTxCORESxMEMORY, such as 12x8 or 12x8x64G"
        raise ArgumentError(f"machines: expected {expected}, got {words!r:.60}")
    count, cores, memory, unit = found.groups()
    if count is not None and not 1 <= int(count) <= MOST_MACHINES:
        raise ArgumentError(
            f"machines: expected 1 to {MOST_MACHINES:,} machines, got {words!r:.60}"
        )
    resources = {CORES: int(cores)}
    if memory is not None:
        resources[MEMORY] = int(memory) * 1024 ** (_UNITS.index(unit) + 1)
    return Machine(resources, 1 if count is None else int(count))


@dataclass(frozen=True)
class HTCondor:
    """How DAGMan, a schedd and a negotiator fill partitionable slots. Times are in seconds.

    The defaults are those of HTCondor. docs/htcondor-slots.md has the rules. DAGMan submits what is
    ready every *scan_interval*, at most *scan_submissions* jobs at once, and then reads its log. A
    claim keeps the size of the job for which it was made, and takes the next idle job that fits. An
    idle claim is held for *hold* if the job with which it began has children, and is given back
    when the schedd looks next, every *schedd_interval*. The negotiator makes new claims every
    *negotiator_interval*, or earlier for new jobs, but not within *cycle_delay* of the last cycle.
    A claim older than *worklife* is not reused. With *exact_cores* a job refuses a claim with more
    cores than it asks for. *latency* multiplies all delays that were measured; 0 removes them.

    >>> HTCondor(hold=0)
    HTCondor(hold=0.0)
    """

    scan_interval: float = 5.0  # DAGMAN_USER_LOG_SCAN_INTERVAL
    scan_submissions: int = 100  # DAGMAN_MAX_SUBMITS_PER_INTERVAL
    hold: float = 20.0  # DAGMAN_HOLD_CLAIM_TIME
    schedd_interval: float = 300.0  # SCHEDD_INTERVAL
    heartbeat: float = 5.0  # SCHEDD_MIN_INTERVAL
    negotiator_interval: float = 60.0  # NEGOTIATOR_INTERVAL
    cycle_delay: float = 20.0  # NEGOTIATOR_CYCLE_DELAY
    worklife: float = 1200.0  # CLAIM_WORKLIFE
    exact_cores: bool = False
    latency: float = 1.0

    def __repr__(self) -> str:
        return changed(self)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "exact_cores":
                checks.kind_of(each.name, value, bool, made_by="bool()")
                continue
            if each.name == "scan_submissions":
                number: float = checks.whole_number(each.name, value, least=1, most=10**9)
            else:
                least = 0.001 if each.name.endswith("_interval") else 0
                number = checks.number_within(each.name, value, least=least, most=LONGEST)
            object.__setattr__(self, each.name, number)


@dataclass(frozen=True, eq=False)
class Machines:
    """Machines that run as many tasks at once as fit, and what their queue may hold.

    Ready tasks are put into the queue in the order that is played, while fewer than *max_jobs*
    tasks are in the queue or running, and fewer than *max_idle* are in the queue. Whenever
    something changes, the tasks of the queue start in this order. A task that fits on no machine
    is passed over. A task takes the first machine, in the given order, with the least cores free
    that are enough. With *htcondor* the tasks start as in HTCondor's partitionable slots instead,
    and *max_idle* is 1000 if it is None.

    *leave*, *overhead* and *delay* are as for a `Pool`: a task is lost after an exponential time of
    mean *leave*, and starts again on the same or another machine.

    >>> Machines([Machine({"cores": 8}), machine_in("2x4")], max_jobs=10).cores
    16.0
    """

    machines: Sequence[Machine]
    max_jobs: int | None = None
    max_idle: int | None = None
    htcondor: HTCondor | None = None
    leave: float = math.inf
    overhead: float = 0.0
    delay: float = 0.0

    deadline: ClassVar[float] = math.inf  # options of other pools
    replicas: ClassVar[int] = 1

    def __repr__(self) -> str:
        return changed(self, "machines")

    def __post_init__(self) -> None:
        given = tuple(self.machines) if isinstance(self.machines, Iterable) else ()
        if not given or not all(isinstance(machine, Machine) for machine in given):
            raise ArgumentError(f"machines: expected one Machine or more, got {self.machines!r}")
        total = sum(machine.count for machine in given)
        checks.whole_number("number of machines", total, least=1, most=MOST_MACHINES)
        object.__setattr__(self, "machines", given)
        for name in ("max_jobs", "max_idle"):
            if getattr(self, name) is not None:
                checks.whole_number(name, getattr(self, name), least=1, most=10**9)
        for name in ("overhead", "delay"):
            checks.number_within(name, getattr(self, name), least=0, most=LONGEST)
        if self.leave != math.inf:
            checks.number_within("leave", self.leave, least=1e-100, most=LONGEST)
        if self.htcondor is not None:
            checks.kind_of("htcondor", self.htcondor, HTCondor, made_by="HTCondor()")
            if self.leave != math.inf or self.delay:
                raise ArgumentError("htcondor: leave and delay cannot be used with it")

    @property
    def count(self) -> int:
        """Number of machines."""
        return sum(machine.count for machine in self.machines)

    @property
    def cores(self) -> float:
        """Cores of all machines."""
        return sum(machine.count * machine.resources[CORES] for machine in self.machines)


class Demands(NamedTuple):
    """What tasks hold and what machines have, in whole units of each resource.

    Tasks of the same group hold the same. `amounts` has a row for each group, `capacities` one for
    each machine; the columns are resources, and the first is cores.
    """

    groups: Ids
    amounts: NDArray[np.int64]
    capacities: NDArray[np.int64]

    @property
    def cores(self) -> Floats:
        """Cores that each task holds."""
        held: Floats = self.amounts[self.groups, 0] / _FRACTION
        return held


def demands(
    needs: Mapping[str, Floats], tasks: int, pool: Machines, names: Sequence[Hashable] = ()
) -> Demands:
    """Return what *tasks* tasks hold on the machines of *pool*; errors say their *names*, if given.

    A task whose cores are unknown (NaN) holds one core, and nothing of other resources that are
    unknown. HTCondor rounds memory up, unless the task then fits on no machine. Raises PoolError
    for a task that fits on no machine.

    >>> found = demands({"cores": np.array([1.0, np.nan, 5.0])}, 3, Machines([machine_in("8")]))
    >>> found.groups.tolist(), found.amounts.tolist(), found.capacities.tolist()
    ([0, 0, 1], [[1000], [5000]], [[8000]])
    """
    others = {name for machine in pool.machines for name in machine.resources} - {CORES}
    resources = [CORES, *sorted(others)]
    rows = np.empty((tasks, len(resources)), np.int64)
    for column, name in enumerate(resources):
        usual = 1.0 if name == CORES else 0.0
        values = np.asarray(needs.get(name, np.full(tasks, usual)), np.float64)
        rows[:, column] = _whole(name, np.where(np.isnan(values), usual, values))
    kinds = np.array(
        [[_whole(name, _has(machine, name)) for name in resources] for machine in pool.machines]
    )
    capacities = np.repeat(kinds, [machine.count for machine in pool.machines], axis=0)
    amounts, inverse = np.unique(rows, axis=0, return_inverse=True)
    if pool.htcondor and MEMORY in resources:
        rounded, memory = amounts.copy(), resources.index(MEMORY)
        rounded[:, memory] = -(-amounts[:, memory] // MEMORY_STEP) * MEMORY_STEP
        rounded[~_fit(rounded, kinds)] = amounts[~_fit(rounded, kinds)]
        amounts, merged = np.unique(rounded, axis=0, return_inverse=True)
        inverse = merged.reshape(-1)[inverse.reshape(-1)]
    groups = inverse.reshape(-1).astype(np.int32)
    fits = _fit(amounts, kinds)
    if not fits.all():
        task = int(np.argmin(fits[groups]))
        wanted, who = rows[task], repr(names[task]) if names else "a task"
        pairs = zip(resources, wanted.tolist(), strict=True)
        said = ", ".join(_amount_text(name, amount) for name, amount in pairs if amount)
        raise PoolError(f"machines: none is large enough for {who}, which needs {said}")
    return Demands(groups, amounts, capacities)


def _amount_text(name: str, units: int) -> str:
    if name.endswith("_bytes"):
        return f"{units / 2**20:,.10g} MiB of {name.removesuffix('_bytes')}"
    return f"{units / _FRACTION:,.10g} {name}"


def _has(machine: Machine, name: str) -> Floats:
    """Return how much of a resource of the pool a machine has."""
    unnamed = LARGEST_AMOUNT if name in _EVERYWHERE else 0.0
    return np.array(machine.resources.get(name, unnamed), np.float64)


def _fit(amounts: NDArray[np.int64], kinds: NDArray[np.int64]) -> Mask:
    """Return for each row of amounts whether some kind of machine has them."""
    fits: Mask = np.asarray((amounts[:, None, :] <= kinds[None]).all(axis=-1).any(axis=-1))
    return fits


def unequal_needs(needs: Mapping[str, Floats]) -> list[str]:
    """Return the resources of which tasks need different amounts.

    A task that does not say its cores needs one, and a task needs nothing of other resources unless
    it says so.

    >>> unequal_needs({"cores": np.array([1.0, np.nan]), "gpus": np.array([1.0, np.nan])})
    ['gpus']
    """
    usual = {name: 1.0 if name == CORES else 0.0 for name in needs}
    return [
        name
        for name, amounts in needs.items()
        if len(np.unique(np.nan_to_num(amounts, nan=usual[name]))) > 1
    ]


def _unit(name: str) -> int:
    return 1 if name.endswith("_bytes") else _FRACTION


def _whole(name: str, values: Floats) -> NDArray[np.int64]:
    """Return amounts in whole units, rounded up."""
    return np.ceil(np.minimum(values, LARGEST_AMOUNT) * _unit(name) - 1e-6).astype(np.int64)
