"""The lexicographic greedy on planar bipartite trees (Cordasco et al. 2007, section 3) and its
twin.
"""

from collections.abc import Sequence
from itertools import accumulate, product

import numpy as np
import pytest

from icsched import Dag, _native
from icsched.families import (
    cycle,
    m,
    m_strand,
    n,
    pbt,
    random_bipartite,
    random_tree_sum,
    w,
    w_strand,
)
from icsched.families.arcs import Turn, zigzag_arcs
from icsched.orders import prioritize
from icsched.pebble import enabled_profile, fifo_order, optimal_profile, priority_order
from icsched.theory import decompose
from icsched.theory.proof import Proof, Theorem
from tests.theory.samples import renumbered

# The twin: Cordasco et al. 2007, word for word


def greedy(strands: Sequence[Sequence[int]], sinks: Sequence[frozenset[int]]) -> list[int]:
    """Sources of *strands*, each listed from left to right, in a greedy order.

    A sink is given by its parents. The vector of a source lists what it and the sources to
    its right in its strand enable, executed one after the other. A source of largest vector
    runs; it and the sinks of which it is the only parent are deleted, which splits its
    strand; and so on with the vectors of what is left. Of equals, the first runs.
    """
    left = [list(strand) for strand in strands]
    waiting = [set(parents) for parents in sinks]
    longest = max(map(len, left), default=0)
    order: list[int] = []
    while any(left):
        places = [(i, j) for i, strand in enumerate(left) for j in range(len(strand))]
        i, j = max(places, key=lambda place: vector(left[place[0]][place[1] :], waiting, longest))
        strand = left.pop(i)
        order.append(strand[j])
        left += [strand[:j], strand[j + 1 :]]
        waiting = [parents - {strand[j]} for parents in waiting if parents != {strand[j]}]
    return order


def vector(sources: Sequence[int], waiting: Sequence[set[int]], length: int) -> list[int]:
    """What the first one, two, .. of *sources* enable, with the last count repeated.

    A sink is enabled with the last of its parents.
    """
    place = {source: i for i, source in enumerate(sources)}
    gains = [0] * length
    for parents in waiting:
        if parents <= place.keys():
            gains[max(place[parent] for parent in parents)] += 1
    return list(accumulate(gains))


def strands_of(dag: Dag) -> tuple[list[list[int]], list[frozenset[int]]]:
    """Strands and sinks of a sum of trees numbered as the families do, left to right."""
    is_source = dag.out_degrees > 0
    strands = [part[is_source[part]].tolist() for part in dag.connected_parts]
    return strands, [frozenset(dag.parents(sink).tolist()) for sink in dag.sinks.tolist()]


# The kernel


def kernel_order(dag: Dag) -> np.ndarray | None:
    return _native.tree_sum_order(dag.child_rows, decompose(dag).blocks)


def enabled_by(dag: Dag, sources: Sequence[int]) -> list[int]:
    order = np.concatenate([sources, dag.sinks]).astype(int)
    return enabled_profile(dag, order)[: len(sources) + 1].tolist()


def kernel_profile(dag: Dag) -> list[int]:
    return enabled_by(dag, kernel_order(dag))


def tree(turns: Sequence[Turn]) -> Dag:
    """Planar bipartite tree of a zigzag too long to write out."""
    parents, children = zigzag_arcs(turns)
    sources = int(parents[-1]) + 1
    arcs = np.column_stack([parents, children + sources])
    return Dag.from_arcs(sources + int(children[-1]) + 1, arcs)


def random_turns(count: int, rng: np.random.Generator, *, most: int = 4) -> list[Turn]:
    degrees = rng.integers(2, most + 1, size=count).tolist()
    return [Turn(degree, place % 2 == count % 2) for place, degree in enumerate(degrees)]


def uneven_sum(trees: int, *, seed: int) -> Dag:
    """A sum of trees of 1 to 12 turns, some with 1 at an end, as N-dags have."""
    rng = np.random.default_rng(seed)
    total = Dag({})
    for _ in range(trees):
        turns = random_turns(int(rng.integers(1, 13)), rng, most=2 + int(rng.integers(3)))
        if len(turns) > 2 and rng.random() < 0.4:
            turns[-1] = Turn(1, turns[-1].is_reciprocal)
        total += tree(turns)
    return total


# By hand


def test_a_strand_of_w_dags_starts_at_its_largest_end():
    """Cordasco et al. 2007, Fig. 6, W[4,2,4,3], sources a to d.

    Vectors at first: a has three sinks of its own, then b lets go of the one it shares with
    a, then c of one shared and two of its own, then d: 3, 4, 7, 10. c has 2, 5; d has 2; b
    has 0. So a runs. Then b, left with one: 1, 4, 7; c: 2, 5; d: 2. So c runs; then d with
    its own two and the one shared, then b with two.
    """
    block = w_strand("4,2,4,3")

    assert greedy(*strands_of(block)) == [0, 2, 3, 1]
    assert kernel_profile(block) == [0, 3, 5, 8, 10]


def test_a_strand_of_m_dags_starts_at_its_smallest_sink():
    """Cordasco et al. 2007, Fig. 6, M[4,2,4,3]: sinks of 2, 4, 3 and 4 parents, sharing sources.

    The sink of two costs 2 sources, the next of 4 another 3, that of 3 another 2, and the
    first of 4 another 3: steps 2, 5, 7 and 10.
    """
    block = m_strand("4,2,4,3")

    assert enabled_by(block, greedy(*strands_of(block))) == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4]
    assert kernel_profile(block) == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4]


def test_an_n_dag_starts_at_the_source_with_a_sink_of_its_own_either_way_round():
    """N(4) left to right, and right to left: 0, 1, 2, 3, 4."""
    block = n(4)
    mirrored = renumbered(block, np.array([3, 2, 1, 0, 7, 6, 5, 4]))

    assert kernel_order(block).tolist() == [0, 1, 2, 3]
    assert kernel_order(mirrored).tolist() == [3, 2, 1, 0]


def test_strands_side_by_side_take_turns():
    """W[4,2] beside W[3,3], sources a, b and c, d.

    a has three sinks of its own, c and d two each, b one. After a, b has two left, but c has
    two and then d three. So a, c, d, b enable 3, 2, 3 and 2.
    """
    dag = w_strand("4,2") + w_strand("3,3")

    assert kernel_profile(dag) == [0, 3, 5, 8, 10]
    assert optimal_profile(dag)[:5].tolist() == [4, 6, 7, 9, 10]


def test_a_single_arc_and_a_fork_and_a_join_are_strands():
    assert kernel_order(n(1)).tolist() == [0]
    assert kernel_profile(n(1) + w(1, 3) + m(1, 3)) == [0, 3, 4, 4, 4, 5]


def test_what_is_no_sum_of_trees_has_no_such_order():
    assert kernel_order(cycle(3)) is None
    assert kernel_order(w(2, 2) + cycle(2)) is None
    assert kernel_order(random_bipartite(5, 5, 15, seed=1)) is None


def test_without_blocks_the_order_is_empty():
    assert kernel_order(Dag({})).tolist() == []
    assert kernel_order(Dag.from_arcs(3, [])).tolist() == []


# Against the twin and the referee


@pytest.mark.parametrize(("trees", "seed"), [*product((1, 2, 3, 5), range(60))])
def test_the_kernel_enables_as_much_as_the_twin_at_every_step(trees, seed):
    """Theorem 3.2: ties may differ, the profile may not. Ids are shuffled for the kernel."""
    dag = random_tree_sum(trees, seed=seed) if seed % 2 else uneven_sum(trees, seed=seed)
    new_id = np.random.default_rng(seed).permutation(len(dag))

    assert kernel_profile(renumbered(dag, new_id)) == enabled_by(dag, greedy(*strands_of(dag)))


def best_profile(dag: Dag) -> list[int]:
    """The most that 0 .. s sources can enable, by the referee."""
    eligible = optimal_profile(dag)[: len(dag.sources) + 1]
    return (eligible - len(dag.sources) + np.arange(len(eligible))).tolist()


def test_the_kernel_is_ic_optimal_on_sums_with_ends_of_1():
    """Cordasco et al. 2007, Theorem 3.2, with N-dags let in as its note 7 does."""
    drawn = [uneven_sum(1 + seed % 3, seed=1000 + seed) for seed in range(400)]
    small = [dag for dag in drawn if len(dag.sources) <= 16]

    assert len(small) >= 200
    for dag in small:
        assert kernel_profile(dag) == best_profile(dag)


@pytest.mark.parametrize("choices", [(2, 3), (2, 4), (3, 4)])
def test_every_short_zigzag_has_the_best_profile(choices):
    """All zigzags of up to five turns of two degrees, both kinds of start."""
    for length, starts_reciprocal in product(range(1, 6), (False, True)):
        for degrees in product(choices, repeat=length):
            words = [
                f"1/{degree}" if (place % 2 == 0) == starts_reciprocal else str(degree)
                for place, degree in enumerate(degrees)
            ]
            block = pbt(",".join(words))
            assert kernel_profile(block) == best_profile(block)


@pytest.mark.parametrize("seed", range(8))
def test_a_strand_of_sixty_turns_enables_as_much_as_the_twin(seed):
    dag = tree(random_turns(60, np.random.default_rng(seed), most=3))

    assert kernel_profile(dag) == enabled_by(dag, greedy(*strands_of(dag)))


# Strands of 40 to 150 sources that lose a little at either end in turn: the kernel then asks
# contenders. Repeats inside make many vectors prefixes of each other.


def besieged(inside: Sequence[int], ends: int, rng: np.random.Generator) -> Dag:
    """A strand with degrees *inside*, source first, between *ends* wide sources on either side.

    The wide sources run first, in a random order of the two sides.
    """
    widths = np.sort(rng.integers(6, 6 + 4 * ends, size=(2, ends)))
    left, right = (widths[side].tolist() for side in (0, 1))
    degrees = [d for width in left[::-1] for d in (width, 2)] + list(inside)
    degrees += [d for width in right for d in (2, width)]
    return tree([Turn(degree, place % 2 == 1) for place, degree in enumerate(degrees)])


def repeated(pattern: Sequence[int], sources: int, rng: np.random.Generator) -> list[int]:
    """Degrees from a source to a source, *pattern* over and over, now and then one changed."""
    degrees = (list(pattern) * sources)[: 2 * sources - 1]
    for place in np.flatnonzero(rng.random(len(degrees)) < rng.choice([0, 0.03])).tolist():
        degrees[place] = int(rng.integers(2, 5))
    return degrees


PATTERNS = [(2, 2), (3, 2), (2, 2, 3, 2), (3, 2, 3, 2, 2, 2), (2, 3), (3, 3, 2, 2), (4, 2, 2, 3)]


@pytest.mark.parametrize(("pattern", "seed"), [*product(PATTERNS, range(4))])
def test_a_periodic_strand_that_loses_its_ends_enables_as_much_as_the_twin(pattern, seed):
    rng = np.random.default_rng(seed)
    inside = repeated(pattern, int(rng.integers(25, 60)), rng)
    dag = besieged(inside, int(rng.integers(2, 20)), rng)
    new_id = rng.permutation(len(dag))

    assert kernel_profile(renumbered(dag, new_id)) == enabled_by(dag, greedy(*strands_of(dag)))


@pytest.mark.parametrize("seed", range(20))
def test_a_random_strand_that_loses_its_ends_enables_as_much_as_the_twin(seed):
    rng = np.random.default_rng(seed)
    inside = rng.choice([2, 2, 3, 4], size=2 * int(rng.integers(20, 45)) + 1).tolist()
    dag = besieged(inside, int(rng.integers(2, 20)), rng)
    new_id = rng.permutation(len(dag))

    assert kernel_profile(renumbered(dag, new_id)) == enabled_by(dag, greedy(*strands_of(dag)))


# At scale


def test_w_dags_of_a_hundred_thousand_sources_have_the_profile_of_the_formula():
    """W(s,2): one sink a step, and two at the last."""
    s = 100_000
    assert kernel_profile(w(s, 2)) == [*range(s), s + 1]


def test_m_dags_of_a_hundred_thousand_sources_have_the_profile_of_the_formula():
    """M(s,3): a sink at every second step past the first."""
    s = 50_000
    assert kernel_profile(m(s, 3)) == [0, *(x // 2 for x in range(2 * s + 1))]


def test_n_dags_of_a_hundred_thousand_sources_enable_one_sink_a_step():
    s = 100_000
    mirrored = renumbered(n(s), np.arange(2 * s)[::-1].copy())

    assert kernel_profile(n(s)) == kernel_profile(mirrored) == [*range(s + 1)]


def test_a_sum_of_large_w_n_and_m_dags_runs_them_by_falling_expansion():
    """W(2000,4), W(3000,3), N(4000) and M(2000,2): three, two, one, and at last half a step."""
    dag = m(2000, 2) + w(3000, 3) + n(4000) + w(2000, 4)
    w4 = [3 * x for x in range(2000)] + [6001]
    w3 = [6001 + 2 * x for x in range(1, 3000)] + [6001 + 6001]
    n1 = [12_002 + x for x in range(1, 4001)]
    m2 = [16_002 + x for x in range(2001)]

    assert kernel_profile(dag) == [*w4, *w3, *n1, *m2]


FIBONACCI = ["2", "23"]
while len(FIBONACCI[-1]) < 50_000:
    FIBONACCI.append(FIBONACCI[-1] + FIBONACCI[-2])


def strand(degrees: Sequence[int], *, is_reciprocal: bool) -> Dag:
    shared = Turn(2, not is_reciprocal)
    return tree([t for d in degrees for t in (Turn(d, is_reciprocal), shared)][:-1])


LARGE = {
    "one random strand": lambda: tree(random_turns(60_000, np.random.default_rng(1))),
    "the same both ways": lambda: tree(
        (turns := random_turns(40_001, np.random.default_rng(2))) + turns[-2::-1]
    ),
    "a strand of W-dags that repeats itself": lambda: strand(
        [*map(int, FIBONACCI[-1])], is_reciprocal=False
    ),
    "a strand of M-dags that repeats itself": lambda: strand(
        [*map(int, FIBONACCI[-1])], is_reciprocal=True
    ),
    "twenty thousand small trees": lambda: random_tree_sum(20_000, seed=3),
    "a hundred strands of a thousand": lambda: random_sum_of_strands(100, 1000),
}


def random_sum_of_strands(strands: int, turns: int) -> Dag:
    rng = np.random.default_rng(4)
    pieces, tasks = [], 0
    for _ in range(strands):
        piece = tree(random_turns(turns, rng))
        pieces.append(piece.arcs + tasks)
        tasks += len(piece)
    return Dag.from_arcs(tasks, np.concatenate(pieces))


@pytest.mark.parametrize("what", LARGE)
def test_a_large_sum_is_never_behind_the_simple_orders(what):
    """An IC-optimal order is best at every step, so ahead of all others at every step."""
    dag = LARGE[what]()
    profile = kernel_profile(dag)
    rivals = [
        fifo_order(dag),
        fifo_order(dag)[: len(dag.sources)][::-1],
        priority_order(dag, -dag.out_degrees),
        np.random.default_rng(1).permutation(dag.sources),
    ]

    assert profile[-1] == len(dag.sinks)
    for rival in rivals:
        sources = rival[: len(dag.sources)]
        assert (np.array(profile) >= np.array(enabled_by(dag, sources))).all()


def test_prioritize_proves_a_sum_of_trees_by_theorem_3_2():
    """Strands that take turns have no priority over each other."""
    plan = prioritize(w_strand("4,2") + w_strand("3,3") + m_strand("2,4"), "prio")

    assert plan.proof == Proof(Theorem.SUM_OF_TREES)
