"""Run times on the command line: from any file, incomplete, of several files or other runs."""

import json
import subprocess

import pytest

WORKFLOW = (
    "JOB map_1 m.sub\nJOB map_2 m.sub\nJOB map_3 m.sub\nJOB end e.sub\nPARENT map_1 CHILD end\n"
)
LOG = """\
000 (001.000.000) 2026-11-16 12:00:00 Job submitted from host: <10.0.0.1:9618>
    DAG Node: map_1
...
001 (001.000.000) 2026-11-16 12:00:10 Job executing on host: <10.0.0.2:9618>
...
005 (001.000.000) 2026-11-16 12:00:40 Job terminated.
\t(1) Normal termination (return value 0)
...
"""
COUNTS = {"measured": 1, "pattern": 0, "kind": 2, "all": 1, "unused": 0}
TOLD = "1 measured, 2 mean of their kind, 1 mean of all"
SENTENCE = f"run times: {TOLD}"
COMMANDS = {
    "prio": ("prio", "wf.dag"),
    "show": ("show", "wf.dag"),
    "simulate": ("simulate", "wf.dag", "--workers", "2", "--runs", "60"),
    "cluster": ("cluster", "wf.dag", "--size", "2"),
}


@pytest.fixture(autouse=True)
def files(put):
    put({"wf.dag": WORKFLOW, "wf.dag.nodes.log": LOG, "half.csv": "job,seconds\nmap_1,30\n"})


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("file", ["wf.dag.nodes.log", "half.csv"])
def test_every_command_takes_run_times_that_are_incomplete_and_says_so(icsched, command, file):
    words = (*COMMANDS[command], "--run-times", file)

    assert TOLD in icsched(*words).out
    assert json.loads(icsched(*words, "--json").out)["run_times"] == COUNTS


@pytest.mark.parametrize("words", [*COMMANDS.values(), ("verify", "wf.dag")])
def test_run_times_may_come_from_standard_input(script, words):
    done = subprocess.run(
        [script, *words, "--run-times", "-"],
        input="map_1 30\n",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_study_says_where_run_times_come_from(icsched):
    words = ("--runs", "20", "--intervals", "1", "--batches", "1", "--run-times", "half.csv")
    found = icsched("study", "wf.dag", "-o", "out", *words)

    assert found.out.startswith(f"wf: {SENTENCE}\n")


def test_several_files_are_taken_together(icsched, put):
    put({"more.txt": "end 5\nmap_* 7\nreduce 1\n"})
    words = ("--run-times", "more.txt", "--run-times", "wf.dag.nodes.log", "--json")
    found = json.loads(icsched(*COMMANDS["show"], *words).out)

    counts = {"measured": 2, "pattern": 2, "kind": 0, "all": 0, "unused": 1}
    assert found["run_times"] == counts


def test_names_that_fit_no_job_are_counted(icsched, put):
    put({"more.txt": "end 5\nmap_1 7\nreduce 1\nfetch 2\n"})
    found = icsched("prio", "wf.dag", "--run-times", "more.txt")

    assert "run times: 2 measured, 2 mean of their kind; 2 names fit no job.\n" in found.out


def test_instant_jobs_can_be_simulated(icsched, put):
    put({"zero.txt": "map_* 0\nend 3\n"})
    words = ("--run-times", "zero.txt", "--law", "constant", "--json")
    found = json.loads(icsched(*COMMANDS["simulate"], *words).out)

    assert found["orders"]["fifo"]["time"]["mean"] == pytest.approx(3)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["nan", "-1", "inf", "soon"])
def test_a_number_that_is_no_time_is_one_line(icsched, put, command, word):
    put({"bad.txt": f"map_1 2\nmap_2 {word}\n"})
    found = icsched(*COMMANDS[command], "--run-times", "bad.txt")

    expected = "job 'map_2': expected a number of seconds, 0 or more"
    assert (found.code, found.complaint) == (1, f"bad.txt:2: {expected}, got '{word}'")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("word", ["1e308", "1e-320"])
def test_a_time_out_of_range_is_one_line_and_nothing_is_written(
    icsched, put, tmp_path, command, word
):
    put({"bad.txt": f"map_1 2\nmap_2 {word}\n"})
    before = sorted(tmp_path.rglob("*"))
    found = icsched(*COMMANDS[command], "--run-times", "bad.txt")

    expected = "job 'map_2': expected a number of seconds, 0, or 1e-100 to 1e+100"
    assert (found.code, found.complaint) == (1, f"bad.txt:2: {expected}, got '{word}'")
    assert sorted(tmp_path.rglob("*")) == before


def test_run_times_of_another_workflow_are_one_line_and_nothing_is_written(icsched, put, tmp_path):
    put({"other.txt": "fetch 2\nreduce 3\n"})
    before = (tmp_path / "wf.dag").read_text()
    found = icsched("prio", "wf.dag", "--in-place", "--run-times", "other.txt")

    assert (found.code, found.complaint) == (
        1,
        "other.txt: run times: no name fits a job of this workflow, or a kind of job, of 2 given:"
        " they are of another workflow",
    )
    assert (tmp_path / "wf.dag").read_text() == before
