"""The greedy order of the superdag where its limits bind: against its twin, and what it claims."""

from itertools import pairwise, product

import numpy as np
import pytest

from icsched import Dag, _native
from icsched._native import BlockOrders
from icsched.orders import prioritize
from icsched.theory import Analysis
from tests.theory import greedy_twin, paper
from tests.theory.samples import random_dag
from tests.theory.test_order_limits import hard

UNLIMITED = 10**9
Profile = tuple[int, ...]


def random_profiles(count: int, rng: np.random.Generator) -> list[Profile]:
    """Profiles of one to five executions."""
    return [tuple(rng.integers(0, 5, size=rng.integers(2, 7)).tolist()) for _ in range(count)]


class Superdag:
    """Blocks that wait for each other by chance, with few or many of a profile."""

    def __init__(self, blocks: int, profiles: int, *, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.dag = random_dag(blocks, (0, 0.02, 0.1)[seed % 3], seed=seed)
        self.profiles = random_profiles(profiles, rng)
        self.profile_of = rng.integers(profiles, size=blocks).astype(np.int32)
        self.keys = rng.permutation(blocks).astype(np.int32)

    def by_kernel(self, **limits: int) -> tuple[list[int], list[int]]:
        ends = np.cumsum([0, *map(len, self.profiles)]).astype(np.int32)
        blocks, has_priority = _native.superdag_order(
            self.dag.child_rows,
            self.dag.parent_rows,
            self.profile_of,
            self.keys,
            ends,
            np.concatenate(self.profiles).astype(np.int64),
            **limits,
        )
        return blocks.tolist(), has_priority.tolist()

    def by_twin(self, **limits: int) -> list[int]:
        return greedy_twin.superdag_order(
            self.dag, self.profile_of.tolist(), self.keys.tolist(), self.profiles, **limits
        )

    def by_paper(self) -> list[int]:
        """Step 6 word for word: compare all blocks that can run."""
        blocks = [paper.Block(frozenset({key}), frozenset()) for key in self.keys.tolist()]
        profiles = [self.profiles[profile] for profile in self.profile_of]
        left, order = set(range(len(self.dag))), []
        while left:
            ready = [b for b in left if left.isdisjoint(self.dag.parents(b).tolist())]
            order.append(paper.next_block(blocks, profiles, ready))
            left.remove(order[-1])
        return order


@pytest.mark.parametrize("seed", range(6))
def test_without_limits_twin_and_kernel_do_what_the_paper_says(seed):
    superdag = Superdag(25, 10, seed=seed)

    assert superdag.by_twin(most_rivals=64, all_looks=UNLIMITED) == superdag.by_paper()
    assert superdag.by_kernel()[0] == superdag.by_paper()


@pytest.mark.parametrize(
    ("rivals", "looks"), [*product((1, 2, 3, 6, 64), (0, 10, 2_000, 8_000, 30_000, UNLIMITED))]
)
def test_the_kernel_keeps_its_limits_as_the_twin_does(rivals, looks):
    """Looks run out at once, early, late or never, with few or many active profiles."""
    for seed in range(40):
        superdag = Superdag(60, (8, 25, 60)[seed // 3 % 3], seed=seed)
        expected = superdag.by_twin(most_rivals=rivals, all_looks=looks)

        assert superdag.by_kernel(most_rivals=rivals, all_looks=looks)[0] == expected


@pytest.mark.parametrize("rivals", [1, 2, 3, 6])
def test_once_all_active_profiles_are_rivals_the_best_by_the_paper_runs(rivals):
    """The last blocks of a sum, one of each profile."""
    for seed in range(0, 60, 3):
        superdag = Superdag(12, 12, seed=seed)
        superdag.profile_of = np.arange(12, dtype=np.int32)
        order = superdag.by_kernel(most_rivals=rivals, all_looks=UNLIMITED)[0]
        blocks = [paper.Block(frozenset({key}), frozenset()) for key in superdag.keys.tolist()]

        for place in range(12 - rivals, 12):
            best = paper.next_block(blocks, superdag.profiles, order[place:])
            assert order[place] == best


@pytest.mark.parametrize(("rivals", "looks"), [(2, 10), (2, UNLIMITED), (64, UNLIMITED)])
def test_a_block_is_said_to_have_priority_over_the_next_just_if_it_has(rivals, looks):
    for seed in range(20):
        superdag = Superdag(60, 25, seed=seed)
        order, has_priority = superdag.by_kernel(most_rivals=rivals, all_looks=looks)
        profiles = [superdag.profiles[superdag.profile_of[block]] for block in order]

        assert has_priority == [*(paper.has_priority(*pair) for pair in pairwise(profiles)), 1]


# Dags with more active profiles than the usual limit


def profile(orders: BlockOrders, analysis: Analysis, block: int) -> Profile:
    """Eligible tasks of a block."""
    first = int(analysis.parts.blocks.nonsinks.offsets[block]) + block
    last = int(analysis.parts.blocks.nonsinks.offsets[block + 1]) + block
    enabled = orders.enabled[first : last + 1].tolist()
    return tuple(int(orders.sources[block]) + e - x for x, e in enumerate(enabled))


@pytest.mark.parametrize(
    ("name", "tasks"),
    [("falling_strands", 3_000), ("chain_beside_joins", 5_000), ("small_blocks", 1_500)],
)
def test_more_than_64_profiles_run_as_the_twin_says_with_the_priorities_they_have(name, tasks):
    dag: Dag = getattr(hard, name)(tasks)
    analysis = prioritize(dag, "prio").analysis
    parts = analysis.parts
    profiles = [profile(analysis.orders, analysis, block) for block in range(len(parts))]
    distinct = list(dict.fromkeys(profiles))
    numbers = [distinct.index(one) for one in profiles]
    smallest = [int(parts.nonsinks(block)[0]) for block in range(len(parts))]
    expected = greedy_twin.superdag_order(
        parts.superdag, numbers, smallest, distinct, most_rivals=64, all_looks=500_000_000
    )
    in_order = [profiles[block] for block in expected]

    assert len(distinct) > 64
    assert analysis.sequence.tolist() == expected
    claimed = [bool(has) for has in analysis.has_priority]
    assert claimed == [*(paper.has_priority(*pair) for pair in pairwise(in_order)), True]
