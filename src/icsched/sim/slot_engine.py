"""How HTCondor fills partitionable slots with the jobs of DAGMan, in plain Python.

The kernel (``cpp/include/icsched/sim_condor.hpp``) makes the same runs, to the last bit.
docs/htcondor-slots.md tells users about the rules; they are those of HTCondor 23.9.6 with one user.

State
    machine   what no claim holds of its resources
    claim     resources of one machine; a job, or none; how long it is held when idle
    schedd    the idle jobs by priority, then by submission; the claims
    DAGMan    the tasks that are ready by priority, then by readiness; what it has not read of its
              log; counts of the jobs in the queue, as far as DAGMan knows

Events
    scan      DAGMan submits what is ready, within its throttles. *Then* DAGMan reads its log. So
              the end of a job is read at the next scan, and its child is submitted one scan later.
    end       The claim takes the first idle job that fits into it, however small, and keeps its
              size. If no job fits, the machine gets the claim back, or the claim is held: if the
              task with which its shadow began has children. A shadow begins when the claim is won,
              or when the claim was idle and takes a job.
    pass      The schedd looks at its idle claims: after a submission, after claims are won, and an
              interval after the last pass. Each claim takes the first idle job that fits. If none
              fits and the hold is over, the machine gets the claim back. Nothing else ends a hold.
    cycle     The negotiator makes new claims, exactly as large as their jobs, of what the machines
              have left: one for each machine, in the order of the idle jobs. The schedd then fills
              the rest of these machines. A job that does not fit stops no other. Cycles come at
              an interval, and earlier if jobs were submitted. Freed resources alone ask for no
              cycle.

At the same time, events come in the order of `Kind`. Second 0 is the first scan. Tasks that one end
frees are ready by id. All cores ask for a task at second 0, and those of a job again at its end.
These stall if the claim finds no job.
"""

from bisect import insort
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum, auto
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.dag import Dag
from icsched.errors import ArgumentError, PoolError
from icsched.sim.draws import Draws, Stream
from icsched.sim.machines import Demands, HTCondor, Machines
from icsched.sim.model import Played, Times
from icsched.sim.python_engine import time_factor
from icsched.sim.results import Assignments, Batches, Ending, Runs, Trace

USUAL_IDLE = 1000  # DAGMan's limit of idle jobs if it is not told another
_CORE = 1000  # cores are counted in thousandths
_MOST_INTERVALS = 2**50  # of the shortest interval, in a run


@dataclass(frozen=True, slots=True)
class Delays:
    """Delays in seconds, as measured on HTCondor 23.9.6, but for `slow_share`."""

    dagman: float = 1.2  # from the submission of DAGMan to its first scan
    scan: float = 0.01  # a scan takes this longer than its interval
    submission: float = 0.008  # one submission
    reaction: float = 0.15  # from the last submission of a scan to the pass of the schedd
    schedd: float = 0.45  # a round of the schedd takes this longer than its interval
    new_claim: float = 0.15  # from a cycle to the first start
    each_claim: float = 0.03  # and to each further start
    idle_claim: float = 0.08  # from a pass to a start in an idle claim
    reuse: float = 0.055  # from an end to the next start in the claim
    slow_reuse: float = 1.065  # the same if the old starter is still there: retried after 1 s
    job: float = 0.045  # time in the log beyond the run time of a job
    slow_share: float = 0.67  # of all reuses

    def times(self, latency: float) -> "Delays":
        """Return all delays multiplied by *latency*.

        >>> Delays().times(0).slow_reuse, Delays().times(0).slow_share
        (0.0, 0.67)
        """
        delays = {each.name: latency * getattr(self, each.name) for each in fields(self)}
        return Delays(**{**delays, "slow_share": self.slow_share})


class Categories(NamedTuple):
    """DAGMan's limits of jobs by category (MAXJOBS): the category of each task, or -1."""

    of_task: Ids
    limits: Ids

    @classmethod
    def none(cls, tasks: int) -> "Categories":
        """Return what *tasks* tasks without a category have."""
        return cls(np.full(tasks, -1, np.int32), np.empty(0, np.int32))


def check_played(played: Played) -> None:
    """Raise ArgumentError for an order that DAGMan cannot play."""
    if played.by in ("lifo", "random"):
        raise ArgumentError(f"order: DAGMan and HTCondor cannot play {played.by}")


def too_long() -> PoolError:
    """Return the error for a run that spans too many intervals."""
    return PoolError(
        f"htcondor: the run lasts over {_MOST_INTERVALS:.0e} times its shortest interval"
    )


def latest(condor: HTCondor, delays: Delays) -> float:
    """Return the time after which a run is given up: the clocks would not be exact."""
    scans, passes = condor.scan_interval + delays.scan, condor.schedd_interval + delays.schedd
    return _MOST_INTERVALS * min(scans, passes, condor.negotiator_interval)


class Kind(IntEnum):
    """Kinds of events; at the same time the smaller comes first."""

    START = auto()
    END = auto()
    QUEUE = auto()
    SCAN = auto()
    REQUESTED_PASS = auto()
    TIMED_PASS = auto()
    REPORT = auto()
    HEARTBEAT = auto()
    CYCLE = auto()


def _whole(cores: int) -> int:
    return -(-cores // _CORE)


class _Ticks:
    """Moments at an interval: `next` is number *number* from *first* on."""

    def __init__(self, first: float, interval: float, number: int = 0) -> None:
        self.first, self.interval, self.number = first, interval, number

    @property
    def next(self) -> float:
        return self.first + self.number * self.interval


class _Seen(NamedTuple):
    """Counts of cores, in thousandths, and of rows of the trace's batches."""

    asked: int
    stalled: int
    rows: int


class _Claim:
    """A dynamic slot that the schedd may use."""

    def __init__(self, machine: int, task: int, born: float, place: int) -> None:
        self.machine, self.maker, self.born, self.place = machine, task, born, place
        self.is_idle = False
        self.hold = 0.0  # as the task says with which the claim's shadow began
        self.held_until = 0.0


def run(
    dag: Dag,
    played: Played,
    pool: Machines,
    times: Times,
    means: Floats,
    found: Demands,
    categories: Categories | None = None,
    *,
    seed: int,
    run: int,
) -> Trace:
    """Simulate one run of checked inputs, step by step.

    >>> from icsched.sim.machines import demands, machine_in
    >>> quick = HTCondor(heartbeat=0, cycle_delay=0, latency=0)
    >>> pair, pool = Dag({"a": [], "b": ["a"]}), Machines([machine_in("2")], htcondor=quick)
    >>> model = pair, Played("fifo"), pool, Times("constant"), np.ones(2), demands({}, 2, pool)
    >>> run(*model, seed=1, run=0).assignments.time.tolist()  # a ended before the scan at 5
    [0.0, 10.0]
    """
    check_played(played)
    limits = categories or Categories.none(len(dag))
    simulated = _Run(dag, played, pool, found, limits, Draws(seed=seed, run=run))
    factors = (time_factor(times, simulated.draws, task, 0) for task in range(len(dag)))
    return simulated.run(
        [mean * factor for mean, factor in zip(means.tolist(), factors, strict=True)]
    )


class _Run:
    """DAGMan, a schedd, a negotiator and machines with one clock."""

    def __init__(
        self,
        dag: Dag,
        played: Played,
        pool: Machines,
        found: Demands,
        categories: Categories,
        draws: Draws,
    ) -> None:
        self.pool, self.draws, self.dag = pool, draws, dag
        self.condor = condor = pool.htcondor or HTCondor()
        self.delays = delays = Delays().times(condor.latency)
        self.needs = found.amounts[found.groups].tolist()
        self.free = found.capacities.tolist()
        self.priority = _priorities(dag, played)  # the least first
        # DAGMan
        self.category, self.limits = categories.of_task.tolist(), categories.limits.tolist()
        self.parents_left = dag.in_degrees.tolist()
        sources = [task for task in played.order_for(dag).tolist() if not self.parents_left[task]]
        self.ready = [(self.priority[task], place, task) for place, task in enumerate(sources)]
        self.newest, self.put_back = len(sources), 0  # the last places at both ends
        self.ended_unread: list[int] = []
        self.started_unread = self.submissions = self.in_queue = self.idle_known = 0
        self.in_category = Counter[int]()
        # schedd and negotiator
        self.idle: list[tuple[int, int, int]] = []  # priority, submission, task
        self.claims: list[_Claim] = []
        self.claim_of: dict[int, _Claim] = {}  # by task that runs
        # clock
        self.events: list[tuple[float, Kind, int, int]] = []  # the last two: a number, a task
        self.now = self.heartbeat = -delays.dagman
        self.last_cycle = self.now - condor.cycle_delay * draws.uniform(Stream.PHASE, 0)
        self.scans = _Ticks(0.0, condor.scan_interval + delays.scan)
        self.passes = _Ticks(condor.schedd_interval, condor.schedd_interval + delays.schedd)
        first_cycle = max(self.now, self.last_cycle + condor.cycle_delay)
        self.cycles = _Ticks(first_cycle, condor.negotiator_interval)
        self.latest = latest(condor, delays)
        # what is told
        self.started: list[tuple[float, int, int, float]] = []
        self.unassigned = len(sources)  # tasks that are ready or idle
        self.batches: list[list[Any]] = []  # moment, cores, unassigned tasks
        self.asked = self.seen = _Seen(0, 0, 0)  # so far, and until the last start

    def run(self, run_times: Sequence[float]) -> Trace:
        """Let all events happen until the last job ends."""
        self.run_times, self.ends = run_times, 0
        while self.ends < len(self.dag):
            self._step()
        start, task, machine, end = zip(*self.started, strict=True)
        moments, cores, eligible = zip(*self.batches[: self.seen.rows], strict=True)
        return Trace(
            Assignments(
                np.array(start),
                np.array(task, np.int32),
                np.array(machine, np.int64),
                np.array(end),
                np.full(len(task), Ending.RESULT, np.uint8),
                self.dag.names,
            ),
            Batches(
                np.array(moments),
                np.array([_whole(each) for each in cores], np.int64),
                np.array(eligible, np.int64),
            ),
            self._result(),
        )

    def _result(self) -> Runs:
        asked, stalled = _whole(self.seen.asked), _whole(self.seen.stalled)
        work = 0.0
        for task, run_time in enumerate(self.run_times):
            work += run_time * (self.needs[task][0] / _CORE)  # not sum(), which rounds differently
        counted = (np.array([each]) for each in (self.now, asked, stalled, asked))
        return Runs.of(len(self.dag), self.pool, *counted, work=np.array([work]))

    def _ask(self, cores: int, *, stalled: bool) -> None:
        """Have *cores* ask for a task."""
        asked, stalls, _ = self.asked
        if self.batches and self.batches[-1][0] == self.now:
            self.batches[-1][1] += cores
        else:
            self.batches.append([self.now, cores, self.unassigned])
        self.asked = _Seen(asked + cores, stalls + stalled * cores, len(self.batches))

    def _step(self) -> None:
        """Let the next event happen."""
        timed = min(
            (self.scans.next, Kind.SCAN),
            (self.passes.next, Kind.TIMED_PASS),
            (self.cycles.next, Kind.CYCLE),
        )
        if self.events and self.events[0][:2] < timed:
            self.now, kind, number, task = heappop(self.events)
        else:
            (self.now, kind), number, task = timed, 0, 0
        if self.now > self.latest:
            raise too_long()
        match kind:
            case Kind.START:
                self._log_start(number, task)
            case Kind.END:
                self._end(task)
            case Kind.QUEUE:
                insort(self.idle, (self.priority[task], number, task))
            case Kind.SCAN:
                self._scan()
            case Kind.REQUESTED_PASS:
                self._look_at_claims()
                self.passes.first, self.passes.number = self.now, 1
            case Kind.TIMED_PASS:
                self._look_at_claims()
                self.passes.number += 1
            case Kind.REPORT:
                self._report()
            case Kind.HEARTBEAT:
                self._advance_cycle()
            case Kind.CYCLE:
                self._cycle()

    def _at(self, when: float, kind: Kind, number: int = 0, task: int = 0) -> None:
        if when > self.latest:
            raise too_long()
        heappush(self.events, (when, kind, number, task))

    # DAGMan

    def _scan(self) -> None:
        """Submit what is ready, then read the log."""
        if self.scans.number == 0:
            self._ask(sum(room[0] for room in self.free), stalled=False)
        self._submit_ready()
        self.idle_known -= self.started_unread
        self.in_queue -= len(self.ended_unread)
        for task in self.ended_unread:
            self.in_category[self.category[task]] -= 1
            for child in self.dag.children(task).tolist():
                self.parents_left[child] -= 1
                if not self.parents_left[child]:
                    self.ready.append((self.priority[child], self.newest, child))
                    self.newest += 1
                    self.unassigned += 1
        self.started_unread = 0
        self.ended_unread.clear()
        self.scans.number += 1

    def _may_submit(self, submitted: int) -> bool:
        """Whether the throttles let this scan submit more than the *submitted* jobs."""
        return (
            submitted < self.condor.scan_submissions
            and (self.pool.max_jobs is None or self.in_queue < self.pool.max_jobs)
            and self.idle_known < (self.pool.max_idle or USUAL_IDLE)
        )

    def _submit_ready(self) -> None:
        """Submit ready tasks by priority, then by readiness, as far as throttles let it.

        A task over the limit of its category is put back before all others of its priority, so
        that such tasks are reversed.
        """
        self.ready.sort()
        submitted, over_limit = 0, list[int]()
        while self.ready and self._may_submit(submitted):
            _, _, task = self.ready.pop(0)
            category = self.category[task]
            if category >= 0 and self.in_category[category] >= self.limits[category]:
                over_limit.append(task)
            else:
                self.in_category[category] += 1
                self._submit(task, self.now + submitted * self.delays.submission)
                submitted += 1
        for task in over_limit:
            self.put_back -= 1
            self.ready.append((self.priority[task], self.put_back, task))
        if submitted:
            seen = self.now + submitted * self.delays.submission + self.delays.reaction
            self._at(seen, Kind.REQUESTED_PASS)
            self._at(seen, Kind.REPORT)

    def _submit(self, task: int, when: float) -> None:
        """Put the job of *task* into the queue at *when*."""
        self.in_queue += 1
        self.idle_known += 1
        self._at(when, Kind.QUEUE, self.submissions, task)
        self.submissions += 1

    # schedd

    def _first_fit(self, room: Sequence[int], *, most_cores: bool = False) -> int | None:
        """Return the first idle job that fits into *room*; with *most_cores* only of all cores."""
        for at, (_, _, task) in enumerate(self.idle):
            needs = self.needs[task]
            if _fits(needs, room) and not (most_cores and needs[0] < room[0]):
                del self.idle[at]
                return task
        return None

    def _job_for(self, claim: _Claim) -> int | None:
        """Take the first idle job that fits into *claim*."""
        return self._first_fit(self.needs[claim.maker], most_cores=self.condor.exact_cores)

    def _start_shadow(self, claim: _Claim, task: int, delay: float) -> None:
        """Start a job with a new shadow, which keeps what this task says about the hold."""
        claim.hold = self.condor.hold if len(self.dag.children(task)) else 0.0
        self._start(claim, task, delay)

    def _start(self, claim: _Claim, task: int, delay: float) -> None:
        """Start a job in *claim*."""
        claim.is_idle = False
        self.claim_of[task] = claim
        self._at(self.now + delay, Kind.START, len(self.claim_of), task)

    def _log_start(self, number: int, task: int) -> None:
        """Have a job run from now on."""
        self.started_unread += 1
        end = self.now + (self.pool.overhead + self.run_times[task] + self.delays.job)
        self._at(end, Kind.END, number, task)
        self.started.append((self.now, task, self.claim_of[task].machine, end))
        self.unassigned -= 1
        self.seen = self.asked

    def _end(self, task: int) -> None:
        """End a job: reuse its claim, hold the claim, or give it back."""
        self.ends += 1
        self.ended_unread.append(task)
        claim = self.claim_of[task]
        is_worn = self.now - claim.born > self.condor.worklife
        following = None if is_worn else self._job_for(claim)
        self._ask(self.needs[task][0], stalled=following is None)
        if following is not None:
            is_slow = self.draws.uniform(Stream.REUSE, following) < self.delays.slow_share
            self._start(claim, following, self.delays.slow_reuse if is_slow else self.delays.reuse)
        elif claim.hold and not is_worn:
            claim.is_idle, claim.held_until = True, self.now + claim.hold
        else:
            self._give_back(claim)

    def _give_back(self, claim: _Claim) -> None:
        """Return what a claim holds to its machine."""
        self.claims.remove(claim)
        free, held = self.free[claim.machine], self.needs[claim.maker]
        self.free[claim.machine] = [a + b for a, b in zip(free, held, strict=True)]

    def _look_at_claims(self) -> None:
        """Make a pass: fill idle claims, and give back those whose hold is over.

        The schedd has its claims in a hash table: their order means nothing, but stays the same.
        """
        for claim in sorted(self.claims, key=lambda claim: claim.place):
            if not claim.is_idle:
                continue
            if (task := self._job_for(claim)) is not None:
                self._start_shadow(claim, task, self.delays.idle_claim)
            elif self.now >= claim.held_until:
                self._give_back(claim)

    # negotiator

    def _report(self) -> None:
        """Report new jobs with the schedd's next heartbeat, which asks for a cycle."""
        if self.heartbeat > self.now:
            return  # this heartbeat reports them
        # The schedd has also reported at each of its rounds since then.
        since = (self.now - self.heartbeat) % self.passes.interval
        self.heartbeat = max(self.now, self.now - since + self.condor.heartbeat)
        self._at(self.heartbeat, Kind.HEARTBEAT)

    def _advance_cycle(self) -> None:
        """Have the next cycle now, or when the delay after the last one is over."""
        when = max(self.now, self.last_cycle + self.condor.cycle_delay)
        if when < self.cycles.next:
            self.cycles.first, self.cycles.number = when, 0

    def _cycle(self) -> None:
        """Make new claims."""
        self.last_cycle = self.now
        self.cycles.number += 1
        if self.heartbeat > self.now:
            return  # the negotiator does not know of the jobs yet
        won, matched = 0, list[int]()
        for job in list(self.idle):  # one match for each machine, the fullest first
            needs = self.needs[job[-1]]
            free = [
                (room, machine)
                for machine, room in enumerate(self.free)
                if machine not in matched and _fits(needs, room)
            ]
            if free:
                _, machine = min(free)
                matched.append(machine)
                self.idle.remove(job)
                self._win(machine, job[-1], won)
                won += 1
        for machine in matched:  # the schedd fills the rest by itself
            while (following := self._first_fit(self.free[machine])) is not None:
                self._win(machine, following, won)
                won += 1
        if won:
            self._at(self.now + self.delays.new_claim, Kind.REQUESTED_PASS)

    def _win(self, machine: int, task: int, before: int) -> None:
        """Make a claim for the job of *task*, after *before* others in this cycle."""
        claim = _Claim(machine, task, self.now, self.draws.bits(Stream.CLAIM, task))
        room, needs = self.free[machine], self.needs[task]
        self.free[machine] = [a - b for a, b in zip(room, needs, strict=True)]
        self.claims.append(claim)
        self._start_shadow(claim, task, self.delays.new_claim + before * self.delays.each_claim)


def _fits(needs: Sequence[int], room: Sequence[int]) -> bool:
    return all(need <= left for need, left in zip(needs, room, strict=True))


def _priorities(dag: Dag, played: Played) -> list[int]:
    """Return a number for each task; the least comes first."""
    if played.by == "static":
        order = played.order_for(dag)
        ranks = np.empty(len(dag), np.int32)
        ranks[order] = np.arange(len(dag), dtype=np.int32)
        return ranks.tolist()
    return played.classes_for(dag).tolist() or [0] * len(dag)
