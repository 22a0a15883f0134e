"""Staggered clusters: whole blocks of a linear composition (paper 000, Lemma 3.1)."""

from collections.abc import Iterable, Sequence

from icsched._native import Rows
from icsched.cluster.lean import sink_by_sink_order
from icsched.cluster.rest import Frontier, Rest
from icsched.cluster.strategy import Strategy
from icsched.theory import Analysis


class Staggered(Strategy):
    """Take whole blocks, skipping others, where that cuts fewer arcs than going in order.

    What is left is then a chain of blocks again, so it has an IC-optimal order. Part of a
    block is taken only by the direct cluster, of the first block left: after a skip the
    lemma does not hold for it. A block once begun is finished before another is skipped
    to. Sinks of the dag whose parents are in the cluster join it: they enable nothing.
    """

    def __init__(self, rest: Rest, order: Sequence[int], analysis: Analysis) -> None:
        parts = analysis.parts
        rows = Rows(parts.blocks.nonsinks.offsets, analysis.orders.nonsinks)
        super().__init__([Frontier(rest, order)])
        self._rest = rest
        self._offsets: list[int] = rows.offsets.tolist()
        self._nonsinks: list[int] = rows.targets.tolist()
        self._owner: list[int] = parts.owner.tolist()
        self._handed, self._done = [0] * len(parts), [0] * len(parts)
        self._begun: set[int] = set()
        self._blocks = Rest(analysis.superdag)
        sizes = [self._size(block) for block in range(len(parts))]
        deep = sink_by_sink_order(analysis.superdag, analysis.sequence.tolist())
        self._by_block = [
            Frontier(self._blocks, deep, sizes=sizes),
            Frontier(self._blocks, deep, score=self._opened, sizes=sizes),
        ]

    def _size(self, block: int) -> int:
        return self._offsets[block + 1] - self._offsets[block]

    def _tasks(self, block: int) -> list[int]:
        return self._nonsinks[self._offsets[block] : self._offsets[block + 1]]

    def _opened(self, block: int) -> int:
        """Arcs that lead out of *block*, less those that lead into it from the set."""
        return self._rest.cut_arcs(self._tasks(block))

    def choose(self, size: int) -> list[int]:
        """Return the direct set, or one of whole blocks that is as large and cuts fewer arcs."""
        best = self._frontiers[0].grow(size) or []
        head = self._unfinished()
        if len(head) >= size or not self._rest.is_self_contained(head):
            return best
        for frontier in self._by_block:
            blocks = frontier.grow(size - len(head)) or []
            tasks = head + [task for block in blocks for task in self._tasks(block)]
            tasks += self._enabled_sinks(tasks)[: size - len(tasks)]
            if len(tasks) == len(best) and self._rest.cut_arcs(tasks) < self._rest.cut_arcs(best):
                best = tasks
        return best

    def _unfinished(self) -> list[int]:
        """Free tasks of blocks that were begun."""
        return [
            task
            for block in sorted(self._begun)
            for task in self._tasks(block)
            if self._rest.free[task]
        ]

    def _enabled_sinks(self, tasks: Sequence[int]) -> list[int]:
        inside = self._rest.parents_inside(tasks)
        return sorted(
            task
            for task, count in inside.items()
            if self._owner[task] < 0 and count == self._rest.missing[task]
        )

    def took(self, tasks: Iterable[int]) -> None:
        """Take note of tasks handed out."""
        for block in self._blocks_of(tasks):
            self._handed[block] += 1
            self._blocks.free[block] = 0
            self._note_begun(block)

    def lost(self, tasks: Iterable[int]) -> None:
        """Take note of tasks that came back."""
        for block in self._blocks_of(tasks):
            self._handed[block] -= 1
            self._note_begun(block)
            if not self._handed[block]:
                self._add(self._blocks.give_back([block]))

    def finished(self, tasks: Iterable[int]) -> None:
        """Take note of tasks that are done."""
        for block in self._blocks_of(tasks):
            self._done[block] += 1
            if self._done[block] == self._size(block):
                self._add(self._blocks.finish([block]))

    def _blocks_of(self, tasks: Iterable[int]) -> list[int]:
        return [self._owner[task] for task in tasks if self._owner[task] >= 0]

    def _note_begun(self, block: int) -> None:
        if 0 < self._handed[block] < self._size(block):
            self._begun.add(block)
        else:
            self._begun.discard(block)

    def _add(self, blocks: list[int]) -> None:
        for frontier in self._by_block:
            frontier.add(blocks)

    def settle(self) -> None:
        """Forget the sets that were not taken."""
        super().settle()
        for frontier in self._by_block:
            frontier.settle()
