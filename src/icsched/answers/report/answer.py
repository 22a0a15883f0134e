"""All that a report page shows of a workflow; built from the answers of other commands."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched.answers import notes
from icsched.answers.compared import MOST_COMPARED, Compared
from icsched.answers.known import Note, TimesKnown
from icsched.answers.ordered import Ordered, Wanted, order_read
from icsched.answers.orders import AUTO, WantedOrder
from icsched.answers.pools import GivenPool, usual_pool
from icsched.answers.reading import Reading, check_output
from icsched.answers.report.bottlenecks import (
    Bottleneck,
    CriticalPath,
    LeastTime,
    bottlenecks_of,
    critical_path,
    least_time,
)
from icsched.answers.report.game import Game, GroupedGame, game_of
from icsched.answers.report.orders import ReportOrder, ReportOrders, report_orders
from icsched.answers.report.parts import Blocks, Clusters, blocks_of, clusters_of
from icsched.answers.report.recorded import (
    RecordedRun,
    read_past,
    recorded_run,
    with_past_times,
)
from icsched.answers.report.waits import Waits, waits_of
from icsched.answers.run_times import times_known, with_run_times
from icsched.answers.show import files_of
from icsched.answers.signs import QUIET, Signs
from icsched.answers.simulate import Model
from icsched.arrays import Floats, Ids, ranks_of
from icsched.compare import Paired, Simulation, Timeline
from icsched.formats.dagman import DagmanOptions
from icsched.pebble import memory_profile
from icsched.pictures import Curve, DagPicture, Lanes, curve_of, dag_picture, run_lanes
from icsched.pictures.scene import kinds_by_name
from icsched.run_times import stem
from icsched.sim import AnyPool, Pool, Times, trace
from icsched.sim.engine import cores
from icsched.theory.proof import ProofStep, Rule
from icsched.theory.steps import steps_of
from icsched.workflow import Remark, Workflow

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
    reading: DagmanOptions = field(default_factory=DagmanOptions)

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
    notes: tuple[notes.Note, ...]
    remarks: tuple[Remark, ...]
    wanted: Reported
    pool: AnyPool
    is_timed: bool
    timed: TimesKnown | None
    means: Floats
    compared: Compared
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
    ordered = order_read(workflow, Wanted(WantedOrder(AUTO), given=given), signs=signs)
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
                notes=(*about.notes, *([] if is_small else [notes.Disturbed(self.files[0])])),
                remarks=about.remarks,
                wanted=self.wanted,
                pool=self.pool,
                is_timed=workflow.run_times is not None,
                timed=times_known(workflow),
                means=means,
                compared=self.ordered.compared,
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
            return curve_of(plan.certificate.bound), steps_of(plan.certificate.settled)
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
