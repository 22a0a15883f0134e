"""`icsched study` with several orders, run times, workers, a delay, and a pool from a file."""

import csv
import json
import re
import sys
from pathlib import Path

import pytest

from icsched import families
from icsched.formats import write_dagman
from tests.cli.workflows import PAIR_AND_FORK

FEW = ("--runs", "300", "--seed", "4")
TIMES = "a 1\nb 1\nc 9\nd 9\ne 9\n"


@pytest.fixture(autouse=True)
def workflow(folder, monkeypatch):
    """AIRSN of width 10 as wf.dag; no matplotlib, because drawing is slow."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_dagman(families.airsn(10), "wf.dag")
    return folder / "wf.dag"


def document(directory="out"):
    return json.loads(Path(directory, "study.json").read_text())


def orders(*names):
    return [word for name in names for word in ("--order", name)]


def simulated(icsched, *words):
    return json.loads(icsched("simulate", *words, "--json").out)


def test_all_orders_of_a_cell_see_the_draws_that_simulate_makes(icsched):
    """Two names and a file: every number is equal to the last bit."""
    Path("o.txt").write_text("".join(f"{name}\n" for name in reversed_levels()))
    wanted = orders("prio", "lifo", "@o.txt", "critical-path")

    result = icsched(
        *("study", "wf.dag", "-o", "out", "--intervals", "1", "--batches", "4"),
        *(*FEW, "--batch-law", "fixed", *wanted),
    )

    assert result.code == 0
    place = ("--interval", "1", "--batch", "4", "--batch-law", "fixed")
    alone = simulated(icsched, "wf.dag", *place, *FEW, *wanted)
    (cell,) = document()["cells"]
    assert cell["orders"] == alone["orders"]
    assert cell["ratio"] == alone["ratio"]
    assert document()["orders"] == ["prio", "lifo", "@o.txt", "critical-path"]


def reversed_levels():
    """Return a legal order of wf.dag that takes the later names of each level first."""
    dag = families.airsn(10)
    level = [0] * len(dag)
    for task in dag.fifo_order.tolist():
        level[task] = 1 + max((level[up] for up in dag.parent_rows[task].tolist()), default=0)
    return [dag.names[task] for task in sorted(range(len(dag)), key=lambda t: (level[t], -t))]


def test_every_order_has_a_row_in_the_table_and_a_line_in_the_report(icsched):
    words = ("--workers", "2,4", *FEW, *orders("level", "lifo"))
    result = icsched("study", "wf.dag", "-o", "out", *words)

    with Path("out/study.csv").open(newline="") as file:
        rows = [(row["workers"], row["order"], row["interval"]) for row in csv.DictReader(file)]
    names = ("level", "lifo", "critical-path")
    assert rows == [(workers, name, "") for workers in ("2", "4") for name in names]
    lines = result.out.splitlines()
    assert all(f"at best {name} takes" in line for name, line in zip(names, lines, strict=False))
    ending = re.compile(r", with [24] workers(: no cell shows a gain)?$")
    assert all(ending.search(line) for line in lines[:3])


def test_a_grid_of_workers_with_a_delay_is_what_simulate_finds(icsched):
    icsched("study", "wf.dag", "-o", "out", "--workers", "8,3", "--delay", "0.5", *FEW)

    first, second = document()["cells"]
    assert (first["workers"], second["workers"]) == (3, 8)
    words = ("--workers", "3", "--delay", "0.5", *FEW, *orders("prio", "critical-path"))
    assert first["orders"] == simulated(icsched, "wf.dag", *words)["orders"]
    assert document()["delay"] == 0.5


def test_a_pool_from_a_file_is_one_cell(icsched):
    pool = {"schema": 1, "kind": "recorded", "starts": [0, 5], "ends": [9, None], "delay": 2}
    Path("pool.json").write_text(json.dumps(pool))

    result = icsched("study", "wf.dag", "-o", "out", "--pool", "pool.json", *FEW)

    (cell,) = document()["cells"]
    words = ("--pool", "pool.json", *FEW, *orders("prio", "critical-path"))
    assert cell["orders"] == simulated(icsched, "wf.dag", *words)["orders"]
    assert (cell["interval"], cell["batch"], cell["workers"]) == (None, None, None)
    assert document()["pool"]["ends"] == [9.0, None]
    assert result.out.startswith("wf: 1 cell")


def test_another_pool_reuses_no_cell(icsched):
    for count in (2, 3):
        pool = {"schema": 1, "kind": "workers", "count": count}
        Path("pool.json").write_text(json.dumps(pool))
        result = icsched("study", "wf.dag", "-o", "out", "--pool", "pool.json", *FEW)
        assert "already" not in result.out
    again = icsched("study", "wf.dag", "-o", "out", "--pool", "pool.json", *FEW)
    assert again.out.startswith("wf: 1 of 1 cell was there already\n")


def test_run_times_make_the_order_and_the_simulation(icsched):
    """On one worker every order takes the sum of the times, 1 + 1 + 9 + 9 + 9."""
    Path("wf.dag").write_text(PAIR_AND_FORK)
    Path("times").write_text(TIMES)
    words = ("--run-times", "times", "--workers", "1,2", "--law", "constant", *FEW)

    assert icsched("study", "wf.dag", "-o", "out", *words).code == 0

    alone, both = document()["cells"]
    assert {name: found["time"]["mean"] for name, found in alone["orders"].items()} == {
        name: pytest.approx(29) for name in ("prio", "critical-path", "fifo")
    }
    same = ("--run-times", "times", "--workers", "2", "--law", "constant", *FEW)
    found = simulated(icsched, "wf.dag", *same, *orders("prio", "critical-path"))
    assert both["orders"] == found["orders"]
    assert document()["times"]["law"] == "constant"


def test_run_times_need_a_pool_in_seconds(icsched):
    Path("times").write_text(TIMES)

    result = icsched("study", "wf.dag", "-o", "out", "--run-times", "times")

    assert (result.code, result.complaint) == (
        2,
        "--run-times: run times are in seconds: say --intervals, the mean seconds between batches,"
        " --workers or --pool",
    )
    assert not Path("out").exists()


@pytest.mark.parametrize(
    "options",
    [
        ("--delay", "1"),
        ("--law", "normal"),
        ("--spread", "0.1"),
        ("--order", "prio", "--order", "level"),
    ],
)
def test_other_terms_reuse_no_cell_and_lose_none(icsched, options):
    icsched("study", "wf.dag", "-o", "out", "--workers", "2,4", *FEW)
    before = Path("out/cells.jsonl").read_bytes()

    result = icsched("study", "wf.dag", "-o", "out", "--workers", "2,4", *FEW, *options)

    assert "already" not in result.out
    assert Path("out/cells.jsonl").read_bytes().startswith(before)
    again = icsched("study", "wf.dag", "-o", "out", "--workers", "2,4,8", *FEW)
    assert again.out.startswith("wf: 2 of 3 cells were there already\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--workers", "8", "--intervals", "1"], "--intervals cannot be used with --workers"),
        (["--workers", "8", "--batches", "1"], "--batches cannot be used with --workers"),
        (["--workers", "8", "--batch-law", "fixed"], "--batch-law cannot be used with --workers"),
        (["--workers", "8,x"], "--workers: expected whole numbers separated by commas, got '8,x'"),
        (["--workers", "0"], "workers: expected a whole number from 1 to 10,000,000, got 0"),
        (["--workers", "8", "--delay", "-1"], "delay: expected 0 to 1e+100, got -1.0"),
        (["--pool", "p", "--delay", "1"], "--pool cannot be used with other options of the pools"),
        (["--pool", "p", "--workers", "1"], "--pool cannot be used with other options of the pool"),
        (["--law", "constant", "--spread", "1"], "--spread cannot be used with --law constant"),
        (["--order", "prio", "--order", "fifo"], "--order: a study compares with fifo: expected"),
        (["--order", "prio", "--order", "best"], "--order: expected auto, prio, "),
    ],
)
def test_options_that_do_not_fit_are_one_line_and_exit_2(icsched, words, complaint):
    result = icsched("study", "wf.dag", "-o", "out", *words)

    assert result.code == 2
    assert result.complaint.startswith(complaint)
    assert not Path("out").exists()


def test_a_file_that_is_no_pool_is_one_line_and_exit_1(icsched):
    Path("pool.json").write_text("[]")

    result = icsched("study", "wf.dag", "-o", "out", "--pool", "pool.json")

    assert (result.code, result.complaint) == (
        1,
        "pool.json: expected an object with the keys schema and kind, got a list of 0",
    )


def test_the_name_of_an_order_that_is_no_text_is_no_bug(icsched):
    name = b"\xff".decode(errors="surrogateescape")
    Path(name).write_text("".join(f"{job}\n" for job in reversed_levels()))

    result = icsched("study", "wf.dag", "-o", "out", "--workers", "2", "--order", f"@{name}", *FEW)

    assert result.code == 0
    assert document()["orders"] == ["@\\udcff", "critical-path"]
