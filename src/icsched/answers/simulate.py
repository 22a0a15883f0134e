"""What orders gain on a pool of unpredictable workers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from icsched.answers.inputs import read_order, read_run_times
from icsched.answers.notes import Resumed, resumed
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.engines.dask import dask_order
from icsched.formats import Workflow
from icsched.orders import prioritize
from icsched.sim import (
    Paired,
    PaperSampling,
    Pool,
    Simulation,
    Timeline,
    Times,
    Workers,
    simulate,
)
from icsched.sim.compare import PolicyLike

_FOLLOWED_RUNS = 200  # at most, for the charts
_FOLLOWED_STEPS = 2_000_000  # about so many assignments and batches in all of these runs


@dataclass(frozen=True, eq=False)
class SimulateAnswer:
    """What was simulated, and what came out.

    `run_times` is the file that the mean times are from, if there is one; `timelines` follow
    some runs of each order.
    """

    files: tuple[str, ...]
    jobs: int
    arcs: int
    done: int
    resumed: Resumed | None
    pool: Pool | Workers
    times: Times
    run_times: str | None
    sampling: Paired | PaperSampling
    found: Simulation
    timelines: Mapping[str, Timeline]


def simulate_answer(
    files: Sequence[str],
    names: Sequence[str],
    order: str | None,
    *,
    pool: Pool | Workers,
    times: Times,
    run_times: str | None,
    sampling: Paired | PaperSampling,
    seed: int,
    threads: int,
    reading: Reading,
    signs: Signs = QUIET,
) -> SimulateAnswer:
    """Simulate a workflow by each of the policies in *names*, by *order* of a file, and by fifo."""
    workflow = reading.read_to_run(files, signs=signs)
    dag = workflow.dag
    if run_times is not None:
        times = replace(times, means=read_run_times(workflow, run_times))
    policies = _policies(workflow, names, order, signs)
    with signs.progress("simulating", len(dag)) as tell:
        found = simulate(
            dag,
            policies,
            pool=pool,
            times=times,
            seed=seed,
            sampling=sampling,
            threads=threads,
            progress=tell,
        )
    with signs.working("following some runs"):
        timelines = _timelines(dag, policies, pool, times, found)
    return SimulateAnswer(
        files=tuple(files),
        jobs=len(dag),
        arcs=dag.arc_count,
        done=int(workflow.done.sum()),
        resumed=resumed(workflow),
        pool=pool,
        times=times,
        run_times=run_times,
        sampling=sampling,
        found=found,
        timelines=timelines,
    )


def _policies(
    workflow: Workflow, names: Sequence[str], order: str | None, signs: Signs
) -> Mapping[str, PolicyLike]:
    """Return the policies by name, fifo always among them, as the simulation takes them."""
    dag = workflow.dag
    policies: dict[str, PolicyLike] = {}
    for name in [*names, "fifo"]:
        if name == "icsched":
            with signs.working("ordering", len(dag)):
                policies[name] = prioritize(dag)
        elif name == "dask":
            policies[name] = dask_order(dag)
        else:
            policies[name] = name
    return policies if order is None else {**policies, "order": read_order(workflow, order)}


def _timelines(
    dag: Dag,
    policies: Mapping[str, PolicyLike],
    pool: Pool | Workers,
    times: Times,
    found: Simulation,
) -> dict[str, Timeline]:
    """Follow some runs of each policy, until the mean time of the slowest."""
    until = max(estimates.time.mean for estimates in found.policies.values())
    batches = until / pool.interval if isinstance(pool, Pool) else 0
    affordable = int(_FOLLOWED_STEPS / (len(dag) + batches))
    runs = max(1, min(_FOLLOWED_RUNS, found.runs, affordable))
    return {
        name: Timeline.of(dag, policy, pool, times, seed=found.seed, runs=runs, until=until)
        for name, policy in policies.items()
    }
