"""Answers as data: they pickle, and become plain data and data frames."""

import json
import pickle
import sys
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import icsched
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
from icsched.errors import EngineError
from icsched.orders import memory_curve
from icsched.orders.definition import Choice
from icsched.pebble import compare
from icsched.sim import Experiment, Paired, Played, Timeline
from icsched.sim.race import Interval, Raced
from tests.sim.models import simulate_runs, trace

DAG = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
PLAN = prioritize(DAG, "prio")
FOUND = simulate(DAG, ["prio", "fifo"], sampling=Paired(most_runs=20))
MODEL = DAG, Played("fifo"), Pool(), Times()
EARLIER = Interval(0.9, 0.85, 0.95)
RATIOS = {"prio": 0.9, "fifo": 1.0}
WORKER = {"schema": 1, "kind": "workers", "count": 1}
CHOICE = Choice(
    "prio",
    "fifo",
    EARLIER,
    RATIOS,
    (WORKER,),
    True,
    False,
    40,
    7,
    1.0,
    0.5,
    {"prio": EARLIER},
    {"fifo": EARLIER},
)
RACED = Raced("prio", "fifo", RATIOS, EARLIER, 40, 0.5, {"prio": EARLIER})

ANSWERS = [
    DAG,
    PLAN,
    PLAN.schedule,
    PLAN.proof,
    PLAN.analysis,
    FOUND,
    Timeline.of(Experiment(MODEL[0], *MODEL[2:]), MODEL[1], seed=1, runs=2, until=3.0),
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
    CHOICE,
    RACED,
    CHOICE.ratio,
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


COLUMNS = {  # `eligible` counts after each task: c frees d and e
    "task": ["c", "a", "b", "d", "e"],
    "priority": [5, 4, 3, 2, 1],
    "eligible": [3, 3, 2, 1, 0],
}
CHAIN = Dag({"x": [], "y": ["x"]})  # one worker runs x until 1 and y until 2, without waiting
STEPS = trace(CHAIN, Played("fifo"), Workers(1), Times("constant"), seed=1, run=0)
ASSIGNMENTS = {
    "time": [0.0, 1.0],
    "task": ["x", "y"],
    "request": [0, 0],
    "end": [1.0, 2.0],
    "ending": ["result", "result"],
}
BATCHES = {"time": [0.0, 1.0], "size": [1, 1], "eligible": [1, 1]}
RUN = {
    "time": [2.0],
    "batches": [2],
    "stalls": [0],
    "requests": [2],
    "work": [2.0],
    "presence": [2.0],
    "stall": [0.0],
    "utilisation": [1.0],
}
RUNS = {"tasks": 2, "workers": 1, **RUN}
SLOTS = {"time": [0.0, 1.0], "eligible": [2.0, 3.0], "idle": [0.5, 0.0]}
LINKS = [{"block": block, "count": 1, "sign": "priority"} for block in ("W(1,2)", "N(1)")]
GUARANTEE = {"kind": "exact", "gap": None, "timed_out": False}
RATIO = {"mean": 0.9, "low": 0.85, "high": 0.95}
FALLS_SHORT = {"step": 1, "eligible": 2, "best_eligible": 3, "better": ["c"]}

# Answers, what their `to_dict` gives, and the columns of their `to_pandas` if they have it.
AS_DATA = [
    (PLAN, {"ordered_by": "prio", **COLUMNS}, COLUMNS),
    (PLAN.schedule, COLUMNS, COLUMNS),
    (
        order_within(DAG, 9),
        {
            "limit": 9,
            "memory": 2,
            "unit": "open results",
            "area": 11,
            "exact": True,
            "ordered_by": "prio",
            **COLUMNS,
        },
        COLUMNS,
    ),
    (
        PLAN.proof,
        {
            "is_ic_optimal": True,
            "theorem": "blocks",
            "chain": {"links": LINKS, "is_cut": False},
            "no_order_is_ic_optimal": False,
            "has_largest_area": False,
            "steps": None,
        },
        None,
    ),
    (verify(DAG, ["a", "b", "c", "d", "e"]), {"ic_optimal": False, **FALLS_SHORT}, None),
    (verify(DAG, PLAN), {"ic_optimal": True, **dict.fromkeys(FALLS_SHORT)}, None),
    (
        compare(DAG, PLAN, PLAN.fifo),
        {
            "difference": [0, 1, 0, 0, 0, 0],
            "largest_lead": [1, 1],
            "largest_lag": [0, 0],
            "area_ratio": 1.1,
        },
        None,
    ),
    (
        best_batch(DAG, [], 1),
        {"take": ["c"], "eligible_after": 3, "method": "tree", "guarantee": GUARANTEE},
        None,
    ),
    (
        best_cluster(DAG, 1, clusterer="direct"),
        {
            "tasks": ["c"],
            "cut_arcs": 2,
            "productive": True,
            "clusterer": "direct",
            "cut_bytes": None,
        },
        None,
    ),
    (STEPS.assignments, ASSIGNMENTS, ASSIGNMENTS),
    (STEPS.batches, BATCHES, BATCHES),
    (STEPS.result, RUNS, RUN),
    (STEPS, {"assignments": ASSIGNMENTS, "batches": BATCHES, "result": RUNS}, None),
    (Timeline(*map(np.array, SLOTS.values())), SLOTS, SLOTS),
    (EARLIER, RATIO, None),
    (
        RACED,
        {
            "winner": "prio",
            "present": "fifo",
            "ratios": RATIOS,
            "checked": RATIO,
            "runs": 40,
            "seconds": 0.5,
            "intervals": {"prio": RATIO},
            "ends": {},
            "is_clear": True,
        },
        None,
    ),
    (
        CHOICE,
        {
            "best": "prio",
            "present": "fifo",
            "ratio": RATIO,
            "ratios": RATIOS,
            "pools": [WORKER],
            "is_own_pool": True,
            "is_timed": False,
            "runs": 40,
            "seed": 7,
            "budget": 1.0,
            "budget_used": 0.5,
            "intervals": {"prio": RATIO},
            "ends": {"fifo": RATIO},
            "is_clear": True,
            "chosen": "prio",
            "is_worth_it": True,
            "exceeds_budget": False,
        },
        None,
    ),
]


@pytest.mark.parametrize(
    ("answer", "data", "columns"), AS_DATA, ids=[type(row[0]).__name__ for row in AS_DATA]
)
def test_an_answer_becomes_plain_data_and_a_table_if_it_is_one(answer, data, columns):
    assert json.loads(json.dumps(answer.to_dict())) == data
    assert list(answer.to_dict()) == list(data)
    assert hasattr(answer, "to_pandas") == (columns is not None)
    if columns is not None:
        assert answer.to_pandas().to_dict("list") == columns


INPUTS = {
    "HTCondor",
    "Machine",
    "Machines",
    "Paired",
    "PaperSampling",
    "Played",
    "Pool",
    "Recorded",
    "RunTimeTable",
    "Times",
    "Workers",
}
PARTS = {"Estimates", "Mean", "Ratio", "Ratios"}  # of a Simulation


@pytest.mark.parametrize("module", [icsched, icsched.pebble, icsched.sim], ids=lambda m: m.__name__)
def test_every_exported_dataclass_is_an_input_or_an_answer_that_is_tested(module):
    exported = {name for name in module.__all__ if is_dataclass(getattr(module, name))}
    tested = {type(answer).__name__ for answer, *_ in AS_DATA} & {
        type(answer).__name__ for answer in [*ANSWERS, STEPS.assignments, STEPS.batches]
    }

    assert exported - INPUTS - PARTS - {"Simulation", "Workflow"} <= tested


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
