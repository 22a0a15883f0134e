"""Random dags. The same arguments and seed give the same dag everywhere.

Ids are in a topological order.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from icsched import checks
from icsched.dag import Dag
from icsched.families.arcs import (
    Ints,
    Turn,
    bipartite_dag,
    check_least,
    check_size,
    paired,
    zigzag_arcs,
)
from icsched.families.bipartite import cycle, m, n, w

MOST_BLOCKS = 1_000_000  # a block or tree drawn here has at most 17 tasks


def random_layered(
    tasks: int, width: int, arcs_per_task: int = 3, longest_span: int = 3, *, seed: int
) -> Dag[int]:
    """Random layers of width tasks, each with parents in the few layers before it.

    A task outside the first layer has 1 to *arcs_per_task* distinct parents: one in the
    layer directly before, the others within *longest_span* layers. Raises ArgumentError unless
    all arguments are at least 1. Takes O(tasks * arcs_per_task) time.

    >>> random_layered(6, 2, seed=1).levels.tolist()
    [0, 0, 1, 1, 2, 2]
    """
    check_least(1, tasks=tasks, width=width, arcs_per_task=arcs_per_task, longest_span=longest_span)
    width, span = min(width, tasks), min(longest_span, tasks)
    most_parents = min(arcs_per_task, span * width)
    check_size(tasks, tasks * most_parents)
    return Dag.from_arcs(tasks, _layer_arcs(_rng(seed), tasks, width, most_parents, span))


def random_series_parallel(tasks: int, *, seed: int) -> Dag[int]:
    """Random series-parallel dag with one source and one sink.

    A piece of 4 or more tasks is, by a toss, either two pieces in series or a fork, two to
    four pieces in parallel and a join; smaller pieces are chains. Raises ArgumentError unless
    tasks >= 1.

    >>> random_series_parallel(3, seed=1).arcs.tolist()
    [[0, 1], [1, 2]]
    """
    check_least(1, tasks=tasks)
    check_size(tasks, 2 * tasks)
    rng = _rng(seed)
    arcs: list[tuple[int, int]] = []
    pieces = [(0, tasks)]  # each is a range of ids: its first is its source, its last its sink
    while pieces:
        first, end = pieces.pop()
        if end - first >= 4 and rng.random() < 0.5:
            starts = _branch_starts(rng, first, end)
            branches = list(zip(starts, [*starts[1:], end - 1], strict=True))
            arcs += [arc for a, b in branches for arc in ((first, a), (b - 1, end - 1))]
            pieces += branches
        elif end - first >= 2:
            cut = first + 1 + int(rng.random() * (end - first - 1))
            arcs.append((cut - 1, cut))
            pieces += [(first, cut), (cut, end)]
    return Dag.from_arcs(tasks, arcs)


def random_bipartite(sources: int, sinks: int, arcs: int, *, seed: int) -> Dag[int]:
    """Random bipartite dag: a given number of arcs from sources to sinks.

    Every set of arcs is equally likely, so a task may have no arcs. Sources are numbered
    first. Raises ArgumentError unless sources, sinks >= 1 and 0 <= arcs <= sources * sinks.

    >>> random_bipartite(2, 2, 4, seed=1).arcs.tolist()
    [[0, 2], [0, 3], [1, 2], [1, 3]]
    """
    check_least(1, sources=sources, sinks=sinks)
    checks.whole_number("argument arcs", arcs, least=0, most=sources * sinks)
    check_size(sources + sinks, arcs)
    parents, children = divmod(_distinct(_rng(seed), sources * sinks, arcs), sinks)
    return bipartite_dag(sources, sinks, parents, children)


def random_small_union(n: int, largest: int, *, seed: int) -> Dag[int]:
    """Random subsets of n elements: n sources, and n sinks with up to largest parents each.

    Which sources enable most sinks is the problem "many subsets with small union", to which
    Malewicz and Rosenberg 2006, "On Batch-Scheduling Dags for Internet-Based Computing", reduce
    batch scheduling (Theorem 3.1). Sink j has parent j and 0 to largest - 1 other parents. Raises
    ArgumentError unless n >= 1 and 1 <= largest <= n.

    >>> random_small_union(2, 1, seed=1).arcs.tolist()
    [[0, 2], [1, 3]]
    """
    check_least(1, n=n)
    checks.whole_number("argument largest", largest, least=1, most=n)
    check_size(2 * n, n * largest)
    rng, own = _rng(seed), np.arange(n)
    sinks = np.repeat(own, rng.integers(largest, size=n))
    # A draw from n - 1 elements, counted from the sink's own one on, never hits the own one. The
    # same element may be drawn twice, which is one arc.
    others = (sinks + 1 + rng.integers(max(1, n - 1), size=len(sinks))) % n
    arcs = np.unique(np.column_stack([np.append(own, others), np.append(own, sinks)]), axis=0)
    return bipartite_dag(n, n, arcs[:, 0], arcs[:, 1])


def random_linear_composition(blocks: int, *, seed: int) -> Dag[int]:
    """Random composition of W-, N- or cycle-, and M-dags in an order of falling priority.

    The blocks have s, d <= 4. They are in the order of Theorem 2.2 of Cordasco, Rosenberg and
    Sims 2011, "On Clustering DAGs for Task-Hungry Computing Platforms": W-dags by falling d, then
    rising s; N-dags, or else cycles of one size; M-dags by rising d, then falling s. A random
    number of the sinks so far, perhaps none, is merged with sources of the next block. Raises
    ArgumentError unless blocks is from 1 to a million.

    >>> random_linear_composition(3, seed=1) == random_linear_composition(3, seed=1)
    True
    """
    checks.whole_number("argument blocks", blocks, least=1, most=MOST_BLOCKS)
    rng = _rng(seed)
    arcs = []
    sinks: list[int] = []
    tasks = 0
    for block in _priority_chain(rng, blocks):
        merged = int(rng.integers(min(len(sinks), len(block.sources)) + 1))
        new_id = np.full(len(block), -1)
        new_id[rng.choice(block.sources, merged, replace=False)] = _taken(rng, sinks, merged)
        fresh = np.flatnonzero(new_id < 0)
        new_id[fresh] = tasks + np.arange(len(fresh))
        tasks += len(fresh)
        arcs.append(new_id[block.arcs])
        sinks += new_id[block.sinks].tolist()
    return Dag.from_arcs(tasks, np.concatenate(arcs))


def random_tree_sum(trees: int, *, seed: int) -> Dag[int]:
    """Sum of random planar bipartite trees, each of one to five turns of degree 2 to 4.

    Trees are numbered one after the other. Raises ArgumentError unless trees is from 1 to a
    million.

    >>> len(random_tree_sum(5, seed=1).connected_parts)
    5
    """
    checks.whole_number("argument trees", trees, least=1, most=MOST_BLOCKS)
    rng = _rng(seed)
    arcs = []
    tasks = 0
    for _ in range(trees):
        parents, children = zigzag_arcs(_zigzag(rng))
        first_sink = tasks + int(parents[-1]) + 1
        arcs.append(paired(tasks + parents, first_sink + children))
        tasks = first_sink + int(children[-1]) + 1
    return Dag.from_arcs(tasks, np.concatenate(arcs))


# Types are in quotes because numpy.random is slow to import and few callers need it.
def _rng(seed: int) -> "np.random.Generator":
    check_least(0, seed=seed)
    return np.random.Generator(np.random.PCG64(seed))


def _layer_arcs(
    rng: "np.random.Generator", tasks: int, width: int, most_parents: int, span: int
) -> Ints:
    children = np.arange(width, tasks)
    layer_start = children // width * width
    near = layer_start - width + rng.integers(width, size=len(children))
    window_start = np.maximum(layer_start - span * width, 0)
    shape = (len(children), most_parents - 1)
    far = rng.integers(window_start[:, None], layer_start[:, None], size=shape)
    wanted = rng.integers(most_parents, size=len(children))
    row, column = np.nonzero(np.arange(most_parents - 1) < wanted[:, None])
    return np.concatenate([paired(near, children), paired(far[row, column], children[row])])


def _branch_starts(rng: "np.random.Generator", first: int, end: int) -> list[int]:
    cuts = {first + 2 + int(toss * (end - first - 3)) for toss in rng.random(3).tolist()}
    return [first + 1, *sorted(cuts)]


def _distinct(rng: "np.random.Generator", end: int, count: int) -> Ints:
    # Random numbers below `end`, no two equal: the first `count` different ones of a stream.
    if end < 4 * count:
        return rng.permutation(end)[:count]
    drawn = rng.integers(end, size=2 * count)
    while True:
        _, first_seen = np.unique(drawn, return_index=True)
        if len(first_seen) >= count:
            return drawn[np.sort(first_seen)[:count]]
        drawn = np.append(drawn, rng.integers(end, size=count))


def _priority_chain(rng: "np.random.Generator", blocks: int) -> Iterator[Dag]:
    kinds = rng.integers(3, size=blocks).tolist()
    shapes = rng.integers((1, 2), (5, 5), size=(blocks, 2)).tolist()
    cycle_size = int(rng.integers(2, 5)) if rng.random() < 0.5 else None
    by_kind = [[shape for k, shape in zip(kinds, shapes, strict=True) if k == i] for i in range(3)]
    for s, d in sorted(by_kind[0], key=lambda shape: (-shape[1], shape[0])):
        yield _block(w, s, d)
    for s, _ in by_kind[1]:
        yield _block(n, s) if cycle_size is None else _block(cycle, cycle_size)
    for s, d in sorted(by_kind[2], key=lambda shape: (shape[1], -shape[0])):
        yield _block(m, s, d)


@cache
def _block(family: Callable[..., Dag[int]], *arguments: int) -> Dag[int]:
    return family(*arguments)


def _taken(rng: "np.random.Generator", pool: list[int], count: int) -> list[int]:
    # Swaps with the last keep each removal O(1), however many sinks there are.
    taken = []
    for _ in range(count):
        place = int(rng.integers(len(pool)))
        pool[place], pool[-1] = pool[-1], pool[place]
        taken.append(pool.pop())
    return taken


def _zigzag(rng: "np.random.Generator") -> list[Turn]:
    starts_reciprocal = bool(rng.integers(2))
    degrees = rng.integers(2, 5, size=int(rng.integers(1, 6))).tolist()
    return [
        Turn(degree, (place % 2 == 0) == starts_reciprocal) for place, degree in enumerate(degrees)
    ]
