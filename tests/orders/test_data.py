"""Answers as data: they pickle, and become plain data and data frames."""

import json
import pickle
import sys
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from icsched import (
    Dag,
    Pool,
    Times,
    Workers,
    best_batch,
    best_cluster,
    order_within,
    prioritize,
    simulate,
    verify,
)
from icsched.compare import Paired, Timeline
from icsched.errors import EngineError
from icsched.orders import memory_curve
from icsched.pebble import compare
from icsched.sim import Played, simulate_runs, trace

DAG = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
PLAN = prioritize(DAG)
FOUND = simulate(DAG, ["prio", "fifo"], sampling=Paired(most_runs=20))
MODEL = DAG, Played("fifo"), Pool(), Times()

ANSWERS = [
    DAG,
    PLAN,
    PLAN.schedule,
    PLAN.proof,
    PLAN.analysis,
    FOUND,
    Timeline.of(*MODEL, seed=1, runs=2, until=3.0),
    simulate_runs(*MODEL, seed=1, runs=2),
    trace(*MODEL, seed=1, run=0),
    order_within(DAG, 9),
    memory_curve(DAG),
    verify(DAG, ["a", "b", "c", "d", "e"]),
    compare(DAG, PLAN, PLAN.fifo),
    best_batch(DAG, [], 2),
    best_cluster(DAG, 3),
    Played("static", PLAN),
    Pool(),
    Workers(2),
    Times(means={"a": 1.0}),
]


def same(first: object, second: object) -> bool:
    """Whether two answers have equal fields, arrays included."""
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second)
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if not is_dataclass(first):
        return first == second
    pairs = ((getattr(first, f.name), getattr(second, f.name)) for f in fields(first))
    return type(first) is type(second) and all(same(*pair) for pair in pairs)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_an_answer_survives_pickling(answer):
    assert same(answer, pickle.loads(pickle.dumps(answer)))  # noqa: S301  our own bytes


def test_an_unpickled_order_cannot_be_changed():
    again = pickle.loads(pickle.dumps(PLAN))  # noqa: S301

    assert not again.order.flags.writeable


def test_a_plan_becomes_a_table():
    """Column `eligible` counts after each task: c frees d and e."""
    columns = {
        "task": ["c", "a", "b", "d", "e"],
        "priority": [5, 4, 3, 2, 1],
        "eligible": [3, 3, 2, 1, 0],
    }

    assert json.loads(json.dumps(PLAN.to_dict())) == {"ordered_by": "prio", **columns}
    assert PLAN.to_pandas().to_dict("list") == columns


def test_a_simulation_becomes_a_table():
    frame = FOUND.to_pandas()

    assert frame["order"].tolist() == ["prio"] * 3 + ["fifo"] * 3
    assert frame["metric"].tolist() == ["time", "stall", "utilisation"] * 2
    assert frame["mean"][3] == FOUND.orders["fifo"].time.mean
    plain = json.loads(json.dumps(FOUND.to_dict()))
    assert plain["orders"]["fifo"]["time"]["low"] == FOUND.orders["fifo"].time.low


def test_without_pandas_there_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(EngineError, match=r"pandas is not installed: run .*icsched\[pandas\]"):
        PLAN.to_pandas()
