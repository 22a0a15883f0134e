import numpy as np
import pytest

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.families import (
    evolving_mesh,
    mesh,
    paper_000_fig6,
    paper_001_fig3,
    paper_001_fig6,
    pbt,
    w_strand,
)


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
    dag = paper_000_fig6()

    # left mesh 1 + ... + 7, right mesh 1 + ... + 5, eleven sinks of W(10,2)
    assert len(dag) == 28 + 15 + 11
    assert dag.arc_count == 2 * (21 + 10 + 10)
    assert len(dag.sources) == 2
    assert len(dag.sinks) == 2 + 11
    assert len(dag.connected_parts) == 1


def test_a_one_sided_cluster_of_six_cuts_six_arcs_and_the_direct_one_eight():
    dag = paper_000_fig6()
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
    dag = paper_001_fig6("left")

    assert np.bincount(dag.levels).tolist() == [1, 4, 10, 4, 1]
    assert dag.induced(range(1, 15)) == Dag.from_arcs(
        14, w_strand("4,2,4,3").arcs, names=range(1, 15)
    )
    # 4 + 13 + 13 + 4
    assert dag.arc_count == 34


def test_the_right_dag_of_figure_6_leaves_three_sources_and_two_sinks_over():
    dag = paper_001_fig6("right")

    # W[5] feeds 5 of 8 sources; M[6] takes 6 of 8 sinks
    assert len(dag) == 1 + 8 + 11 + 8 + 1
    assert len(dag.sources) == 1 + 3
    assert len(dag.sinks) == 1 + 2
    assert dag.arc_count == 5 + 18 + 18 + 6


def test_the_right_dag_of_figure_6_holds_a_tree_under_its_mirror_image():
    dag, tree = paper_001_fig6("right"), pbt("1/4,3,1/3,3,1/2,2,1/4,3,1/2")
    middle = dag.levels.tolist().index(2)
    tips = range(middle, middle + 11)  # sinks of the dual, sources of the tree

    assert [len(dag.children(tip)) for tip in tips] == tree.out_degrees[:11].tolist()
    assert [len(dag.parents(tip)) for tip in tips] == tree.out_degrees[:11].tolist()


@pytest.mark.parametrize(("which", "tasks", "arcs"), [("a", 14, 22), ("b", 16, 24), ("c", 20, 31)])
def test_each_dag_of_figure_3_opens_from_one_source_and_closes_to_one_sink(which, tasks, arcs):
    # a: 1+3+6+3+1 tasks and 3+8+8+3 arcs; b: 1+2+3+4+3+2+1 and 2(2+4+6);
    # c: 1+4+10+4+1 tasks and 4+10+13+4 arcs
    dag = paper_001_fig3(which)

    assert (len(dag), dag.arc_count) == (tasks, arcs)
    assert len(dag.sources) == len(dag.sinks) == 1


def test_the_middle_dag_of_figure_3_is_a_mesh_on_a_mesh():
    out, back = evolving_mesh(4), mesh(4)
    rim = zip(out.sinks.tolist(), back.sources.tolist(), strict=True)

    assert paper_001_fig3("b") == out.compose(back, rim)


@pytest.mark.parametrize(
    "dag",
    [paper_000_fig6(), *map(paper_001_fig3, "abc"), *map(paper_001_fig6, ["left", "right"])],
    ids=repr,
)
def test_figures_are_numbered_in_topological_order(dag):
    assert np.all(dag.arcs[:, 0] < dag.arcs[:, 1])


def test_an_unknown_figure_is_refused_with_the_choices():
    with pytest.raises(ArgumentError, match=r"^argument which: expected a, b or c, got 'd'$"):
        paper_001_fig3("d")
    with pytest.raises(ArgumentError, match=r"^argument which: expected left or right, got ''$"):
        paper_001_fig6("")
