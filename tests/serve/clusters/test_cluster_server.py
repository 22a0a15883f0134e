"""Clusters for workers as they come and go."""

import time

import numpy as np
import pytest

from icsched import ArgumentError, Cluster, ClusterServer, Dag, families, plan_clusters, prioritize
from icsched.errors import ClusterError, GameError, UnknownTaskError
from icsched.families import mesh, random_linear_composition, w
from icsched.serve.clusters import clusterers
from tests.serve.clusters.posets import has_order

DIAMOND = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})


def test_a_worker_gets_nothing_while_all_that_is_left_waits_for_others():
    server = ClusterServer(DIAMOND)
    first = server.take(1)

    assert first.tasks == (0,)
    assert not server.take(9)
    server.done(*first)
    assert server.take(9).tasks == (1, 2, 3)
    assert server.is_active()
    assert server.left == 0


def test_two_workers_share_what_does_not_wait():
    """d waits for b and c, which different workers have: it comes when both are done."""
    server = ClusterServer(DIAMOND)
    server.done(*server.take(1))
    first, second = server.take(1), server.take(1)

    assert {first.tasks, second.tasks} == {(1,), (2,)}
    server.done(*first)
    assert not server.take(1)
    server.done(*second)
    assert server.take(1).tasks == (3,)


def test_what_is_lost_is_handed_out_again():
    server = ClusterServer(DIAMOND)
    first = server.take(2)
    server.lost(*first)

    assert server.left == 4
    assert server.take(2) == first


def test_a_cluster_that_is_done_stays_done():
    server = ClusterServer(DIAMOND)
    first = server.take(2)
    server.done(*first)
    server.done(*first)
    server.lost(*first)

    assert server.left == 2
    assert server.take(4).tasks == (2, 3)


def test_a_part_of_a_cluster_may_be_done_and_the_rest_stays_out():
    server = ClusterServer(DIAMOND)
    first = server.take(2)
    assert first.tasks == (0, 1)
    server.done(0)

    assert server.take(9).tasks == (2,)  # d waits for b, which is out
    with pytest.raises(GameError, match="task 'd' is not eligible: its parent 'b' is not done"):
        server.done(3)
    server.done(*first)
    server.done(2)
    assert server.take(9).tasks == (3,)


def test_what_waits_for_a_lost_task_on_the_same_worker_comes_back_with_it():
    """a, b and c are one cluster. Without a its worker could not run b and c."""
    server = ClusterServer(DIAMOND)
    assert server.take(3).tasks == (0, 1, 2)
    server.lost(0)

    assert server.left == 4
    server.lost(1, 2)  # they are back already
    assert server.left == 4
    assert server.take(3).tasks == (0, 1, 2)


def test_the_end_of_a_cluster_may_be_lost_alone():
    server = ClusterServer(DIAMOND)
    assert server.take(2).tasks == (0, 1)
    server.lost(1)

    assert not server.take(9)  # b waits for a, which is out
    server.done(0)
    assert server.take(9).tasks == (1, 2, 3)


def test_a_late_result_of_a_lost_task_counts():
    server = ClusterServer(DIAMOND)
    first = server.take(1)
    server.lost(*first)
    server.done(*first)

    assert server.left == 3
    assert server.take(9).tasks == (1, 2, 3)


def test_results_of_an_earlier_run_count():
    server = ClusterServer(DIAMOND)
    server.done(0, 2)

    assert server.take(9).tasks == (1, 3)


def test_a_capacity_below_zero_is_refused_and_changes_nothing():
    server = ClusterServer(DIAMOND)

    for capacity in (-1, 2.5, None):
        with pytest.raises(ArgumentError) as error:
            server.take(capacity)
        assert str(error.value) == f"capacity: expected a whole number, 0 or more, got {capacity}"
    assert server.left == 4


# Plans without timing


@pytest.mark.parametrize("clusterer", ["direct", "staggered", "auto"])
def test_every_residual_on_the_way_of_a_plan_has_an_ic_optimal_order(clusterer):
    """What the clusterers promise, cluster after cluster, on linear compositions."""
    rng = np.random.default_rng(2)
    drawn = [random_linear_composition(3, seed=seed) for seed in range(60)]
    small = [dag for dag in drawn if len(dag.nonsinks) <= 14]

    assert len(small) >= 30
    for dag in small:
        executed: list[int] = []
        for taken in plan_clusters(dag, rng.integers(1, 7, size=4).tolist(), clusterer=clusterer):
            executed += taken.tasks
            assert has_order(dag.residual(executed))
        assert sorted(executed) == list(range(len(dag)))


def test_a_staggered_plan_uses_whole_blocks_where_they_fit():
    """Two out-meshes: blocks of 1, 2 and 3 sources each; six at a time take one mesh's head."""
    out_mesh = mesh(4).dual()
    plan = plan_clusters(out_mesh + out_mesh, [6], clusterer="staggered")

    assert plan[0].cut_arcs == plan[1].cut_arcs == 6
    assert {len({task // 10 for task in taken.tasks}) for taken in plan[:2]} == {1}


def test_a_block_once_begun_is_finished_before_another_is_skipped_to():
    """W(3,3), first in the chain, beside an out-mesh of blocks of 1, 2 and 3 sources.

    Two tasks: no whole blocks make two, so two sources of W(3,3). Three more: the blocks of 1 and
    2 would cut 4 arcs, fewer than going in order, but would leave W(3,3) begun.
    """
    first, second, *_ = plan_clusters(w(3, 3) + mesh(4).dual(), [2, 3], clusterer="staggered")

    assert set(first.tasks) < {0, 1, 2}
    assert {0, 1, 2} <= {*first.tasks, *second.tasks}


def test_direct_plans_run_through_the_order_and_all_of_it_is_productive():
    dag = families.airsn(250)
    order = prioritize(dag, "prio").order.tolist()
    plan = plan_clusters(dag, [4, 16, 64], clusterer="direct")

    assert [task for taken in plan for task in taken.tasks] == order
    assert [taken.size for taken in plan[:4]] == [4, 16, 64, 4]
    assert all(taken.productive for taken in plan)


@pytest.mark.parametrize(("capacities"), [[], [3, 0], [-1], ["x"], 4, None])
def test_impossible_capacities_are_refused(capacities):
    with pytest.raises(ArgumentError, match="capacit"):
        plan_clusters(DIAMOND, capacities)


@pytest.mark.parametrize("wrong", [None, "a", (0,), Cluster((0,), 2, True, "direct")])
def test_only_tasks_come_back(wrong):
    server = ClusterServer(DIAMOND)
    server.take(1)

    for report in (server.done, server.lost):
        with pytest.raises(ArgumentError) as error:
            report(wrong)
        assert str(error.value) == f"task id: expected a whole number, got {wrong!r}"
        with pytest.raises(UnknownTaskError):
            report(4)
    assert server.left == len(DIAMOND) - 1


@pytest.mark.parametrize("clusterer", ["direct", "lean"])
def test_a_hundred_thousand_tasks_are_served_in_seconds(clusterer):
    """A thousand arrivals; a bound against quadratic ways, far above what it takes."""
    dag = families.random_layered(100_000, 100, seed=1)

    start = time.process_time()
    plan = plan_clusters(dag, [100], clusterer=clusterer)

    assert len(plan) == 1000
    assert time.process_time() - start < 20


def test_a_task_of_very_many_children_is_not_looked_at_again_and_again():
    dag = families.airsn(10_000)

    start = time.process_time()
    plan_clusters(dag, [20], clusterer="lean")

    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("dag", "clusterer"),
    [
        (mesh(6), "donor"),
        (families.fft(3), "staggered"),
        (families.airsn(5), "direct"),
        (families.montage(6, 6), "lean"),
    ],
)
def test_a_plan_spares_the_analysis_and_changes_nothing(dag, clusterer, monkeypatch):
    """Each dag is one for which "auto" decides otherwise."""
    found = prioritize(dag, "prio")
    expected = [plan_clusters(dag, [3, 5], clusterer=name) for name in ("auto", clusterer)]
    monkeypatch.setattr(clusterers, "prioritize", None)  # not to be called

    assert ClusterServer(dag, order=found).clusterer == clusterer
    for name, clusters in zip(("auto", clusterer), expected, strict=True):
        assert plan_clusters(dag, [3, 5], clusterer=name, order=found) == clusters


def test_a_plan_of_a_simple_order_is_an_order():
    dag = mesh(6)
    backwards = prioritize(dag, "lifo")
    given = [plan_clusters(dag, [4], clusterer="direct", order=o) for o in (backwards, None)]

    assert given[0] == plan_clusters(dag, [4], clusterer="direct", order=backwards.order)
    assert given[0] != given[1]
    with pytest.raises(ClusterError, match="cannot be used with an order"):
        ClusterServer(dag, clusterer="staggered", order=backwards)


def test_a_plan_of_another_dag_is_refused():
    message = r"order: expected a plan of Dag\(tasks=10, .*, got one of another dag, Dag\(tasks=6"
    with pytest.raises(ClusterError, match=message):
        ClusterServer(mesh(4), order=prioritize(mesh(3), "prio"))


def fork_join(width: int) -> Dag:
    """0 before 1 .. width, all of which are before the last task."""
    middle = range(1, width + 1)
    return Dag.from_arcs(width + 2, [arc for i in middle for arc in ((0, i), (i, width + 1))])


def test_a_wide_block_costs_its_clusters_no_more_than_they_hold():
    start = time.process_time()

    plan = plan_clusters(fork_join(100_000), [10], clusterer="staggered")

    assert [taken.size for taken in plan] == [10] * 10_000 + [2]
    assert plan[-1].tasks == (100_000, 100_001)
    assert time.process_time() - start < 20


def test_a_wide_block_is_finished_before_another_is_skipped_to():
    """What is left of the join is known though some of it was lost and some is out."""
    server = ClusterServer(fork_join(6), clusterer="staggered")
    server.done(*server.take(1))
    first, second = server.take(2), server.take(3)
    server.lost(*first)
    server.done(*second)

    assert (first.tasks, second.tasks) == ((1, 2), (3, 4, 5))
    assert server.take(9).tasks == (1, 2, 6, 7)


def test_a_task_of_very_many_children_costs_clusters_by_bytes_nothing_until_it_is_taken():
    """A hub of 50,000 children beside 12,500 chains of four, each a cluster that cuts nothing."""
    hub, chains = 50_000, 12_500
    heads = [hub + 1 + 4 * i for i in range(chains)]
    links = [(head + i, head + i + 1) for head in heads for i in range(3)]
    dag = Dag.from_arcs(hub + 1 + 4 * chains, [*((0, i) for i in range(1, hub + 1)), *links])
    start = time.process_time()

    plan = plan_clusters(dag, [4], clusterer="lean", sizes=np.full(len(dag), 1000))

    assert [taken.cut_arcs for taken in plan[:chains]] == [0] * chains
    assert plan[chains].tasks == (0, 1, 2, 3)
    assert plan[chains].cut_bytes == 1000 * (hub - 3)
    assert time.process_time() - start < 20


def test_a_task_of_very_many_children_with_an_empty_result_is_not_looked_at_for_ever():
    """The hub costs nothing, but direct clusters with it take its children, which do.

    Clusters of chains cost nothing either, so the hub would wait for all of them, and each
    arrival would look at its children. Direct may do so in vain only so often; then it is taken.
    """
    hub, chains = 25_000, 12_500
    heads = [2 * hub + 1 + 4 * i for i in range(chains)]
    links = [(head + i, head + i + 1) for head in heads for i in range(3)]
    arms = [arc for i in range(1, hub + 1) for arc in ((0, i), (i, hub + i))]
    dag = Dag.from_arcs(2 * hub + 1 + 4 * chains, [*arms, *links])
    sizes = np.ones(len(dag), np.int64)
    sizes[0] = 0
    start = time.process_time()

    plan = plan_clusters(dag, [4], clusterer="lean", sizes=sizes, order=range(len(dag)))

    at = next(i for i, taken in enumerate(plan) if 0 in taken.tasks)
    assert plan[at].tasks == (0, 1, 2, 3)
    assert 0 < at < chains
    assert sum(taken.size for taken in plan) == len(dag)
    assert time.process_time() - start < 40
