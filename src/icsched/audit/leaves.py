"""Bounds that need no other bound: each rule checks its premises and computes its bound."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from icsched.audit.graph import Budget, Graph, Ints, ints, sorted_graph
from icsched.errors import CertificateError

MOST_SETS = 1_000_000  # sets of one size that an exact bound may visit
MOST_NONSINKS = 1024  # nonsinks of a dag whose sets are visited
_NEVER = np.int64(-(1 << 60))


def exact(graph: Graph, place: str, budget: Budget) -> Ints:
    """Visit all possible sets of executed nonsinks, size by size."""
    nonsinks = np.flatnonzero(graph.children)
    if len(nonsinks) > MOST_NONSINKS:
        raise CertificateError(place, f"more than {MOST_NONSINKS:,} tasks have children")
    bit_of = {task: 1 << bit for bit, task in enumerate(nonsinks.tolist())}
    needs = [0] * graph.tasks
    for parent, child in graph.arcs.tolist():
        needs[child] |= bit_of[parent]
    moves = _moves(graph, bit_of, needs)
    goals = [need for need in needs if need]
    walk = _walk_words if len(nonsinks) < 64 else _walk_sets
    return np.array(walk(moves, goals, place, budget), np.int64)


def _moves(graph: Graph, bit_of: dict[int, int], needs: list[int]) -> list[tuple[int, int]]:
    """Return for each nonsink its bit, and the bits that must run before it.

    Tasks with the same parents and the same children are interchangeable. So only sets in which
    such tasks run by ascending id are visited.
    """
    below: dict[int, list[int]] = {task: [] for task in bit_of}
    for parent, child in graph.arcs.tolist():
        below[parent].append(child)
    alike: dict[tuple[int, tuple[int, ...]], int] = {}
    moves = []
    for task, bit in bit_of.items():
        key = needs[task], tuple(below[task])
        moves.append((bit, needs[task] | alike.get(key, 0)))
        alike[key] = bit
    return moves


def _walk_words(
    moves: list[tuple[int, int]], goals: list[int], place: str, budget: Budget
) -> list[int]:
    sets = np.zeros(1, np.uint64)
    best = [0]
    for _ in moves:
        budget.take(len(sets) * (len(moves) + len(goals)), place)
        grown: list[NDArray[np.uint64]] = []
        for bit, need in moves:
            wanted = np.uint64(bit | need)
            grown.append(sets[(sets & wanted) == np.uint64(need)] | np.uint64(bit))
            _check_sets(sum(map(len, grown)) // 8, place)
        sets = np.unique(np.concatenate(grown))
        _check_sets(len(sets), place)
        enabled = np.zeros(len(sets), np.int64)
        for goal in goals:
            enabled += (sets & np.uint64(goal)) == np.uint64(goal)
        best.append(int(enabled.max()))
    return best


def _walk_sets(
    moves: list[tuple[int, int]], goals: list[int], place: str, budget: Budget
) -> list[int]:
    """Do the same for more nonsinks than a machine word has bits."""
    sets, best = {0}, [0]
    for _ in moves:
        budget.take(100 * len(sets) * (len(moves) + len(goals)), place)
        sets = {s | bit for s in sets for bit, need in moves if s & (bit | need) == need}
        _check_sets(len(sets), place)
        best.append(max(sum(s & goal == goal for goal in goals) for s in sets))
    return best


def _check_sets(sets: int, place: str) -> None:
    if sets > MOST_SETS:
        raise CertificateError(place, f"more than {MOST_SETS:,} sets of tasks would be looked at")


def cycle(graph: Graph, place: str) -> Ints:
    """Check for one cycle of sources and sinks; x < s sources enable at most x - 1."""
    size = graph.nonsinks
    degrees = graph.parents + graph.children
    if size < 2 or not graph.is_bipartite or bool(np.any(degrees != 2)) or not _connected(graph):
        raise CertificateError(place, "the tasks are not a cycle of sources and sinks")
    steps = np.arange(size + 1)
    return np.where(steps < size, np.maximum(0, steps - 1), size).astype(np.int64)


def clique(graph: Graph, place: str) -> Ints:
    """Check that each nonsource has its own pair of parents; x tasks have x(x-1)/2 pairs."""
    pairs = graph.arcs[np.argsort(graph.arcs[:, 1], kind="stable"), 0].reshape(-1)
    if bool(np.any((graph.parents != 0) & (graph.parents != 2))):
        raise CertificateError(place, "a task has parents, but not two")
    if len(np.unique(pairs.reshape(-1, 2), axis=0)) < len(pairs) // 2:
        raise CertificateError(place, "two tasks have the same two parents")
    steps = np.arange(graph.nonsinks + 1)
    return np.asarray(np.minimum(steps * (steps - 1) // 2, graph.nonsources))


def _connected(graph: Graph) -> bool:
    near = _neighbours(graph)
    seen, todo = {0}, [0]
    while todo:
        fresh = [task for task in near[todo.pop()] if task not in seen]
        seen.update(fresh)
        todo += fresh
    return len(seen) == graph.tasks


def _neighbours(graph: Graph) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(graph.tasks)]
    for parent, child in graph.arcs.tolist():
        near[parent].append(child)
        near[child].append(parent)
    return near


def tree(graph: Graph, place: str, budget: Budget) -> Ints:
    """Compute the most that x sources of a bipartite tree enable, from its leaves to its root.

    Sinks with the same parents count as one sink of more weight. For each source: the best below
    it if the source does not run, and if it runs.
    """
    if not graph.is_bipartite:
        raise CertificateError(place, "the tasks are not a bipartite tree")
    graph, weight = _with_merged_sinks(graph)
    if graph.tasks < 2 or len(graph.arcs) != graph.tasks - 1 or not _connected(graph):
        raise CertificateError(place, "the tasks are not a bipartite tree")
    near = _neighbours(graph)
    root = int(np.flatnonzero(graph.children)[0])
    above, order = {root: -1}, [root]
    for task in order:
        below = [other for other in near[task] if other != above[task]]
        above.update((other, task) for other in below)
        order += below
    # idle and busy of a source; for a sink: the best below, if its upper source idles or runs.
    idle: dict[int, Ints] = {}
    busy: dict[int, Ints] = {}
    for task in reversed(order):
        below = [other for other in near[task] if other != above[task]]
        first = [idle.pop(other) for other in below]
        second = [busy.pop(other) for other in below]
        if graph.children[task]:
            idle[task] = np.append(_folded(first, place, budget), _NEVER)
            busy[task] = np.append(_NEVER, _folded(second, place, budget))
        else:
            either = [np.maximum(a, b) for a, b in zip(first, second, strict=True)]
            idle[task] = _folded(either, place, budget)
            busy[task] = np.maximum(idle[task], _folded(second, place, budget) + weight[task])
    return np.maximum(idle[root], busy[root])


def _with_merged_sinks(graph: Graph) -> tuple[Graph, list[int]]:
    """Merge the sinks of a bipartite dag that have the same parents; return weights too."""
    parents_of: list[list[int]] = [[] for _ in range(graph.tasks)]
    for parent, child in graph.arcs.tolist():
        parents_of[child].append(parent)
    first: dict[tuple[int, ...], int] = {}
    weight: list[int] = []
    arcs: list[tuple[int, int]] = []
    number: dict[int, int] = {}
    for task in np.flatnonzero(graph.parents == 0).tolist():
        number[task] = len(weight)
        weight.append(0)
    for task in np.flatnonzero(graph.parents).tolist():
        key = tuple(parents_of[task])
        if key not in first:
            first[key] = len(weight)
            arcs += [(number[parent], len(weight)) for parent in key]
            weight.append(0)
        weight[first[key]] += 1
    return sorted_graph(len(weight), np.array(arcs, np.int64).reshape(-1, 2)), weight


def _folded(parts: list[Ints], place: str, budget: Budget) -> Ints:
    """Return the max-plus convolution of *parts*, short ones first."""
    whole = np.zeros(1, np.int64)
    for part in sorted(parts, key=len):
        whole = convolved(whole, part, place, budget)
    return whole


def convolved(first: Ints, second: Ints, place: str, budget: Budget) -> Ints:
    """Return the max-plus convolution: the best sums of two entries, by the sum of indices."""
    short, long = sorted((first, second), key=len)
    budget.take(1000 + len(short) * len(long), place)
    if len(short) == 1:
        return np.asarray(np.maximum(long + short[0], _NEVER))
    best = np.full(len(short) + len(long) - 1, _NEVER)
    for shift, value in enumerate(short.tolist()):
        part = best[shift : shift + len(long)]
        np.maximum(part, long + value, out=part)
    return best


def shares(graph: Graph, segments: object, amounts: object, place: str) -> Ints:
    """Check shares, and sum up the slopes of the segments; docs/certificates.md has the proof."""
    segment = ints(segments, graph.tasks, f"{place}.segments")
    amount = ints(amounts, len(graph.arcs), f"{place}.shares")
    if len(segment) != graph.tasks or len(amount) != len(graph.arcs):
        raise CertificateError(place, "expected a segment for each task and a share for each arc")
    count = int(segment.max(initial=-1)) + 1
    nonsink = graph.children > 0
    if count > graph.tasks or not np.array_equal(np.unique(segment[nonsink]), np.arange(count)):
        raise CertificateError(place, "the segments of the tasks with children have gaps")
    if bool(np.any(segment[~nonsink] != -1)) or bool(np.any(segment[nonsink] < 0)):
        raise CertificateError(
            place, "expected segment -1 for tasks without children, and no other"
        )
    if not len(graph.arcs):
        return np.zeros(1, np.int64)
    return _slopes(graph, segment, amount, count, place)


def _slopes(graph: Graph, segment: Ints, amount: Ints, count: int, place: str) -> Ints:
    parent, child = graph.arcs.T
    last = np.full(graph.tasks, -1, np.int64)  # the segment in which a task is enabled
    np.maximum.at(last, child, segment[parent])
    enabled = last >= 0
    sizes = np.bincount(segment[segment >= 0], minlength=count).astype(np.int64)
    totals = np.bincount(last[enabled], minlength=count).astype(np.int64)
    if bool(np.any(amount < 0)) or bool(np.any((amount > 0) & (segment[parent] != last[child]))):
        raise CertificateError(place, "a share is negative, or goes to another segment")
    pairs = list(zip(totals.tolist(), sizes.tolist(), strict=True))
    if any(a * d < c * b for (a, b), (c, d) in pairwise(pairs)):
        raise CertificateError(place, "a segment enables more for each task than one before it")
    rest = _rests(graph, segment, last, amount, (sizes, totals), place)
    return _summed(sizes, totals, -(-rest // sizes))


def _rests(
    graph: Graph, segment: Ints, last: Ints, amount: Ints, counts: tuple[Ints, Ints], place: str
) -> Ints:
    """Return, for each segment, the sum of shares not given away; check the totals of tasks."""
    sizes, totals = counts
    parent, child = graph.arcs.T
    if float(amount.sum(dtype=np.float64)) > 1 << 61:
        raise CertificateError(place, "the shares are too large")
    got, gave = np.zeros((2, graph.tasks), np.int64)
    np.add.at(got, parent, amount)
    np.add.at(gave, child, amount)
    enabled, inside = last >= 0, (last >= 0) & (last == segment)
    own = np.where(enabled, sizes[last], 0)
    most = np.where(segment >= 0, totals[segment], 0)
    short = np.where(enabled, np.maximum(0, own - gave), 0)
    short = np.where(inside, np.maximum(short, got + own - gave - most), short)
    keeps = np.where(inside, got + own - short - gave, got)
    if bool(np.any(short > own) | np.any(keeps > most)):
        raise CertificateError(place, "a task keeps more than its segment allows")
    if bool(np.any(keeps < 0) | np.any(~inside & (gave > own))):
        raise CertificateError(place, "a task hands out more than it has")
    rest = np.zeros(len(sizes), np.int64)
    np.add.at(rest, last[enabled], short[enabled])
    return rest


def _summed(sizes: Ints, totals: Ints, jumps: Ints) -> Ints:
    """Sum up the largest slopes and the largest jumps, up to the number of nonsources."""
    bound, done, everything = [0], 0, int(totals.sum())
    for size, total in zip(sizes.tolist(), totals.tolist(), strict=True):
        bound += [done + total * step // size for step in range(1, size + 1)]
        done += total
    extra = 0
    largest = sorted(jumps.tolist(), reverse=True)
    for step in range(1, len(bound)):
        extra += largest[step - 1] if step <= len(largest) else 0
        bound[step] = min(bound[step] + extra, everything)
    return np.array(bound, np.int64)
