"""An order that runs the task with the most children first."""

from icsched import Dag
from icsched.arrays import Ids
from icsched.orders import NamedOrder
from icsched.pebble import priority_order


def most_children(dag: Dag) -> Ids:
    """Return the task ids, first to run first.

    At each step the eligible task with the most children runs. Ties go to the smaller id.

    >>> most_children(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})).tolist()
    [2, 0, 1, 3, 4]
    """
    return priority_order(dag, -dag.out_degrees)  # the smallest key runs first


MOST_CHILDREN = NamedOrder("most-children", "the job with the most children first", most_children)
