"""Orders as other engines take them; Luigi, HyperQueue and Parsl run examples for real."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import ArgumentError, Dag, prioritize
from icsched.plugins.engine_arguments import (
    FEW_LEVELS,
    airflow_arguments,
    hyperqueue_priorities,
    luigi_priorities,
    parsl_specifications,
)
from tests.strategies import dags_with_orders

EXAMPLES = Path(__file__).parents[2] / "examples" / "engines"
BIN = Path(sys.executable).parent

r"""
  a   c
  |  / \        c, a, b, d, e
  b d   e
"""
PLAN = prioritize({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}, ["c", "a", "b", "d", "e"])


def test_hyperqueue_gets_a_level_for_each_task_while_there_are_few():
    assert hyperqueue_priorities(PLAN) == {"c": 4, "a": 3, "b": 2, "d": 1, "e": 0}


def test_hyperqueue_gets_few_levels_of_about_as_many_tasks():
    """Five tasks in two levels: the first three, and the last two."""
    assert hyperqueue_priorities(PLAN, levels=2) == {"c": 1, "a": 1, "b": 1, "d": 0, "e": 0}
    assert set(hyperqueue_priorities(PLAN, levels=1).values()) == {0}


@given(dags_with_orders(), st.integers(1, 10))
def test_levels_never_go_up_along_an_order_and_are_filled_evenly(case, levels):
    dag, order = case
    priorities = hyperqueue_priorities(prioritize(dag, order), levels=levels)
    values = list(priorities.values())

    assert list(priorities) == [dag.names[task] for task in order]
    assert values == sorted(values, reverse=True)
    sizes = [values.count(level) for level in set(values)]
    assert len(sizes) == min(levels, len(dag))
    assert not sizes or max(sizes) - min(sizes) <= 1


def test_a_large_workflow_has_32_levels_for_hyperqueue():
    values = hyperqueue_priorities(prioritize(Dag.from_arcs(1000, []), "fifo")).values()

    assert set(values) == set(range(FEW_LEVELS))


def test_parsl_runs_lower_numbers_first_and_taskvine_higher_ones():
    assert parsl_specifications(PLAN)["c"] == {"priority": 1}
    assert parsl_specifications(PLAN)["e"] == {"priority": 5}
    assert parsl_specifications(PLAN, higher_first=True)["c"] == {"priority": 5}
    assert parsl_specifications(PLAN, higher_first=True)["e"] == {"priority": 1}


@given(dags_with_orders())
def test_luigi_finds_every_parent_above_its_children(case):
    dag, order = case
    priorities = luigi_priorities(prioritize(dag, order))

    for parent, child in dag.arcs.tolist():
        assert priorities[dag.names[parent]] > priorities[dag.names[child]]


def test_airflow_gets_absolute_weights():
    assert airflow_arguments(PLAN)["c"] == {"priority_weight": 5, "weight_rule": "absolute"}
    assert airflow_arguments(PLAN)["e"] == {"priority_weight": 1, "weight_rule": "absolute"}


def test_an_empty_workflow_has_no_priorities():
    empty = prioritize({}, "fifo")

    assert hyperqueue_priorities(empty) == parsl_specifications(empty) == {}
    assert luigi_priorities(empty) == airflow_arguments(empty) == {}


@pytest.mark.parametrize(
    "make", [hyperqueue_priorities, parsl_specifications, luigi_priorities, airflow_arguments]
)
def test_what_is_not_a_plan_is_one_line(make):
    with pytest.raises(ArgumentError, match=r"^expected a Plan, as prioritize returns it, got \{"):
        make({"a": []})


@pytest.mark.parametrize("levels", [0, -1, 2.5, "many"])
def test_a_wrong_number_of_levels_is_one_line(levels):
    with pytest.raises(ArgumentError, match=r"^levels: expected a whole number, 1 or more"):
        hyperqueue_priorities(PLAN, levels=levels)


@pytest.mark.parametrize("engine", ["luigi", "hyperqueue", "parsl"])
def test_the_engine_starts_tasks_in_the_order_of_the_plan(engine, tmp_path):
    """One worker, and tasks submitted in another order: only priorities can make this order."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{engine}_order.py"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    order, started = (line.split()[1:] for line in done.stdout.splitlines()[-3:-1])
    assert len(order) == 24
    assert started == order
    assert order[:12] != sorted(order[:12])  # the examples submit tasks in this order
