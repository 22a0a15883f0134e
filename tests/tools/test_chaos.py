"""Runs that are hit by faults lose nothing: a sample of what tools/chaos.py tries."""

import pytest

from tools import chaos


@pytest.mark.parametrize("seed", range(4))  # one of each fault
def test_no_job_is_lost_and_no_completed_job_runs_again(seed):
    found = chaos.trial(seed)

    assert found.faults[0] == chaos.FAULTS[seed]
    assert (found.lost, found.doubled, found.problems) == ([], [], [])
