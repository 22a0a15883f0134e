"""`icsched cluster`: a whole workflow as clusters for workers of unequal power."""

import sys
from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from icsched import formats
from icsched.cli import output
from icsched.cli.output import Flag
from icsched.cluster import Cluster, plan_clusters
from icsched.dag import Dag
from icsched.errors import ClusterError, UsageError

_MOST_ROWS = 20
_MOST_NAMES = 8


def cluster(
    *files: str,
    size: int | None = None,
    capacities: str | None = None,
    strategy: str = "auto",
    dot: str | None = None,
    lenient: Flag = False,
    usedagdir: Flag = False,
    no_rescue: Flag = False,
    json_: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
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
        auto, direct, staggered, donor or lean.
    dot
        Graphviz file to write, with a box around each cluster.
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Take names of files from the directory of the DAGMan file, as condor_submit_dag -usedagdir.
    no_rescue
        Cluster all jobs, also those that the newest rescue file says are done.
    json_
        Print one JSON object instead of a report.

    """
    wanted = _wanted(size, capacities)
    workflow = output.read(files, lenient=lenient, usedagdir=usedagdir, rescue=not no_rescue)
    dag = workflow.dag
    if size is not None and len(dag) and not 1 <= size <= len(dag):
        raise ClusterError(f"--size: expected 1 to {len(dag)}, as many as jobs, got {size}")
    with output.working(f"clustering {output.counted(len(dag), 'job')}"):
        clusters = plan_clusters(dag, wanted, strategy=strategy)
    if dot is not None:
        groups = [taken.tasks for taken in clusters]
        formats.write_text(dot, formats.dot_text(dag, name="clusters", groups=groups))
    # Writing the clusters as a DAGMan workflow (-o OUT.dag) belongs here.
    if json_:
        output.write_json(_answer(dag, clusters))
    else:
        sys.stdout.write(_report(" ".join(files), dag, clusters))


def _wanted(size: int | None, capacities: str | None) -> list[int]:
    """Return the capacities to go through; raises UsageError unless there is one option."""
    if (size is None) == (capacities is None):
        given = "neither" if size is None else "both"
        raise UsageError(f"expected --size or --capacities, got {given}")
    if capacities is None:
        return [] if size is None else [size]
    try:
        return [int(word) for word in capacities.split(",")]
    except ValueError:
        problem = f"expected whole numbers such as 4,16,64, got {capacities!r}"
        raise UsageError(f"--capacities: {problem}") from None


def _answer(dag: Dag, clusters: Sequence[Cluster]) -> dict[str, object]:
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
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
