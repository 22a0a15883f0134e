"""What orders gain on a pool of unpredictable workers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from icsched.answers.cautions import cautions_about
from icsched.answers.known import Note, Resumed, TimesKnown, resumed
from icsched.answers.orders import (
    AUTO,
    NOW,
    as_played,
    check_known,
    chosen_by_auto,
    differ,
    is_file,
    is_played_live,
    plan_of_file,
)
from icsched.answers.reading import Reading
from icsched.answers.run_times import times_known, with_run_times
from icsched.answers.signs import QUIET, Signs
from icsched.compare import Paired, PaperSampling, Simulation, Timeline, simulate
from icsched.compare.simulation import OrderLike
from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.orders import ORDERS, Plan, prioritize
from icsched.sim import AnyPool, Played, Pool, Times
from icsched.workflow import Workflow

ALWAYS = "critical-path", "fifo"  # every simulation shows these: a gain has both beside it
_FOLLOWED_RUNS = 200  # at most, for timelines
_FOLLOWED_STEPS = 2_000_000  # about this many assignments and batches in all these runs


@dataclass(frozen=True, eq=False)
class SimulateAnswer:
    """What was simulated, and what came out.

    `run_times` are the files with the mean times, if there are any: those of --run-times, or the
    workflow's own. `timed` says where the times of --run-times come from. `chosen` is the order
    that auto chose, `NOW` for what the files have now, None without auto.
    """

    files: tuple[str, ...]
    jobs: int
    arcs: int
    done: int
    resumed: Resumed | None
    pool: AnyPool
    times: Times
    run_times: tuple[str, ...]
    timed: TimesKnown | None
    sampling: Paired | PaperSampling
    chosen: str | None
    found: Simulation
    cautions: tuple[Note, ...]


def simulate_answer(
    files: Sequence[str],
    wanted: Sequence[str],
    *,
    pool: AnyPool,
    times: Times,
    run_times: Sequence[str],
    has_unit: bool,
    sampling: Paired | PaperSampling,
    seed: int,
    threads: int,
    reading: Reading,
    replay_error: float | None = None,
    signs: Signs = QUIET,
) -> SimulateAnswer:
    """Simulate a workflow in each of the *wanted* orders, names or @FILE, and those of `ALWAYS`.

    If the files have priorities, `NOW` is simulated, too: what they have before anything changes.
    Mean times are those in the files *run_times*, or else the workflow's own. They are in seconds.
    Raises ArgumentError for such times unless the pool *has_unit*: its times are in seconds, too.
    *replay_error* is how far off the run ends by simulation that the pool was learned from.
    """
    for word in wanted:
        check_known(word)
    workflow = reading.read_to_run(files, signs=signs)
    workflow, sources = _timed(workflow, files, run_times, has_unit=has_unit)
    times = replace(times, means=workflow.run_times)
    model = Model(pool, times, sampling, seed, threads, signs)
    orders = model.orders(workflow, wanted)
    auto = orders.get(AUTO)
    if isinstance(auto, Plan):
        orders[AUTO] = as_played(workflow, auto)
    found = model.simulation(workflow.dag, orders)
    return SimulateAnswer(
        files=tuple(files),
        jobs=len(workflow.dag),
        arcs=workflow.dag.arc_count,
        done=int(workflow.done.sum()),
        resumed=resumed(workflow),
        pool=pool,
        times=times,
        run_times=sources,
        timed=times_known(workflow, is_own=not run_times),
        sampling=sampling,
        chosen=chosen_by_auto(auto),
        found=found,
        cautions=cautions_about(workflow, replay_error),
    )


def _timed(
    workflow: Workflow, files: Sequence[str], run_times: Sequence[str], *, has_unit: bool
) -> tuple[Workflow, tuple[str, ...]]:
    """Return *workflow* with its run times, and the files that have them."""
    if run_times:
        check_unit("--run-times", has_unit=has_unit)
        return with_run_times(workflow, run_times), tuple(run_times)
    if workflow.run_times is None:
        return workflow, ()
    check_unit(files[0], has_unit=has_unit)
    return workflow, tuple(files[:1])


def check_unit(source: str, *, has_unit: bool, option: str = "--interval") -> None:
    """Raise ArgumentError for run times, in seconds, if the unit of the pool is not known."""
    if not has_unit:
        raise ArgumentError(
            f"{source}: run times are in seconds: say {option}, the mean seconds between"
            " batches, --workers or --pool"
        )


@dataclass(frozen=True, eq=False)
class Model:
    """What is simulated and how often, the same for every order."""

    pool: AnyPool
    times: Times
    sampling: Paired | PaperSampling
    seed: int
    threads: int
    signs: Signs

    def orders(self, workflow: Workflow, wanted: Sequence[str]) -> dict[str, OrderLike]:
        """Return the *wanted* orders, what the files have now if they say so, and `ALWAYS`."""
        has_own = differ(workflow.priorities)
        now = {NOW: Played("priority", priorities=workflow.priorities)} if has_own else {}
        asked = {word: self.order(workflow, word) for word in wanted}
        always = {word: self.order(workflow, word) for word in ALWAYS if word not in asked}
        return {**asked, **now, **always}

    def order(self, workflow: Workflow, word: str) -> OrderLike:
        """Return an order in the form that the simulation takes; run times are the mean times."""
        dag = workflow.dag
        if is_file(word):
            return plan_of_file(workflow, word)
        if is_played_live(word):
            return word
        means = self.times.means_for(dag) if ORDERS[word].run_times != "unused" else None
        with self.signs.working("ordering", len(dag)):
            if word == AUTO:
                return prioritize(workflow, word, run_times=means, pool=self.pool, seed=self.seed)
            return prioritize(dag, word, run_times=means)

    def simulation(
        self, dag: Dag, orders: Mapping[str, OrderLike], baseline: str | None = None
    ) -> Simulation:
        """Simulate all orders on the same draws."""
        with self.signs.progress("simulating", len(dag)) as tell:
            return simulate(
                dag,
                orders,
                pool=self.pool,
                times=self.times,
                seed=self.seed,
                baseline=baseline,
                sampling=self.sampling,
                threads=self.threads,
                progress=tell,
            )

    def timelines(
        self, dag: Dag, orders: Mapping[str, OrderLike], found: Simulation
    ) -> dict[str, Timeline]:
        """Follow some runs of each order, until the mean time of the slowest."""
        pool, times = self.pool, self.times
        until = max(estimates.time.mean for estimates in found.orders.values())
        batches = until / pool.interval if isinstance(pool, Pool) else 0
        affordable = int(_FOLLOWED_STEPS / (len(dag) + batches))
        runs = max(1, min(_FOLLOWED_RUNS, found.runs, affordable))
        with self.signs.working("following some runs"):
            return {
                name: Timeline.of(dag, order, pool, times, seed=found.seed, runs=runs, until=until)
                for name, order in orders.items()
            }
