"""`icsched cluster`: a whole workflow as clusters for workers of unequal power."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from icsched import checks, formats
from icsched.commands.inputs import (
    Reading,
    Resumed,
    TimesKnown,
    check_output,
    done_line,
    named_jobs,
    resumed,
    times_keys,
    times_line,
    whole_numbers,
)
from icsched.commands.options import (
    STANDARD_OUTPUT,
    USUAL,
    WHOLE,
    FileName,
    FileOptions,
    PathName,
    check_streams,
    one_of,
    refuse,
)
from icsched.commands.order_options import OURS, WantedOrder, times_known
from icsched.commands.terminal import QUIET, SIGNS, Json, OutputName, Signs, put, table
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, MemberError
from icsched.messages import named
from icsched.serve.clusters import CLUSTERERS, Cluster, plan_clusters, set_apart
from icsched.words import counted, size
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
        written=() if output is None else tuple(_write(workflow, clusters, output)),
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


def _write(workflow: Workflow, clusters: Sequence[Cluster], path: str) -> list[str]:
    """Write the clustered workflow; return its files, the DAGMan file first."""
    try:
        return formats.write_clusters(path, workflow, [taken.tasks for taken in clusters])
    except MemberError as error:
        instead = f"--alone {shlex.quote(error.job)} keeps it out of clusters"
        raise FormatError(error.path, error.line, f"{error.problem}; {instead}") from error


_MOST_ROWS = 20
_MOST_NAMES = 8


def text(found: ClusterAnswer) -> str:
    """Return a table of the clusters."""
    dag, clusters = found.dag, found.clusters
    rows = [_row(dag, number, taken) for number, taken in enumerate(clusters[:_MOST_ROWS], 1)]
    rest = len(clusters) - len(rows)
    shown = table(
        [["cluster", "jobs", "cut", "productive", "first to run first"], *rows],
        indent="  ",
        right=range(3),
    )
    lines = [
        f"{named(*found.files)}: {size(len(dag), dag.arc_count)}",
        f"{counted(len(clusters), 'cluster')}, clusterer {clusters[0].clusterer}:"
        f" {found.cut_arcs:,} of {counted(dag.arc_count, 'dependency', 'dependencies')} cut",
        shown + (f"  and {rest:,} more: --json has all\n" if rest > 0 else ""),
    ]
    written = _submission(found.written) if found.written else ""
    told = done_line(found.resumed, "cluster") + times_line(found.timed)
    return "\n".join(lines) + told + written


def _row(dag: Dag, number: int, taken: Cluster) -> list[str]:
    productive = {True: "yes", False: "no", None: "unknown"}[taken.productive]
    names = " ".join(str(dag.names[task]) for task in taken.tasks[:_MOST_NAMES])
    more = " ..." if taken.size > _MOST_NAMES else ""
    counts = (f"{count:,}" for count in (number, taken.size, taken.cut_arcs))
    return [*counts, productive, named(names + more)]


def _submission(written: Sequence[str]) -> str:
    file, script, *_ = written
    beside = f"{file} and the files of its clusters in {Path(script).parent}"
    return f"wrote {beside}; to run them, from here: condor_submit_dag {file}\n"


def keys(found: ClusterAnswer) -> dict[str, object]:
    """Return the clusters as JSON shows them."""
    dag = found.dag
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "done": found.done,
        "ordered_by": found.ordered_by,
        "run_times": times_keys(found.timed),
        "clusterer": found.clusters[0].clusterer,
        "cut_arcs": found.cut_arcs,
        "clusters": [_cluster_keys(dag, taken) for taken in found.clusters],
        "written": found.written,
    }


def _cluster_keys(dag: Dag, taken: Cluster) -> dict[str, object]:
    return {
        "jobs": [dag.names[task] for task in taken.tasks],
        "size": taken.size,
        "cut_arcs": taken.cut_arcs,
        "productive": taken.productive,
    }


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
    check_streams(*files, order.order, *order.run_times, alone)
    found = cluster_answer(
        files,
        order,
        size=size,
        capacities=_capacities(size, capacities),
        clusterer=clusterer,
        alone=alone,
        output=output_,
        reading=Reading(reading),
        signs=SIGNS,
    )
    put(found, text, keys, as_json=json_)


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
