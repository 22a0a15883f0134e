"""`icsched study`."""

import csv
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from icsched import Pool, families, read, simulate
from icsched.compare import Paired, PaperSampling
from icsched.formats import write_dagman
from tests.cli.terminal import read_until

BOTH = ("--order", "prio", "--order", "critical-path")
GRID = ("--intervals", "0.1,1", "--batches", "1,4,16")
QUICK = (*GRID, "--runs", "500")
OUTPUTS = ["study.csv", "study.json", "wf.svg", "wf.png", "wf-eligible.svg", "wf-eligible.png"]


pytestmark = pytest.mark.usefixtures("workflow")


@pytest.fixture
def no_figures(monkeypatch):
    """Take matplotlib away: drawing is slow, and tests of cells need none."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def workflow(folder):
    """AIRSN of width 10 as wf.dag, in the working directory."""
    write_dagman(families.airsn(10), "wf.dag")
    return folder / "wf.dag"


def cells(directory="out"):
    """Return the rows of study.json."""
    return json.loads(Path(directory, "study.json").read_text())["cells"]


def lines(directory="out"):
    return Path(directory, "cells.jsonl").read_bytes().splitlines(keepends=True)


def test_a_study_writes_cells_tables_and_figures(icsched, folder):
    result = icsched("study", "wf.dag", "-o", "out", *QUICK)

    assert (result.code, result.err) == (0, "")
    assert sorted(path.name for path in (folder / "out").iterdir()) == sorted(
        ["cells.jsonl", *OUTPUTS]
    )
    first, beside, last = result.out.splitlines()
    assert first.startswith("wf: 6 cells; at best prio takes 0.")
    assert beside.startswith("wf: 6 cells; at best critical-path takes ")
    assert last == f"wrote {', '.join(f'out/{name}' for name in OUTPUTS)}"
    with (folder / "out/study.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    places = [(float(row["interval"]), float(row["batch"])) for row in rows]
    assert places[::2] == [(0.1, 1), (0.1, 4), (0.1, 16), (1, 1), (1, 4), (1, 16)]
    assert [row["order"] for row in rows] == ["prio", "critical-path"] * 6


@pytest.mark.parametrize(
    ("options", "seed", "sizes", "sampling"),
    [
        ((), 0, "exponential", Paired()),
        (("--seed", "7", "--batch-law", "geometric"), 7, "geometric", Paired()),
        (("--half-width", "0.002", "--runs", "800"), 0, "exponential", Paired(0.002, 800)),
    ],
)
@pytest.mark.usefixtures("no_figures")
def test_a_cell_has_the_numbers_of_a_simulation(icsched, options, seed, sizes, sampling):
    icsched("study", "wf.dag", "-o", "out", "--intervals", "1", "--batches", "2", *options)
    dag = read("wf.dag").dag
    alone = simulate(
        dag,
        ["prio", "critical-path", "fifo"],
        pool=Pool(interval=1, batch=2, batch_law=sizes),
        seed=seed,
        sampling=sampling,
    )

    (cell,) = cells()
    assert (cell["runs"], cell["precise"]) == (alone.runs, alone.precise)
    for metric in ("time", "stall", "utilisation"):
        ratio = getattr(alone.ratio["prio_over_fifo"], metric)
        assert cell["ratio"]["prio_over_fifo"][metric] == (ratio and vars(ratio))
        for order in ("prio", "fifo"):
            mean = getattr(alone.orders[order], metric)
            assert cell["orders"][order][metric] == vars(mean)


@pytest.mark.usefixtures("no_figures")
def test_a_cell_is_what_the_library_simulates(icsched):
    """Every number equal, to the last bit, whatever the number of threads."""
    terms = ("--seed", "3", "--batch-law", "fixed", "--half-width", "0.002", "--runs", "900")
    grid = ("--intervals", "0.1,1", "--batches", "4,16")
    assert icsched("study", "wf.dag", "-o", "out", *grid, *terms, "--threads", "2").code == 0

    for cell in cells():
        place = ("--interval", str(cell["interval"]), "--batch", str(cell["batch"]))
        words = (*place, *terms, *BOTH, "--threads", "1", "--json")
        found = json.loads(icsched("simulate", "wf.dag", *words).out)
        assert cell["orders"] == found["orders"]
        assert cell["ratio"] == found["ratio"]
        assert (cell["runs"], cell["precise"]) == (found["runs"], found["precise"])
    assert len(cells()) == 4
    assert {cell["precise"] for cell in cells()} == {True, False}


@pytest.mark.usefixtures("no_figures")
def test_the_papers_statistics_are_used_when_asked_for(icsched, put):
    put({"wf.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\n"})

    icsched(
        *("study", "wf.dag", "-o", "out", "--paper-statistics"),
        *("--intervals", "1", "--batches", "2"),
    )

    (cell,) = cells()
    dag = read("wf.dag").dag
    alone = simulate(
        dag,
        ["prio", "critical-path", "fifo"],
        pool=Pool(interval=1, batch=2, batch_law="exponential"),
        sampling=PaperSampling(),
    )
    assert cell["runs"] == 300 * 300
    assert cell["ratio"]["prio_over_fifo"]["time"] == vars(alone.ratio["prio_over_fifo"].time)


@pytest.mark.usefixtures("no_figures")
def test_the_number_of_jobs_changes_no_file(icsched, folder):
    for jobs in ("1", "3"):
        icsched("study", "wf.dag", "-o", jobs, *QUICK, "--threads", jobs)

    for name in ("study.csv", "study.json"):
        assert (folder / "1" / name).read_bytes() == (folder / "3" / name).read_bytes()
    assert sorted(lines("1")) == sorted(lines("3"))


# Going on


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
from icsched.cli.main import main
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
from icsched.cli.main import main

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


# Names


def test_workflows_of_the_same_name_go_by_their_paths(icsched, put):
    put({"a/wf.dag": "JOB a x\n", "b/wf.dag": "JOB a x\nJOB b x\n"})

    icsched("study", "a/wf.dag", "b/wf.dag", "-o", "out", "--intervals", "1", "--batches", "1")

    assert [cell["workflow"] for cell in cells()] == ["a-wf", "b-wf"]
    assert Path("out/a-wf.svg").exists()
    assert Path("out/b-wf-eligible.png").exists()


@pytest.mark.usefixtures("no_figures")
def test_a_name_that_is_no_text_is_no_bug(icsched, put):
    name = b"\xff.dag".decode(errors="surrogateescape")
    put({name: "JOB a x\n"})

    result = icsched("study", name, "-o", "out", "--intervals", "1", "--batches", "1")

    assert result.code == 0
    assert [cell["workflow"] for cell in cells()] == ["\\udcff"]


@pytest.mark.usefixtures("no_figures")
def test_a_study_says_what_a_rescue_file_left(icsched, put):
    put({"wf.dag": "JOB a x\nJOB b x\n", "wf.dag.rescue001": "DONE a\n"})

    result = icsched("study", "wf.dag", "-o", "out", "--intervals", "1", "--batches", "1")

    first = result.out.splitlines()[0]
    assert first == "wf: 1 job done by wf.dag.rescue001; 1 job left to simulate"


# Without an extra


def test_without_matplotlib_the_tables_are_there_and_a_line_says_what_is_missing(
    icsched, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    result = icsched("study", "wf.dag", "-o", "out", *QUICK)

    assert result.code == 0
    assert result.err == (
        "icsched: no figures: matplotlib is not installed: run pip install 'icsched[plot]'\n"
    )
    assert result.out.endswith("wrote out/study.csv, out/study.json\n")
    assert not list(Path("out").glob("*.svg"))
    assert len(cells()) == 6


@pytest.mark.usefixtures("workflow")
def test_a_study_of_another_order_bears_its_name(icsched):
    icsched("study", "wf.dag", "-o", "out", "--order", "critical-path", *QUICK)

    with Path("out/study.csv").open(newline="") as file:
        assert {row["order"] for row in csv.DictReader(file)} == {"critical-path"}
    document = json.loads(Path("out/study.json").read_text())
    assert document["orders"] == ["critical-path"]
    assert set(document["cells"][0]["orders"]) == {"critical-path", "fifo"}


@pytest.mark.parametrize("order", ["lifo", "random"])
@pytest.mark.usefixtures("no_figures")
def test_an_order_that_is_played_live_is_what_the_library_plays(icsched, order):
    terms = ("--order", order, "--batch-law", "fixed", "--runs", "500")
    icsched("study", "wf.dag", "-o", "out", "--intervals", "1", "--batches", "4", *terms)

    words = ("--interval", "1", "--batch", "4", *terms, "--order", "critical-path", "--json")
    alone = icsched("simulate", "wf.dag", *words)
    (cell,) = cells()
    assert cell["orders"] == json.loads(alone.out)["orders"]


def test_figures_and_the_sentence_name_the_order(icsched):
    result = icsched("study", "wf.dag", "-o", "out", "--order", "lifo", *QUICK)

    assert "at best lifo takes" in result.out
    for figure in ("out/wf.svg", "out/wf-eligible.svg"):
        drawn = Path(figure).read_text()
        assert ">lifo</text>" in drawn
        assert ">critical-path</text>" in drawn


def test_a_figure_of_one_order_needs_no_legend(icsched):
    icsched("study", "wf.dag", "-o", "out", "--order", "critical-path", *QUICK)

    assert "execution time, critical-path / FIFO" in Path("out/wf.svg").read_text()
    assert "eligible jobs, critical-path - FIFO" in Path("out/wf-eligible.svg").read_text()


def test_run_times_of_several_workflows_are_refused(icsched, workflow):
    Path("other.dag").write_text(workflow.read_text())
    wanted = ("--order", "critical-path", "--run-times", "times")

    result = icsched("study", "wf.dag", "other.dag", "-o", "out", *wanted, *QUICK)

    assert (result.code, result.complaint) == (2, "--run-times: expected one workflow, got 2")


@pytest.mark.usefixtures("workflow")
def test_a_study_cannot_compare_fifo_with_itself(icsched):
    result = icsched("study", "wf.dag", "-o", "out", "--order", "fifo", *QUICK)

    assert (result.code, result.complaint) == (
        2,
        "--order: a study compares with fifo: expected another order",
    )
