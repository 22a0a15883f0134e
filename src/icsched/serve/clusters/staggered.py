"""Staggered clusters: whole blocks of a linear composition.

They rest on Lemma 3.1 of Cordasco, Rosenberg and Sims 2011.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from icsched.arrays import Rows
from icsched.serve.clusters.clusterer import Clusterer, Ground, NamedClusterer
from icsched.serve.clusters.lean import sink_by_sink_order
from icsched.serve.clusters.rest import Frontier, Rest


class Staggered(Clusterer):
    """Take whole blocks, skipping others, if that cuts fewer arcs than going in order.

    What is left is then a chain of blocks again, so it has an IC-optimal order. Only the direct
    cluster takes a part of a block, and only of the first block left: after a skip the lemma does
    not hold for parts. A block that was begun is finished before another is skipped to. Sinks of
    the dag whose parents are in the cluster join it, because they enable nothing.
    """

    def __init__(self, ground: Ground) -> None:
        analysis = ground.analysis
        order = analysis.order.tolist()
        parts = analysis.parts
        rows = Rows(parts.blocks.nonsinks.offsets, analysis.orders.nonsinks)
        super().__init__("staggered", [Frontier(ground.rest, order)])
        self._rest = ground.rest
        self._offsets: list[int] = rows.offsets.tolist()
        self._nonsinks: list[int] = rows.targets.tolist()
        self._owner: list[int] = parts.owner.tolist()
        self._handed, self._done = [0] * len(parts), [0] * len(parts)
        place = np.zeros(len(order), np.int64)
        place[rows.targets] = np.arange(len(rows.targets))
        self._place: list[int] = place.tolist()  # of nonsinks, in self._nonsinks
        self._kept = bytearray(b"\x01") * len(self._nonsinks)  # by place: 0 once handed out
        self._begun: set[int] = set()
        self._left = 0  # tasks not handed out in blocks that were begun
        self._opens = self._arcs_out()
        self._blocks = Rest(analysis.superdag)
        sizes = [self._size(block) for block in range(len(parts))]
        deep = sink_by_sink_order(analysis.superdag, analysis.sequence.tolist())
        self._by_block = [
            Frontier(self._blocks, deep, sizes=sizes),
            Frontier(self._blocks, deep, score=self._opens.__getitem__, sizes=sizes),
        ]

    def _arcs_out(self) -> list[int]:
        """Arcs that leave each block, less the arcs that enter it from tasks not done.

        The last entry is for tasks that are in no block, whose owner is -1.
        """
        opens = self._rest.opened()[self._nonsinks]
        ends = np.concatenate([[0], np.cumsum(opens)])[self._offsets]
        return [*np.diff(ends).tolist(), 0]

    def _size(self, block: int) -> int:
        return self._offsets[block + 1] - self._offsets[block]

    def _tasks(self, block: int) -> list[int]:
        return self._nonsinks[self._offsets[block] : self._offsets[block + 1]]

    def choose(self, size: int) -> list[int]:
        """Return the direct set, or an equally large one of whole blocks that cuts fewer arcs."""
        best = self._frontiers[0].grow(size) or []
        if self._left >= size:
            return best
        head = self._unfinished()
        if not self._rest.is_self_contained(head):
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
        return [task for block in sorted(self._begun) for task in self._free_tasks(block)]

    def _free_tasks(self, block: int) -> Iterator[int]:
        """Yield the free tasks of *block*; searching bytes makes this quick for a wide block."""
        end = self._offsets[block + 1]
        place = self._kept.find(1, self._offsets[block], end)
        while place >= 0:
            yield self._nonsinks[place]
            place = self._kept.find(1, place + 1, end)

    def _enabled_sinks(self, tasks: Sequence[int]) -> list[int]:
        inside = self._rest.parents_inside(tasks)
        return sorted(
            task
            for task, count in inside.items()
            if self._owner[task] < 0 and count == self._rest.missing[task]
        )

    def took(self, tasks: Iterable[int]) -> None:
        """Note tasks that were handed out."""
        for task in tasks:
            if (block := self._owner[task]) >= 0:
                self._kept[self._place[task]] = 0
                self._count_handed(block, 1)
                if self._blocks.free[block]:
                    self._blocks.take((block,))

    def lost(self, tasks: Iterable[int]) -> None:
        """Note tasks that were lost and can be handed out again."""
        for task in tasks:
            if (block := self._owner[task]) >= 0:
                self._kept[self._place[task]] = 1
                self._count_handed(block, -1)
                if not self._handed[block]:
                    self._add(self._blocks.give_back([block]))

    def finished(self, tasks: Iterable[int]) -> None:
        """Note tasks that are done."""
        done = list(tasks)
        opens, owner, children = self._opens, self._owner, self._rest.children
        for task in done:
            for child in children(task):
                opens[owner[child]] += 1
        for task in done:
            if (block := self._owner[task]) >= 0:
                self._done[block] += 1
                if self._done[block] == self._size(block):
                    self._add(self._blocks.finish([block]))

    def _count_handed(self, block: int, change: int) -> None:
        """Add *change* to the tasks of *block* that are handed out; note whether it was begun."""
        size = self._size(block)
        before = self._handed[block]
        handed = self._handed[block] = before + change
        if 0 < before < size:
            self._left -= size - before
        if 0 < handed < size:
            self._left += size - handed
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


def _not_linear(ground: Ground) -> str | None:
    if ground.has_own_order:
        return "it goes by blocks and cannot be used with an order"
    if ground.analysis.is_linear:
        return None
    return "expected blocks each with priority over the next, which this dag does not consist of"


STAGGERED = NamedClusterer(
    "staggered",
    "whole blocks where that cuts fewer arcs, for linear compositions",
    Staggered,
    _not_linear,
)
