"""What `icsched cluster` prints."""

from collections.abc import Sequence
from pathlib import Path

from icsched.answers.cluster import ClusterAnswer
from icsched.dag import Dag
from icsched.render.known import done_line, times_keys, times_line
from icsched.render.layout import table
from icsched.render.visible import named
from icsched.render.words import counted, size
from icsched.serve.clusters import Cluster

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
