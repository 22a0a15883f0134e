"""Tools for all families: checks of arguments and sizes, and arrays of arcs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icsched import checks
from icsched.dag import Dag
from icsched.errors import ArgumentError

MOST_TASKS = 20_000_000
MOST_ARCS = 100_000_000
DEEPEST = 25  # 2 ** DEEPEST > MOST_TASKS, so a larger exponent need not be computed


def check_least(least: int, **arguments: int) -> None:
    """Raise ArgumentError unless all *arguments* are integers from *least* on.

    >>> check_least(1, s=0)
    Traceback (most recent call last):
    icsched.errors.ArgumentError: argument s: expected a whole number, 1 or more, got 0
    """
    for name, value in arguments.items():
        checks.whole_number(f"argument {name}", value, least=least)


def check_size(tasks: int, arcs: int) -> None:
    """Raise ArgumentError if a dag of *tasks* and *arcs* is too large to build.

    >>> check_size(2**64, 1)
    Traceback (most recent call last):
    icsched.errors.ArgumentError: too large: expected at most 20,000,000 tasks, asked for more
    """
    for what, size, most in (("tasks", tasks, MOST_TASKS), ("arcs", arcs, MOST_ARCS)):
        if size > most:
            raise ArgumentError(f"too large: expected at most {most:,} {what}, asked for more")


def capped_power(base: int, exponent: int) -> int:
    """Return ``base ** exponent``, or some number above `MOST_TASKS` if the power is above.

    *base* must be 2 or more. The cap keeps an absurd exponent from filling memory.

    >>> capped_power(2, 10), capped_power(2, 10**9) > MOST_TASKS
    (1024, True)
    """
    return int(base ** min(exponent, DEEPEST))


Ints = NDArray[np.integer[Any]]


def paired(parents: ArrayLike, children: ArrayLike) -> Ints:
    """Return the arcs from each of *parents* to the child at the same place.

    *parents* and *children* broadcast: one task on one side is joined to all on the other.

    >>> paired(0, [1, 2]).tolist()
    [[0, 1], [0, 2]]
    """
    both: list[Ints] = [np.asarray(side) for side in np.broadcast_arrays(parents, children)]
    return np.column_stack([side.ravel() for side in both])


def bipartite_dag(sources: int, sinks: int, parents: ArrayLike, children: ArrayLike) -> Dag[int]:
    """Return a bipartite dag, sources numbered first; *children* count sinks from 0.

    >>> bipartite_dag(1, 2, 0, [0, 1]).arcs.tolist()
    [[0, 1], [0, 2]]
    """
    return Dag.from_arcs(sources + sinks, paired(parents, np.asarray(children) + sources))


def stacked(first: Dag[int], *blocks: Dag[int]) -> Dag[int]:
    """Compose the blocks one after the other, merging sinks with sources in id order.

    As many pairs are merged as both sides have. The other sinks stay sinks, the other sources
    become new sources.

    >>> fork, join = bipartite_dag(1, 2, 0, [0, 1]), bipartite_dag(2, 1, [0, 1], 0)
    >>> stacked(fork, join).arcs.tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    result = first
    for block in blocks:
        pairs = zip(result.sinks.tolist(), block.sources.tolist(), strict=False)
        result = result.compose(block, pairs)
    return result


class Turn(NamedTuple):
    """One value of a zigzag: the integer *degree*, or its reciprocal."""

    degree: int
    is_reciprocal: bool

    def __str__(self) -> str:
        return f"1/{self.degree}" if self.is_reciprocal else str(self.degree)


def zigzag_arcs(turns: Sequence[Turn]) -> tuple[Ints, Ints]:
    """Return the parents and the children, both counted from 0, of a valid zigzag's arcs.

    >>> [ends.tolist() for ends in zigzag_arcs([Turn(3, False), Turn(2, True)])]
    [[0, 0, 0, 1], [0, 1, 2, 2]]
    """
    arcs = 1 + sum(turn.degree - 1 for turn in turns)
    check_size(arcs + 1, arcs)
    # The tree starts as one arc. Each new task is the last of its side, and its arc joins the
    # last source to the last sink.
    adds_source = np.zeros(arcs, np.int64)
    adds_source[1:] = np.repeat([t.is_reciprocal for t in turns], [t.degree - 1 for t in turns])
    parents = np.cumsum(adds_source)
    return parents, np.arange(arcs) - parents
