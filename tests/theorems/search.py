"""Exhaustive searches on small dags, in plain Python: what the theorems answer to.

A set of tasks is an int with bit v set for task v. The sets that can have run are the
*ideals*, those that hold the parents of all their tasks. An order is a path through them
that adds a task at a time, so a claim about all its prefixes is a claim about the ideals
on the path. Nothing here uses the referee.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from icsched import Dag

Allowed = Callable[[int], bool]


@dataclass(frozen=True)
class Bits:
    """A dag as sets: the parents and the children of each task."""

    parents: tuple[int, ...]
    children: tuple[int, ...]

    @classmethod
    def of(cls, dag: Dag) -> Bits:
        """Return *dag* as sets."""
        tasks = range(len(dag))
        return cls(
            tuple(task_set(dag.parents(task).tolist()) for task in tasks),
            tuple(task_set(dag.children(task).tolist()) for task in tasks),
        )

    def __len__(self) -> int:
        return len(self.parents)

    def eligible(self, ideal: int) -> list[int]:
        """Tasks that have not run but whose parents all have."""
        return [
            task
            for task, needed in enumerate(self.parents)
            if not ideal >> task & 1 and not needed & ~ideal
        ]

    def open(self, ideal: int) -> list[int]:
        """Tasks that have run but have a child that has not."""
        return [
            task
            for task, wanting in enumerate(self.children)
            if ideal >> task & 1 and wanting & ~ideal
        ]


def task_set(tasks: Iterable[int]) -> int:
    """Return *tasks* as an int.

    >>> task_set([0, 2])
    5
    """
    return sum(1 << task for task in tasks)


def prefixes(order: Sequence[int]) -> list[int]:
    """All prefixes of *order* as sets, the empty one first.

    >>> prefixes([2, 0])
    [0, 4, 5]
    """
    return [task_set(order[:t]) for t in range(len(order) + 1)]


def any_ideal(ideal: int) -> bool:
    """Allow whatever the rules of the game do."""
    return ideal >= 0


def layers(bits: Bits, allowed: Allowed = any_ideal) -> Iterator[dict[int, int]]:
    """For t = 0 .. tasks, the ideals of t tasks reachable through allowed ideals only.

    With each comes the number of ways to reach it.

    >>> list(layers(Bits.of(Dag({"a": [], "b": ["a"]}))))
    [{0: 1}, {1: 1}, {3: 1}]
    """
    layer = {0: 1} if allowed(0) else {}
    yield layer
    for _ in range(len(bits)):
        larger: dict[int, int] = {}
        for ideal, ways in layer.items():
            for task in bits.eligible(ideal):
                grown = ideal | 1 << task
                if grown in larger or allowed(grown):
                    larger[grown] = larger.get(grown, 0) + ways
        layer = larger
        yield layer


def ideals(bits: Bits, allowed: Allowed = any_ideal) -> set[int]:
    """All ideals on the way of orders all of whose prefixes are allowed.

    By default these are all ideals. Dead ends are left out, so two properties of ideals
    give the same sets here if and only if they allow the same orders.

    >>> sorted(ideals(Bits.of(Dag({"a": [], "b": ["a"]}))))
    [0, 1, 3]
    """
    *reached, kept = map(set, layers(bits, allowed))
    found = set(kept)
    for layer in reversed(reached):
        kept = {
            ideal
            for ideal in layer
            if any(ideal | 1 << task in kept for task in bits.eligible(ideal))
        }
        found |= kept
    return found


def order_count(bits: Bits, allowed: Allowed = any_ideal) -> int:
    """Count the orders all of whose prefixes are allowed; 0 if no such order ends.

    >>> order_count(Bits.of(Dag({"a": [], "b": []})))
    2
    """
    return sum([*layers(bits, allowed)][-1].values())


def orders(bits: Bits, allowed: Allowed = any_ideal) -> Iterator[list[int]]:
    """All orders all of whose prefixes are allowed.

    >>> list(orders(Bits.of(Dag({"a": [], "b": []}))))
    [[0, 1], [1, 0]]
    """

    def completions(begun: list[int], ideal: int) -> Iterator[list[int]]:
        if len(begun) == len(bits):
            yield begun
        for task in bits.eligible(ideal):
            if allowed(ideal | 1 << task):
                yield from completions([*begun, task], ideal | 1 << task)

    return completions([], 0)


def most_eligible(bits: Bits) -> list[int]:
    """The most tasks that can be eligible after t = 0 .. tasks executions.

    >>> most_eligible(Bits.of(Dag({"a": [], "b": ["a"], "c": ["a"]})))
    [1, 2, 1, 0]
    """
    return [max(len(bits.eligible(ideal)) for ideal in layer) for layer in layers(bits)]


def is_best(bits: Bits, best: Sequence[int] | None = None) -> Allowed:
    """Allow the ideals of which no equally large one has more eligible tasks.

    An order is IC-optimal if and only if all its prefixes are such. *best* is what
    `most_eligible` finds, for dags where a formula knows it already.
    """
    most = most_eligible(bits) if best is None else best
    return lambda ideal: len(bits.eligible(ideal)) == most[ideal.bit_count()]


def least_peak_memory(bits: Bits, allowed: Allowed = any_ideal) -> int:
    """Return the least memory cost of an order all of whose prefixes are allowed.

    The cost is the largest number of open tasks after a step (Rosenberg and Yurkewych 2005, section
    2.2.3).

    >>> least_peak_memory(Bits.of(Dag({"a": [], "b": [], "c": ["a", "b"]})))
    2
    """
    peaks = {0: 0}
    for _ in range(len(bits)):
        larger: dict[int, int] = {}
        for ideal, peak in peaks.items():
            for task in bits.eligible(ideal):
                grown = ideal | 1 << task
                if grown in larger or allowed(grown):
                    reached = max(peak, len(bits.open(grown)))
                    larger[grown] = min(reached, larger.get(grown, reached))
        peaks = larger
    return min(peaks.values())


def greatest_memory(bits: Bits) -> int:
    """Return the most open tasks there can be: every ideal is on the way of some order.

    >>> greatest_memory(Bits.of(Dag({"a": [], "b": ["a"], "c": ["b"]})))
    1
    """
    return max(len(bits.open(ideal)) for ideal in ideals(bits))
