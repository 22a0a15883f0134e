"""The exact referee's answers in the words of Cordasco et al. 2007 and 2011."""

from itertools import product

from icsched import Dag
from icsched.pebble import optimal_profile


def most_enabled(dag: Dag) -> list[int]:
    """The profile E(0), .., E(s) of a dag of s nonsinks.

    E(x) is the largest number of nonsources that x executions can enable.

    >>> most_enabled(Dag({"a": [], "b": ["a"], "c": ["a"]}))
    [0, 2]
    """
    eligible = optimal_profile(dag).tolist()
    return [eligible[x] - len(dag.sources) + x for x in range(len(dag.nonsinks) + 1)]


def has_priority_over(first: Dag, second: Dag) -> bool:
    """Whether first |> second: inequality (1) of Cordasco et al. 2007 and 2011, word for word."""
    e1, e2 = most_enabled(first), most_enabled(second)
    s1 = len(e1) - 1
    return all(
        e1[x] + e2[y] <= e1[min(s1, x + y)] + e2[max(0, x + y - s1)]
        for x, y in product(range(len(e1)), range(len(e2)))
    )
