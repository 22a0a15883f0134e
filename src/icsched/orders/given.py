"""What a graph says about its tasks, if it is a workflow."""

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.given import Graph
from icsched.pebble import RunTimes


def run_times_of(graph: Graph) -> RunTimes | None:
    """Return the run times of a workflow; None for any other graph."""
    if isinstance(getattr(graph, "dag", None), Dag):
        known: RunTimes | None = getattr(graph, "run_times", None)
        return known
    return None


def priorities_of(graph: Graph) -> Ids | None:
    """Return the priorities that the files of a workflow have now; None for any other graph."""
    if isinstance(getattr(graph, "dag", None), Dag):
        known: Ids | None = getattr(graph, "priorities", None)
        return known
    return None
