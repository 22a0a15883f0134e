"""Runs where the system has neither `prctl` nor a set of usable cores, as on macOS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "run"

# Python imports it first in every process, so workers meet the same system as the server.
SYSTEM = """
import ctypes, os
del os.sched_getaffinity

class Library(ctypes.CDLL):
    def __getattr__(self, name):
        if name == "prctl":
            raise AttributeError(name)
        return super().__getattr__(name)

ctypes.CDLL = Library
"""


@pytest.fixture
def system(tmp_path):
    """The environment of processes on a system without these two."""
    folder = tmp_path / "system"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SYSTEM, encoding="utf-8")
    return {**os.environ, "PYTHONPATH": str(folder)}


def test_the_system_is_without_them(system):
    look = "import ctypes, os; print(hasattr(os, 'sched_getaffinity'), "
    look += "hasattr(ctypes.CDLL(None), 'prctl'))"
    done = subprocess.run([sys.executable, "-c", look], env=system, capture_output=True, text=True)

    assert done.stdout == "False False\n"


@pytest.mark.parametrize("workers", [["-j", "2"], []])
def test_a_workflow_runs_there_all_the_same(system, tmp_path, workers):
    for file in EXAMPLES.glob("words.*"):
        shutil.copy(file, tmp_path)
    command = [Path(sys.executable).with_name("icsched"), "run", "words.json", *workers]
    done = subprocess.run(command, cwd=tmp_path, env=system, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert "\nCompleted 4 jobs in " in done.stdout
