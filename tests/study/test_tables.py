"""The tables of a study."""

import csv
import json

from icsched.sim import Paired, PaperSampling, Ratio, Times, Workers
from icsched.study import write_tables
from icsched.study.cells import Terms
from tests.study.studies import made

ROWS = {
    "wf": [
        made(0.1, 2, runs=700, precise=False),
        made(1, 2, stall=Ratio(0.5, 0.25, 0.75, 0.5, 0.1)),
    ],
    "a,b": [made(1, 4)],
}


def test_the_csv_has_a_row_for_each_cell_of_each_workflow(tmp_path):
    paths = write_tables(str(tmp_path), ROWS, ["prio"], Terms())

    assert paths == [str(tmp_path / "study.csv"), str(tmp_path / "study.json")]
    with (tmp_path / "study.csv").open(newline="") as file:
        first, second, third = csv.DictReader(file)
    assert [row["workflow"] for row in (first, second, third)] == ["wf", "wf", "a,b"]
    assert [float(row["interval"]) for row in (first, second, third)] == [0.1, 1, 1]
    assert (first["batch"], first["runs"], first["precise"]) == ("2", "700", "0")
    assert (second["runs"], second["precise"]) == ("500", "1")


def test_the_csv_names_every_number(tmp_path):
    write_tables(str(tmp_path), ROWS, ["prio"], Terms())

    with (tmp_path / "study.csv").open(newline="") as file:
        first, second, _ = csv.DictReader(file)
    assert len(first) == 7 + 15 + 18
    assert (first["order"], first["workers"]) == ("prio", "")
    for part, value in {"median": 0.75, "low": 0.5, "high": 1.0}.items():
        assert float(first[f"ratio_time_{part}"]) == value
        assert first[f"ratio_stall_{part}"] == ""  # nothing is reported
    assert float(second["ratio_stall_high"]) == 0.75
    assert float(second["ratio_utilisation_low"]) == 1.0
    for order in ("", "fifo_"):
        for part, value in {"mean": 0.25, "low": 0.125, "high": 0.5}.items():
            assert float(first[f"{order}utilisation_{part}"]) == value
        assert float(first[f"{order}time_high"]) == 2.5
        assert float(first[f"{order}stall_mean"]) == 0


def test_the_json_says_the_same_and_how_it_was_found(tmp_path):
    write_tables(str(tmp_path), ROWS, ["prio"], Terms(seed=4, sampling=Paired(0.02, 900)))

    document = json.loads((tmp_path / "study.json").read_text())
    assert (document["seed"], document["batch_law"]) == (4, "exponential")
    assert document["sampling"] == {"method": "Paired", "half_width": 0.02, "most_runs": 900}
    first, second, third = document["cells"]
    assert (first["workflow"], first["interval"], first["runs"]) == ("wf", 0.1, 700)
    assert first["precise"] is False
    time = {"median": 0.75, "low": 0.5, "high": 1.0, "mean": 0.75, "deviation": 0.1}
    assert first["ratio"]["prio_over_fifo"]["time"] == time
    assert first["ratio"]["prio_over_fifo"]["stall"] is None
    assert second["ratio"]["prio_over_fifo"]["stall"]["low"] == 0.25
    assert third["orders"]["fifo"]["time"] == {"mean": 2.0, "low": 1.5, "high": 2.5}


def test_the_papers_sampling_has_its_own_numbers(tmp_path):
    write_tables(str(tmp_path), {}, ["prio"], Terms(sampling=PaperSampling(3, 5)))

    document = json.loads((tmp_path / "study.json").read_text())
    assert document["sampling"] == {"method": "PaperSampling", "samples": 3, "runs": 5}
    assert document["cells"] == []


def test_the_csv_has_a_row_for_each_order_of_a_cell(tmp_path):
    rows = {"wf": [made(None, None, 8, beside=Ratio(0.5, 0.25, 0.625, 0.5, 0.1))]}

    write_tables(str(tmp_path), rows, ["prio", "critical-path"], Terms())

    with (tmp_path / "study.csv").open(newline="") as file:
        ours, beside = csv.DictReader(file)
    assert [row["order"] for row in (ours, beside)] == ["prio", "critical-path"]
    assert [row["workers"] for row in (ours, beside)] == ["8", "8"]
    assert [row["interval"] + row["batch"] for row in (ours, beside)] == ["", ""]
    assert [float(row["ratio_time_median"]) for row in (ours, beside)] == [0.75, 0.5]


def test_the_json_has_the_pool_the_times_and_the_orders(tmp_path):
    terms = Terms(times=Times("lognormal", 0.5), delay=3.0, given=Workers(8, delay=2.0))
    write_tables(str(tmp_path), {}, ["prio", "critical-path"], terms)

    document = json.loads((tmp_path / "study.json").read_text())
    assert (document["schema"], document["delay"]) == (2, 3.0)
    assert document["orders"] == ["prio", "critical-path"]
    assert document["times"] == {"law": "lognormal", "spread": 0.5}
    assert (document["pool"]["kind"], document["pool"]["delay"]) == ("workers", 2.0)
