"""Blocks and the superdag: the kernel against the literal twin of Malewicz et al. 2007, and by
hand.
"""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from icsched import Dag
from icsched.families import (
    airsn,
    fft,
    inspiral,
    mesh,
    montage,
    prefix,
    random_bipartite,
    random_layered,
    random_series_parallel,
    sdss,
)
from icsched.theory import Decomposition, decompose, without_shortcuts
from tests.strategies import dags, naturally_labelled_dags
from tests.theory import paper
from tests.theory.paper import Block
from tests.theory.paper_samples import CROSSED, tangled_dags
from tests.theory.samples import chain, random_dag, random_dags, shuffled


def blocks_of(parts: Decomposition) -> list[Block]:
    return [
        Block(frozenset(parts.nonsinks(b).tolist()), frozenset(parts.sinks(b).tolist()))
        for b in range(len(parts))
    ]


def listed(dag: Dag) -> list[tuple[list[int], list[int]]]:
    """Nonsinks and sinks of the blocks of a dag without shortcuts, as they are numbered."""
    parts = decompose(dag)
    return [(parts.nonsinks(b).tolist(), parts.sinks(b).tolist()) for b in range(len(parts))]


def between(blocks: list[Block], arcs: object) -> set[tuple[Block, Block]]:
    return {(blocks[i], blocks[j]) for i, j in arcs}


def check_against_twin(dag: Dag) -> Decomposition:
    """The blocks that have nonsinks, and the superdag, are those of the literal twin."""
    reduced = paper.without_shortcuts(dag)
    parts, expected = decompose(reduced), paper.decompose(reduced)
    blocks = blocks_of(parts)

    assert len(set(blocks)) == len(blocks)
    assert set(blocks) == {block for block in expected if block.nonsinks}
    assert between(blocks, parts.superdag.arcs.tolist()) == between(
        expected, paper.superdag_arcs(reduced, expected)
    )
    assert parts.blocks.bipartite.astype(bool).tolist() == [
        paper.is_bipartite(reduced, block.tasks) for block in blocks
    ]
    return parts


def check_invariants(parts: Decomposition) -> None:
    """What every decomposition keeps, whatever the dag."""
    dag, blocks = parts.dag, parts.blocks
    assert np.array_equal(np.sort(blocks.nonsinks.targets), dag.nonsinks)
    for rows in (blocks.nonsinks, blocks.sinks):
        block_of = np.repeat(np.arange(len(parts)), np.diff(rows.offsets))
        assert np.array_equal(np.lexsort((rows.targets, block_of)), np.arange(len(block_of)))
        assert np.diff(rows.offsets).min(initial=1) >= 1
    sink_of = np.full(len(dag), -1)
    sink_of[blocks.sinks.targets] = np.repeat(np.arange(len(parts)), np.diff(blocks.sinks.offsets))
    assert len(np.unique(blocks.sinks.targets)) == len(blocks.sinks.targets)
    again = (sink_of >= 0) & (parts.owner >= 0)
    assert (sink_of[again] < parts.owner[again]).all()
    parent, child = parts.owner[dag.arcs].T
    assert (parent >= 0).all()
    assert ((child == -1) | (parent <= child)).all()
    assert (parts.superdag.arcs[:, 0] < parts.superdag.arcs[:, 1]).all()


# By hand


def test_a_chain_falls_into_its_arcs():
    """0 -> 1 -> 2 -> 3"""
    parts = decompose(chain(4))

    assert listed(chain(4)) == [([0], [1]), ([1], [2]), ([2], [3])]
    assert parts.superdag == chain(3)
    assert parts.owner.tolist() == [0, 1, 2, -1]


def test_a_diamond_falls_into_a_fork_and_a_join():
    r"""
      a
     / \
    b   c
     \ /
      d
    """
    diamond = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
    parts = decompose(diamond)

    assert listed(diamond) == [([0], [1, 2]), ([1, 2], [3])]
    assert parts.superdag.arcs.tolist() == [[0, 1]]
    assert parts.block(1) == Dag({"b": [], "c": [], "d": ["b", "c"]})


def test_a_task_without_arcs_is_in_no_block():
    dag = Dag({"a": [], "b": [], "c": ["b"]})

    assert listed(dag) == [([1], [2])]
    assert decompose(dag).owner.tolist() == [-1, 0, -1]


def test_a_child_of_an_inner_task_of_a_general_block_may_stay_outside():
    """
    0 --> 2 --> 6 --> 7     0 brings 2 and 4, 4 its parent 3, that its parent 1, 1 its child 5.
    |     |                 Task 6, a child of 2 only, which is no source, stays out. So the
    v     v                 blocks share no task, yet the second waits for the first.
    4     5
    ^     ^
    |     |
    3 <-- 1
    """
    parts = decompose(CROSSED)

    assert listed(CROSSED) == [([0, 1, 2, 3], [4, 5]), ([6], [7])]
    assert parts.blocks.bipartite.tolist() == [0, 1]
    assert parts.superdag.arcs.tolist() == [[0, 1]]


def test_bipartite_blocks_leave_before_general_ones():
    """The arc 8 -> 9 beside the dag above, and a chain 10 -> 11 -> 12: three blocks go first."""
    dag = CROSSED + chain(2) + chain(3)
    blocks = listed(dag)

    assert sorted(blocks[:3]) == [([8], [9]), ([10], [11]), ([11], [12])]
    assert blocks[3:] == [([0, 1, 2, 3], [4, 5]), ([6], [7])]


def test_two_general_blocks_that_meet_nothing_leave_one_after_the_other():
    """Two copies of the same dag: tasks 0 to 7 and 8 to 15."""
    assert sorted(listed(CROSSED + CROSSED)) == [
        ([0, 1, 2, 3], [4, 5]),
        ([6], [7]),
        ([8, 9, 10, 11], [12, 13]),
        ([14], [15]),
    ]


def test_airsn_falls_into_its_handle_and_four_bipartite_blocks():
    """Malewicz et al. 2007, Fig. 5. Tasks: fringes 0-9, handle 10-30, cover 31-40, join, cover,
    join.
    """
    parts = check_against_twin(airsn(10))
    blocks = listed(airsn(10))

    assert blocks[:20] == [([task], [task + 1]) for task in range(10, 30)]
    assert blocks[20:] == [
        ([*range(10), 30], [*range(31, 41)]),
        ([*range(31, 41)], [41]),
        ([41], [*range(42, 52)]),
        ([*range(42, 52)], [52]),
    ]
    assert parts.superdag == chain(24)
    assert len(decompose(airsn())) == 24


@pytest.mark.parametrize("segments", [3, 4, 5, 12, 332])
def test_the_first_four_stages_of_inspiral_are_one_general_block(segments):
    """Malewicz et al. 2007, section 3.3: 1,328 tasks for 332 segments; then small blocks."""
    parts = decompose(inspiral(segments))
    (general,) = np.flatnonzero(parts.blocks.bipartite == 0).tolist()

    assert len(parts) == 1 + 4 * segments
    assert parts.nonsinks(general).tolist() == [*range(2 * segments)]
    assert parts.sinks(general).tolist() == [*range(2 * segments, 4 * segments)]
    if segments <= 5:
        check_against_twin(inspiral(segments))


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (4, 5), (30, 45)])
def test_the_projections_and_comparisons_of_montage_are_one_bipartite_block(rows, columns):
    """Then a join, an arc, a fork, a join and an arc: six blocks in a row."""
    images, comparisons = rows * columns, 4 * rows * columns - 3 * (rows + columns) + 2
    dag = without_shortcuts(montage(rows, columns))
    parts = decompose(dag)
    sizes = [(len(parts.nonsinks(b)), len(parts.sinks(b))) for b in range(len(parts))]

    assert parts.blocks.bipartite.all()
    assert sizes[:2] == [(images, comparisons), (comparisons, 1)]
    assert sizes[2:] == [(1, 1), (1, images), (images, 1), (1, 1)]
    assert parts.superdag == chain(6)
    if images <= 6:
        check_against_twin(dag)


@pytest.mark.parametrize("fields", [12, 24, 800])
def test_the_fields_and_cores_of_sdss_are_one_bipartite_block(fields):
    """Malewicz et al. 2007, section 3.3: 1,600 tasks for 800 fields, each source with three
    children.

    Then come a fork per core, an arc per calibration, and 13 joins.
    """
    parts = decompose(sdss(fields))
    first = parts.block(0)

    assert parts.nonsinks(0).tolist() == [*range(fields)]
    assert parts.sinks(0).tolist() == [*range(fields, 2 * fields)]
    assert set(first.out_degrees[first.sources].tolist()) == {3}
    assert len(parts) == 1 + fields + 29 * fields + 13
    assert parts.blocks.bipartite.all()


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_an_fft_dag_falls_into_butterflies(d):
    """Rosenberg and Yurkewych 2005, section 5: on each of d levels 2^(d-1) blocks of two sources
    and two sinks.
    """
    parts = decompose(fft(d))

    assert len(parts) == d * 2 ** (d - 1)
    assert all(len(parts.nonsinks(b)) == len(parts.sinks(b)) == 2 for b in range(len(parts)))


@pytest.mark.parametrize("levels", [2, 3, 8])
def test_a_mesh_falls_into_its_levels(levels):
    """Level by level M(l-1, 2), M(l-2, 2), .., M(1, 2)."""
    parts = decompose(mesh(levels))
    sizes = [(len(parts.nonsinks(b)), len(parts.sinks(b))) for b in range(len(parts))]

    assert sizes == [(k + 1, k) for k in range(1, levels)][::-1]
    assert parts.superdag == chain(levels - 1)


# Against the twin


@given(dags(most_tasks=10) | tangled_dags())
@settings(max_examples=300)
def test_blocks_and_superdag_are_those_of_the_literal_twin(dag):
    check_invariants(check_against_twin(dag))


@pytest.mark.parametrize("tasks", range(6))
def test_every_dag_of_up_to_five_tasks_has_the_blocks_of_the_twin(tasks):
    """All 1,100 dags whose arcs go from smaller to larger ids."""
    for dag in naturally_labelled_dags(tasks):
        check_against_twin(dag)


@pytest.mark.parametrize("seed", range(4))
def test_random_dags_have_the_blocks_of_the_twin(seed):
    """A thousand dags per seed, of up to 14 tasks, from nearly empty to dense."""
    general = 0
    for dag in random_dags(1000, seed=seed):
        general += bool((check_against_twin(dag).blocks.bipartite == 0).any())
    assert general >= 100


@pytest.mark.parametrize("tasks", [12, 14, 18, 25])
def test_dags_with_general_blocks_have_the_blocks_of_the_twin(tasks):
    """Dags of about three arcs a task: a third or more have a general block."""
    general = 0
    for seed in range(150):
        parts = check_against_twin(random_dag(tasks, 6 / tasks, seed=seed))
        general += bool((parts.blocks.bipartite == 0).any())
    assert general >= 50


@pytest.mark.parametrize("seed", range(20))
def test_larger_dags_have_the_blocks_of_the_twin(seed):
    for dag in (
        random_layered(40, 5, seed=seed),
        random_layered(40, 8, 2, 6, seed=seed),
        random_series_parallel(30, seed=seed),
        random_bipartite(15, 15, 25, seed=seed) + prefix(1 + seed % 6),
    ):
        check_against_twin(shuffled(dag, seed=seed))


# At scale


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("width", "arcs", "span"), [(10, 3, 3), (300, 2, 1), (300, 4, 20)])
def test_the_blocks_of_a_large_dag_partition_its_nonsinks_in_a_legal_order(width, arcs, span, seed):
    dag = shuffled(random_layered(20_000, width, arcs, span, seed=seed), seed=seed)

    check_invariants(decompose(without_shortcuts(dag)))


def test_a_hundred_thousand_isolated_tasks_have_no_block():
    parts = decompose(Dag.from_arcs(100_000, []))

    assert len(parts) == 0
    assert len(parts.superdag) == 0
    assert (parts.owner == -1).all()


def test_a_dag_without_tasks_has_no_block():
    parts = decompose(Dag({}))

    assert (len(parts), len(parts.superdag), len(parts.owner)) == (0, 0, 0)


def test_a_chain_of_a_million_tasks_has_a_block_for_each_arc():
    tasks = 1_000_000
    parts = decompose(chain(tasks))

    assert len(parts) == tasks - 1
    assert np.array_equal(parts.blocks.nonsinks.targets, np.arange(tasks - 1))
    assert np.array_equal(parts.blocks.sinks.targets, np.arange(1, tasks))
    assert parts.superdag == chain(tasks - 1)


def test_a_million_arcs_side_by_side_have_a_block_each():
    tasks = 1_000_000
    parts = decompose(Dag.from_arcs(2 * tasks, np.arange(2 * tasks).reshape(-1, 2)))

    assert len(parts) == tasks
    assert parts.superdag.arc_count == 0


def test_many_general_blocks_with_sources_of_their_own_are_cut_off_in_linear_time():
    """
    Copies of the crossed dag above in a row, without task 7. Task 6 of each is task 0 of the next,
    and task 1 of each is a source. To search all sources anew for each block takes minutes.
    """
    program = """
import numpy as np
from icsched import Dag, theory
crossed = np.array([(0, 2), (0, 4), (1, 3), (1, 5), (2, 5), (2, 6), (3, 4)])
for blocks in (2, 100_000):
    row = (6 * np.arange(blocks)[:, None, None] + crossed).reshape(-1, 2)
    parts = theory.decompose(Dag.from_arcs(6 * blocks + 1, row))
    print(len(parts), parts.nonsinks(1).tolist(), parts.sinks(1).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    second = "[6, 7, 8, 9] [10, 11]"
    assert done.stdout == f"2 {second}\n100000 {second}\n"
