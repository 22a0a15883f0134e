"""Sums of blocks: when they can be interleaved optimally, against all interleavings."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, eligibility_profile
from icsched.errors import ArgumentError
from icsched.families import cycle, m, n, random_bipartite, w_strand
from icsched.orders import prioritize
from icsched.pebble import ic_optimal_order, optimal_profile
from icsched.theory import interleaving
from icsched.theory.proof import Proof, Theorem
from tests.theory import paper
from tests.theory.priorities import convolution
from tests.theory.samples import shuffled

BY_SUMS = Theorem.PARTS


NO_PROFILES = {
    "no entry": [],
    "something enabled before the first step": [1, 2],
    "a count that falls": [0, 2, 1],
    "fractions": [0, 0.5],
    "rows": [[0, 1], [1, 2]],
    "rows of different lengths": [[0], [1, 2]],
    "more than a dag can have": [0, 2**40],
}


@pytest.mark.parametrize("wrong", NO_PROFILES.values(), ids=NO_PROFILES)
def test_what_is_no_profile_is_refused(wrong):
    for pair in ((wrong, [0, 1]), ([0, 1], wrong)):
        with pytest.raises(ArgumentError, match="enabled: expected counts that start at 0"):
            interleaving(*pair)


def interleavings(first: int, second: int) -> list[list[bool]]:
    """All ways to mix so many steps of two blocks; True where the second goes."""
    steps = range(first + second)
    return [[step in chosen for step in steps] for chosen in combinations(steps, second)]


def profile_along(first: list[int], second: list[int], choices: list[bool]) -> list[int]:
    x = y = 0
    reached = [0]
    for from_second in choices:
        x, y = (x, y + 1) if from_second else (x + 1, y)
        reached.append(first[x] + second[y])
    return reached


def check(first: list[int], second: list[int]) -> bool:
    """The answer is that of all interleavings, and if there is one, it is best throughout."""
    best = paper.convolve(first, second)
    ways = interleavings(len(first) - 1, len(second) - 1)
    exists = any(profile_along(first, second, choices) == best for choices in ways)
    found = interleaving(first, second)

    assert (found is not None) == exists
    if found is not None:
        assert profile_along(first, second, found.tolist()) == best
    return exists


def profiles(most_steps: int, most_gain: int) -> list[list[int]]:
    return [
        [0, *np.cumsum(gains).tolist()]
        for steps in range(most_steps + 1)
        for gains in product(range(most_gain + 1), repeat=steps)
    ]


def test_two_forks_side_by_side_run_by_what_they_enable():
    """Gains 2 and 3, 1: three, then two, then one."""
    assert interleaving([0, 2], [0, 3, 4]).tolist() == [True, False, True]


def test_an_arc_beside_a_butterfly_cannot_be_interleaved():
    """Gains 1 and 0, 2: one step is best spent on the arc, two on the butterfly."""
    assert interleaving([0, 1], [0, 0, 2]) is None


def test_of_equals_the_first_goes_first():
    assert interleaving([0, 1, 2], [0, 1]).tolist() == [False, False, True]


def test_beside_nothing_a_block_runs_alone():
    assert interleaving([0], [0, 0, 1]).tolist() == [True, True]
    assert interleaving([0, 0, 1], [0]).tolist() == [False, False]
    assert interleaving([0], [0]).tolist() == []


def test_every_pair_of_short_profiles_is_decided_as_all_interleavings_say():
    """Gains of up to 2 in up to three steps: 40 profiles, 1,600 pairs."""
    answers = Counter(check(a, b) for a, b in product(profiles(3, 2), repeat=2))

    assert answers == {True: 1362, False: 238}


@given(*[st.lists(st.integers(0, 5), max_size=5)] * 2)
def test_longer_profiles_are_decided_as_all_interleavings_say(first, second):
    check([0, *np.cumsum(first).tolist()], [0, *np.cumsum(second).tolist()])


def can_be_interleaved(first: list[int], second: list[int]) -> bool:
    """Walk through all best shares at once, step by step."""
    reached = {(0, 0)}
    for most in paper.convolve(first, second)[1:]:
        onward = {share for x, y in reached for share in ((x + 1, y), (x, y + 1))}
        reached = {
            (x, y)
            for x, y in onward
            if x < len(first) and y < len(second) and first[x] + second[y] == most
        }
    return bool(reached)


@pytest.mark.parametrize("seed", range(150))
def test_long_profiles_are_decided_as_a_walk_through_all_best_shares_says(seed):
    """Up to forty steps each; even seeds have nearly falling gains, so that some can be run."""
    rng = np.random.default_rng(seed)
    profiles = []
    for _ in range(2):
        gains = rng.integers(0, 4, size=rng.integers(1, 41))
        if seed % 2 == 0:
            gains = -np.sort(-gains)
            gains[: rng.integers(3)] = 0
        profiles.append([0, *np.cumsum(gains).tolist()])
    found = interleaving(*profiles)

    assert (found is not None) == can_be_interleaved(*profiles)
    if found is not None:
        assert profile_along(*profiles, found.tolist()) == paper.convolve(*profiles)


@given(*[st.lists(st.integers(0, 5), max_size=5)] * 2)
def test_where_one_block_has_priority_the_sum_can_be_run(first, second):
    a, b = ([0, *np.cumsum(gains).tolist()] for gains in (first, second))
    if paper.has_priority(a, b):
        assert interleaving(a, b) is not None


@given(st.permutations([0, 1, 1, 2, 3]), st.permutations([0, 2, 2, 3]))
def test_blocks_of_falling_gains_can_always_be_interleaved(first, second):
    """Falling gains merge as in merge sort."""
    falling = [sorted(gains, reverse=True) for gains in (first, second)]
    merged = sorted(first + second, reverse=True)
    a, b = ([0, *np.cumsum(gains).tolist()] for gains in falling)

    assert profile_along(a, b, interleaving(a, b).tolist()) == [0, *np.cumsum(merged).tolist()]


# Whole dags


def two_by_two() -> Dag:
    """Sources a, b with three sinks of a alone and two of both: a enables 3, b then 2."""
    alone = {f"a{i}": ["a"] for i in range(3)}
    return Dag({"a": [], "b": [], **alone, "x": ["a", "b"], "y": ["a", "b"]})


def renamed(dag: Dag) -> Dag:
    return Dag.from_arcs(len(dag), dag.arcs)


def test_two_blocks_that_must_take_turns_do():
    """Gains 3, 2 twice. One copy after the other has 3, 5, 8; in turns 3, 6, 8."""
    block = renamed(two_by_two())
    plan = prioritize(block + block, "prio")

    assert plan.order[:4].tolist() == [0, 7, 1, 8]
    assert plan.schedule.enabled[:5].tolist() == [0, 3, 6, 8, 10]
    assert plan.proof.theorem == BY_SUMS


def test_a_sum_may_be_followed_by_what_it_has_priority_over():
    """The ten sinks of both copies become the sources of one join."""
    block = renamed(two_by_two())
    both = block + block
    dag = both.compose(m(1, 10), zip(both.sinks.tolist(), range(10), strict=True))
    plan = prioritize(dag, "prio")

    assert plan.proof.theorem == BY_SUMS
    assert np.array_equal(plan.schedule.eligible, optimal_profile(dag))


def test_a_sum_that_has_no_ic_optimal_order_is_not_proved():
    """An N-dag beside a cycle, incomparable: (0, 1, 2) and (0, 0, 1, 3)."""
    dag = n(2) + cycle(3)
    plan = prioritize(dag, "prio")

    assert ic_optimal_order(dag) is None
    assert not plan.proof.is_ic_optimal


def test_trees_that_must_take_turns_are_proved_by_theorem_3_2():
    plan = prioritize(w_strand("4,2") + w_strand("4,2"), "prio")

    assert plan.proof == Proof(Theorem.SUM_OF_TREES)
    assert plan.schedule.enabled[:5].tolist() == [0, 3, 6, 8, 10]


def copies_side_by_side(block: Dag, copies: int) -> Dag:
    arcs = np.concatenate([block.arcs + copy * len(block) for copy in range(copies)])
    return Dag.from_arcs(copies * len(block), arcs)


def test_a_sum_of_many_blocks_that_must_take_turns_is_proved():
    """A thousand copies: all the threes, then all the twos."""
    copies = 1000
    plan = prioritize(copies_side_by_side(renamed(two_by_two()), copies), "prio")
    threes, twos = 3 * np.arange(copies + 1), 3 * copies + 2 * np.arange(1, copies + 1)

    assert plan.proof.theorem == BY_SUMS
    assert np.array_equal(plan.schedule.enabled[: 2 * copies + 1], np.append(threes, twos))


def test_a_sum_of_very_many_blocks_is_proved_because_their_profile_is_concave():
    """Too many for tables of shares: again all the threes, then all the twos."""
    copies = 20_000
    plan = prioritize(copies_side_by_side(renamed(two_by_two()), copies), "prio")
    threes, twos = 3 * np.arange(copies + 1), 3 * copies + 2 * np.arange(1, copies + 1)

    assert plan.proof.theorem == Theorem.PARTS
    assert np.array_equal(plan.schedule.enabled[: 2 * copies + 1], np.append(threes, twos))


@pytest.mark.parametrize("blocks", [2, 3])
def test_a_sum_of_blocks_is_proved_iff_the_referee_finds_an_ic_optimal_order(blocks):
    """Sums of random bipartite dags of four sources; some can be run only in turns."""
    found: Counter[str | None] = Counter()
    for seed in range(400):
        dag = Dag({})
        for place in range(blocks):
            arcs = 6 + (seed + place) % 7
            dag += random_bipartite(4, 5, arcs, seed=blocks * 10_000 + 3 * seed + place)
        dag = shuffled(dag, seed=seed)
        plan = prioritize(dag, "prio")
        exists = ic_optimal_order(dag) is not None
        assert plan.proof.is_ic_optimal == exists
        if exists:
            assert np.array_equal(eligibility_profile(dag, plan.order), optimal_profile(dag))
        found[plan.proof.theorem if exists else None] += 1
    assert found[BY_SUMS] >= 10
    assert found[None] >= 10


@given(*[st.lists(st.integers(0, 4), max_size=6)] * 3)
def test_convolution_does_not_depend_on_the_order_of_the_blocks(a, b, c):
    first, second, third = ([0, *np.cumsum(gains).tolist()] for gains in (a, b, c))
    left = convolution(convolution(first, second).tolist(), third)
    right = convolution(first, convolution(third, second).tolist())

    assert left.tolist() == right.tolist()
