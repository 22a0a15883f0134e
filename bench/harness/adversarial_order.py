"""Dags that are hard for the kernels that order blocks: about n tasks each, always the same."""

import numpy as np
from numpy.typing import NDArray

from icsched import Dag


def comb(tasks: int) -> Dag:
    """Return a strand of W-dags whose largest vectors lie at its two ends in turn, then further in.

    A tooth is a source with four sinks of its own between two codes. A code is a row of sources
    with one sink of their own or none. Read away from the tooth, each code is the tooth's binary
    rank.
    """
    bits = max(3, (tasks // 40).bit_length())
    teeth = max(2, tasks // (5 * bits + 5) // 2 * 2)
    from_left = np.arange(teeth - 1, 0, -2)
    ranks = np.concatenate([from_left, from_left[::-1] - 1])
    code = (ranks[:, None] >> np.arange(bits)[::-1]) & 1
    return _strand(np.column_stack([code[:, ::-1], np.full(teeth, 4), code]).ravel())


def _strand(own: NDArray[np.int64]) -> Dag:
    """Return sources in a row, each with *own* sinks and one shared with the next."""
    sources = len(own)
    places = np.arange(sources)
    shared = sources + places[:-1]
    lone = 2 * sources - 1 + np.arange(own.sum())
    arcs = [
        np.column_stack([places[:-1], shared]),
        np.column_stack([places[1:], shared]),
        np.column_stack([np.repeat(places, own), lone]),
    ]
    return Dag.from_arcs(2 * sources - 1 + len(lone), np.concatenate(arcs))


def few_sources(tasks: int) -> Dag:
    """Twenty sources, and sinks that each wait for about half of them."""
    rng = np.random.default_rng(1)
    waits = rng.random((tasks - 20, 20)) < 0.5
    waits[np.arange(len(waits)), rng.integers(20, size=len(waits))] = True
    sinks, sources = np.nonzero(waits)
    return Dag.from_arcs(tasks, np.column_stack([sources, sinks + 20]))


def few_nonsinks(tasks: int) -> Dag:
    """Forty sources above sinks that wait for three: too many for blocks, not for the referee."""
    rng = np.random.default_rng(1)
    sources = np.argsort(rng.random((tasks - 40, 40)), axis=1)[:, :3].ravel()
    return Dag.from_arcs(tasks, np.column_stack([sources, np.repeat(np.arange(40, tasks), 3)]))


def forks_of_all_sizes(tasks: int) -> Dag:
    """Forks with 1, 2, 3, .. sinks, so that no two have the same profile, and one chain."""
    sizes = np.arange(1, int((2 * tasks) ** 0.5) - 1)
    return _forks(np.random.default_rng(1).permutation(sizes))


def forks_by_the_thousand(tasks: int) -> Dag:
    """Forks of a thousand sizes, about as many of each."""
    most = 1000 if tasks > 100_000 else tasks // 100
    sizes = np.random.default_rng(1).integers(1, most, size=2 * tasks // most)
    return _forks(sizes)


def _forks(sizes: NDArray[np.int64]) -> Dag:
    """Forks side by side; the first has a chain below it, so the dag is not a sum of trees."""
    sources = np.cumsum(sizes + 1) - sizes - 1
    tasks = int((sizes + 1).sum())
    mask = np.ones(tasks, bool)
    mask[sources] = False
    arcs = np.column_stack([np.repeat(sources, sizes), np.flatnonzero(mask)])
    chain = np.array([[1, tasks], [tasks, tasks + 1]])
    return Dag.from_arcs(tasks + 2, np.concatenate([arcs, chain]))


def small_blocks(tasks: int) -> Dag:
    """Bipartite blocks of four to nine sources and sinks, most of them different."""
    rng = np.random.default_rng(1)
    arcs, next_task = [np.empty((0, 2), np.int64)], 0
    for _ in range(tasks // 13):
        sources, sinks = rng.integers(4, 10, size=2).tolist()
        first, second = rng.integers(sources, size=(2, sinks))
        for parents in (first, second, np.arange(sinks) % sources):
            arcs.append(np.column_stack([parents, np.arange(sinks) + sources]) + next_task)
        next_task += sources + sinks
    chain = np.array([[next_task - 1, next_task], [next_task, next_task + 1]])
    return Dag.from_arcs(next_task + 2, np.concatenate([*arcs, chain]))


def small_strands(tasks: int) -> Dag:
    """Strands of W-dags of two to eight sources, most of them different."""
    rng = np.random.default_rng(1)
    ends = np.cumsum(rng.integers(2, 9, size=tasks // 10))
    own = rng.integers(0, 3, size=ends[-1])
    own[ends - 1] += 1
    shared = np.setdiff1d(np.arange(ends[-1] - 1), ends - 1)
    sources = int(ends[-1])
    joins = sources + np.arange(len(shared))
    lone = sources + len(shared) + np.arange(own.sum())
    arcs = [
        np.column_stack([shared, joins]),
        np.column_stack([shared + 1, joins]),
        np.column_stack([np.repeat(np.arange(sources), own), lone]),
    ]
    last = sources + len(joins) + len(lone)
    chain = np.array([[last - 1, last], [last, last + 1]])
    return Dag.from_arcs(last + 2, np.concatenate([*arcs, chain]))


def different_strands(tasks: int) -> Dag:
    """Strands of W-dags of eight sources, nearly all with different profiles, and one chain."""
    count = max(1, tasks // 35)
    own = np.random.default_rng(1).integers(0, 6, size=(count, 8))
    own[:, 0] += 1
    return _strands_and_a_chain(own)


def falling_strands(tasks: int) -> Dag:
    """Return different strands; those with most sinks come first, and run about first, too.

    Strands are compared with the oldest strands that can run. Here the oldest leave first, so the
    others must be compared again and again.
    """
    count = max(1, tasks // 35)
    own = np.random.default_rng(1).integers(0, 6, size=(count, 8))
    own[:, 0] += 1
    return _strands_and_a_chain(own[np.argsort(-own.sum(axis=1), kind="stable")])


def _strands_and_a_chain(own: NDArray[np.int64]) -> Dag:
    """Strands of eight sources by their *own* sinks, a chain below the last sink of the last."""
    count = len(own)
    places = np.arange(8 * count).reshape(count, 8)
    joins = 8 * count + np.arange(7 * count).reshape(count, 7)
    lone = 15 * count + np.arange(own.sum())
    last = int(lone[-1])
    arcs = [
        np.column_stack([places[:, :-1].ravel(), joins.ravel()]),
        np.column_stack([places[:, 1:].ravel(), joins.ravel()]),
        np.column_stack([np.repeat(places.ravel(), own.ravel()), lone]),
        np.array([[last, last + 1], [last + 1, last + 2]]),
    ]
    return Dag.from_arcs(last + 3, np.concatenate(arcs))


def chain_beside_joins(tasks: int) -> Dag:
    """Return a chain whose links come first, while thousands of strands of M-dags wait."""
    strands = different_strands(tasks // 2).dual()
    chain = np.arange(tasks // 2) + len(strands)
    arcs = np.concatenate([strands.arcs, np.column_stack([chain[:-1], chain[1:]])])
    return Dag.from_arcs(len(strands) + len(chain), arcs)


def lone_chain(tasks: int) -> Dag:
    """Return a chain that ends in blocks whose order no theorem proves."""
    core = few_nonsinks(min(tasks // 2, 1000))
    chain = np.arange(tasks - len(core))
    top = np.column_stack([np.full(40, chain[-1]), core.sources + len(chain)])
    arcs = [np.column_stack([chain[:-1], chain[1:]]), top, core.arcs + len(chain)]
    return Dag.from_arcs(tasks, np.concatenate(arcs))


ACTIONS = {
    case.__name__: ("order", "show")
    for case in (
        *(comb, few_sources, few_nonsinks, forks_of_all_sizes, forks_by_the_thousand),
        *(small_blocks, small_strands, different_strands, falling_strands),
        *(chain_beside_joins, lone_chain),
    )
}
