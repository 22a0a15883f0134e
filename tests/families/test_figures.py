import numpy as np
import pytest

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.families import (
    cordasco2007_fig3,
    cordasco2007_fig6,
    cordasco2011_fig6,
    cordasco2011_fig7,
    cordasco2011_fig11,
    cycle,
    evolving_mesh,
    fft,
    m,
    mesh,
    n,
    pbt,
    w,
    w_strand,
)
from icsched.theory import analyse, is_reticulated, is_universal_donor


def cut_arcs(dag: Dag, cluster: list[int]) -> int:
    inside = np.isin(range(len(dag)), cluster)
    return int(np.sum(inside[dag.arcs[:, 0]] & ~inside[dag.arcs[:, 1]]))


def is_self_contained(dag: Dag, cluster: list[int]) -> bool:
    return all(set(dag.parents(task).tolist()) <= set(cluster) for task in cluster)


def with_descendants_of(dag: Dag, root: int, levels: int) -> list[int]:
    """Tasks reached from *root* by fewer than *levels* arcs."""
    reached, front = {root}, {root}
    for _ in range(levels - 1):
        front = {child for task in front for child in dag.children(task).tolist()}
        reached |= front
    return sorted(reached)


def test_the_clustering_example_has_two_meshes_below_one_w_dag():
    dag = cordasco2011_fig6()

    # left mesh 1 + ... + 7, right mesh 1 + ... + 5, eleven sinks of W(10,2)
    assert len(dag) == 28 + 15 + 11
    assert dag.arc_count == 2 * (21 + 10 + 10)
    assert len(dag.sources) == 2
    assert len(dag.sinks) == 2 + 11
    assert len(dag.connected_parts) == 1


def test_a_one_sided_cluster_of_six_cuts_six_arcs_and_the_direct_one_eight():
    dag = cordasco2011_fig6()
    left, right = dag.sources.tolist()
    one_sided = with_descendants_of(dag, left, 3)
    direct = with_descendants_of(dag, left, 2) + with_descendants_of(dag, right, 2)

    assert one_sided == [0, 1, 2, 3, 4, 5]
    assert len(direct) == 6
    assert is_self_contained(dag, one_sided)
    assert is_self_contained(dag, direct)
    assert cut_arcs(dag, one_sided) == 6
    assert cut_arcs(dag, direct) == 8


def test_the_left_dag_of_figure_6_merges_every_sink_with_a_source():
    dag = cordasco2007_fig6("left")

    assert np.bincount(dag.levels).tolist() == [1, 4, 10, 4, 1]
    assert dag.induced(range(1, 15)) == Dag.from_arcs(
        14, w_strand("4,2,4,3").arcs, names=range(1, 15)
    )
    # 4 + 13 + 13 + 4
    assert dag.arc_count == 34


def test_the_right_dag_of_figure_6_leaves_three_sources_and_two_sinks_over():
    dag = cordasco2007_fig6("right")

    # W[5] feeds 5 of 8 sources; M[6] takes 6 of 8 sinks
    assert len(dag) == 1 + 8 + 11 + 8 + 1
    assert len(dag.sources) == 1 + 3
    assert len(dag.sinks) == 1 + 2
    assert dag.arc_count == 5 + 18 + 18 + 6


def test_the_right_dag_of_figure_6_holds_a_tree_under_its_mirror_image():
    dag, tree = cordasco2007_fig6("right"), pbt("1/4,3,1/3,3,1/2,2,1/4,3,1/2")
    middle = dag.levels.tolist().index(2)
    tips = range(middle, middle + 11)  # sinks of the dual, sources of the tree

    assert [len(dag.children(tip)) for tip in tips] == tree.out_degrees[:11].tolist()
    assert [len(dag.parents(tip)) for tip in tips] == tree.out_degrees[:11].tolist()


@pytest.mark.parametrize(("which", "tasks", "arcs"), [("a", 14, 22), ("b", 16, 24), ("c", 20, 31)])
def test_each_dag_of_figure_3_opens_from_one_source_and_closes_to_one_sink(which, tasks, arcs):
    # a: 1+3+6+3+1 tasks and 3+8+8+3 arcs; b: 1+2+3+4+3+2+1 and 2(2+4+6);
    # c: 1+4+10+4+1 tasks and 4+10+13+4 arcs
    dag = cordasco2007_fig3(which)

    assert (len(dag), dag.arc_count) == (tasks, arcs)
    assert len(dag.sources) == len(dag.sinks) == 1


def test_the_middle_dag_of_figure_3_is_a_mesh_on_a_mesh():
    out, back = evolving_mesh(4), mesh(4)
    rim = zip(out.sinks.tolist(), back.sources.tolist(), strict=True)

    assert cordasco2007_fig3("b") == out.compose(back, rim)


@pytest.mark.parametrize(
    "dag",
    [
        cordasco2011_fig6(),
        *map(cordasco2007_fig3, "abc"),
        *map(cordasco2007_fig6, ["left", "right"]),
    ],
    ids=repr,
)
def test_figures_are_numbered_in_topological_order(dag):
    assert np.all(dag.arcs[:, 0] < dag.arcs[:, 1])


def test_an_unknown_figure_is_refused_with_the_choices():
    with pytest.raises(ArgumentError, match=r"^argument which: expected a, b or c, got 'd'$"):
        cordasco2007_fig3("d")
    with pytest.raises(ArgumentError, match=r"^argument which: expected left or right, got ''$"):
        cordasco2007_fig6("")


@pytest.mark.parametrize(
    ("which", "families"),
    [("left", "W(3,3) W(2,2)"), ("middle", "N(2) N(3) N(4)"), ("right", "C(4) C(4)")],
)
def test_the_compositions_of_figure_7_are_reticulated_universal_donors(which, families):
    analysis = analyse(cordasco2011_fig7(which))
    blocks = [group.family for group in analysis.blocks for _ in range(group.count)]

    assert sorted(blocks) == sorted(families.split())
    assert is_reticulated(analysis)
    assert is_universal_donor(analysis)


def test_figure_11_is_a_reticulated_composition_of_three_n_dags():
    """Its tasks: 3 sources and 3 sinks, then 10 new sources and 13 sinks, then 3 and 16."""
    dag = cordasco2011_fig11()
    analysis = analyse(dag)

    assert len(dag) == 6 + 23 + 19
    assert dag.arc_count == 5 + 25 + 31
    assert {group.family for group in analysis.blocks} == {"N(3)", "N(13)", "N(16)"}
    assert is_reticulated(analysis)
    assert is_universal_donor(analysis)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_blocks_of_an_fft_dag_are_butterflies_whose_superdag_is_a_smaller_fft_dag(d):
    """Fig. 2: d rows of 2^(d-1) butterflies, each but the last row leading to two others."""
    dag = fft(d)
    analysis = analyse(dag)
    owner = analysis.parts.owner
    inner = dag.arcs[dag.out_degrees[dag.arcs[:, 1]] > 0]
    joined = np.unique(owner[inner], axis=0)
    ids = np.unique(owner[dag.nonsinks], return_inverse=True)[1]
    smaller = fft(d - 1)

    assert [(group.family, group.count) for group in analysis.blocks] == [
        ("C(2)", d * 2 ** (d - 1))
    ]
    assert len(np.unique(ids)) == len(smaller)
    assert len(joined) == smaller.arc_count
    assert np.bincount(joined[:, 0]).max() == 2 == np.bincount(joined[:, 1]).max()


def left_of(dag: Dag, taken: range) -> list[str]:
    groups = analyse(dag.residual(taken)).blocks
    return sorted(group.family for group in groups for _ in range(group.count))


def test_compact_clusters_leave_the_dags_of_figures_8_9_10_and_12():
    """W(10,3), C(7), N(16) and M(15,2), with three sources in the middle taken of each."""
    assert left_of(w(10, 3), range(4, 7)) == ["W(3,3)", "W(4,3)"]
    assert left_of(cycle(7), range(2, 5)) == ["W(4,2)"]
    assert left_of(n(16), range(5, 8)) == ["N(8)", "W(5,2)"]
    assert left_of(m(15, 2), range(5, 8)) == ["N(5)", "N(8)"]
