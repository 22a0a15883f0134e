"""`icsched cluster`: a whole workflow as clusters for workers of unequal power."""

import shlex
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np

from icsched import checks, formats
from icsched.commands.inputs import (
    USUAL,
    FileOptions,
    TimesKnown,
    check_output,
    done_line,
    named_jobs,
    times_known,
    times_line,
    whole_numbers,
    with_run_times,
)
from icsched.commands.options import WHOLE, FileName, Json, OutputName, PathName, one_of, refuse
from icsched.commands.ordering import OURS, WantedOrder
from icsched.commands.terminal import STANDARD_OUTPUT, put, table, working
from icsched.errors import ArgumentError, FormatError, MemberError
from icsched.frames import NOT_IN_JSON
from icsched.messages import counted, named, size
from icsched.serve.clusters import CLUSTERERS, Cluster, plan_clusters, set_apart
from icsched.workflow import Workflow

_MOST_ROWS = 20
_MOST_NAMES = 8


@dataclass(frozen=True)
class NamedCluster:
    """A cluster: its jobs by name, and how many arcs it cuts."""

    jobs: tuple[Hashable, ...]
    size: int
    cut_arcs: int
    productive: bool | None


@dataclass(frozen=True)
class ClusterAnswer:
    """The clusters of a workflow, and the files written, the clustered workflow first."""

    jobs: int
    arcs: int
    done: int
    ordered_by: str
    run_times: TimesKnown | None
    clusterer: str
    cut_arcs: int
    clusters: tuple[NamedCluster, ...]
    written: tuple[str, ...]
    files: tuple[str, ...] = field(metadata=NOT_IN_JSON)
    resumed: str = field(metadata=NOT_IN_JSON)


def _write(workflow: Workflow, clusters: Sequence[Cluster], path: str) -> tuple[str, ...]:
    """Write the clustered workflow; return its files, the DAGMan file first."""
    left = np.flatnonzero(~workflow.done)
    tasks = [left[list(one.tasks)].tolist() for one in clusters]
    try:
        return tuple(formats.write_clusters(path, workflow, tasks))
    except MemberError as error:
        instead = f"--alone {shlex.quote(error.job)} keeps it out of clusters"
        raise FormatError(error.path, error.line, f"{error.problem}; {instead}") from error


def text(found: ClusterAnswer) -> str:
    """Return a table of the clusters."""
    rows = [_row(*pair) for pair in enumerate(found.clusters[:_MOST_ROWS], 1)]
    titles = ["cluster", "jobs", "cut", "productive", "first to run first"]
    shown = table([titles, *rows], indent="  ", right=range(3))
    if len(found.clusters) > len(rows):
        shown += f"  and {len(found.clusters) - len(rows):,} more: --json has all\n"
    written = ""
    if found.written:
        file, script, *_ = found.written
        beside = f"{file} and the files of its clusters in {Path(script).parent}"
        written = f"wrote {beside}; to run them, from here: condor_submit_dag {file}\n"
    return (
        f"{named(*found.files)}: {size(found.jobs, found.arcs)}\n"
        f"{counted(len(found.clusters), 'cluster')}, clusterer {found.clusterer}:"
        f" {found.cut_arcs:,} of {counted(found.arcs, 'dependency', 'dependencies')} cut\n"
        f"{shown}{found.resumed}{times_line(found.run_times)}{written}"
    )


def _row(number: int, cluster: NamedCluster) -> list[str]:
    productive = {True: "yes", False: "no", None: "unknown"}[cluster.productive]
    names = " ".join(map(str, cluster.jobs[:_MOST_NAMES]))
    more = " ..." if cluster.size > _MOST_NAMES else ""
    counts = (f"{count:,}" for count in (number, cluster.size, cluster.cut_arcs))
    return [*counts, productive, named(names + more)]


ClustererWord = Annotated[str, one_of(CLUSTERERS)]


def cluster(
    *files: FileName,
    order: WantedOrder = OURS,
    size: Annotated[int | None, WHOLE] = None,
    capacities: str | None = None,
    clusterer: ClustererWord = "auto",
    alone: str = "",
    output_: Annotated[PathName | None, OutputName] = None,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Cut a workflow into clusters that workers can run without waiting for each other.

    Parameters
    ----------
    size
        Number of jobs in each cluster. Some have fewer: if fewer can run without waiting, or are
        left.
    capacities
        Sizes of the clusters in turn, over and over, separated by commas, as 4,16,64; instead of
        --size.
    clusterer
        Name of a way to choose the jobs of a cluster.
    alone
        Jobs to keep out of clusters of several jobs: names separated by commas, or @FILE with one
        on each line.
    output_
        DAGMan file to write, with one job for each cluster; other files go to OUTPUT.clusters.
    json_
        Print one JSON object instead of a report.

    """
    _check_output(output_, files, reading)
    sizes = _capacities(size, capacities)
    workflow = with_run_times(reading.read_to_run(files), order.run_times)
    if output_ is not None:
        check_output(workflow, output_)
    dag = workflow.residual.dag
    # Jobs that are done count, so that a script can cluster a resumed workflow again.
    most = len(dag if workflow.done_by is None else workflow.dag)
    if size is not None and not 1 <= size <= most:
        raise ArgumentError(f"--size: expected 1 to {most}, the number of jobs, got {size}")
    apart = [dag.ids[job] for job in named_jobs(workflow, "--alone", alone) if job in dag.ids]
    plan = order.plan(workflow)
    with working("clustering", len(dag)):
        planned = plan_clusters(dag, sizes, clusterer=clusterer, order=plan)
        clusters = set_apart(dag, planned, apart)
    found = ClusterAnswer(
        jobs=len(dag),
        arcs=dag.arc_count,
        done=int(workflow.done.sum()),
        ordered_by=plan.ordered_by,
        run_times=times_known(workflow, is_own=not order.run_times),
        clusterer=clusters[0].clusterer,
        cut_arcs=sum(one.cut_arcs for one in clusters),
        clusters=tuple(
            NamedCluster(
                tuple(dag.names[task] for task in one.tasks),
                one.size,
                one.cut_arcs,
                one.productive,
            )
            for one in clusters
        ),
        written=() if output_ is None else _write(workflow, clusters, output_),
        files=files,
        resumed=done_line(workflow, "cluster"),
    )
    put(found, text, as_json=json_)


def _capacities(size: int | None, capacities: str | None) -> list[int]:
    """Return the capacities to go through; raises ArgumentError unless one option is given."""
    if (size is None) == (capacities is None):
        given = "neither" if size is None else "both"
        raise ArgumentError(f"expected --size or --capacities, got {given}")
    if capacities is None:
        return [] if size is None else [size]
    numbers = whole_numbers("--capacities", capacities)
    return [checks.whole_number("--capacities", number, least=1) for number in numbers]


def _check_output(path: str | None, files: Sequence[str], reading: FileOptions) -> None:
    """Raise ArgumentError for options that cannot be used with -o."""
    writes = path is not None
    refuse(
        {
            "-o cannot be used with several files": writes and len(files) > 1,
            "-o cannot be used with --usedagdir": writes and reading.usedagdir,
            "-o cannot be used with --lenient": writes and reading.lenient,
            "-o: expected a file, got standard output": path == STANDARD_OUTPUT,
        }
    )
