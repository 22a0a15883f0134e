"""`batch` against every batch there is, on small dags and random ones."""

from itertools import combinations

import numpy as np
import pytest

import icsched
from icsched import ArgumentError, Dag, families
from icsched.errors import GameError, UnknownTaskError
from icsched.theory.batch import EXACT
from tests.strategies import naturally_labelled_dags
from tests.theory.batches.brute import best_eligible, check, random_problem, states, subsets
from tests.twins import eligible_after

APPLY_ALWAYS = ("auto", "exact", "greedy")


def batches(dag, executed, r, running=()):
    """The batch of every method that applies."""
    for method in APPLY_ALWAYS:
        yield method, icsched.best_batch(dag, executed, r, running=running, method=method)
    for method in ("tree", "expansive"):
        try:
            yield method, icsched.best_batch(dag, executed, r, running=running, method=method)
        except GameError as error:
            assert str(error).startswith(f"method {method}: ")  # noqa: PT017


def check_state(dag, executed, running=()):
    for r in range(1, max(2, len(eligible_after(dag, set(executed))) - len(running) + 1)):
        best = best_eligible(dag, set(executed), r, set(running))
        for method, batch in batches(dag, executed, r, running):
            check(dag, set(executed), r, batch, best, set(running))
            if method in ("exact", "tree"):
                assert batch.guarantee == EXACT


@pytest.mark.parametrize("tasks", range(1, 5))
def test_no_claim_is_false_in_any_state_of_any_dag_with_up_to_four_tasks(tasks):
    for dag in naturally_labelled_dags(tasks):
        for executed in states(dag):
            for running in subsets(sorted(eligible_after(dag, set(executed)))):
                check_state(dag, executed, running)


def test_no_claim_is_false_in_any_state_of_any_dag_with_five_tasks():
    """States with the same tasks left and the same arcs between them are looked at once."""
    seen = set()
    for dag in naturally_labelled_dags(5):
        for executed in states(dag):
            left = dag.residual(executed)
            key = len(left), left.arcs.tobytes()
            if key not in seen:
                seen.add(key)
                check_state(dag, executed)
    assert len(seen) > 1024  # all dags of five tasks, and all smaller ones


def test_no_claim_is_false_at_the_start_of_any_dag_with_six_tasks():
    """Dags in which the same sets of sources enable the same tasks are looked at once.

    A later state is the start of a smaller dag, as the next test shows.
    """
    pairs = list(combinations(range(6), 2))
    seen = {}
    for bits in range(2 ** len(pairs)):
        parents = [0] * 6
        for i, (a, b) in enumerate(pairs):
            parents[b] |= (bits >> i & 1) << a
        sources = sum(1 << task for task in range(6) if not parents[task])
        sinks = sorted(mask for mask in parents if mask and not mask & ~sources)
        seen.setdefault((sources, *sinks), bits)
    for bits in seen.values():
        check_state(Dag.from_arcs(6, [p for i, p in enumerate(pairs) if bits >> i & 1]), ())


def test_a_state_is_the_start_of_what_is_left():
    rng = np.random.default_rng(1)
    for _ in range(300):
        dag = families.random_layered(12, 4, seed=int(rng.integers(10**6)))
        executed = dag.fifo_order[: rng.integers(12)].tolist()
        left = dag.residual(executed)
        names = [task for task in range(12) if task not in executed]
        for method in APPLY_ALWAYS:
            here = icsched.best_batch(dag, executed, 3, method=method)
            there = icsched.best_batch(left, [], 3, method=method)
            assert here.take == tuple(names[task] for task in there.take)
            assert here.eligible_after == there.eligible_after


def test_no_claim_is_false_on_random_fronts():
    rng = np.random.default_rng(2)
    for _ in range(400):
        problem = random_problem(rng, int(rng.integers(1, 11)))
        dag, enabled = problem.dag, problem.best_enabled()
        for r in range(1, problem.sources + 1):
            best = len(dag.sources) + enabled[r] - r
            for _, batch in batches(dag, [], r):
                assert batch.eligible_after == len(dag.sources) + problem.enabled(batch.take) - r
                check(dag, set(), r, batch, best)


def test_a_batch_looks_past_tasks_that_enable_nothing_alone():
    r"""
    a   b   c       No single task enables anything, but a and b together do.
     \ /
      d
    """
    dag = Dag({"c": [], "a": [], "b": [], "d": ["a", "b"]})

    for method in (*APPLY_ALWAYS, "tree"):
        assert icsched.best_batch(dag, [], 2, method=method).take == (1, 2)


def test_tasks_that_wait_for_the_same_parents_count_together():
    r"""
    a   b    c
    |\ /|    |     d and e make it a cycle, which is a tree if they are one:
    | X |    |     a and b enable two tasks, c one.
    |/ \|    |
    d   e    f
    """
    dag = Dag({"c": [], "a": [], "b": [], "d": ["a", "b"], "e": ["a", "b"], "f": ["c"]})

    answer = icsched.best_batch(dag, [], 2)
    assert answer == icsched.Batch((1, 2), 3, "tree", EXACT)
    assert icsched.best_batch(dag, [], 2, method="greedy").take == (1, 2)


def test_what_runs_counts_as_executed_and_is_not_taken_again():
    r"""
    a   b   c
     \ / \ / \      With a running, b enables d. With nothing running, c enables f.
      d   e   f
    """
    dag = Dag({"a": [], "b": [], "c": [], "d": ["a", "b"], "e": ["b", "c"], "f": ["c"]})

    assert icsched.best_batch(dag, [], 1).take == (2,)
    assert icsched.best_batch(dag, [], 1, running=[2]).take == (1,)
    both = icsched.best_batch(dag, [], 5, running=[0])
    assert both == icsched.Batch((1, 2), 3, "tree", EXACT)


def test_what_running_tasks_enable_cannot_be_taken_yet():
    chain = Dag({"a": [], "b": ["a"]})

    assert icsched.best_batch(chain, [], 3, running=[0]) == icsched.Batch((), 1, "tree", EXACT)
    assert icsched.best_batch(chain, [0, 1], 3) == icsched.Batch((), 0, "tree", EXACT)


def test_all_are_taken_if_there_are_no_more():
    dag = Dag({"a": [], "b": [], "c": ["a"]})

    assert icsched.best_batch(dag, [], 10**12).take == (0, 1)
    assert icsched.best_batch(dag, [0], 2).take == (1, 2)


def test_tasks_that_enable_nothing_are_taken_by_id():
    dag = Dag({task: [] for task in "abcdef"} | {"g": ["e"], "h": list("abcdf")})

    for method in (*APPLY_ALWAYS, "tree"):
        assert icsched.best_batch(dag, [], 3, method=method).take == (0, 1, 4)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (([1], 1, [], "auto"), "executed: task 'b' cannot have run: its parent 'a' has not"),
        (([], 0, [], "auto"), "r: expected a whole number, 1 or more, got 0"),
        (([], 1.5, [], "auto"), "r: expected a whole number, 1 or more, got 1.5"),
        (([], -3, [], "auto"), "r: expected a whole number, 1 or more, got -3"),
        (([], 1, [1], "auto"), "running: task 'b' is not eligible: its parent 'a' has not run"),
        (([0], 1, [0], "auto"), "running: task 'a' is executed already"),
        (([], 1, [], "best"), "method: expected auto, tree, expansive, exact or greedy, got"),
        (([], 1, [], "expansive"), "method expansive: expected each task to have 2 or more"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(arguments, complaint):
    executed, r, running, method = arguments
    is_argument = complaint.startswith(("r: ", "method: "))
    with pytest.raises(ArgumentError if is_argument else GameError) as error:
        icsched.best_batch(Dag({"a": [], "b": ["a"]}), executed, r, running=running, method=method)

    assert str(error.value).startswith(complaint)
    assert "\n" not in str(error.value)


def test_tasks_may_be_given_by_name():
    """a has run, and b runs, so that d is all that can be taken: c waits for b."""
    dag = Dag({"a": [], "b": ["a"], "c": ["b"], "d": ["a"]})

    assert icsched.best_batch(dag, ["a"], 2, running=["b"]).names == ("d",)
    assert icsched.best_batch(dag, [0], 2, running=[1]).names == ("d",)


@pytest.mark.parametrize("wrong", [[2], [-1], ["c"], [0.5], [True]])
def test_unknown_tasks_are_refused(wrong):
    dag = Dag({"a": [], "b": ["a"]})
    with pytest.raises(UnknownTaskError):
        icsched.best_batch(dag, wrong, 1)
    with pytest.raises(UnknownTaskError):
        icsched.best_batch(dag, [], 1, running=wrong)


def test_a_front_with_a_cycle_is_no_tree():
    """Three sources, and for each two of them a sink: a cycle of six."""
    dag = Dag({"a": [], "b": [], "c": [], "x": ["a", "b"], "y": ["b", "c"], "z": ["a", "c"]})

    with pytest.raises(GameError, match="method tree: expected trees, the piece of task 'a'"):
        icsched.best_batch(dag, [], 2, method="tree")
    assert icsched.best_batch(dag, [], 2) == icsched.Batch((0, 1), 2, "exact", EXACT)
