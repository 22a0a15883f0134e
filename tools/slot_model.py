"""Model of how HTCondor fills partitionable slots with the jobs of DAGMan.

Usage: python -m tools.slot_model RUN_FOLDER...

Each folder is a run that tools.real_pool has kept. The model plays the run again 20 times. It knows
what the jobs asked for and the settings, and nothing of what happened. The table says how far off
the model is. docs/htcondor-slots.md tells users about the rules; they are those of HTCondor 23.9.6
with one user.

State
    machine   the cores and the memory that no claim holds
    claim     cores and memory of one machine; a job, or none; how long it is held when idle
    schedd    the idle jobs by priority, then by submission; the claims
    DAGMan    the nodes that are ready by priority, then by readiness; the events that it has not
              read; counts of the jobs in the queue, as far as DAGMan knows

Events
    scan      DAGMan submits what is ready, within its throttles. *Then* DAGMan reads its log. So
              the end of a job is read at the next scan, and its child is submitted one scan later.
    end       The claim takes the first idle job that fits into it, however small, and keeps its
              size. If no job fits, the machine gets the claim back, or the claim is held: if the
              node with which its shadow began has children. A shadow begins when the claim is won,
              or when the claim was idle and takes a job.
    pass      The schedd looks at its idle claims: after a submission, after claims are won, and an
              interval after the last pass. Each claim takes the first idle job that fits. If none
              fits and the hold is over, the machine gets the claim back. Nothing else ends a hold.
    cycle     The negotiator makes new claims, exactly as large as their jobs, of what the machines
              have left: one for each machine, in the order of the idle jobs. The schedd then fills
              the rest of these machines. A job that does not fit stops no other. Cycles come at
              an interval, and earlier if jobs were submitted. Freed cores alone ask for no cycle.
"""

import argparse
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count, pairwise
from pathlib import Path
from random import Random

import msgspec

from tools.real_pool import Job, Record, cores_over_time

DRAWS = 20  # how often each run is played
CORES = 8  # of the pool of tools/htcondor.sh
MEMORY_STEP_MIB = 128  # claims have whole multiples
USUAL_IDLE = 1000  # -maxidle, if condor_submit_dag is not told another

# How it is set


@dataclass(frozen=True)
class Delays:
    """Measured delays, in seconds."""

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
    slow_share: float = 0.67  # of all reuses
    job: float = 0.045  # time in the log beyond the run time of a job


NO_DELAYS = Delays(**dict.fromkeys(Delays.__dataclass_fields__, 0.0))


@dataclass(frozen=True)
class Settings:
    """Settings of the pool and of DAGMan. The defaults are HTCondor's."""

    scan_interval: float = 5.0  # DAGMAN_USER_LOG_SCAN_INTERVAL
    scan_submissions: int = 100  # DAGMAN_MAX_SUBMITS_PER_INTERVAL
    max_jobs: int | None = None  # -maxjobs
    max_idle: int = USUAL_IDLE  # -maxidle
    hold_s: float = 20.0  # DAGMAN_HOLD_CLAIM_TIME
    schedd_interval: float = 300.0  # SCHEDD_INTERVAL
    heartbeat_s: float = 5.0  # SCHEDD_MIN_INTERVAL: the schedd reports jobs this often at most
    negotiator_interval: float = 60.0  # NEGOTIATOR_INTERVAL
    cycle_delay: float = 20.0  # NEGOTIATOR_CYCLE_DELAY
    claim_worklife: float = 1200.0  # CLAIM_WORKLIFE
    exact_cores: bool = False  # jobs refuse claims that have more cores than they ask for
    categories: Mapping[str, str] = field(default_factory=dict)  # by job
    category_limits: Mapping[str, int] = field(default_factory=dict)  # MAXJOBS
    delays: Delays = Delays()


# State


@dataclass(eq=False)
class Machine:
    """A partitionable slot: what no claim holds of it."""

    cores: int
    memory_mib: int


@dataclass(eq=False)
class Node:
    """A node of DAGMan: its job, what it waits for, and when the job did what."""

    job: Job
    index: int  # its place in the DAGMan file
    memory_mib: int  # of its claim
    parents_left: int
    children: list["Node"] = field(default_factory=list)
    submission: int = -1  # its number
    submitted: float = -1.0
    started: float = -1.0
    ended: float = -1.0

    def fits(self, place: "Machine | Claim") -> bool:
        """Whether *place* has the cores and the memory of the job."""
        return self.job.cores <= place.cores and self.memory_mib <= place.memory_mib


@dataclass(eq=False)
class Claim:
    """A dynamic slot that the schedd may use."""

    machine: Machine
    cores: int
    memory_mib: int
    born: float
    place: float  # in the schedd's table
    node: Node | None = None
    hold_s: float = 0.0  # as the node says with which the claim's shadow began
    held_until: float = 0.0


def nodes_of(jobs: Sequence[Job]) -> list[Node]:
    """Return the nodes of *jobs*, each with its children in the order of the file."""
    nodes = {
        job.name: Node(job, index, rounded_up(job.memory_mib), len(job.parents))
        for index, job in enumerate(jobs)
    }
    for node in nodes.values():
        for parent in node.job.parents:
            nodes[parent].children.append(node)
    return list(nodes.values())


def rounded_up(memory_mib: int) -> int:
    """Return the memory of a claim for a job that asks for *memory_mib*.

    >>> rounded_up(128), rounded_up(129)
    (128, 256)
    """
    return -(-memory_mib // MEMORY_STEP_MIB) * MEMORY_STEP_MIB


# Events and rules


class Pool:
    """DAGMan, a schedd, a negotiator and machines with one clock. Second 0 is the first scan.

    *phase_s* is how long before the submission of DAGMan the last cycle was. *seed* decides which
    reuses are slow, and which idle claims the schedd looks at first.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        machines: Sequence[Machine],
        settings: Settings,
        *,
        seed: int = 0,
        phase_s: float = 0.0,
    ) -> None:
        self.settings, self.delays = settings, settings.delays
        self.machines = machines
        self.random = Random(seed)  # noqa: S311  no secret
        self.events: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self.event_numbers = count()
        # DAGMan
        self.nodes = nodes_of(jobs)
        self.ready = [node for node in self.nodes if not node.parents_left]
        self.readiness = {node: place for place, node in enumerate(self.ready)}
        self.newest, self.put_back = len(self.ready), 0  # the last places at both ends
        self.started_unread: list[Node] = []
        self.ended_unread: list[Node] = []
        self.submissions = self.in_queue = self.idle_known = self.ends = 0
        self.in_category = Counter[str]()
        # schedd and negotiator
        self.idle: list[Node] = []
        self.claims: list[Claim] = []
        self.now = self.heartbeat = -self.delays.dagman
        self.last_cycle = self.now - phase_s
        self.plan_cycle(max(self.now, self.last_cycle + settings.cycle_delay))
        self.plan_pass(settings.schedd_interval)
        self.at(0, self.scan)

    def at(self, when: float, rule: Callable[..., None], *arguments: object) -> None:
        """Have *rule* applied at *when*, after all that was planned for then before."""
        heappush(self.events, (when, next(self.event_numbers), rule, arguments))

    def run(self) -> list[Job]:
        """Return the jobs, with the times at which they were submitted, started and ended."""
        while self.ends < len(self.nodes):
            self.now, _, rule, arguments = heappop(self.events)
            rule(*arguments)
        return [
            replace(node.job, submitted=node.submitted, started=node.started, ended=node.ended)
            for node in self.nodes
        ]

    # DAGMan

    def scan(self) -> None:
        """Submit what is ready, then read the log."""
        self.submit_ready()
        self.idle_known -= len(self.started_unread)
        self.in_queue -= len(self.ended_unread)
        for node in self.ended_unread:
            self.in_category[self.category(node)] -= 1
            for child in node.children:
                child.parents_left -= 1
                if not child.parents_left:
                    self.newest += 1
                    self.readiness[child] = self.newest
                    self.ready.append(child)
        self.started_unread.clear()
        self.ended_unread.clear()
        self.at(self.now + self.settings.scan_interval + self.delays.scan, self.scan)

    def category(self, node: Node) -> str:
        """Return the category of *node*; "" if it has none."""
        return self.settings.categories.get(node.job.name, "")

    def may_submit(self, submitted: int) -> bool:
        """Whether the throttles let this scan submit more than the *submitted* jobs."""
        limit = self.settings.max_jobs
        return (
            submitted < self.settings.scan_submissions
            and (limit is None or self.in_queue < limit)
            and self.idle_known < self.settings.max_idle
        )

    def submit_ready(self) -> None:
        """Submit ready nodes by priority, then by readiness, as far as throttles let it.

        A node over the limit of its category is put back before all others of its priority, so
        that such nodes are reversed.
        """
        self.ready.sort(key=lambda node: (-node.job.priority, self.readiness[node]))
        submitted, over_limit = 0, list[Node]()
        while self.ready and self.may_submit(submitted):
            node = self.ready.pop(0)
            category = self.category(node)
            if category and self.in_category[category] >= self.settings.category_limits[category]:
                over_limit.append(node)
            else:
                self.in_category[category] += 1
                self.submit(node, self.now + submitted * self.delays.submission)
                submitted += 1
        for node in over_limit:
            self.put_back -= 1
            self.readiness[node] = self.put_back
            self.ready.append(node)
        if submitted:
            seen = self.now + submitted * self.delays.submission + self.delays.reaction
            self.at(seen, self.look_at_claims)
            self.at(seen, self.request_cycle)

    def submit(self, node: Node, when: float) -> None:
        """Put the job of *node* into the queue at *when*."""
        node.submitted, node.submission = when, self.submissions
        self.submissions += 1
        self.in_queue += 1
        self.idle_known += 1
        self.at(when, self.queue, node)

    # schedd

    def queue(self, node: Node) -> None:
        """Make a submitted job idle."""
        self.idle.append(node)
        self.idle.sort(key=lambda node: (-node.job.priority, node.submission))

    def first_fit(self, place: Machine | Claim) -> Node | None:
        """Return the first idle job that fits into *place*; None if no job fits."""
        is_exact = self.settings.exact_cores and isinstance(place, Claim)
        return next(
            (
                node
                for node in self.idle
                if node.fits(place) and not (is_exact and node.job.cores < place.cores)
            ),
            None,
        )

    def start_shadow(self, claim: Claim, node: Node, delay: float) -> None:
        """Start a job with a new shadow, which keeps what this node says about the hold."""
        claim.hold_s = self.settings.hold_s if node.children else 0.0
        self.start(claim, node, delay)

    def start(self, claim: Claim, node: Node, delay: float) -> None:
        """Start an idle job in *claim*."""
        self.idle.remove(node)
        claim.node = node
        node.started = self.now + delay
        node.ended = node.started + node.job.seconds + self.delays.job
        self.at(node.started, self.started_unread.append, node)
        self.at(node.ended, self.end, claim, node)

    def end(self, claim: Claim, node: Node) -> None:
        """End a job: reuse its claim, hold the claim, or give it back."""
        self.ends += 1
        self.ended_unread.append(node)
        claim.node = None
        is_worn = self.now - claim.born > self.settings.claim_worklife
        following = None if is_worn else self.first_fit(claim)
        if following:
            is_slow = self.random.random() < self.delays.slow_share
            self.start(claim, following, self.delays.slow_reuse if is_slow else self.delays.reuse)
        elif claim.hold_s and not is_worn:
            claim.held_until = self.now + claim.hold_s
        else:
            self.give_back(claim)

    def give_back(self, claim: Claim) -> None:
        """Return a claim's cores and memory to its machine."""
        self.claims.remove(claim)
        claim.machine.cores += claim.cores
        claim.machine.memory_mib += claim.memory_mib

    def plan_pass(self, when: float) -> None:
        """Have the next timed pass at *when*, in place of the one that was planned."""
        self.next_pass = when
        self.at(when, self.timed_pass, when)

    def timed_pass(self, planned: float) -> None:
        """Make a pass, unless another plan has replaced it."""
        if planned == self.next_pass:
            self.look_at_claims()

    def look_at_claims(self) -> None:
        """Make a pass: fill idle claims, and give back those whose hold is over.

        The schedd has its claims in a hash table: their order means nothing, but stays the same.
        """
        for claim in sorted(self.claims, key=lambda claim: claim.place):
            if claim.node:
                continue
            if node := self.first_fit(claim):
                self.start_shadow(claim, node, self.delays.idle_claim)
            elif self.now >= claim.held_until:
                self.give_back(claim)
        self.plan_pass(self.now + self.settings.schedd_interval + self.delays.schedd)

    # negotiator

    def request_cycle(self) -> None:
        """Report new jobs with the schedd's next heartbeat, which asks for a cycle."""
        if self.heartbeat > self.now:
            return  # this heartbeat reports them
        # The schedd has also reported at each of its rounds since then.
        rounds = self.settings.schedd_interval + self.delays.schedd
        since = (self.now - self.heartbeat) % rounds
        self.heartbeat = max(self.now, self.now - since + self.settings.heartbeat_s)
        self.at(self.heartbeat, self.advance_cycle)

    def advance_cycle(self) -> None:
        """Have the next cycle now, or when the delay after the last one is over."""
        when = max(self.now, self.last_cycle + self.settings.cycle_delay)
        if when < self.next_cycle:
            self.plan_cycle(when)

    def plan_cycle(self, when: float) -> None:
        """Have the next cycle at *when*, in place of the one that was planned."""
        self.next_cycle = when
        self.at(when, self.cycle, when)

    def cycle(self, planned: float) -> None:
        """Make new claims, unless another plan has replaced this cycle."""
        if planned != self.next_cycle:
            return
        self.last_cycle = self.now
        self.plan_cycle(self.now + self.settings.negotiator_interval)
        if self.heartbeat > self.now:
            return  # the negotiator does not know of the jobs yet
        won, matched = 0, list[Machine]()
        for node in list(self.idle):  # one match for each machine, the fullest first
            if free := [m for m in self.machines if m not in matched and node.fits(m)]:
                machine = min(free, key=lambda machine: (machine.cores, machine.memory_mib))
                matched.append(machine)
                self.win(machine, node, won)
                won += 1
        for machine in matched:  # the schedd fills the rest by itself
            while following := self.first_fit(machine):
                self.win(machine, following, won)
                won += 1
        if won:
            self.at(self.now + self.delays.new_claim, self.look_at_claims)

    def win(self, machine: Machine, node: Node, before: int) -> None:
        """Make a claim for the job of *node*, after *before* others in this cycle."""
        claim = Claim(machine, node.job.cores, node.memory_mib, self.now, self.random.random())
        machine.cores -= claim.cores
        machine.memory_mib -= claim.memory_mib
        self.claims.append(claim)
        self.start_shadow(claim, node, self.delays.new_claim + before * self.delays.each_claim)


# Replay


@dataclass(frozen=True)
class Replay:
    """A recorded run beside what the model made of it, draw by draw."""

    name: str
    real_s: float
    draws_s: Sequence[float]
    cores_used: float  # on average over the real run
    cores_apart: float  # mean difference of the cores in use
    starts_apart_s: float  # mean difference of the starts of a job

    @property
    def error(self) -> float:
        """How much later the model ends the run on average, as a share of the real time."""
        return statistics.mean(self.draws_s) / self.real_s - 1

    def __str__(self) -> str:
        ends = f"{self.real_s:7.1f} {statistics.mean(self.draws_s):7.1f} {100 * self.error:6.1f}"
        spread = f"{min(self.draws_s):7.1f} {max(self.draws_s):7.1f}"
        cores = f"{self.cores_apart:9.2f} {self.cores_used:5.2f}"
        return f"{self.name:44} {ends} {spread} {cores} {self.starts_apart_s:12.2f}"


HEAD = (
    f"{'run':44} {'real s':>7} {'model s':>7} {'off %':>6} {'least':>7} {'most':>7}"
    f" {'cores off':>9} {'of':>5} {'starts off s':>12}"
)


def replayed(folder: Path) -> Replay:
    """Play the run in *folder* again; return how far off the model is."""
    record = msgspec.json.decode((folder / "run.json").read_bytes(), type=Record)
    settings = settings_of(record, folder)
    first = min(job.submitted for job in record.jobs)
    real = [
        replace(job, started=job.started - first, ended=job.ended - first) for job in record.jobs
    ]
    runs = []
    for seed in range(DRAWS):
        phase = Random(seed).random() * settings.cycle_delay  # noqa: S311  no secret
        pool = Pool(record.jobs, machines_of(record), settings, seed=seed, phase_s=phase)
        runs.append(pool.run())
    return Replay(
        "/".join(folder.parts[-2:]),
        record.seconds,
        [replace(record, jobs=jobs).seconds for jobs in runs],
        record.cores_used,
        statistics.mean(cores_apart(real, jobs) for jobs in runs),
        statistics.mean(starts_apart(real, jobs) for jobs in runs),
    )


def settings_of(record: Record, folder: Path) -> Settings:
    """Return the settings of a run: those of tools/htcondor.sh, of the record and of its files."""
    dag = (folder / "wf.dag").read_text()
    submit_lines = "".join(path.read_text() for path in folder.glob("*.sub"))
    configured = [
        pair
        for name in re.findall(r"^CONFIG (\S+)$", dag, re.MULTILINE)
        for pair in re.findall(r"^(\w+) = (.*)$", (folder / name).read_text(), re.MULTILINE)
    ]
    values = record.settings | dict(configured)
    hold = re.search(r"^keep_claim_idle = (\d+)$", submit_lines, re.MULTILINE)
    options = dict(zip(record.dagman[::2], record.dagman[1::2], strict=True))
    max_idle = int(options.get("-maxidle", USUAL_IDLE))

    def number(key: str, default: float) -> float:
        return float(values.get(key, default))

    return Settings(
        scan_interval=number("DAGMAN_USER_LOG_SCAN_INTERVAL", 1),
        # -maxidle also sets how many jobs a scan submits.
        scan_submissions=100 if max_idle == USUAL_IDLE else max(1, max_idle // 10),
        max_jobs=int(options["-maxjobs"]) if "-maxjobs" in options else None,
        max_idle=max_idle,
        hold_s=float(hold[1]) if hold else number("DAGMAN_HOLD_CLAIM_TIME", 20),
        schedd_interval=number("SCHEDD_INTERVAL", 1),
        heartbeat_s=max(1.05, number("SCHEDD_MIN_INTERVAL", 0)),  # the schedd counts whole seconds
        negotiator_interval=number("NEGOTIATOR_INTERVAL", 2),
        cycle_delay=number("NEGOTIATOR_CYCLE_DELAY", 0),
        claim_worklife=number("CLAIM_WORKLIFE", 1200),
        exact_cores="TARGET.Cpus == MY.RequestCpus" in submit_lines,
        categories=dict(re.findall(r"^CATEGORY (\S+) (\S+)", dag, re.MULTILINE)),
        category_limits={
            category: int(limit)
            for category, limit in re.findall(r"^MAXJOBS (\S+) (\d+)", dag, re.MULTILINE)
        },
    )


def machines_of(record: Record) -> list[Machine]:
    """Return the slots of the pool; NUM_SLOTS shares the machine among several."""
    slots = int(record.settings.get("NUM_SLOTS", 1))
    memory = int(record.settings["MEMORY"])
    return [Machine(CORES // slots, memory // slots) for _ in range(slots)]


def cores_apart(some: Sequence[Job], others: Sequence[Job]) -> float:
    """Return the mean difference of the cores in use, from second 0 to the later end.

    >>> a, b = (Job("a", 4, 2, started=0, ended=s) for s in (4, 3))
    >>> cores_apart([a], [b])
    0.5
    """
    changes = [dict(cores_over_time(jobs)) for jobs in (some, others)]
    times = sorted(changes[0].keys() | changes[1].keys())
    in_use, total = [0, 0], 0.0
    for now, then in pairwise(times):
        in_use = [change.get(now, cores) for change, cores in zip(changes, in_use, strict=True)]
        total += abs(in_use[0] - in_use[1]) * (then - now)
    return total / times[-1]


def starts_apart(some: Sequence[Job], others: Sequence[Job]) -> float:
    """Return the mean difference of the starts of the same jobs, in seconds."""
    starts = {job.name: job.started for job in others}
    return statistics.mean(abs(job.started - starts[job.name]) for job in some)


def summary(replays: Sequence[Replay]) -> str:
    """Return how far off the model is over all runs."""
    errors = [100 * replay.error for replay in replays]
    near = sum(abs(error) <= 5 for error in errors)
    median = statistics.median(map(abs, errors))
    return (
        f"{len(replays)} runs: median {median:.1f}% off, mean {statistics.mean(errors):+.1f}%; "
        f"{near} within 5%"
    )


def main() -> None:
    """Print how far off the model is for each run, and over all."""
    parser = argparse.ArgumentParser(prog="python -m tools.slot_model", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN_FOLDER")
    replays = [replayed(folder) for folder in parser.parse_args().folders]
    print(HEAD, *replays, summary(replays), sep="\n")


if __name__ == "__main__":
    main()
