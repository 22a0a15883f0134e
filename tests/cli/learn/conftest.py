"""Files to learn from, and what `icsched learn --json` answers."""

import json

import pytest

from tests.cli.learn.dags import FIVE_DAG, FORK_DAG
from tests.history.test_learning import FORK_LOG, SHRINKING


@pytest.fixture(autouse=True)
def files(put):
    put({"wf.dag": FORK_DAG, "wf.log": FORK_LOG, "five.dag": FIVE_DAG, "five.log": SHRINKING})


@pytest.fixture
def learn(icsched):
    """Return what was learned as JSON."""

    def runner(*words: str) -> dict:
        result = icsched("learn", *words, "--json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out)

    return runner
