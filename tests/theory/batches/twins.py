"""Plain twins of the kernels for batches."""

import heapq
from itertools import pairwise

import numpy as np

from icsched import _native

UNLIMITED = 2**62


def rows_of(front: _native.BatchFront) -> list[list[int]]:
    """The sources of each sink."""
    offsets = front.sinks.offsets.tolist()
    return [front.sinks.targets[a:b].tolist() for a, b in pairwise(offsets)]


def greedy_twin(front: _native.BatchFront, count: int) -> list[int]:
    """The rule of the kernel: candidates are the sinks, then the sources."""
    rows = rows_of(front)
    yields, missing = front.yields.tolist(), [set(row) for row in rows]
    taken: list[int] = []

    def members(candidate):
        if candidate < len(rows):
            return sorted(missing[candidate])
        source = candidate - len(rows)
        return [] if source in taken else [source]

    def key(candidate):
        """Best rate first, then the smaller number; None if there is nothing to gain."""
        its = members(candidate)
        if not its or (candidate < len(rows) and len(its) == 1):
            return None
        shared = int(front.weights[candidate]) if candidate < len(rows) else 0
        enables = shared + sum(yields[source] for source in its)
        return (-np.float32(enables) / np.float32(len(its)), candidate) if enables else None

    heap = [entry for c in range(len(rows) + len(yields)) if (entry := key(c))]
    heapq.heapify(heap)

    def push(candidate):
        if entry := key(candidate):
            heapq.heappush(heap, entry)

    def take(source):
        taken.append(source)
        for sink in [s for s, row in enumerate(rows) if source in row]:
            missing[sink].discard(source)
            if len(missing[sink]) == 1:
                (last,) = missing[sink]
                yields[last] += int(front.weights[sink])
                push(len(rows) + last)
            else:
                push(sink)

    while heap and len(taken) < count:
        entry = heapq.heappop(heap)
        now = key(entry[1])
        if now is None or now > entry:
            push(entry[1])
        elif len(members(entry[1])) <= count - len(taken):
            for source in members(entry[1]):
                take(source)
    rest = [source for source in range(len(yields)) if source not in taken]
    return taken + rest[: count - len(taken)]
