from itertools import product
from math import comb

import numpy as np
import pytest

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.families import (
    divide_and_conquer,
    evolving_mesh,
    fft,
    laplace,
    m,
    matmul,
    mesh,
    out_tree,
    out_tree_of,
    prefix,
    tree,
    tree_of,
    w,
)


def is_numbered_in_topological_order(dag: Dag) -> bool:
    return bool(np.all(dag.arcs[:, 0] < dag.arcs[:, 1]))


def level_sizes(dag: Dag) -> list[int]:
    return np.bincount(dag.levels).tolist()


def literal_mesh(levels: int, dimensions: int) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Arcs of the reduction mesh between tuples, straight from the definition."""
    tuples = [x for x in product(range(levels), repeat=dimensions) if sum(x) < levels]
    lowered = [(x, i) for x in tuples for i in range(dimensions) if x[i] > 0]
    return {(x, (*x[:i], x[i] - 1, *x[i + 1 :])) for x, i in lowered}


@pytest.mark.parametrize("levels", range(1, 7))
def test_a_mesh_has_levels_that_shrink_by_one(levels):
    dag = mesh(levels)

    assert level_sizes(dag) == list(range(levels, 0, -1))
    assert dag.arc_count == levels * (levels - 1)
    assert is_numbered_in_topological_order(dag)


def test_a_small_mesh_is_two_m_dags_swept_from_one_end():
    r"""
        5
       / \
      3   4        sources below; 0 is (0, 2), 1 is (1, 1), 2 is (2, 0)
     / \ / \
    0   1   2
    """
    assert mesh(3).arcs.tolist() == [[0, 3], [1, 3], [1, 4], [2, 4], [3, 5], [4, 5]]
    assert mesh(3) == m(2, 2).compose(m(1, 2), [(3, 0), (4, 1)])


@pytest.mark.parametrize(("levels", "dimensions"), [(4, 1), (5, 2), (4, 3), (3, 4), (1, 5)])
def test_a_mesh_numbers_tuples_by_level_and_then_lexicographically(levels, dimensions):
    tuples = [x for x in product(range(levels), repeat=dimensions) if sum(x) < levels]
    tuples.sort(key=lambda x: (-sum(x), x))
    dag = mesh(levels, dimensions)

    assert len(dag) == len(tuples) == comb(levels - 1 + dimensions, dimensions)
    arcs = {(tuples[p], tuples[c]) for p, c in dag.arcs.tolist()}
    assert arcs == literal_mesh(levels, dimensions)


@pytest.mark.parametrize("levels", range(1, 6))
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_an_evolving_mesh_grows_from_task_0_and_is_the_dual_of_a_mesh(levels, dimensions):
    dag = evolving_mesh(levels, dimensions)
    last = len(dag) - 1

    assert dag.sources.tolist() == [0]
    assert is_numbered_in_topological_order(dag)
    backward = [(last - child, last - parent) for parent, child in dag.arcs.tolist()]
    assert mesh(levels, dimensions) == Dag.from_arcs(len(dag), backward)


@pytest.mark.parametrize("height", range(5))
@pytest.mark.parametrize("arity", [2, 3, 4])
def test_a_tree_has_levels_of_powers_of_its_arity(height, arity):
    reduction, expansion = tree(height, arity), out_tree(height, arity)

    assert level_sizes(reduction) == [arity**level for level in range(height, -1, -1)]
    assert level_sizes(expansion) == [arity**level for level in range(height + 1)]
    assert reduction.arc_count == len(reduction) - 1
    for dag, degrees in ((reduction, reduction.in_degrees), (expansion, expansion.out_degrees)):
        assert set(degrees.tolist()) <= {0, arity}
        assert is_numbered_in_topological_order(dag)


def test_siblings_are_numbered_side_by_side():
    r"""
       6
      / \
     4   5
    / \ / \
    0 1 2 3
    """
    arcs = [[0, 4], [1, 4], [2, 5], [3, 5], [4, 6], [5, 6]]

    assert tree(2).arcs.tolist() == arcs
    assert out_tree(2).arcs.tolist() == [[0, 1], [0, 2], [1, 3], [1, 4], [2, 5], [2, 6]]


def test_a_tree_of_strings_takes_its_shape_and_names_from_them():
    r"""
        root
        /  \
       0    1
      / \
    00   01
    """
    dag = tree_of("0, 1, 00, 01")

    assert dag.names == ("00", "01", "0", "1", "root")
    assert dag.arcs.tolist() == [[0, 2], [1, 2], [2, 4], [3, 4]]


def test_an_out_tree_of_strings_is_the_dual_with_the_root_first():
    dag = out_tree_of("0,1,00,01")

    assert dag.names == ("root", "0", "1", "00", "01")
    assert dag.arcs.tolist() == [[0, 1], [0, 2], [1, 3], [1, 4]]


def test_no_strings_at_all_are_the_root_alone():
    assert tree_of("").names == out_tree_of("").names == ("root",)


def test_all_strings_up_to_a_length_are_the_complete_tree():
    strings = ",".join("".join(bits) for size in (1, 2, 3) for bits in product("01", repeat=size))

    assert tree_of(strings).arcs.tolist() == tree(3).arcs.tolist()
    assert out_tree_of(strings).arcs.tolist() == out_tree(3).arcs.tolist()


def test_a_very_deep_tree_is_no_problem():
    spine = ["1" * depth for depth in range(1, 1500)]
    deep = tree_of(",".join(spine + [bits[:-1] + "0" for bits in spine]))

    assert deep.levels[-1] == 1499


@pytest.mark.parametrize("d", range(6))
def test_an_fft_has_a_butterfly_for_every_bit(d):
    dag = fft(d)
    width = 2**d

    assert level_sizes(dag) == [width] * (d + 1)
    assert set(dag.in_degrees[width:].tolist()) == set(dag.out_degrees[:-width].tolist())
    assert dag.arc_count == 2 * d * width
    assert len(dag.connected_parts) == 1
    assert is_numbered_in_topological_order(dag)


def test_an_fft_of_four_inputs_pairs_neighbours_first():
    assert [fft(2).children(task).tolist() for task in range(8)] == [
        [4, 5], [4, 5], [6, 7], [6, 7],
        [8, 10], [9, 11], [8, 10], [9, 11],
    ]  # fmt: skip


@pytest.mark.parametrize("inputs", [1, 2, 3, 4, 5, 7, 8, 9])
def test_a_prefix_output_depends_on_exactly_the_inputs_up_to_it(inputs):
    dag = prefix(inputs)
    reached = [{task} if task < inputs else set() for task in range(len(dag))]
    for parent, child in dag.arcs.tolist():
        reached[child] |= reached[parent]

    assert reached[-inputs:] == [set(range(j + 1)) for j in range(inputs)]
    assert is_numbered_in_topological_order(dag)


def test_a_prefix_of_five_has_four_levels():
    # arcs straight down 3 * 5; aslant 4, 3 and 1
    assert (len(prefix(5)), prefix(5).arc_count) == (20, 23)


@pytest.mark.parametrize("inputs", range(1, 18))
def test_a_laplace_transform_adds_up_a_prefix_in_a_balanced_tree(inputs):
    dag, scan = laplace(inputs), prefix(inputs)
    sums = dag.induced(range(len(scan) - inputs, len(dag)))

    assert dag.induced(range(len(scan))) == scan
    assert len(dag) == len(scan) + inputs - 1
    assert len(dag.sinks) == 1
    assert set(sums.in_degrees[inputs:].tolist()) <= {2}
    depth = [0] * len(sums)
    for parent, child in reversed(sums.arcs.tolist()):
        depth[parent] = depth[child] + 1
    assert max(depth[:inputs]) - min(depth[:inputs]) <= 1
    assert is_numbered_in_topological_order(dag)


def test_matrix_multiplication_is_two_cycles_and_four_joins():
    dag = matmul()
    named = {dag.names[task]: {dag.names[p] for p in dag.parents(task)} for task in range(len(dag))}

    assert dag.names[:8] == tuple("AECFBGDH")
    assert named["CE"] == {"C", "E"}
    assert named["AF_BH"] == {"AF", "BH"}
    assert level_sizes(dag) == [8, 8, 4]
    entries_and_products = dag.induced(range(16))
    assert [len(part) for part in entries_and_products.connected_parts] == [8, 8]
    assert set(entries_and_products.out_degrees[:8].tolist()) == {2}
    assert is_numbered_in_topological_order(dag)


@pytest.mark.parametrize("height", range(5))
@pytest.mark.parametrize("arity", [2, 3])
def test_divide_and_conquer_is_an_out_tree_glued_to_an_in_tree(height, arity):
    divide, conquer = out_tree(height, arity), tree(height, arity)
    leaves = zip(divide.sinks.tolist(), conquer.sources.tolist(), strict=True)

    assert divide_and_conquer(height, arity) == divide.compose(conquer, leaves)


def test_an_out_mesh_is_a_chain_of_w_dags_in_shape():
    chained = w(1, 2).compose(w(2, 2), [(1, 0), (2, 1)])

    assert evolving_mesh(3) == chained


@pytest.mark.parametrize(
    ("family", "arguments", "message"),
    [
        (mesh, (0,), "argument levels: expected a whole number, 1 or more, got 0"),
        (mesh, (3, 0), "argument dimensions: expected a whole number from 1 to 20, got 0"),
        (mesh, (5, 50), "argument dimensions: expected a whole number from 1 to 20, got 50"),
        (evolving_mesh, (-1,), "argument levels: expected a whole number, 1 or more, got -1"),
        (tree, (-1,), "argument height: expected a whole number, 0 or more, got -1"),
        (out_tree, (2, 1), "argument arity: expected a whole number, 2 or more, got 1"),
        (divide_and_conquer, (2, 0), "argument arity: expected a whole number, 2 or more, got 0"),
        (tree_of, ("0,1,00",), "argument strings: '00' has no sibling '01'"),
        (tree_of, ("0,1,010,011",), "argument strings: '010' has no prefix '01'"),
        (out_tree_of, ("0,2",), "expected bit strings such as 0,1,00,01, got '2'"),
        (fft, (-1,), "argument d: expected a whole number, 0 or more, got -1"),
        (prefix, (0,), "argument n: expected a whole number, 1 or more, got 0"),
        (laplace, (0,), "argument n: expected a whole number, 1 or more, got 0"),
    ],
)
def test_impossible_composites_are_refused_with_the_argument_named(family, arguments, message):
    with pytest.raises(ArgumentError) as caught:
        family(*arguments)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("family", "arguments"),
    [
        (fft, (60,)),
        (fft, (10**12,)),
        (tree, (100,)),
        (tree, (10**12, 10**12)),
        (out_tree, (25,)),
        (divide_and_conquer, (23,)),
        (mesh, (10**9,)),
        (mesh, (50, 20)),
        (prefix, (10**8,)),
        (laplace, (10**20,)),
    ],
)
def test_absurd_sizes_are_refused_at_once(family, arguments):
    with pytest.raises(ArgumentError, match=r"too large: expected at most .* asked for more"):
        family(*arguments)
