"""A workflow to order, and what `icsched prio --json` answers."""

import json

import pytest

from tests.cli.prio_write.sections import PAIR_AND_FORK


@pytest.fixture
def workflow(put, folder):
    r"""
    a    c
    |   / \      c a b d e is best: c frees two jobs, a only one.
    b  d   e
    """
    put({"wf.dag": PAIR_AND_FORK})
    return folder / "wf.dag"


@pytest.fixture
def answer(icsched):
    """Run `icsched prio --json`; return what it says."""

    def runner(*words: str) -> dict:
        order = () if "--order" in words else ("--order", "prio")
        result = icsched("prio", *order, *words, "--json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out)

    return runner
