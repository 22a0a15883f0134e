"""Bipartite building blocks of three papers.

- Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory"
- Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for Prioritizing DAGMan Jobs and its
  Evaluation"
- Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry Computing Platforms"

The third takes W-, M-, N- and C-dags from Malewicz, Rosenberg and Yurkewych 2006,
"Toward a Theory for Scheduling Dags in Internet-Based Computing".

Every block numbers its sources first, left to right, then its sinks, left to right.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.families.arcs import Ints, Turn, bipartite_dag, check_least, check_size, zigzag_arcs


def w(s: int, d: int) -> Dag[int]:
    """W-dag: s sources of d children each, neighbours sharing one sink.

    There are ``s * (d - 1) + 1`` sinks. Cordasco, Rosenberg and Sims 2011, section 2.2. Raises
    ArgumentError unless s >= 1 and d >= 2.

    >>> w(2, 2).arcs.tolist()
    [[0, 2], [0, 3], [1, 3], [1, 4]]
    """
    sources, sinks = _w_arcs(s, d)
    return bipartite_dag(s, s * (d - 1) + 1, sources, sinks)


def m(s: int, d: int) -> Dag[int]:
    """M-dag: s sinks of d parents each, neighbours sharing one source.

    This is the dual of ``w(s, d)``. Its ``s * (d - 1) + 1`` sources are numbered first.

    >>> m(2, 2).arcs.tolist()
    [[0, 3], [1, 3], [1, 4], [2, 4]]
    """
    sinks, sources = _w_arcs(s, d)
    return bipartite_dag(s * (d - 1) + 1, s, sources, sinks)


def n(s: int) -> Dag[int]:
    """N-dag: s sources and s sinks; source v has sinks v and v + 1, the last only v.

    Cordasco, Rosenberg and Sims 2011, section 2.2. Raises ArgumentError unless s >= 1.

    >>> n(2).arcs.tolist()
    [[0, 2], [0, 3], [1, 3]]
    """
    check_least(1, s=s)
    check_size(2 * s, 2 * s - 1)
    ends = np.arange(s)
    return bipartite_dag(s, s, np.append(ends, ends[:-1]), np.append(ends, ends[1:]))


def cycle(s: int) -> Dag[int]:
    """Cycle-dag: s sources and s sinks; source v has sinks v and v + 1 modulo s.

    Cordasco, Rosenberg and Sims 2011, section 2.2. Raises ArgumentError unless s >= 2.

    >>> cycle(3).arcs.tolist()
    [[0, 3], [0, 4], [1, 4], [1, 5], [2, 3], [2, 5]]
    """
    check_least(2, s=s)
    check_size(2 * s, 2 * s)
    ends = np.arange(s)
    return bipartite_dag(s, s, np.append(ends, ends), np.append(ends, np.roll(ends, -1)))


def clique(s: int) -> Dag[int]:
    """Clique-dag: s sources and one sink for every pair of them.

    Sinks are in lexicographic order of their pairs. Malewicz et al. 2007, section 2. Raises
    ArgumentError unless s >= 2.

    >>> clique(3).arcs.tolist()
    [[0, 3], [0, 4], [1, 3], [1, 5], [2, 4], [2, 5]]
    """
    check_least(2, s=s)
    pairs = s * (s - 1) // 2
    check_size(s + pairs, 2 * pairs)
    first, second = np.triu_indices(s, k=1)
    return bipartite_dag(s, pairs, np.append(first, second), np.tile(np.arange(pairs), 2))


def complete_bipartite(a: int, b: int) -> Dag[int]:
    """Complete bipartite dag: each of a sources is a parent of each of b sinks.

    Raises ArgumentError unless both are at least 1.

    >>> complete_bipartite(2, 1).arcs.tolist()
    [[0, 2], [1, 2]]
    """
    check_least(1, a=a, b=b)
    check_size(a + b, a * b)
    return bipartite_dag(a, b, np.repeat(np.arange(a), b), np.tile(np.arange(b), a))


def pbt(zigzag: str) -> Dag[int]:
    """Planar bipartite tree of a zigzag such as 4,1/2,3.

    If the first value is d, the tree starts as one source with d sinks; if it is 1/d, as one
    sink with d sources. Each further d adds d - 1 sinks to the rightmost source. Each further
    1/d adds d - 1 sources to the rightmost sink. Cordasco, Malewicz and Rosenberg 2007, section
    3.1. As in their note 7, 1 is allowed at either end, so that N-dags belong to the family.

    Raises ArgumentError unless integers and reciprocals alternate. All numbers d must be above
    1, except at the ends.

    >>> pbt("2,1/2,1") == n(2)
    True
    """
    turns = []
    for word in map(str.strip, zigzag.split(",")):
        match = re.fullmatch(r"(1/)?([0-9]{1,18})", word)
        if match is None:
            raise ArgumentError(
                f"argument zigzag: expected integers and reciprocals such as 4,1/2,3, got {word!r}"
            )
        turns.append(Turn(int(match[2]), is_reciprocal=match[1] is not None))
    for left, right in pairwise(turns):
        if left.is_reciprocal == right.is_reciprocal:
            raise ArgumentError(
                "argument zigzag: expected integers and reciprocals in turn, "
                f"got {left} before {right}"
            )
    return _tree("zigzag", turns, turns)


def w_strand(degrees: str) -> Dag[int]:
    """Strand of W-dags: sources of the given degrees, such as 4,2,4,3, sharing end sinks.

    The example is the planar bipartite tree 4,1/2,2,1/2,4,1/2,3. Raises ArgumentError unless
    all degrees exceed 1; 1 is allowed at the ends.

    >>> w_strand("2,2") == w(2, 2)
    True
    """
    return _strand(degrees, is_reciprocal=False)


def m_strand(degrees: str) -> Dag[int]:
    """Strand of M-dags: sinks of the given degrees, such as 4,2,4,3, sharing end sources.

    The example is the planar bipartite tree 1/4,2,1/2,2,1/4,2,1/3. Raises ArgumentError as
    `w_strand` does.

    >>> m_strand("2,2") == m(2, 2)
    True
    """
    return _strand(degrees, is_reciprocal=True)


def _w_arcs(s: int, d: int) -> tuple[Ints, Ints]:
    check_least(1, s=s)
    check_least(2, d=d)
    check_size(s * d + 1, s * d)
    sources = np.repeat(np.arange(s), d)
    return sources, sources * (d - 1) + np.tile(np.arange(d), s)


def _strand(degrees: str, *, is_reciprocal: bool) -> Dag[int]:
    words = [word.strip() for word in degrees.split(",")]
    for word in words:
        if re.fullmatch(r"[0-9]{1,18}", word) is None:
            raise ArgumentError(f"argument degrees: expected integers such as 4,2,3, got {word!r}")
    turns = [Turn(int(word), is_reciprocal) for word in words]
    shared = Turn(2, not is_reciprocal)
    return _tree("degrees", turns, [turn for own in turns for turn in (own, shared)][:-1])


def _tree(argument: str, given: Sequence[Turn], turns: Sequence[Turn]) -> Dag[int]:
    """Return the tree of *turns*; raises ArgumentError for a wrong degree among the *given*."""
    for place, turn in enumerate(given):
        least = 1 if place in (0, len(given) - 1) else 2
        if turn.degree < least:
            raise ArgumentError(
                f"argument {argument}: expected degrees above 1, or 1 at either end, "
                f"got {turn} at place {place + 1}"
            )
    parents, children = zigzag_arcs(turns)
    return bipartite_dag(int(parents[-1]) + 1, int(children[-1]) + 1, parents, children)
