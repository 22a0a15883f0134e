"""All that a report page shows of a workflow, as data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched import checks, files, history
from icsched.arrays import Floats, Ids, ranks_of
from icsched.commands.inputs import Reading, TimesKnown, check_output
from icsched.commands.learn import check_clock, check_ends, check_names, check_past
from icsched.commands.notes import Note, disturbed
from icsched.commands.order_options import (
    AUTO,
    NOW,
    GivenPool,
    WantedOrder,
    differ,
    timed,
    times_known,
    usual_pool,
    with_run_times,
)
from icsched.commands.ordering import Ordered, Wanted, order_workflow
from icsched.commands.page.bottlenecks import (
    Bottleneck,
    CriticalPath,
    LeastTime,
    bottlenecks_of,
    critical_path,
    least_time,
)
from icsched.commands.page.game import Game, GroupedGame, game_of
from icsched.commands.page.waits import Waits, waits_of
from icsched.commands.replay import Replayed, learned_from, places_left
from icsched.commands.show import files_of
from icsched.commands.simulate import Model
from icsched.commands.terminal import QUIET, Signs
from icsched.compare import Paired, Simulation, Timeline
from icsched.dag import Dag
from icsched.errors import FormatError, SimulationError
from icsched.formats.table import ReadOptions
from icsched.history import Ending, PastRun, Stalls
from icsched.orders import Made, Plan, made_order
from icsched.orders.auto import order_of
from icsched.pebble import Schedule, critical_path_order, memory_profile
from icsched.report.curves import Curve, curve_of
from icsched.report.lanes import Lanes, recorded_lanes, run_lanes
from icsched.report.proofs import MOST_COMPARED
from icsched.report.scene import DagPicture, dag_picture, kinds_by_name
from icsched.run_times import stem
from icsched.serve.clusters import plan_clusters
from icsched.sim import AnyPool, Played, Pool, Times, trace
from icsched.sim.engine import cores
from icsched.theory import Analysis, Proof
from icsched.theory.blocks import Kind, family_name
from icsched.theory.proof import ProofStep, Rule
from icsched.theory.steps import steps_of
from icsched.workflow import Remark, Workflow

CRITICAL_PATH, PRIO, FIFO = "critical-path", "prio", "fifo"


@dataclass(frozen=True, eq=False)
class ReportOrder:
    """An order as a list, and how the simulator plays it."""

    schedule: Schedule
    played: Played


@dataclass(frozen=True, eq=False)
class ReportOrders:
    """The orders by name, what the others are compared with, and what is proved about "prio"."""

    orders: Mapping[str, ReportOrder]
    baseline: str
    prio_proof: Proof


def report_orders(found: Ordered, means: Floats, signs: Signs) -> ReportOrders:
    """Return "now", if the files have priorities, "auto", "critical-path", "prio" and "fifo".

    Jobs without priorities run first come, first served, so "fifo" is then what the files have now.
    """
    dag = found.plan.dag
    has_own = differ(found.present)
    with signs.working("ordering", len(dag)):
        prio, prio_proof = _prio(found)
        longest = critical_path_order(dag, run_times=means)
    orders = {
        AUTO: ReportOrder(found.plan.schedule, _played_auto(found)),
        CRITICAL_PATH: _listed(dag, longest),
        PRIO: _listed(dag, prio),
        FIFO: ReportOrder(Schedule.trusted(dag, dag.fifo_order), Played("fifo")),
    }
    if found.present is not None and has_own:
        now = Schedule.trusted(dag, order_of(dag, found.present))
        played = Played("priority", priorities=found.present)
        orders = {NOW: ReportOrder(now, played), **orders}
    return ReportOrders(orders, NOW if has_own else FIFO, prio_proof)


def _prio(found: Ordered) -> tuple[Ids, Proof]:
    """Return the order "prio" and what is proved about it; not made again if "auto" chose it."""
    if found.plan.choice is not None and found.plan.choice.chosen == PRIO:
        return found.plan.order, found.plan.proof
    made = made_order(found.plan.dag, PRIO, found.workflow.run_times)
    assert isinstance(made, Made)  # noqa: S101  for the type checker
    return made.order, made.proof


def _listed(dag: Dag, order: Ids) -> ReportOrder:
    schedule = Schedule.trusted(dag, order)
    return ReportOrder(schedule, Played("static", schedule))


def _played_auto(found: Ordered) -> Played:
    """Return how "auto" is played: as the files without icsched's section, if it keeps these."""
    choice, own = found.plan.choice, found.workflow.priorities
    if choice is None or choice.chosen != choice.present:
        return Played("static", found.plan.schedule)
    return Played("priority", priorities=own) if differ(own) else Played("fifo")


ENDINGS = tuple(Ending(number).name.lower() for number in range(len(Ending)))


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The last run that logs tell of; `replayed` has the pool that behaves as its slots did."""

    logs: tuple[str, ...]
    lanes: Lanes
    replayed: Replayed
    stalls: Stalls

    @property
    def pool(self) -> AnyPool:
        """The pool that behaves as the slots did."""
        return self.replayed.pool


def read_past(paths: Sequence[str], workflow: Workflow) -> PastRun:
    """Read logs of *workflow*; raises FormatError for logs that `icsched learn` refuses."""
    read = [(path, files.read_bytes(path)) for path in paths]
    past = history.parsed_run(read)
    check_ends(past, paths)
    check_past(past, past.run_times(), paths)
    check_clock(past, read)
    check_names(past, workflow, paths)
    return past


def with_past_times(workflow: Workflow, past: PastRun, paths: Sequence[str]) -> Workflow:
    """Return the workflow with the run times of the logs."""
    return timed(workflow, past.run_times(), paths)


def recorded_run(past: PastRun, paths: Sequence[str], workflow: Workflow) -> RecordedRun:
    """Return the last run of the logs; raises FormatError if it cannot be followed.

    All jobs of the run count, also those that are done now. Only jobs that are left have a task in
    the lanes.
    """
    try:
        learned = learned_from(past.last_run, workflow.whole)
    except SimulationError as error:
        raise FormatError(", ".join(paths), None, str(error)) from error
    usage = learned.usage
    task = np.append(places_left(workflow), np.int32(-1))[usage.task]  # -1, unknown, is the last
    bars = usage.lane, task, usage.start, usage.end, usage.ending.astype(np.uint8)
    lanes = recorded_lanes(*bars, ENDINGS)
    return RecordedRun(tuple(paths), lanes, learned.replayed, learned.stalls)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The block of each task, -1 for a task in no block, and the name of each block.

    A task is in the block that owns it, and a sink of the dag in the first block that it ends.
    """

    block: Ids
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each task; each has at most `size` tasks."""

    size: int
    cluster: Ids
    count: int
    cut_arcs: int


def blocks_of(analysis: Analysis) -> Blocks:
    """Return the blocks of a small dag; each is named on its own."""
    parts = analysis.parts
    block = parts.owner.copy()
    rows = parts.blocks.sinks
    ends = rows.targets[::-1]  # backwards, so that the first block of several stays
    of_ends = np.repeat(np.arange(len(parts), dtype=np.int32), np.diff(rows.offsets))[::-1]
    first = np.full(len(block), -1, np.int32)
    first[ends] = of_ends
    block = np.where(block < 0, first, block)
    kinds = analysis.orders.kind.tolist()
    names = (family_name(parts.shape(at), Kind(kind)) for at, kind in enumerate(kinds))
    return Blocks(block, tuple(names))


def clusters_of(plan: Plan, size: int | None) -> Clusters | None:
    """Return the clusters of a plan; None if none are wanted; raises ArgumentError for a size."""
    if size is None:
        return None
    checks.whole_number("--clusters", size, least=1, most=len(plan.dag))
    found = plan_clusters(plan.dag, [size], order=plan)
    cluster = np.empty(len(plan.dag), np.int32)
    for number, taken in enumerate(found):
        cluster[list(taken.tasks)] = number
    return Clusters(size, cluster, len(found), sum(taken.cut_arcs for taken in found))


_MOST_RUNS, _FEWEST_RUNS = 2000, 20  # of each order
_MOST_TASKS = 50_000_000  # simulated, of all orders together, if that is enough for these runs
_MOST_ADVISED = 100_000  # jobs: advice about more takes longer than all the rest
_MOST_BATCHES = 5_000_000  # in a run that is followed step by step: they are all in memory


@dataclass(frozen=True)
class Reported:
    """What a report is asked for.

    `given` is None if the user said nothing about the pool. `logs` are those of a past run.
    `clusters` is the size of clusters, if they are wanted. `pool_file` has the pool, if a file
    does, and `reading` says how the workflow is read.
    """

    given: GivenPool | None = None
    run_times: Sequence[str] = ()
    logs: Sequence[str] = ()
    clusters: int | None = None
    pool_file: str | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that are read beside the workflow."""
        pool = () if self.pool_file is None else (self.pool_file,)
        return (*self.run_times, *self.logs, *pool)


@dataclass(frozen=True, eq=False)
class Memory:
    """What an order holds over its steps, thinned, and the most that it ever holds."""

    curve: Curve
    peak: int


@dataclass(frozen=True, eq=False)
class ReportAnswer:
    """All that a report shows; dictionaries have an entry for each order.

    `means` are the mean run times, 1 for each task if they are not `is_timed`. `baseline` is the
    order that the others are compared with. `ceiling` has the most eligible tasks that any order
    can have, None if no bound was computed. `why` says why the ceiling holds. `least_time` is None
    if no bound holds on this pool. `lanes` has one simulated run of each order, unless its steps do
    not fit into memory; `waits` is of that run.
    """

    files: tuple[str, ...]
    workflow: Workflow
    notes: tuple[Note, ...]
    remarks: tuple[Remark, ...]
    wanted: Reported
    pool: AnyPool
    is_timed: bool
    timed: TimesKnown | None
    means: Floats
    plan: Plan
    orders: Mapping[str, ReportOrder]
    baseline: str
    found: Simulation
    cautions: tuple[Note, ...]
    timelines: Mapping[str, Timeline]
    bottlenecks: tuple[Bottleneck, ...]
    critical_path: CriticalPath
    least_time: LeastTime | None
    curves: Mapping[str, Curve]
    ceiling: Curve | None
    memory: Mapping[str, Memory]
    picture: DagPicture
    blocks: Blocks | None
    game: Game | GroupedGame
    lanes: Mapping[str, Lanes]
    waits: Mapping[str, Waits]
    recorded: RecordedRun | None
    why: ProofStep | None
    clusters: Clusters | None


def report_answer(
    files: Sequence[str],
    wanted: Reported,
    *,
    output: str | None = None,
    signs: Signs = QUIET,
) -> ReportAnswer:
    """Find all that a report shows of a workflow.

    Run times are those of the files *run_times*, or of the logs, or the workflow's own. The pool is
    the given one, or that of the logs, or a usual one. Raises ArgumentError if *output* is a file
    of the workflow.
    """
    workflow = Reading(wanted.reading).read_to_run(files, signs=signs)
    if output is not None:
        check_output(workflow, output, *wanted.inputs)
    past = read_past(wanted.logs, workflow) if wanted.logs else None
    if wanted.run_times or past is None:
        workflow = with_run_times(workflow, wanted.run_times)
    else:
        workflow = with_past_times(workflow, past, wanted.logs)
    recorded = recorded_run(past, wanted.logs, workflow) if past else None
    given = wanted.given
    if given is None and recorded is not None:
        given = GivenPool(recorded.pool, recorded.replayed.error)
    pool = usual_pool(workflow) if given is None else given.pool
    # Without a pool on several usual ones, as `icsched prio`.
    ordered = order_workflow(workflow, Wanted(WantedOrder(AUTO), given=given), signs=signs)
    return _Report(files, ordered, wanted, pool, recorded, signs).answer()


@dataclass(frozen=True, eq=False)
class _Report:
    """What is known before the answer is put together."""

    files: Sequence[str]
    ordered: Ordered
    wanted: Reported
    pool: AnyPool
    recorded: RecordedRun | None
    signs: Signs

    @property
    def workflow(self) -> Workflow:
        return self.ordered.workflow

    def answer(self) -> ReportAnswer:
        """Return the answer."""
        workflow, dag = self.workflow, self.workflow.dag
        means = np.ones(len(dag)) if workflow.run_times is None else workflow.run_times
        made = report_orders(self.ordered, means, self.signs)
        schedules = {name: order.schedule for name, order in made.orders.items()}
        found, timelines, lanes, waits = self._simulated(made)
        path = critical_path(dag, means)
        with self.signs.working("drawing", len(dag)):
            picture = dag_picture(dag, kinds=_kinds(workflow), run_times=means)
            is_small = len(dag) <= _MOST_ADVISED
            about = files_of(workflow, None, with_advice=is_small)  # `timed` tells it
            ceiling, why = self._ceiling(made)
            return ReportAnswer(
                files=tuple(self.files),
                workflow=workflow,
                notes=(*about.notes, *([] if is_small else [disturbed(self.files[0])])),
                remarks=about.remarks,
                wanted=self.wanted,
                pool=self.pool,
                is_timed=workflow.run_times is not None,
                timed=times_known(workflow),
                means=means,
                plan=self.ordered.plan,
                orders=made.orders,
                baseline=made.baseline,
                found=found,
                cautions=self.ordered.cautions,
                timelines=timelines,
                bottlenecks=bottlenecks_of(self.ordered.plan.schedule),
                critical_path=path,
                least_time=least_time(path, float(means.sum()), self.pool),
                curves={name: curve_of(order.eligible) for name, order in schedules.items()},
                ceiling=ceiling,
                memory={name: self._memory(name, made) for name in schedules},
                picture=picture,
                blocks=blocks_of(self.ordered.plan.analysis) if not picture.is_grouped else None,
                game=game_of(schedules, picture),
                lanes=lanes,
                waits=waits,
                recorded=self.recorded,
                why=why,
                clusters=clusters_of(self.ordered.plan, self.wanted.clusters),
            )

    def _simulated(
        self, made: ReportOrders
    ) -> tuple[Simulation, dict[str, Timeline], dict[str, Lanes], dict[str, Waits]]:
        """Simulate all orders on the same draws, and follow the first run of each."""
        dag = self.workflow.dag
        played = {name: order.played for name, order in made.orders.items()}
        affordable = _MOST_TASKS // (len(dag) * len(played))
        sampling = Paired(most_runs=min(_MOST_RUNS, max(_FEWEST_RUNS, affordable)))
        times = Times(means=self.workflow.run_times)  # as "auto" has them
        model = Model(self.pool, times, sampling, 0, cores(), self.signs)
        found = model.simulation(dag, played, made.baseline)
        timelines = model.timelines(dag, played, found)
        lanes, waits = {}, {}
        with self.signs.working("following a run"):
            for name, order in played.items():
                if self._fits(found.orders[name].time.high):
                    steps = trace(dag, order, self.pool, times, seed=0, run=0)
                    lanes[name] = run_lanes(steps, self.pool)
                    waits[name] = waits_of(dag, steps, self.pool)
        return found, timelines, lanes, waits

    def _fits(self, time: float) -> bool:
        pool = self.pool
        return not isinstance(pool, Pool) or time <= _MOST_BATCHES * pool.interval

    def _ceiling(self, made: ReportOrders) -> tuple[Curve | None, ProofStep | None]:
        """Return a bound that no order exceeds, and why it holds; no bound for a large dag.

        If an order is proved IC-optimal by a theorem, its own profile is the bound.
        """
        plan, dag = self.ordered.plan, self.workflow.dag
        if len(dag) + dag.arc_count <= MOST_COMPARED:
            return curve_of(plan.certificate.bound), steps_of(plan.certificate.bounded)
        for proof, name in ((plan.proof, AUTO), (made.prio_proof, "prio")):
            if proof.is_ic_optimal:
                chain = ProofStep(Rule.BLOCKS, chain=proof.chain) if proof.chain else None
                return curve_of(made.orders[name].schedule.eligible), proof.steps or chain
        return None, None

    def _memory(self, name: str, made: ReportOrders) -> Memory:
        schedule, sizes = made.orders[name].schedule, self.workflow.sizes
        line = (
            schedule.memory
            if sizes is None
            else memory_profile(schedule.dag, schedule, sizes=sizes)
        )
        return Memory(curve_of(line), int(line.max()))


def _kinds(workflow: Workflow) -> tuple[Ids, tuple[str, ...]]:
    """Return the kind of each task of the dag, from 0 as they appear, and a name for each kind.

    The name is that of its tasks without their numbers. Kinds that differ only in what they are
    submitted by get a number after it.
    """
    names = list(map(str, workflow.dag.names))
    if workflow.describe is None:
        return kinds_by_name(names)
    _, first, kind = np.unique(workflow.kinds, return_index=True, return_inverse=True)
    in_turn = np.argsort(first)
    seen: Counter[str] = Counter()
    told = []
    for at in first[in_turn].tolist():
        seen[stem(names[at])] += 1
        told.append(_numbered(stem(names[at]), seen[stem(names[at])]))
    return ranks_of(in_turn.astype(np.int32))[kind.ravel()], tuple(told)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ({number})"
