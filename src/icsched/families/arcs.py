"""Arc arrays: how the families put their arcs together before `Dag.from_arcs`."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icsched.dag import Dag

Ints = NDArray[np.integer[Any]]


def paired(parents: ArrayLike, children: ArrayLike) -> Ints:
    """Return the arcs from each of *parents* to the child at the same place.

    *parents* and *children* broadcast: one task on one side is joined to all on the other.

    >>> paired(0, [1, 2]).tolist()
    [[0, 1], [0, 2]]
    """
    both: list[Ints] = [np.asarray(side) for side in np.broadcast_arrays(parents, children)]
    return np.column_stack([side.ravel() for side in both])


def bipartite(sources: int, sinks: int, parents: ArrayLike, children: ArrayLike) -> Dag[int]:
    """Return a bipartite dag, sources numbered first; *children* count sinks from 0.

    >>> bipartite(1, 2, 0, [0, 1]).arcs.tolist()
    [[0, 1], [0, 2]]
    """
    return Dag.from_arcs(sources + sinks, paired(parents, np.asarray(children) + sources))


def stacked(first: Dag[int], *blocks: Dag[int]) -> Dag[int]:
    """Compose the blocks one after the other, merging sinks with sources in id order.

    As many pairs are merged as both sides have. The other sinks stay sinks, the other sources
    become new sources.

    >>> fork, join = bipartite(1, 2, 0, [0, 1]), bipartite(2, 1, [0, 1], 0)
    >>> stacked(fork, join).arcs.tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    result = first
    for block in blocks:
        pairs = zip(result.sinks.tolist(), block.sources.tolist(), strict=False)
        result = result.compose(block, pairs)
    return result
