"""Reports as JSON, and a workflow."""

import json

import pytest

from tests.cli.report.samples import WORKFLOW


@pytest.fixture
def report(icsched):
    """Return a report as JSON."""

    def runner(*words: str) -> dict:
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
