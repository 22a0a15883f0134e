"""Where the theorems of Cordasco et al. 2011 on universal donors go wrong: dags that show it.

For its Lemma 3.1 and Theorem 3.2 see tests/theorems/test_counterexamples.py; here only that we
do not fall for them.
"""

import pytest

from icsched import Dag, best_cluster, plan_clusters, prioritize
from icsched.errors import ClusterError
from icsched.families import cycle, m, n, tree, w
from icsched.theory.reticulation import is_universal_donor
from tests.proofs import chain_of
from tests.serve.clusters.posets import has_order
from tests.theorems.profiles import most_enabled


def test_a_staggered_cluster_alone_need_not_have_an_ic_optimal_order():
    r"""Lemma 3.1 says that the subdag on the cluster has one; it lacks its blocks' last sinks.

       a         4   5
     / | \        | X |      W(1,3), C(2) and M(2,2), a linear composition. All nonsinks are
    o  o  3      6   7      a cluster; of W(1,3) only the arc to 3 is in it, an N(1), and
           \  / \  /       N(1) + C(2) has no IC-optimal order: one step needs a, two 4 and 5.
            8     9
    """
    arcs = [(0, 1), (0, 2), (0, 3), (3, 8), (3, 9), (4, 6), (4, 7), (5, 6), (5, 7), (6, 9), (7, 8)]
    dag = Dag.from_arcs(10, arcs)

    assert chain_of(prioritize(dag, "prio")) == "W(1,3) > C(2) > M(2,2)"
    assert most_enabled(n(1) + cycle(2)) == [0, 1, 2, 3]
    assert not has_order(n(1) + cycle(2))
    assert dag.induced(dag.nonsinks).arc_count == (n(1) + cycle(2)).arc_count
    assert not has_order(dag.induced(dag.nonsinks))


def n_dags_beside_a_w_dag() -> Dag:
    """W(5,2) and N(3) on N(4) on N(5): each N-dag's sinks are the next one's first sources."""
    three_on_four = n(3).compose(n(4), [(3, 0), (4, 1), (5, 2)])
    return w(5, 2) + three_on_four.compose(n(5), zip([7, 8, 9, 10], range(4), strict=True))


def test_reticulated_n_dags_need_not_be_universal_donors():
    """Theorem 3.3 as printed, on a reticulated composition like that of Fig. 11.

    The last sources of N(4) and of N(5) are sources of the dag. Take both: N(3) is left on
    W(3,2) on W(4,2), whose ten executions enable one task each but the 6th and the 10th, which
    enable two. Beside it W(5,2): only finishing it enables 6 tasks in 5 steps, but only leaving
    it alone enables 12 in 10. In the residual an N-dag lies on a W-dag over which it has no
    priority: the proof overlooks that the N-dag on the right goes on to the left of a gap.
    """
    dag = n_dags_beside_a_w_dag()
    last_of_four, last_of_five = 11 + 6, 11 + 11
    left = dag.residual([last_of_four, last_of_five])

    assert chain_of(prioritize(dag, "prio")) == "W(5,2) > N(3) > N(4) > N(5)"
    assert dag.in_degrees[[last_of_four, last_of_five]].tolist() == [0, 0]
    assert most_enabled(left)[5] == 6
    assert most_enabled(left)[10] == 12
    assert most_enabled(w(5, 2)) == [0, 1, 2, 3, 4, 6]
    assert not has_order(left)
    assert not is_universal_donor(prioritize(dag, "prio").analysis)


def test_n_dags_that_end_flush_are_universal_donors_and_pass():
    """The same blocks with their last sources on each other: what is left of them is flush too."""
    three_on_four = n(3).compose(n(4), [(3, 1), (4, 2), (5, 3)])
    sinks = three_on_four.sinks.tolist()
    dag = w(5, 2) + three_on_four.compose(n(5), zip(sinks, range(1, 5), strict=True))

    assert is_universal_donor(prioritize(dag, "prio").analysis)


def test_an_in_tree_of_five_levels_is_no_universal_donor():
    r"""Theorem 3.4 as printed: the dual of an in-tree is an out-tree, which is reticulated.

    Drawn from the root, the last task, upwards; all else of the complete tree has run.

               root                In the dual, from the root: L then L' enable 1 + 2 tasks,
            L        R             the most in two steps; R R' X Y enable 1 + 1 + 2 + 2 = 6, the
            L'       R'            most in four. No order has both. By duality (Theorem 2.3)
           o  o      X             none of the in-tree has.
                   Y   o
                  o o
    """
    shape = {"root": "LR", "L": ["L'"], "L'": "ab", "R": ["R'"], "R'": "X", "X": "Yc", "Y": "de"}
    left = Dag({task: list(parents) for task, parents in shape.items()})
    in_tree = tree(5)
    twin = {"root": len(in_tree) - 1}
    for task, parents in shape.items():
        twin |= dict(zip(parents, in_tree.parents(twin[task]).tolist(), strict=False))
    executed = sorted(set(range(len(in_tree))) - set(twin.values()))

    assert prioritize(in_tree, "prio").proof.is_ic_optimal
    assert prioritize(in_tree.dual(), "prio").analysis.is_linear
    assert in_tree.residual(executed).arc_count == left.arc_count == 11
    assert most_enabled(left.dual())[:6] == [0, 2, 3, 5, 6, 8]
    assert not has_order(left)
    assert not has_order(in_tree.residual(executed))
    assert not is_universal_donor(prioritize(in_tree, "prio").analysis)


# What Lemma 3.1 and Theorem 3.2 get wrong does not happen here


def test_a_staggered_plan_never_leaves_part_of_a_block_after_a_skip():
    """C_3 + M(2,2), where one source of M(2,2) cuts one arc and one of C_3 two."""
    dag = cycle(3) + m(2, 2)

    for capacities in ([1], [2], [3, 1], [1, 3], [4]):
        executed: list[int] = []
        for taken in plan_clusters(dag, capacities, clusterer="staggered"):
            executed += taken.tasks
            assert has_order(dag.residual(executed))
    assert best_cluster(dag, 1, clusterer="lean").cut_arcs == 1
    assert best_cluster(dag, 1, clusterer="staggered").cut_arcs == 2


def test_a_residual_without_ic_optimal_order_is_said_to_have_none():
    dag = cycle(3) + m(2, 2)

    for source in dag.sources[3:5].tolist():
        assert not prioritize(dag.residual([source]), "prio").proof.is_ic_optimal
    with pytest.raises(ClusterError, match="clusterer donor"):
        best_cluster(dag, 1, clusterer="donor")
