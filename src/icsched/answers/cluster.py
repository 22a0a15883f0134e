"""A workflow as clusters, and the files that hold them."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from icsched import formats
from icsched.answers.inputs import named_jobs
from icsched.answers.known import Resumed, TimesKnown, resumed
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading, check_output
from icsched.answers.run_times import times_known
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, MemberError
from icsched.serve.clusters import CLUSTERERS, Cluster, plan_clusters, set_apart
from icsched.workflow import Workflow


@dataclass(frozen=True, eq=False)
class ClusterAnswer:
    """The clusters of a workflow, and the files written, the clustered workflow first."""

    files: tuple[str, ...]
    dag: Dag
    ordered_by: str
    clusters: tuple[Cluster, ...]
    cut_arcs: int
    done: int
    resumed: Resumed | None
    timed: TimesKnown | None
    written: tuple[str, ...]
    is_submittable: bool  # a DAGMan file was written


def cluster_answer(
    files: Sequence[str],
    wanted: WantedOrder,
    *,
    size: int | None,
    capacities: Sequence[int],
    clusterer: str,
    alone: str,
    output: str | None,
    reading: Reading,
    signs: Signs = QUIET,
) -> ClusterAnswer:
    """Cut a workflow into clusters of *capacities* in turn, and write the files asked for.

    *size* is the one capacity if the user gave --size; *alone* is a list of jobs or @FILE.
    """
    wanted.check()
    _check_clusterer(clusterer)
    workflow = wanted.timed(reading.read_to_run(files, signs=signs))
    if output is not None:
        check_output(workflow, output)
    _check_size(workflow, size)
    apart = _ids(workflow, alone)
    plan = wanted.plan(workflow, signs=signs)
    with signs.working("clustering", len(workflow.dag)):
        taken = plan_clusters(workflow.dag, capacities, clusterer=clusterer, order=plan)
        clusters = set_apart(workflow.dag, taken, apart)
    return ClusterAnswer(
        files=tuple(files),
        dag=workflow.dag,
        ordered_by=plan.ordered_by,
        clusters=tuple(clusters),
        cut_arcs=sum(taken.cut_arcs for taken in clusters),
        done=int(workflow.done.sum()),
        resumed=resumed(workflow),
        timed=times_known(workflow, is_own=not wanted.run_times),
        written=tuple(_write(workflow, [taken.tasks for taken in clusters], output)),
        is_submittable=output is not None,
    )


def _check_clusterer(name: str) -> None:
    """Raise ArgumentError for a clusterer that is unknown."""
    if name not in CLUSTERERS:
        raise CLUSTERERS.unknown(name, asked_by="--clusterer")


def _check_size(workflow: Workflow, size: int | None) -> None:
    """Raise ArgumentError for a size that no cluster can have.

    Jobs that are done count, too, so that a script can cluster a resumed workflow again.
    """
    most = len(workflow.dag if workflow.done_by is None else workflow.whole)
    if size is not None and not 1 <= size <= most:
        raise ArgumentError(f"--size: expected 1 to {most}, the number of jobs, got {size}")


def _ids(workflow: Workflow, alone: str) -> list[int]:
    """Return the jobs that --alone names, without those that are done."""
    ids = workflow.dag.ids
    return [ids[job] for job in named_jobs(workflow, "--alone", alone) if job in ids]


def _write(workflow: Workflow, clusters: Sequence[Sequence[int]], path: str | None) -> list[str]:
    """Write the clustered workflow, if it is asked for; return the files."""
    try:
        return [] if path is None else formats.write_clusters(path, workflow, clusters)
    except MemberError as error:
        instead = f"--alone {shlex.quote(error.job)} keeps it out of clusters"
        raise FormatError(error.path, error.line, f"{error.problem}; {instead}") from error
