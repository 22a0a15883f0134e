"""A real HTCondor pool, for `make test-htcondor`; without one there is nothing to collect."""

import os
from pathlib import Path

import pytest

from tests.htcondor.pool import Condor

ROOT = os.environ.get("ICSCHED_HTCONDOR_ROOT")

collect_ignore_glob = [] if ROOT else ["*"]


@pytest.fixture(scope="session")
def pool(request):
    """The pool of the session; its directories stay if a test failed."""
    pool = Condor(Path(ROOT))
    yield pool
    if not request.session.testsfailed:
        pool.remove_directories()


@pytest.fixture
def condor(pool):
    """The pool, with an empty queue."""
    yield pool
    pool.clear()
