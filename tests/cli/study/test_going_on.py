"""`icsched study` goes on after other options, kills and interrupts."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.study.grids import QUICK, cells, lines
from tests.cli.terminal import read_until

pytestmark = pytest.mark.usefixtures("workflow")


@pytest.mark.usefixtures("no_figures")
def test_cells_that_are_there_are_not_computed_again(icsched):
    icsched(
        "study", "wf.dag", "-o", "out", "--intervals", "0.1,1", "--batches", "1,4", "--runs", "500"
    )
    before = lines()

    result = icsched("study", "wf.dag", "-o", "out", *QUICK)

    assert result.out.startswith("wf: 4 of 6 cells were there already\nwf: 6 cells; ")
    assert lines()[:4] == before
    assert len(lines()) == 6
    assert len(cells()) == 6
    icsched("study", "wf.dag", "-o", "fresh", *QUICK)
    assert cells() == cells("fresh")


@pytest.mark.usefixtures("no_figures")
def test_a_renamed_workflow_keeps_its_cells(icsched, workflow):
    icsched("study", "wf.dag", "-o", "out", *QUICK)
    workflow.rename("other.dag")

    result = icsched("study", "other.dag", "-o", "out", *QUICK)

    assert result.out.startswith("other: 6 of 6 cells were there already\n")
    assert {cell["workflow"] for cell in cells()} == {"other"}


@pytest.mark.parametrize(
    "options", [("--seed", "1"), ("--batch-law", "fixed"), ("--half-width", "0.06")]
)
@pytest.mark.usefixtures("no_figures")
def test_other_options_reuse_nothing_and_lose_nothing(icsched, options):
    icsched("study", "wf.dag", "-o", "out", *QUICK)
    before = lines()

    result = icsched("study", "wf.dag", "-o", "out", *QUICK, *options)

    assert "already" not in result.out
    assert lines()[:6] == before
    assert len(lines()) == 12
    assert len(cells()) == 6
    again = icsched("study", "wf.dag", "-o", "out", *QUICK)
    assert again.out.startswith("wf: 6 of 6 cells were there already\n")


@pytest.mark.usefixtures("no_figures")
def test_a_changed_workflow_reuses_nothing(icsched, workflow):
    icsched("study", "wf.dag", "-o", "out", *QUICK)
    old = cells()
    workflow.write_text(workflow.read_text() + "JOB more x.sub\n")

    result = icsched("study", "wf.dag", "-o", "out", *QUICK)

    assert "already" not in result.out
    assert cells() != old


STOPPED = """
import os, signal, sys
from icsched import study
from icsched.commands.main import main
from icsched.study import store

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
how, left = sys.argv.pop(1), 3
add, write = store.Store.add, store._write

def stop_after(self, *cell):
    global left
    left -= 1
    if how == "torn" and left == 0:
        store._write = lambda handle, data: write(handle, data[:100]) or kill(signal.SIGKILL)
    add(self, *cell)
    if left == 0:
        kill(signal.SIGINT if how == "interrupted" else signal.SIGKILL)

def kill(number):
    os.kill(os.getpid(), number)

store.Store.add = stop_after
main()
"""


def stopped(how, *arguments):
    """Run a study that is stopped for real as its third cell is stored."""
    return subprocess.run(
        [sys.executable, "-c", STOPPED, how, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(("how", "there"), [("killed", 3), ("torn", 2)])
@pytest.mark.usefixtures("no_figures")
def test_a_study_that_was_killed_goes_on(icsched, how, there):
    """The torn line is a hundred bytes of the third cell, which is computed again."""
    done = stopped(how, "study", "wf.dag", "-o", "out", *QUICK)

    assert done.returncode == -signal.SIGKILL
    assert len(lines()) == 3
    assert lines()[-1].endswith(b"\n") == (how == "killed")
    result = icsched("study", "wf.dag", "-o", "out", *QUICK)
    assert result.out.startswith(f"wf: {there} of 6 cells were there already\nwf: 6 cells; ")
    assert all(line.endswith(b"\n") for line in lines())
    icsched("study", "wf.dag", "-o", "fresh", *QUICK)
    assert cells() == cells("fresh")
    assert Path("out/study.csv").read_bytes() == Path("fresh/study.csv").read_bytes()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_study_that_was_interrupted_says_so_and_goes_on(icsched, jobs):
    options = (*QUICK, "--threads", jobs)
    done = stopped("interrupted", "study", "wf.dag", "-o", "out", *options)

    assert done.returncode == 130
    assert done.stderr == (
        "icsched: stopped; run the same command to go on, with --no-run to see what is done\n"
    )
    assert not Path("out/study.csv").exists()
    assert len(lines()) == 3
    part = icsched("study", "wf.dag", "-o", "out", *options, "--no-run")
    assert part.out.startswith("wf: 3 of 6 cells; at best ")
    assert len(cells()) == 3
    assert Path("out/wf.svg").exists()
    result = icsched("study", "wf.dag", "-o", "out", *options)
    assert result.out.startswith("wf: 3 of 6 cells were there already\nwf: 6 cells; ")


ENDLESS = """
import signal
from icsched.commands.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
main()
"""


def test_ctrl_c_on_a_terminal_ends_a_cell_that_would_take_for_ever():
    """One cell of a million million tasks: a bar appears, and the interrupt does not wait."""
    terminal, end = pty.openpty()
    words = ["study", "wf.dag", "-o", "out", "--intervals", "1", "--batches", "1", "--threads", "1"]
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *words, "--half-width", "1e-6", "--runs", "10000000"],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        try:
            shown = read_until(terminal, b"simulating wf")
            process.send_signal(signal.SIGINT)
            out = process.communicate(timeout=60)[0]
            shown += read_until(terminal, b"what is done")
        finally:
            process.kill()
    os.close(end)
    os.close(terminal)

    assert process.returncode == 130
    assert out == b""
    assert b"icsched: stopped; run the same command to go on" in shown
    assert lines() == []
