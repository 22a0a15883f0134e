r"""Functions that take a workflow with a task that is done speak the ids of the whole workflow.

       r      `r` is done. The residual is a fork and a pair; its own ids would be 0 to 4.
      / \
     a   c    Running `c` first leaves most tasks eligible: c, a, b, d, e is IC-optimal.
     |  / \
     b d   e
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import (
    BatchServer,
    ClusterServer,
    Dag,
    Schedule,
    Sorter,
    Workflow,
    best_batch,
    best_cluster,
    bound,
    order_within,
    plan_clusters,
    prioritize,
    simulate,
    verify,
)
from icsched.errors import (
    ArgumentError,
    GraphError,
    ScheduleError,
    StateError,
    UnknownTaskError,
)
from icsched.orders import memory_curve
from icsched.pebble import (
    area,
    check_order,
    compare,
    critical_path_order,
    eligibility_profile,
    enabled_profile,
    fifo_order,
    ic_optimal_order,
    level_order,
    lifo_order,
    maximum_area_order,
    memory_profile,
    optimal_profile,
    priority_order,
    random_order,
)
from icsched.sim import Workers
from icsched.theory import (
    batch_can_gain,
    closure,
    dual_order,
    is_parent_oriented,
    lean_order,
)
from tests.strategies import dags

R, A, B, C, D, E = range(6)
BEST = [C, A, B, D, E]
WORKFLOW = Workflow(
    Dag({"r": [], "a": ["r"], "b": ["a"], "c": ["r"], "d": ["c"], "e": ["c"]}),
    done=[True, False, False, False, False, False],
)
BYTES = [100, 7, 1, 9, 1, 1]


def test_simple_orders():
    assert fifo_order(WORKFLOW).tolist() == [A, C, B, D, E]
    assert lifo_order(WORKFLOW).tolist() == [A, B, C, D, E]
    assert level_order(WORKFLOW).tolist() == [A, C, B, D, E]
    assert priority_order(WORKFLOW, [0, 5, 4, 3, 2, 1]).tolist() == [C, E, D, A, B]
    assert sorted(random_order(WORKFLOW, seed=1).tolist()) == [A, B, C, D, E]


def test_the_critical_path_is_in_run_times_of_the_whole_workflow():
    """Paths: c 6, d 5, a 2, b and e 1."""
    assert critical_path_order(WORKFLOW).tolist() == [A, C, B, D, E]
    assert critical_path_order(WORKFLOW, run_times=[9, 1, 1, 1, 5, 1]).tolist() == [C, D, A, B, E]


@pytest.mark.parametrize("values", [[1] * 5, [1] * 7])
def test_values_are_one_for_each_task_of_the_whole_workflow(values):
    expected = f"expected 6 values, one for each task, got {len(values)}"
    with pytest.raises(ArgumentError, match=expected):
        critical_path_order(WORKFLOW, run_times=values)
    with pytest.raises(ArgumentError, match=expected):
        priority_order(WORKFLOW, values)
    with pytest.raises(ArgumentError, match=expected):
        memory_profile(WORKFLOW, BEST, sizes=values)
    with pytest.raises(ArgumentError, match=expected):
        lean_order(WORKFLOW, BEST, sizes=values)
    with pytest.raises(ArgumentError, match=expected):
        best_cluster(WORKFLOW, 1, sizes=values)


@pytest.mark.parametrize(
    "order",
    [
        BEST,
        np.array(BEST),
        ["c", "a", "b", "d", "e"],
        prioritize(WORKFLOW, "prio"),
        prioritize(WORKFLOW, "prio").schedule,
        order_within(WORKFLOW, 5),
    ],
)
def test_an_order_in_any_form(order):
    assert check_order(WORKFLOW, order).tolist() == BEST
    assert eligibility_profile(WORKFLOW, order).tolist() == [2, 3, 3, 2, 1, 0]
    assert Schedule(WORKFLOW, order).names == ["c", "a", "b", "d", "e"]
    assert Schedule.of(WORKFLOW, order).peak_memory == 2


def test_profiles():
    """`c` alone is open, then `c` and `a`; `b` closes `a`, and `e` closes `c`."""
    assert enabled_profile(WORKFLOW, BEST).tolist() == [0, 2, 3, 3, 3, 3]
    assert memory_profile(WORKFLOW, BEST).tolist() == [0, 1, 2, 1, 1, 0]
    assert memory_profile(WORKFLOW, BEST, sizes=BYTES).tolist() == [0, 9, 16, 9, 9, 0]
    assert memory_profile(WORKFLOW, BEST, sizes=dict(zip("rabcde", BYTES, strict=True))).max() == 16
    assert area(WORKFLOW, BEST) == 11
    assert compare(WORKFLOW, BEST, fifo_order(WORKFLOW)).difference.tolist() == [0, 1, 0, 0, 0, 0]


def test_the_referee():
    assert optimal_profile(WORKFLOW).tolist() == [2, 3, 3, 2, 1, 0]
    assert maximum_area_order(WORKFLOW).tolist() == BEST
    assert ic_optimal_order(WORKFLOW).tolist() == BEST
    assert verify(WORKFLOW, BEST).ic_optimal
    found = verify(WORKFLOW, [A, C, B, D, E])
    assert (found.step, found.better, found.better_names) == (1, (C,), ("c",))


@pytest.mark.parametrize(
    "take",
    [
        check_order,
        eligibility_profile,
        enabled_profile,
        memory_profile,
        area,
        Schedule,
        verify,
        dual_order,
        is_parent_oriented,
        lean_order,
        prioritize,
        lambda graph, order: compare(graph, order, order),
        lambda graph, order: bound(graph).certificate(order),
        lambda graph, order: BatchServer(graph, order=order),
        lambda graph, order: Sorter(graph, order=order),
        lambda graph, order: ClusterServer(graph, order=order),
        lambda graph, order: best_cluster(graph, 1, order=order),
        lambda graph, order: plan_clusters(graph, [1], order=order),
        lambda graph, order: simulate(graph, {"mine": order}, pool=Workers(1)),
    ],
)
def test_no_order_has_a_task_that_is_done(take):
    with pytest.raises(ScheduleError, match=r"^order: task 'r' is done$"):
        take(WORKFLOW, [R, A, B, C, D, E])
    with pytest.raises(ScheduleError, match=r"^order: unknown task id 6$"):
        take(WORKFLOW, [A, B, C, D, 6])
    with pytest.raises(ScheduleError, match=r"^order: unknown task id -1$"):
        take(WORKFLOW, [A, B, C, D, -1])
    take(WORKFLOW, BEST)


def test_a_bound():
    made = bound(WORKFLOW).certificate(BEST)

    assert made.is_ic_optimal
    assert bound(WORKFLOW).certificate([A, C, B, D, E]).bound.tolist() == [2, 3, 3, 2, 1, 0]


def test_a_batch():
    first = best_batch(WORKFLOW, [], 1)
    second = best_batch(WORKFLOW, [R, C], 1)

    assert (first.take, first.names, first.eligible_after) == ((C,), ("c",), 3)
    assert (second.take, second.names, second.eligible_after) == ((A,), ("a",), 3)
    assert best_batch(WORKFLOW, ["c"], 1).take == (A,)
    assert best_batch(WORKFLOW, [], 1, running=[C]).take == (A,)
    assert best_batch(WORKFLOW, [], 1, running=["c"]).take == (A,)
    assert batch_can_gain(WORKFLOW, [], 1, 1)
    assert not batch_can_gain(WORKFLOW, [C], 1, 1)


@pytest.mark.parametrize("running", [[R], ["r"]])
def test_a_task_that_is_done_does_not_run(running):
    with pytest.raises(StateError, match="'r' is executed already"):
        best_batch(WORKFLOW, [], 1, running=running)


def test_orders_and_sets_of_the_papers():
    """`c` enables d and e, then `a` enables b: the dual runs b, d and e, then its sinks."""
    assert dual_order(WORKFLOW, BEST).tolist() == [B, D, E, A, C]
    assert is_parent_oriented(WORKFLOW, BEST)
    assert lean_order(WORKFLOW, [A, C, B, D, E]).tolist() == [A, C, B, D, E]
    assert closure(WORKFLOW, [C]).tolist() == closure(WORKFLOW, ["c"]).tolist() == [C, D, E]


def test_orders_within_a_limit_of_memory():
    """With one open task the fork runs whole, then the pair: 2 + 3 + 2 + 1 + 1 eligible tasks."""
    found = order_within(WORKFLOW, 1)

    assert (found.order.tolist(), found.area) == ([C, D, E, A, B], 9)
    assert order_within(WORKFLOW, 9, sizes=BYTES).order.tolist() == [C, D, E, A, B]
    assert memory_curve(WORKFLOW)[0].order.tolist() == [C, D, E, A, B]


def test_a_plan_is_a_graph_with_the_ids_of_its_workflow():
    plan = prioritize(WORKFLOW, "prio")

    assert plan.order.tolist() == BEST
    assert fifo_order(plan).tolist() == [A, C, B, D, E]
    assert check_order(plan, plan).tolist() == BEST
    assert prioritize(plan, "fifo").order.tolist() == [A, C, B, D, E]
    assert prioritize(plan, plan).dag is WORKFLOW.dag


def test_a_sorter():
    sorter = Sorter(WORKFLOW, order=[C, D, E, A, B])

    assert list(sorter.static_order()) == ["c", "d", "e", "a", "b"]
    assert next(Sorter(WORKFLOW).static_order()) == "c"


def test_a_server_of_batches():
    server = BatchServer(WORKFLOW, order=[C, E, D, A, B])
    assert server.take(1) == [C]
    server.done(R, C)
    assert server.take(3) == [E, D, A]
    server.lost(R, D)
    assert server.take(3) == [D]
    server.done(A)
    assert server.take(3) == [B]
    server.done(B, D, E)
    assert not server.is_active()


def test_a_server_of_clusters():
    server = ClusterServer(WORKFLOW, clusterer="direct", order=[A, B, C, D, E])
    first = server.take(2)
    assert (first.tasks, first.names) == ((A, B), ("a", "b"))
    server.lost(R, B)
    assert server.take(2).tasks == (C, D)
    server.done(R, A, C, D)
    assert server.take(2).tasks == (B, E)
    server.done(B, E)
    assert not server.is_active()


@pytest.mark.parametrize("server", [BatchServer(WORKFLOW), ClusterServer(WORKFLOW)])
def test_servers_know_the_tasks_of_the_whole_workflow_only(server):
    for report in (server.done, server.lost):
        for unknown in (6, -1):
            with pytest.raises(UnknownTaskError):
                report(unknown)
        with pytest.raises(ArgumentError, match="task id: expected a whole number"):
            report("a")


def test_clusters():
    """`a` sends 7 bytes, `c` sends 9 twice."""
    given = {"clusterer": "direct", "order": [A, B, C, D, E]}
    taken = best_cluster(WORKFLOW, 1, clusterer="lean", sizes=BYTES)

    assert best_cluster(WORKFLOW, 3, **given).tasks == (A, B, C)
    assert [part.tasks for part in plan_clusters(WORKFLOW, [2], **given)] == [(A, B), (C, D), (E,)]
    assert (taken.tasks, taken.names, taken.cut_bytes) == ((A,), ("a",), 7)


def test_a_task_may_be_done_before_its_parents():
    """a -> b -> c with b done: a and c are left without arcs."""
    left = Workflow(Dag({"a": [], "b": ["a"], "c": ["b"]}), done=[False, True, False])

    assert fifo_order(left).tolist() == [0, 2]
    assert best_batch(left, [], 2).take == (0, 2)
    assert sorted(BatchServer(left).take(5)) == [0, 2]


def test_names_that_are_integers_stay_names():
    """5 -> 1 and 5 -> 0 with 5 done: 0 and 1 are left, whose ids are 2 and 1."""
    left = Workflow(Dag({5: [], 1: [5], 0: [5]}), done=[True, False, False])

    assert check_order(left, [0, 1]).tolist() == [2, 1]
    assert check_order(left, np.array([2, 1])).tolist() == [2, 1]
    assert check_order(left, best_batch(left, [], 2).take).tolist() == [1, 2]
    with pytest.raises(GraphError):
        best_batch(left, [2], 1)


@given(st.data())
def test_ids_stand_for_the_names_that_the_residual_has(data):
    """Whatever is done, the same function on the dag of what is left finds the same names."""
    dag = data.draw(dags())
    named = Dag.from_arcs(len(dag), dag.arcs, names=[f"t{task}" for task in range(len(dag))])
    done = data.draw(st.lists(st.booleans(), min_size=len(dag), max_size=len(dag)))
    workflow = Workflow(named, done=done)
    left = workflow.residual.dag

    def same(function, *given):
        whole = [named.names[task] for task in function(workflow, *given)]
        assert whole == [left.names[task] for task in function(left, *given)]

    mine = [left.names[task] for task in left.fifo_order]
    for function in (fifo_order, lifo_order, level_order, critical_path_order, maximum_area_order):
        same(function)
    same(lambda graph: random_order(graph, seed=3))
    for function in (check_order, dual_order, lean_order):
        same(function, mine)
    same(lambda graph: best_batch(graph, [], 2).take)
    same(lambda graph: BatchServer(graph).take(3))
    same(lambda graph: prioritize(graph, "prio").order)
    assert list(Sorter(workflow, order=mine).static_order()) == mine
    if len(left):
        same(lambda graph: best_cluster(graph, 1).tasks)
