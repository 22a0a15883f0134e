"""A workflow whose order matters, and what `icsched prio --json` answers."""

import json

import pytest

from tests.cli.auto.late_chain import ALIKE, LATE_CHAIN


@pytest.fixture
def wf(put, folder):
    put({"wf.dag": LATE_CHAIN, "alike.dag": ALIKE})
    return folder / "wf.dag"


@pytest.fixture
def answer(icsched):
    """Run `icsched prio --json`; return what it says."""

    def runner(*words: str) -> dict:
        result = icsched("prio", *words, "--json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out)

    return runner
