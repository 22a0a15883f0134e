"""`icsched cluster`: a whole workflow as clusters for workers of unequal power."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from icsched import formats
from icsched.cli import notes, output
from icsched.cli.inputs import USUAL, WHOLE, FileOptions, check_not_own, named_jobs, whole_numbers
from icsched.cli.output import STANDARD_OUTPUT, Json, OutputName
from icsched.cli.visible import named, say
from icsched.dag import Dag
from icsched.errors import ArgumentError, ClusterError, FormatError, MemberError
from icsched.files import write_text
from icsched.formats import dagman
from icsched.formats.dagman import Submission
from icsched.serve.clusters import Cluster, plan_clusters, set_apart

_MOST_ROWS = 20
_MOST_NAMES = 8


def cluster(
    *files: str,
    size: Annotated[int | None, WHOLE] = None,
    capacities: str | None = None,
    strategy: Literal["auto", "direct", "staggered", "donor", "lean"] = "auto",
    alone: str = "",
    output_: Annotated[str | None, OutputName] = None,
    dot: str | None = None,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Cut a workflow into clusters that workers can run without waiting for each other.

    Parameters
    ----------
    files
        DAGMan file of the workflow; several that are submitted together; - for standard input.
    size
        Jobs of each cluster.
    capacities
        Jobs that the workers can take, in the order in which they come, such as 4,16,64.
    strategy
        How to choose the jobs of a cluster.
    alone
        Jobs to keep out of clusters: names with commas between, or @FILE with one a line.
    output_
        DAGMan file to write, with clusters for jobs; their own files go to OUTPUT.clusters.
    dot
        Graphviz file to write, with a box around each cluster.
    reading
        How the files are read.
    json_
        Print one JSON object instead of a report.

    """
    wanted = _wanted(size, capacities)
    _check_outputs(output_, dot, files, reading)
    workflow = reading.read_to_run(files)
    for path in filter(None, (output_, dot)):
        check_not_own(workflow, path)
    dag = workflow.dag
    _check_size(workflow, size)
    apart = [dag.ids[job] for job in named_jobs(workflow, "--alone", alone) if job in dag.ids]
    with output.working(f"clustering {output.counted(len(dag), 'job')}"):
        clusters = set_apart(dag, plan_clusters(dag, wanted, strategy=strategy), apart)
    written = _write(workflow, [taken.tasks for taken in clusters], output_, dot)
    if json_:
        output.write_json({**_answer(workflow, clusters), "written": written})
    else:
        told = notes.about_done(workflow, aim="cluster")
        told += _submission(written) if output_ is not None else ""
        say(_report(named(*files), dag, clusters) + told)


def _wanted(size: int | None, capacities: str | None) -> list[int]:
    """Return the capacities to go through; raises ArgumentError unless there is one option."""
    if (size is None) == (capacities is None):
        given = "neither" if size is None else "both"
        raise ArgumentError(f"expected --size or --capacities, got {given}")
    if capacities is None:
        return [] if size is None else [size]
    numbers = whole_numbers("--capacities", capacities)
    if min(numbers) < 1:
        raise ClusterError(f"--capacities: expected 1 or more, got {min(numbers)}")
    return numbers


def _check_size(workflow: Submission, size: int | None) -> None:
    """Raise ClusterError for a size that no cluster can have.

    What a rescue file leaves may be less: a script that clusters a workflow again goes on.
    """
    most = len(workflow.dag if workflow.rescue is None else workflow.whole)
    if size is not None and not 1 <= size <= most:
        raise ClusterError(f"--size: expected 1 to {most}, as many as jobs, got {size}")


def _check_outputs(
    path: str | None, dot: str | None, files: Sequence[str], reading: FileOptions
) -> None:
    """Raise ArgumentError for what does not go together with -o or --dot."""
    writes = path is not None
    real = [os.path.realpath(output) for output in (path, dot) if output is not None]
    problems = {
        "-o writes one file: expected one to read": writes and len(files) > 1,
        "expected one of -o and --usedagdir": writes and reading.usedagdir,
        "expected one of -o and --lenient": writes and reading.lenient,
        "-o: expected a file, got standard output": path == STANDARD_OUTPUT,
        "--dot: expected a file, got standard output": dot == STANDARD_OUTPUT,
        "expected different files for -o and --dot": len(set(real)) < len(real),
        "--dot: expected a file outside of what -o writes": writes and _is_inside(path, dot),
    }
    for problem, holds in problems.items():
        if holds:
            raise ArgumentError(problem)


def _is_inside(path: str | None, dot: str | None) -> bool:
    """Whether *dot* lies where the clusters of *path* do."""
    if path is None or dot is None:
        return False
    return f"{os.path.realpath(dot)}/".startswith(f"{os.path.realpath(path)}.clusters/")


def _write(
    workflow: Submission, clusters: Sequence[Sequence[int]], path: str | None, dot: str | None
) -> list[str]:
    """Write what was asked for; return the files, first those of the clustered workflow."""
    try:
        written = [] if path is None else dagman.write_clustered(workflow, clusters, path)
    except MemberError as error:
        instead = f"--alone {shlex.quote(error.job)} keeps it out of clusters"
        raise FormatError(error.path, error.line, f"{error.problem}; {instead}") from error
    if dot is not None:
        write_text(dot, formats.dot_text(workflow.dag, name="clusters", groups=clusters))
        written.append(dot)
    return written


def _submission(written: Sequence[str]) -> str:
    file, script, *_ = written
    beside = f"{file} and the files of its clusters in {Path(script).parent}"
    return f"wrote {beside}; to run them, from here: condor_submit_dag {file}\n"


def _answer(workflow: Submission, clusters: Sequence[Cluster]) -> dict[str, object]:
    dag = workflow.dag
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "done": int(workflow.done.sum()),
        "strategy": clusters[0].strategy,
        "cut_arcs": sum(taken.cut_arcs for taken in clusters),
        "clusters": [
            {
                "jobs": [dag.names[task] for task in taken.tasks],
                "size": taken.size,
                "cut_arcs": taken.cut_arcs,
                "productive": taken.productive,
            }
            for taken in clusters
        ],
    }


def _report(file: str, dag: Dag, clusters: Sequence[Cluster]) -> str:
    cut = sum(taken.cut_arcs for taken in clusters)
    rows = [_row(dag, number, taken) for number, taken in enumerate(clusters[:_MOST_ROWS], 1)]
    rest = len(clusters) - len(rows)
    lines = [
        f"{file}: {output.size(dag)}",
        f"{output.counted(len(clusters), 'cluster')}, strategy {clusters[0].strategy}:"
        f" {cut:,} of {output.counted(dag.arc_count, 'dependency', 'dependencies')} cut",
        "  cluster  jobs   cut  productive  first to run first",
        *rows,
        *([f"  and {rest:,} more: --json has all"] if rest > 0 else []),
    ]
    return "\n".join(lines) + "\n"


def _row(dag: Dag, number: int, taken: Cluster) -> str:
    productive = {True: "yes", False: "no", None: "unknown"}[taken.productive]
    names = " ".join(str(dag.names[task]) for task in taken.tasks[:_MOST_NAMES])
    more = " ..." if taken.size > _MOST_NAMES else ""
    return f"  {number:7,} {taken.size:5,} {taken.cut_arcs:5,}  {productive:10}  {names}{more}"
