"""Reports as JSON, and a workflow."""

import json

import pytest

from icsched.sim import AnyPool, pool_to_dict
from tests.cli.report.samples import WORKFLOW


@pytest.fixture
def report(icsched, put):
    """Return a report as JSON; a *pool* is given in a file."""

    def runner(*words: str, pool: AnyPool | None = None) -> dict:
        if pool is not None:
            put({"pool.json": json.dumps(pool_to_dict(pool))})
            words += ("--pool", "pool.json")
        result = icsched("report", *words, "--json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out)

    return runner


@pytest.fixture
def fork(put) -> str:
    r"""
    lone    a
           / \      First come, first served begins with lone, a good order with a.
          b   c
    """
    put({"wf.dag": WORKFLOW})
    return "wf.dag"
