"""The tables of a study."""

import csv
import json

from icsched.compare import Paired, PaperSampling
from icsched.sim import Ratio
from icsched.study import write_tables
from icsched.study.cells import Terms
from tests.study.studies import made

ROWS = {
    "wf": [made(0.1, 2, runs=700, precise=False), made(1, 2, stall=Ratio(0.5, 0.25, 0.75))],
    "a,b": [made(1, 4)],
}


def test_the_csv_has_a_row_for_each_cell_of_each_workflow(tmp_path):
    paths = write_tables(str(tmp_path), ROWS, Terms())

    assert paths == [str(tmp_path / "study.csv"), str(tmp_path / "study.json")]
    with (tmp_path / "study.csv").open(newline="") as file:
        first, second, third = csv.DictReader(file)
    assert [row["workflow"] for row in (first, second, third)] == ["wf", "wf", "a,b"]
    assert [float(row["interval"]) for row in (first, second, third)] == [0.1, 1, 1]
    assert (first["batch"], first["runs"], first["precise"]) == ("2", "700", "0")
    assert (second["runs"], second["precise"]) == ("500", "1")


def test_the_csv_names_every_number(tmp_path):
    write_tables(str(tmp_path), ROWS, Terms())

    with (tmp_path / "study.csv").open(newline="") as file:
        first, second, _ = csv.DictReader(file)
    assert len(first) == 5 + 9 + 18
    for part, value in {"median": 0.75, "low": 0.5, "high": 1.0}.items():
        assert float(first[f"ratio_time_{part}"]) == value
        assert first[f"ratio_stall_{part}"] == ""  # nothing is reported
    assert float(second["ratio_stall_high"]) == 0.75
    assert float(second["ratio_utilisation_low"]) == 1.0
    for order in ("prio", "fifo"):
        for part, value in {"mean": 0.25, "low": 0.125, "high": 0.5}.items():
            assert float(first[f"{order}_utilisation_{part}"]) == value
        assert float(first[f"{order}_time_high"]) == 2.5
        assert float(first[f"{order}_stall_mean"]) == 0


def test_the_json_says_the_same_and_how_it_was_found(tmp_path):
    write_tables(str(tmp_path), ROWS, Terms(seed=4, sampling=Paired(0.02, 900)))

    document = json.loads((tmp_path / "study.json").read_text())
    assert (document["seed"], document["batch_law"]) == (4, "exponential")
    assert document["sampling"] == {"method": "Paired", "half_width": 0.02, "most_runs": 900}
    first, second, third = document["cells"]
    assert (first["workflow"], first["interval"], first["runs"]) == ("wf", 0.1, 700)
    assert first["precise"] is False
    assert first["ratio"]["time"] == {"median": 0.75, "low": 0.5, "high": 1.0}
    assert first["ratio"]["stall"] is None
    assert second["ratio"]["stall"]["low"] == 0.25
    assert third["orders"]["fifo"]["time"] == {"mean": 2.0, "low": 1.5, "high": 2.5}


def test_the_papers_sampling_has_its_own_numbers(tmp_path):
    write_tables(str(tmp_path), {}, Terms(sampling=PaperSampling(3, 5)))

    document = json.loads((tmp_path / "study.json").read_text())
    assert document["sampling"] == {"method": "PaperSampling", "samples": 3, "runs": 5}
    assert document["cells"] == []
