"""Runs that are hit by faults lose nothing: a sample of what tools/chaos.py tries."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import chaos

SCRIPT = Path(chaos.__file__)


@pytest.mark.parametrize(
    ("words", "folder"),
    [(["-m", "tools.chaos"], SCRIPT.parents[1]), ([SCRIPT], SCRIPT.parents[2])],
)
def test_it_starts_as_a_module_in_the_root_and_as_a_script_anywhere(words, folder, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)

    subprocess.run([sys.executable, *words, "--help"], cwd=folder, check=True)


@pytest.mark.parametrize("seed", range(4))  # one of each fault
def test_no_job_is_lost_and_no_completed_job_runs_again(seed):
    found = chaos.trial(seed)

    assert found.faults[0] == chaos.FAULTS[seed]
    assert (found.lost, found.doubled, found.problems) == ([], [], [])


AB = ["a", "b"]
DONE = {"a": [1.0, 4.0], "b": [6.0]}  # a ended twice


@pytest.mark.parametrize(
    ("faults", "problems"),
    [
        (["kill server"], ["1 unrecorded, expected 0 at most"]),
        (["kill server", "kill server"], ["1 unrecorded, expected 0 at most"]),
        (["kill server", "kill worker"], []),
        (["full disk"], []),
        (["kill server", "unwritable journal"], []),
    ],
)
def test_an_end_that_no_journal_knows_is_wrong_unless_a_worker_or_a_disk_is_hit(faults, problems):
    """The journal knows the second end of a alone, as if workers recorded nothing."""
    found = chaos.Verdict(0, tuple(faults))
    found.judge(AB, {"a": [0.0, 3.0], "b": [5.0]}, DONE, {"a": 4.0, "b": 6.0})

    assert (found.lost, found.doubled, found.unrecorded) == ([], [], ["a"])
    assert found.problems == problems
    assert found.is_bad == bool(problems)


def test_a_job_that_begins_after_its_completion_is_doubled_and_one_without_end_is_lost():
    found = chaos.Verdict(0, ("kill worker",))
    found.judge(AB, {"a": [0.0, 3.0], "b": [5.0]}, {"a": [1.0, 4.0]}, {"a": 1.0})

    assert (found.doubled, found.lost, found.is_bad) == (["a"], ["b"], True)
