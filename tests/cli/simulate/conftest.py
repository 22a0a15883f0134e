"""A workflow to simulate, and what `icsched simulate` answers."""

import json

import pytest

from tests.cli.simulate.samples import QUICK, WORKFLOW


@pytest.fixture
def workflow(put) -> str:
    r"""
    lone    a
           / \      First come, first served begins with lone, a good order with a.
          b   c
    """
    put({"wf.dag": WORKFLOW})
    return "wf.dag"


@pytest.fixture
def answer(icsched, workflow):
    """Simulate the workflow with options; return the JSON object."""

    def runner(*options: str):
        result = icsched("simulate", workflow, "--json", *QUICK, *options)
        assert (result.code, result.err) == (0, "")
        assert result.out.count("\n") == 1
        return json.loads(result.out)

    return runner


@pytest.fixture
def refused(icsched, workflow):
    """Simulate the workflow with options that cannot be; return exit code and complaint."""

    def runner(*options: str) -> tuple[int, str]:
        result = icsched("simulate", workflow, *options)
        return result.code, result.complaint

    return runner
