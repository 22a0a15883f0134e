"""The best batch by looking at every one, and random fronts to compare with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations

import numpy as np

from icsched import Batch, Dag
from icsched._native import BatchFront
from icsched.arrays import Rows
from icsched.theory.batch import Guarantee, GuaranteeKind
from tests.twins import eligible_after


def subsets(tasks: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(tasks, size) for size in range(len(tasks) + 1))


def states(dag: Dag) -> Iterator[tuple[int, ...]]:
    """Every set of tasks that can have run."""
    parents = [set(dag.parents(task).tolist()) for task in range(len(dag))]
    for chosen in subsets(range(len(dag))):
        if all(parents[task] <= set(chosen) for task in chosen):
            yield chosen


def best_eligible(dag: Dag, executed: set[int], r: int, running: set[int] = frozenset()) -> int:
    """The most tasks that can be eligible after a batch of r."""
    offered = sorted(eligible_after(dag, executed) - running)
    return max(
        len(eligible_after(dag, executed | running | set(taken)))
        for taken in combinations(offered, min(r, len(offered)))
    )


def check(
    dag: Dag, executed: set[int], r: int, batch: Batch, best: int, running: set[int] = frozenset()
) -> None:
    """Check that a batch is legal, counts right, and claims nothing false."""
    offered = eligible_after(dag, executed) - running
    assert list(batch.take) == sorted(set(batch.take))
    assert set(batch.take) <= offered
    assert len(batch.take) == min(r, len(offered))
    after = len(eligible_after(dag, executed | running | set(batch.take)))
    before = len(eligible_after(dag, executed | running))
    assert batch.eligible_after == after
    check_guarantee(batch.guarantee, after - before, best - before)


def check_guarantee(guarantee: Guarantee, gain: int, best_gain: int) -> None:
    if guarantee.kind is GuaranteeKind.WITHIN:
        assert 0 <= best_gain - gain <= guarantee.gap
        assert guarantee.gap > 0
        return
    assert (guarantee.gap, guarantee.timed_out) == (None, False)
    if guarantee.kind is GuaranteeKind.EXACT:
        assert gain == best_gain
    else:
        assert gain <= best_gain <= 2 * gain


@dataclass(frozen=True)
class Problem:
    """Sinks as sets of sources, repeats allowed."""

    sources: int
    sinks: tuple[tuple[int, ...], ...]

    @property
    def dag(self) -> Dag:
        """Sources first, then the sinks."""
        arcs = [(u, self.sources + v) for v, row in enumerate(self.sinks) for u in row]
        return Dag.from_arcs(self.sources + len(self.sinks), arcs)

    @property
    def front(self) -> BatchFront:
        """The front that the kernel should make of it, except for the order of the sinks."""
        yields = [sum(row == (u,) for row in self.sinks) for u in range(self.sources)]
        rows = sorted({row for row in self.sinks if len(row) > 1})
        offsets = np.cumsum([0, *map(len, rows)])
        return BatchFront(
            np.array(yields, np.int32),
            Rows(offsets.astype(np.int32), np.array([u for row in rows for u in row], np.int32)),
            np.array([self.sinks.count(row) for row in rows], np.int32),
        )

    def enabled(self, taken: Sequence[int]) -> int:
        return sum(set(row) <= set(taken) for row in self.sinks)

    def best_enabled(self) -> list[int]:
        """The most sinks that r sources enable, for every r, by all 2^sources sets."""
        enabled = np.zeros(2**self.sources, np.int64)  # by exactly each set
        for row in self.sinks:
            enabled[sum(1 << u for u in row)] += 1
        for u in range(self.sources):  # by it and its subsets without u, as in a sum over subsets
            halves = enabled.reshape(-1, 2, 1 << u)
            halves[:, 1] += halves[:, 0]
        order, starts = _by_size(self.sources)
        best: list[int] = np.maximum.reduceat(enabled[order], starts).tolist()
        return best


@cache
def _by_size(sources: int) -> tuple[np.ndarray, np.ndarray]:
    """All sets as bits, small ones first, and where each size starts."""
    sizes = np.array([bits.bit_count() for bits in range(2**sources)])
    return np.argsort(sizes, kind="stable"), np.searchsorted(np.sort(sizes), range(sources + 1))


def random_tree(rng: np.random.Generator, sources: int) -> Problem:
    """A bipartite tree: sinks join what is not yet joined; some have one parent."""
    sinks: list[tuple[int, ...]] = []
    joined, left = [0], list(range(1, sources))
    chain_like = rng.random() < 0.3
    while left:
        size = min(len(left), int(rng.integers(1, 4)))
        old = joined[-1] if chain_like else joined[rng.integers(len(joined))]
        fresh, left = left[:size], left[size:]
        sinks.append(tuple(sorted([old, *fresh])))
        joined += fresh
    own = rng.integers(0, 4, sources) * (rng.random(sources) < rng.random())
    sinks += [(u,) for u in range(sources) for _ in range(own[u])]
    relabelled = rng.permutation(sources).tolist()
    return Problem(sources, tuple(tuple(sorted(relabelled[u] for u in row)) for row in sinks))


def random_problem(rng: np.random.Generator, sources: int) -> Problem:
    """Any bipartite front; sinks have one to four parents."""
    count = int(rng.integers(0, 2 * sources + 1))
    sizes = np.minimum(rng.integers(1, 5, count), sources)
    rows = (rng.choice(sources, size, replace=False) for size in sizes)
    return Problem(sources, tuple(tuple(sorted(row.tolist())) for row in rows))
