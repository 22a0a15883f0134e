"""`icsched study`: its cells, names, tables and figures."""

import csv
import json
import sys
from pathlib import Path

import pytest

from icsched import Pool, read, simulate
from icsched.sim import Paired, PaperSampling
from tests.cli.study.grids import QUICK, cells, lines

BOTH = ("--order", "prio", "--order", "critical-path")


OUTPUTS = ["study.csv", "study.json", "wf.svg", "wf.png", "wf-eligible.svg", "wf-eligible.png"]


pytestmark = pytest.mark.usefixtures("workflow")


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
        words = (*place, *terms, *BOTH, "--json")
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
