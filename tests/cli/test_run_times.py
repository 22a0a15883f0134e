"""Run times on the command line: from any file, incomplete, of several files or other runs."""

import json
import subprocess

import pytest

from tests.cli.workflows import log_of

WORKFLOW = (
    "JOB map_1 m.sub\nJOB map_2 m.sub\nJOB map_3 m.sub\nJOB end e.sub\nPARENT map_1 CHILD end\n"
)
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
    put(
        {
            "wf.dag": WORKFLOW,
            "wf.dag.nodes.log": log_of("map_1"),
            "half.csv": "job,seconds\nmap_1,30\n",
        }
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("file", ["wf.dag.nodes.log", "half.csv"])
def test_every_command_takes_run_times_that_are_incomplete_and_says_so(icsched, command, file):
    words = (*COMMANDS[command], "--run-times", file)

    assert TOLD in icsched(*words).out
    assert json.loads(icsched(*words, "--json").out)["run_times"] == COUNTS


@pytest.mark.parametrize("option", [("--run-times", "-"), ("--run-times=-",)])
@pytest.mark.parametrize("words", COMMANDS.values())
def test_run_times_may_come_from_standard_input(script, words, option):
    done = subprocess.run(
        [script, *words, *option],
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


def test_all_commands_assume_that_run_times_vary_alike(put, icsched):
    put({"wf.dag": "JOB a a\nJOB b b\nJOB c c\nPARENT a CHILD b\n", "a.csv": "a,2\nb,3\nc,1\n"})
    pool = "--run-times", "a.csv", "--workers", "2"

    told = [
        icsched("prio", "wf.dag", *pool).out,
        icsched("simulate", "wf.dag", *pool, "--runs", "50").out,
        icsched("report", "wf.dag", *pool, "--json").out,
    ]

    assert ["un times vary by 30%" in text for text in told] == [True] * 3


# Workflows that have run times of their own

TRACE = "task,parents,run_time\nmap_1,,30\nother,,7\n"


@pytest.mark.parametrize("file", ["t.json", "t.yml", "t.dax", "t.dot"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_workflow_with_run_times_gives_them_by_name(icsched, put, command, file):
    put({"t.csv": TRACE})
    icsched("convert", "t.csv", file)

    found = json.loads(icsched(*COMMANDS[command], "--run-times", file, "--json").out)

    assert found["run_times"] == {**COUNTS, "unused": 1}


def test_a_table_and_a_log_win_over_a_workflow(icsched, put):
    """One worker: 30 s by the log, 5 s by the table, and 1 s each by the trace."""
    put({"t.csv": "task,parents,run_time\nmap_1,,1\nmap_2,,1\nmap_3,,1\nend,,1\n"})
    put({"end.txt": "end 5\n"})
    icsched("convert", "t.csv", "t.json")
    files = [
        word for name in ("end.txt", "wf.dag.nodes.log", "t.json") for word in ("--run-times", name)
    ]

    words = ("--workers", "1", "--law", "constant", "--runs", "60", "--json")
    found = json.loads(icsched("simulate", "wf.dag", *files, *words).out)

    assert found["orders"]["fifo"]["time"]["mean"] == pytest.approx(30 + 5 + 1 + 1)


@pytest.mark.parametrize(
    "text", ["[{}]", '[{"JobBatchName": "workflow"}]', '[{"workflow": 1}]', '{"A": "workflow"}']
)
def test_a_history_in_json_is_not_taken_for_a_workflow(icsched, put, text):
    put({"history.json": text})
    found = icsched("prio", "wf.dag", "--run-times", "history.json")

    complaint = "history.json: expected jobs with ClusterId and CompletionDate, got none"
    assert (found.code, found.complaint) == (1, complaint)


@pytest.mark.parametrize("file", ["wf.dag", "t.json", "t.dot", "t.edges"])
def test_a_workflow_without_run_times_is_one_line(icsched, put, file):
    put({"t.csv": "task,parents\na,\nb,a\n"})
    if file != "wf.dag":
        icsched("convert", "t.csv", file)

    found = icsched("prio", "wf.dag", "--run-times", file)

    instead = "give a trace of a run, a log, or a table of jobs and seconds"
    complaint = f"{file}: this workflow has no run times: {instead}"
    assert (found.code, found.complaint) == (1, complaint)
