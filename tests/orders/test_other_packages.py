"""Orders and clusterers of other packages, which may fail in any way."""

import numpy as np
import pytest

from icsched import ClusterServer, Dag, prioritize
from icsched.errors import ClusterError, EngineError, ScheduleError
from icsched.orders import ORDERS, NamedOrder
from icsched.serve.clusters import CLUSTERERS
from icsched.serve.clusters.clusterer import Clusterer, NamedClusterer

CHAIN = Dag({"a": [], "b": ["a"], "c": ["b"]})


def not_installed(_dag):
    raise ImportError("No module named 'dask'")


def broken(_dag):
    raise ZeroDivisionError("division by zero")


def add(monkeypatch, table, entry):
    """Add an entry as the entry point of another package would."""
    monkeypatch.setitem(table._own, entry.name, entry)


@pytest.mark.parametrize(
    ("make", "kind", "problem"),
    [
        (
            not_installed,
            EngineError,
            "order theirs: No module named 'dask': run pip install 'icsched[dask]'",
        ),
        (broken, EngineError, "order theirs failed: ZeroDivisionError: division by zero"),
        (
            lambda _dag: None,
            ScheduleError,
            "order theirs: order: expected a plan, a schedule, or a list of task names or ids,"
            " got NoneType",
        ),
        (
            lambda _dag: np.array([0, 1]),
            ScheduleError,
            "order theirs: order: expected 3 tasks, got 2",
        ),
        (
            lambda _dag: np.array([1, 0, 2]),
            ScheduleError,
            "order theirs: step 1 runs 'b' before its parent 'a'",
        ),
    ],
)
def test_an_order_that_fails_is_named(monkeypatch, make, kind, problem):
    add(monkeypatch, ORDERS, NamedOrder("theirs", "Theirs.", make, extra="dask"))

    with pytest.raises(kind) as caught:
        prioritize(CHAIN, "theirs")

    assert str(caught.value) == problem


class LastFirst(Clusterer):
    """Proposes the last task, whose parents are not done."""

    def choose(self, _size):
        return [2]


def test_a_clusterer_that_breaks_the_rules_is_named(monkeypatch):
    entry = NamedClusterer("theirs", "Theirs.", lambda _ground: LastFirst("theirs", []))
    add(monkeypatch, CLUSTERERS, entry)

    with pytest.raises(ClusterError) as caught:
        ClusterServer(CHAIN, clusterer="theirs").take(1)

    assert str(caught.value) == "clusterer theirs: its set ['c'] is not self-contained"
