"""What stands where icsched looks for a file of its own, or has a name that no file can have."""

import os
import subprocess

import pytest

from tests.cli.conftest import SCRIPT

JOBS = "JOB a x.sub\nJOB b x.sub\n"
SUBMIT = "executable = /bin/true\nqueue\n"
ORDINARY = "expected an ordinary file"
IN_PLACE = ("prio", "wf.dag", "--in-place")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working directory with two workflows, one of them in a splice of the other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wf.dag").write_text("SPLICE s inner.dag\n")
    (tmp_path / "inner.dag").write_text(JOBS)
    (tmp_path / "x.sub").write_text(SUBMIT)
    return tmp_path


@pytest.mark.parametrize(
    ("pipe", "words"),
    [
        ("out.dag", ("cluster", "inner.dag", "--size", "2", "-o", "out.dag")),
        ("wf.dag.icsched", IN_PLACE),
        ("wf.dag.icsched", ("prio", "wf.dag", "--remove")),
    ],
)
def test_no_command_waits_for_a_pipe_at_the_place_of_a_file_of_icscheds(pipe, words):
    os.mkfifo(pipe)

    done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (1, f"icsched: {pipe}: {ORDINARY}\n")
