"""What `icsched study` refuses, in one line each, before anything runs."""

from pathlib import Path

import pytest

from icsched import families
from icsched.formats import write_dagman


@pytest.fixture(autouse=True)
def workflow(folder):
    """AIRSN of width 10 as wf.dag, in the working directory."""
    write_dagman(families.airsn(10), "wf.dag")
    return folder / "wf.dag"


@pytest.mark.parametrize(
    "files", [("wf.dag", "wf.dag"), ("a/b.dag", "b.dag", "a-b.dag"), ("x.dag", "x-eligible.dag")]
)
def test_names_that_would_write_the_same_file_are_refused(icsched, files):
    result = icsched("study", *files, "-o", "out")

    assert result.code == 2
    assert "expected files of different names, got two of " in result.complaint
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-o", "out"], "expected a workflow file"),
        (
            ["wf.dag", "-o", "out", "--intervals", ""],
            "--intervals: expected numbers separated by commas",
        ),
        (
            ["wf.dag", "-o", "out", "--batches", "1,x"],
            "--batches: expected numbers separated by commas",
        ),
        (["wf.dag", "-o", "out", "--threads", "0"], "--threads: expected 1 to 1,024, got 0"),
        (["wf.dag", "-o", "out", "--threads", "1025"], "--threads: expected 1 to 1,024, got 1025"),
        (
            ["wf.dag", "-o", "out", "--threads", "2", "--dask", "x"],
            "--threads cannot be used with --d",
        ),
        (
            ["wf.dag", "-o", "out", "--paper-statistics", "--runs", "9"],
            "--half-width and --runs cannot",
        ),
        (["wf.dag"], "expected -o DIR"),
        (["wf.dag", "-o", "out", "--batch-law", "huge"], 'Invalid value "huge" for --batch-law.'),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(icsched, folder, arguments, complaint):
    result = icsched("study", *arguments)

    assert result.code == 2
    assert result.complaint.startswith(complaint)
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--intervals", "1,0"], "interval: expected a positive number, got 0.0"),
        (["--intervals", "-1"], "interval: expected a positive number, got -1.0"),
        (["--batches", "0"], "batch: expected 1 to 1,000,000,000, got 0.0"),
        (["--batches", "4,-4"], "batch: expected 1 to 1,000,000,000, got -4.0"),
        (["--seed", "-1"], f"seed: expected a whole number from 0 to {2**64 - 1:,}, got -1"),
        (["--half-width", "0"], "half-width: expected 1e-06 to 1, got 0.0"),
        (["--runs", "0"], "runs: expected a whole number from 20 to 10,000,000, got 0"),
        (
            ["--batches", "1.5", "--batch-law", "fixed"],
            "batch: expected an integer for fixed sizes",
        ),
    ],
)
def test_numbers_that_cannot_be_are_one_line_and_exit_2(icsched, folder, options, complaint):
    result = icsched("study", "wf.dag", "-o", "out", *options)

    assert result.code == 2
    assert result.complaint.startswith(complaint)
    assert not (folder / "out").exists()


def test_files_that_cannot_be_read_are_one_line_before_anything_runs(icsched, put):
    put({"empty.dag": "# nothing\n", "bad.dag": "JOB a\n", "done.dag": "JOB a x DONE\n"})

    for file, complaint in {
        "missing.dag": "missing.dag: no such file or directory",
        "empty.dag": "empty.dag: expected at least one job that is left to run",
        "done.dag": "done.dag: expected at least one job that is left to run",
        "bad.dag": "bad.dag:1: ",
    }.items():
        result = icsched("study", "wf.dag", file, "-o", "out")
        assert result.code == 1
        assert result.complaint.startswith(complaint)
    assert not Path("out").exists()


def test_an_order_that_does_not_fit_a_workflow_is_one_line_that_names_the_workflow(icsched, put):
    put({"a.dag": "JOB fetch x\n", "b.dag": "JOB c x\n", "o.txt": "fetch\n"})

    result = icsched("study", "a.dag", "b.dag", "--order", "@o.txt", "-o", "out")

    assert result.code == 1
    assert result.complaint == "o.txt:1: unknown job 'fetch' (for b.dag)"


def test_a_directory_that_is_a_file_is_one_line_and_stays(icsched, put):
    put({"out": "mine"})

    result = icsched("study", "wf.dag", "-o", "out")

    assert result.code == 1
    assert result.complaint == "out: expected a directory, got a file"
    assert Path("out").read_text() == "mine"


def test_there_is_nothing_to_show_of_a_study_that_never_ran(icsched, folder):
    for _ in ("no directory", "an empty one"):
        result = icsched("study", "wf.dag", "-o", "out", "--no-run")

        assert (result.code, result.complaint) == (1, "out: no study there")
        (folder / "out").mkdir(exist_ok=True)
    assert list((folder / "out").iterdir()) == []


def test_the_complaint_about_a_bad_line_among_the_cells_says_what_to_do(icsched, put):
    put({"out/cells.jsonl": '{"study":"x"}\n'})

    result = icsched("study", "wf.dag", "-o", "out", "--intervals", "1", "--batches", "1")

    assert result.code == 1
    assert result.complaint.startswith("out/cells.jsonl:1: expected a cell of a study: ")
    assert result.complaint.endswith("; in a study of yours, remove that line")
