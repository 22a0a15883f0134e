"""The exact referee against its plain twin, and its limits."""

import subprocess
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from icsched import Dag, _native, eligibility_profile, verify
from icsched.errors import LimitError, ScheduleError
from icsched.pebble import Verdict, area, ic_optimal_order, maximum_area_order, optimal_profile
from tests import twins
from tests.strategies import dags, dags_with_orders, naturally_labelled_dags


def check_against_twin(dag: Dag) -> None:
    twin = twins.Referee(dag)
    assert optimal_profile(dag).tolist() == twin.optimal_profile
    assert area(dag, maximum_area_order(dag)) == twin.maximum_area
    order = ic_optimal_order(dag)
    assert (order is not None) == twin.has_ic_optimal_order
    if order is not None:
        assert eligibility_profile(dag, order).tolist() == twin.optimal_profile


@pytest.mark.parametrize("tasks", range(7))
def test_the_referee_equals_its_twin_on_every_dag_of_up_to_six_tasks(tasks):
    for dag in naturally_labelled_dags(tasks):
        check_against_twin(dag)


@given(dags(most_tasks=9))
def test_the_referee_equals_its_twin_on_larger_dags_with_any_numbering(dag):
    check_against_twin(dag)


@given(dags_with_orders())
def test_no_order_has_more_area_or_more_eligible_tasks_than_the_referee_allows(dag_and_order):
    dag, order = dag_and_order
    profile = eligibility_profile(dag, order)

    assert (profile <= optimal_profile(dag)).all()
    assert profile.sum() <= area(dag, maximum_area_order(dag))


@given(dags_with_orders())
def test_verify_confirms_exactly_the_optimal_orders_and_its_better_set_is_better(dag_and_order):
    dag, order = dag_and_order
    twin = twins.Referee(dag)
    profile = eligibility_profile(dag, order).tolist()

    verdict = verify(dag, order)

    assert verdict.ic_optimal == (profile == twin.optimal_profile)
    if verdict.better is not None:
        assert profile[: verdict.step] == twin.optimal_profile[: verdict.step]
        assert verdict.eligible == profile[verdict.step] < verdict.best_eligible
        assert len(verdict.better) == verdict.step
        assert twin.eligible(verdict.better) == verdict.best_eligible


def test_verify_names_the_set_that_would_have_been_better():
    r"""
    a   c
    |   |     After a, b only c is eligible; after a, c both b and d are.
    b   d
    """
    two_chains = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"]})

    assert verify(two_chains, [0, 1, 2, 3]) == Verdict(
        ic_optimal=False, step=2, eligible=1, best_eligible=2, better=(0, 2)
    )
    assert verify(two_chains, [0, 2, 1, 3]) == Verdict(ic_optimal=True)


def test_a_sink_run_too_early_is_found_at_the_latest_when_all_nonsinks_could_have_run():
    r"""
    a   b   x
     \ /         After x, a only b is eligible; after a, b both c and x are.
      c
    """
    dag = Dag({"a": [], "b": [], "c": ["a", "b"], "x": []})

    assert verify(dag, [3, 0, 1, 2]).better == (0, 1)


def test_a_dag_may_have_no_ic_optimal_order():
    r"""
    a     b c d     After one step only {a} has four eligible; after three only
    |      \|/      {b, c, d} has (a, x2, x3, x4), and that does not contain a.
    x1  x2 x3 x4
    """
    bcd = ["b", "c", "d"]
    dag = Dag({"a": [], "b": [], "c": [], "d": [], "x1": ["a"], "x2": bcd, "x3": bcd, "x4": bcd})

    assert optimal_profile(dag).tolist() == [4, 4, 3, 4, 4, 3, 2, 1, 0]
    assert ic_optimal_order(dag) is None


@given(dags())
def test_a_set_costs_the_parents_in_each_different_set_of_parents_once_for_all_nonsinks(dag):
    assume(len(dag.nonsinks))
    different = {tuple(dag.parent_rows[task].tolist()) for task in range(len(dag))}
    looks = sum(map(len, different)) // len(dag.nonsinks)

    assert _native.looks_a_set(dag.parent_rows, len(dag.nonsinks)) == looks


def test_past_its_limit_the_referee_says_so():
    twenty_pairs = Dag.from_arcs(40, [(i, 20 + i) for i in range(20)])  # 2**20 ideals

    message = r"gave up at 1,000 sets of executed tasks; this dag of 40 tasks is too large"
    for question in (optimal_profile, maximum_area_order, ic_optimal_order):
        with pytest.raises(LimitError, match=message):
            question(twenty_pairs, limit=1000)
    with pytest.raises(LimitError, match=message):
        verify(twenty_pairs, range(40), limit=1000)


def test_past_two_gigabytes_the_referee_says_so():
    """A thousand pairs: half a million ideals of two tasks, of some 800 bytes each, and so on."""
    pairs = Dag.from_arcs(2048, [(i, 1024 + i) for i in range(1024)])

    with pytest.raises(LimitError, match="gave up at 2 GB of memory; this dag of 2,048 tasks"):
        maximum_area_order(pairs)


@given(dags(most_tasks=6), st.sampled_from([63, 64, 65, 128, 200, 256, 300, 700]))
def test_a_chain_before_a_dag_adds_one_eligible_task_for_each_of_its_steps(dag, length):
    """Sets of many words; the answers for the dag alone come from the twin."""
    sources = [(length - 1, length + task) for task in dag.sources.tolist()]
    chain = [(i, i + 1) for i in range(length - 1)]
    whole = Dag.from_arcs(length + len(dag), [*chain, *sources, *(dag.arcs + length).tolist()])
    twin = twins.Referee(dag)

    assert optimal_profile(whole).tolist() == [1] * length + twin.optimal_profile
    assert area(whole, maximum_area_order(whole)) == length + twin.maximum_area
    assert (ic_optimal_order(whole) is not None) == twin.has_ic_optimal_order


def test_past_1024_nonsinks_the_referee_says_so():
    chain = Dag.from_arcs(1026, [(i, i + 1) for i in range(1025)])

    with pytest.raises(LimitError, match=r"up to 1,024 tasks that .*; this one has 1,025"):
        optimal_profile(chain)
    assert ic_optimal_order(chain.induced(range(1025))).tolist() == list(range(1025))


@pytest.mark.parametrize("question", ["optimal_profile", "ic_optimal_order", "maximum_area_order"])
def test_an_interrupt_ends_a_long_walk(question):
    """Two to the 60 ideals: only the interrupt can end this."""
    program = f"""
import _thread, threading
import icsched
pairs = icsched.Dag.from_arcs(120, [(i, 60 + i) for i in range(60)])
threading.Timer(0.2, _thread.interrupt_main).start()
icsched.pebble.{question}(pairs, limit=3_000_000_000)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.stderr.endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize("question", ["optimal_profile", "ic_optimal_order", "maximum_area_order"])
def test_the_referee_asks_by_time_even_if_each_set_is_slow(question):
    """Sinks with 400,000 sets of parents: a set of executed tasks takes 0.1 ms."""
    program = f"""
import itertools, _thread, threading, time
import icsched
sinks = itertools.islice(itertools.combinations(range(22), 11), 400_000)
arcs = [(parent, 22 + i) for i, parents in enumerate(sinks) for parent in parents]
wide = icsched.Dag.from_arcs(400_022, arcs)
begin = time.process_time()
threading.Timer(0.5, _thread.interrupt_main).start()
try:
    icsched.pebble.{question}(wide, limit=3_000_000_000)
except KeyboardInterrupt:
    print(time.process_time() - begin)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )

    assert float(done.stdout) < 5


def test_verify_refuses_an_order_that_is_not_legal():
    with pytest.raises(ScheduleError, match="step 1 runs 'b' before its parent 'a'"):
        verify(Dag({"a": [], "b": ["a"]}), [1, 0])
