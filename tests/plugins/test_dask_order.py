"""Dask's order as a peer."""

import os
import subprocess
import sys

import pytest
from hypothesis import given

from icsched import Dag, families
from icsched.errors import EngineError
from icsched.pebble import check_order
from icsched.plugins.dask import dask_order
from tests.strategies import dags


@given(dags(most_tasks=9))
def test_dasks_order_is_legal(dag):
    assert sorted(check_order(dag, dask_order(dag)).tolist()) == list(range(len(dag)))


def test_dask_finishes_a_branch_before_it_starts_the_next():
    r"""
    a     b
    |     |     Dask runs depth first, to let go of results early.
    c     d
    """
    order = dask_order(Dag({"a": [], "b": [], "c": ["a"], "d": ["b"]})).tolist()

    assert order in ([0, 2, 1, 3], [1, 3, 0, 2])


def test_dasks_order_is_the_same_on_any_hash_seed():
    code = (
        "from icsched import families; from icsched.plugins.dask import dask_order;"
        "print(dask_order(families.random_layered(200, 8, seed=3)).tolist())"
    )
    here = dask_order(families.random_layered(200, 8, seed=3)).tolist()
    for seed in ("1", "2"):
        out = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert out == f"{here}\n"


def test_without_dask_one_line_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.task_spec", None)

    with pytest.raises(EngineError) as caught:
        dask_order(families.mesh(2))
    assert str(caught.value) == "dask is not installed: run pip install 'icsched[dask]'"
