"""The machines of a run as pools: as many of these as HTCondor's settings leave open.

A log shows the machines, DAGMan's interval and its throttles. It does not show how often the schedd
and the negotiator look, and whether idle claims are held.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from icsched.arrays import Floats, Ids, Mask
from icsched.history.losses import Losses
from icsched.history.slots import Seen
from icsched.history.throttle import Submission
from icsched.history.usage import Usage
from icsched.sim.machines import CORES, MEMORY, MEMORY_STEP, HTCondor, Machine, Machines
from icsched.sim.slot_engine import USUAL_IDLE

DEFAULT = HTCondor()
QUICK = HTCondor(  # as in a pool for short jobs
    scan_interval=1.0, schedd_interval=1.0, heartbeat=1.05, negotiator_interval=2.0, cycle_delay=0.0
)
_QUANTILES = (0.5, 0.1)
_MOMENTS = 500  # of a run
_BINDING = 0.05  # of the core seconds: if less was lost to memory, memory limited nothing


def machine_pools(
    usage: Usage, seen: Seen, losses: Losses, told: Submission
) -> Iterator[list[Machines]]:
    """Yield the machines of a run as pools, one for all that the run may have had.

    Nothing is yielded if no machine was divided: workers describe static slots. The settings are
    HTCondor's default intervals or quick ones, and idle claims that are held or given back. If no
    job got more cores than it asked for, jobs may also have refused larger claims. Pools with more
    memory come first.
    """
    if not seen.is_partitionable.any():
        return
    is_exact = seen.has_sizes and not (seen.held > seen.asked).any()
    exact = (False, True) if is_exact else (False,)
    # With -maxidle, a scan submits a tenth of that number.
    idle = told.max_idle or USUAL_IDLE
    most = DEFAULT.scan_submissions if idle == USUAL_IDLE else max(1, idle // 10)
    memories = _memories(usage, seen, told)
    if losses.memory <= _BINDING * losses.total:
        enough = _enough_memory(seen)
        memories = [enough, *memories] if seen.has_memory_sizes else [enough]
    settings = [
        replace(
            intervals,
            scan_interval=max(told.scan_interval or intervals.scan_interval, 0.001),
            scan_submissions=most,
            hold=hold,
            exact_cores=only,
        )
        for intervals, hold, only in product((DEFAULT, QUICK), (DEFAULT.hold, 0.0), exact)
    ]
    for memory in memories:
        machines = _machines(seen, memory)
        yield [Machines(machines, told.max_jobs, told.max_idle, each) for each in settings]


def _machines(seen: Seen, memory: Sequence[float]) -> list[Machine]:
    """Return the machines, each kind with its *memory*; 0 stands for memory without a limit."""
    return [
        Machine({CORES: kind.cores} | ({MEMORY: amount} if amount else {}), kind.count)
        for kind, amount in zip(seen.kinds, memory, strict=True)
    ]


def _enough_memory(seen: Seen) -> list[float]:
    """Return more memory for each kind of machine than jobs can hold; 0 if all asked for the same.

    Memory without a limit would let a job with much memory take the claim of one with little.
    """
    if not seen.has_memory_sizes:
        return [0.0] * len(seen.kinds)
    largest = np.ceil(seen.asked_memory.max() / MEMORY_STEP) * MEMORY_STEP
    return [float(largest * max(1.0, np.ceil(kind.cores))) for kind in seen.kinds]


def _memories(usage: Usage, seen: Seen, told: Submission) -> list[list[float]]:
    """Return what memory each kind of machine may have had, the largest first.

    The least is what jobs held at once. While a job waited and a machine had enough cores for it,
    the machine had less than what was held and what the job asked for. Such a job may have waited
    for the negotiator alone, so this is tried: what was too little for half of such times, and for
    nine tenths.
    """
    least = [kind.memory_bytes or 0.0 for kind in seen.kinds]
    found = [_too_much(usage, seen, told, own, _QUANTILES) for own in map(seen.is_of, seen.kinds)]
    options = [
        [max(amount, below) for amount, below in zip(amounts, least, strict=True)]
        for amounts in zip(*found, strict=True)
    ]
    return [option for at, option in enumerate(options) if option not in options[:at]] + (
        [] if least in options else [least]
    )


def _too_much(
    usage: Usage, seen: Seen, told: Submission, own: Mask, quantiles: Sequence[float]
) -> list[float]:
    """Return quantiles of the memory that machines did not have while jobs waited; 0 if unknown."""
    moments = (np.arange(_MOMENTS) + 0.5) * usage.length / _MOMENTS
    numbers = np.flatnonzero(own)
    places = np.searchsorted(numbers, seen.machine).astype(np.int32)
    cores, memory = (
        _held_at(moments, usage, places, held, is_own, len(numbers))
        for is_own in [np.isin(seen.machine, numbers)]
        for held in (seen.held, seen.held_memory)
    )
    free = seen.cores[own].max() - cores
    amounts = []
    for asked_cores, asked in np.unique(
        np.column_stack([seen.asked, seen.asked_memory]), axis=0
    ).tolist():
        is_size = (seen.asked == asked_cores) & (seen.asked_memory == asked)
        since, until = told.queued[is_size] + told.patience, usage.start[is_size]
        is_long = since < until
        before = np.searchsorted(np.sort(since[is_long]), moments, side="right")
        waits = before > np.searchsorted(np.sort(until[is_long]), moments, side="right")
        needed = np.where(free >= asked_cores, memory + asked, np.inf).min(axis=0)
        amounts.append(needed[waits & np.isfinite(needed)])
    found = np.concatenate(amounts)
    found = found[found > seen.memory[own].max()]
    if not len(found):
        return [0.0] * len(quantiles)
    below = np.ceil(np.quantile(found, quantiles) / MEMORY_STEP) * MEMORY_STEP - MEMORY_STEP
    return [float(amount) for amount in below]


def _held_at(
    moments: Floats, usage: Usage, machine: Ids, held: Floats, is_own: Mask, machines: int
) -> Floats:
    """Return what each machine holds at each moment: a row per machine."""
    changes = np.zeros((machines, len(moments) + 1))
    for times, sign in ((usage.start, 1.0), (usage.end, -1.0)):
        at = np.searchsorted(moments, times[is_own])
        np.add.at(changes, (machine[is_own], at), sign * held[is_own])
    found: Floats = np.cumsum(changes, axis=1)[:, :-1]
    return found


def needs_of(
    usage: Usage, seen: Seen, stated: Mapping[str, Floats], tasks: int
) -> dict[str, Floats]:
    """Return the cores and memory that each task asked for: the most that an attempt did.

    What the log does not say is as *stated* by the workflow, else unknown (NaN).
    """
    known = usage.task >= 0
    found = {}
    for name, asked in ((CORES, seen.asked), (MEMORY, seen.asked_memory)):
        most = np.full(tasks, np.nan)
        np.fmax.at(most, usage.task[known], np.where(asked > 0, asked, np.nan)[known])
        if np.isnan(most).any() and name in stated:
            most = np.where(np.isnan(most), stated[name], most)
        found[name] = most
    return found
