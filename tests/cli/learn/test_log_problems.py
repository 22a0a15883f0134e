"""`icsched learn`: logs that say little, or nothing, or what cannot be."""

import pytest

from icsched.history import read_run_times
from tests.cli.learn.dags import FORK_DAG
from tests.history.lines import end, evict, execute, submit
from tests.history.test_learning import FORK_LOG

FAILING = submit("1", "12:00:00", "map_1") + execute("1", "12:00:01") + end("1", "12:00:09", 1)
BACK = FORK_LOG.replace("12:02:30", "11:02:30").replace("12:03:", "11:03:")
STRANGE = submit("1", "12:00:00", "other") + execute("1", "12:00:01") + end("1", "12:00:09")
INSTANT = submit("1", "12:00:00", "map_1") + execute("1", "12:00:01") + end("1", "12:00:01")
FEW = "".join(
    submit(job, "12:00:00", node) + execute(job, "12:00:01") + end(job, "12:00:09")
    for job, node in {"1": "map_1", "2": "other", "3": "third"}.items()
)
SERVES_NOT = submit("1", "12:00:00", "map_1") + "".join(
    execute("1", f"12:{minute:02}:00") + evict("1", f"12:{minute:02}:01") for minute in range(1, 50)
)
SERVES_NOT += execute("1", "13:00:00") + end("1", "13:59:00")


@pytest.mark.parametrize("count", [1, 2])
def test_a_log_of_which_half_the_jobs_fit_is_learned_from(learn, put, count):
    log = FEW if count == 2 else FEW[: FEW.index(submit("3", "12:00:00", "third"))]
    put({"half.log": log, "half.dag": "".join(f"JOB {n} x.sub\n" for n in ("map_1", "third"))})

    assert learn("half.log", "half.dag")["unknown"] == 1


@pytest.mark.parametrize("kind", ["FINAL", "PROVISIONER", "SERVICE"])
def test_nodes_that_dagman_runs_by_itself_are_in_the_workflow(learn, put, kind):
    put({"few.log": FEW, "few.dag": f"JOB map_1 x\n{kind} other x\nJOB third x\n"})

    assert learn("few.log", "few.dag")["unknown"] == 0


# map_2 starts at 12:00:10 and takes 30 s.
ENDS_EARLY = FORK_LOG.replace(end("2", "12:00:40"), end("2", "12:00:02"))


@pytest.mark.parametrize(
    ("log", "complaint"),
    [
        ("", "bad.log: expected an event log or a history of HTCondor"),
        ("[]", "bad.log: expected jobs with ClusterId and CompletionDate, got none"),
        (submit("1", "12:00:00", "map_1"), "bad.log: expected jobs that were executed, got none"),
        (FAILING, "bad.log: expected a successful job with its start and its end, got none"),
        (
            STRANGE,
            "bad.log: run times: no name fits a job of this workflow, or a kind of job, of 1 given:"
            " they are of another workflow",
        ),
        (INSTANT, "bad.log: all run times are 0: learn needs jobs that take a second or more"),
        (
            FEW,
            "bad.log: only 1 of 3 names fit jobs of the workflow: the logs are of another workflow;"
            " without a workflow, learn tells the run times",
        ),
        (
            BACK,
            "bad.log: the clock went backwards by 3530 s between two starts: without the workflow,"
            " learn tells the run times",
        ),
        (
            ENDS_EARLY,
            "bad.log: the clock went backwards: job 'map_2' ended 8 s before its start; without the"
            " workflow, learn tells the other run times",
        ),
    ],
)
def test_logs_that_say_nothing_are_one_line_and_nothing_is_written(
    icsched, put, tmp_path, log, complaint
):
    put({"bad.log": log})
    found = icsched("learn", "bad.log", "wf.dag", "-o", "t.csv", "--pool-file", "p.json")

    assert (found.code, found.complaint) == (1, complaint)
    assert not (tmp_path / "t.csv").exists()
    assert not (tmp_path / "p.json").exists()


@pytest.mark.parametrize("workflow", [[], ["one.dag"]])
def test_a_pool_that_never_serves_is_one_line(icsched, put, tmp_path, workflow):
    put({"bad.log": SERVES_NOT, "one.dag": "JOB map_1 x.sub\n"})
    found = icsched("learn", "bad.log", *workflow, "-o", "t.csv")

    assert found.code == 1
    assert found.complaint.startswith("bad.log: leave: workers that stay ")
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize("option", ["-o", "--pool-file"])
@pytest.mark.parametrize("file", ["wf.log", "wf.dag", "./wf.log"])
def test_neither_a_log_nor_the_workflow_is_overwritten(icsched, tmp_path, option, file):
    found = icsched("learn", "wf.log", "wf.dag", option, file)

    assert found.code == 2
    assert found.complaint.startswith(f"{file} is a log, or a file of the workflow")
    assert (tmp_path / "wf.log").read_text() == FORK_LOG


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "expected a log of HTCondor, or its history as JSON"),
        (("wf.dag",), "expected a log of HTCondor, or its history as JSON"),
        (("wf.log", "wf.dag", "./wf.dag"), "./wf.dag is given twice"),
        (("wf.log", "-o", "-"), "-o: expected a file, got standard output"),
        (("wf.log", "-o-"), "-o: expected a file, got standard output"),
        (("wf.log", "--pool-file", "-"), "--pool-file: expected a file, got standard output"),
        (("wf.log", "--pool-file=-"), "--pool-file: expected a file, got standard output"),
        (("wf.log", "-o", "x", "--pool-file", "x"), "-o and --pool-file name the same file"),
    ],
)
def test_wrong_words_are_told(icsched, words, complaint):
    found = icsched("learn", *words)

    assert (found.code, found.complaint) == (2, complaint)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [("nowhere/x.json", "its directory does not exist"), ("a-directory", "is a directory")],
)
def test_no_file_is_written_if_one_cannot_be(icsched, tmp_path, bad, problem):
    (tmp_path / "a-directory").mkdir()
    for good_option, bad_option in [("-o", "--pool-file"), ("--pool-file", "-o")]:
        found = icsched("learn", "wf.log", "wf.dag", good_option, "good", bad_option, bad)

        assert (found.code, found.complaint) == (1, f"{bad}: {problem}")
        assert not (tmp_path / "good").exists()


def test_a_log_that_ends_early_says_what_it_lacks(learn, icsched, put):
    """The join runs when the log ends; out_1 and out_2 are not in it, and a NOOP never is."""
    put({"going.log": FORK_LOG[: FORK_LOG.index(end("3", "12:02:20"))]})
    put({"more.dag": FORK_DAG + "JOB nothing x.sub NOOP\n"})
    found = learn("going.log", "more.dag")["doubts"]

    assert (found["running"], found["absent"]) == (1, 2)
    report = icsched("learn", "going.log", "more.dag").out
    assert "The log ends while 1 job runs.\n" in report
    assert "2 jobs of the workflow are not in the last run.\n" in report
    whole = learn("wf.log", "wf.dag")["doubts"]
    assert (whole["running"], whole["absent"], whole["skipped"]) == (0, 0, 0)


def test_a_log_without_a_year_gets_none(learn, icsched, put):
    put({"short.log": FORK_LOG.replace("2026-11-16", "11/16")})

    assert learn("short.log")["began"] is None
    report = icsched("learn", "short.log").out
    assert "The last run began 11-1" in report
    assert "2000" not in report


def test_a_clock_that_jumps_forward_by_decades_is_doubted(learn, icsched, put):
    put({"far.log": FORK_LOG.replace("2026-11-16 12:03:30", "2056-11-16 12:03:30")})

    assert learn("far.log", "wf.dag")["doubts"]["is_over_a_year"]
    assert "more than a year: was a clock set forward?" in icsched("learn", "far.log").out


def test_run_times_alone_are_learned_from_a_clock_that_went_back(learn, icsched, put):
    put({"back.log": BACK})
    found = learn("back.log", "-o", "times.csv")

    assert (found["doubts"]["set_back"], found["doubts"]["skipped"]) == (3530, 2)
    assert (found["length"], found["attempts"]) == (130, 5)  # until the join ends
    table = read_run_times("times.csv")
    straight = read_run_times("back.log")
    assert sorted(zip(table.names, table.seconds.tolist(), strict=True)) == sorted(
        zip(straight.names, straight.seconds.tolist(), strict=True)
    )
    report = icsched("learn", "back.log").out
    assert "went backwards by 3,530 s: only run times are from 2 attempts after that.\n" in report


def test_attempts_that_end_before_their_start_are_counted(learn, icsched, put):
    put({"early.log": ENDS_EARLY})

    assert learn("early.log")["doubts"]["backwards"] == 1
    assert learn("wf.log")["doubts"]["backwards"] == 0
    assert "1 attempt ended before the start, because a" in icsched("learn", "early.log").out


def test_a_history_in_which_a_job_ends_before_its_start_is_refused(icsched, put):
    ad = '{{"ClusterId": {0}, "ProcId": 0, "DAGNodeName": "{1}", "JobStatus": 4, "ExitCode": 0, '
    ad += '"QDate": {2}, "JobCurrentStartDate": {2}, "CompletionDate": {3}}}'
    rows = [(1, "job_1", 1000, 1100), (2, "job_2", 2000, 1500)]
    put({"history.json": f"[{', '.join(ad.format(*row) for row in rows)}]"})

    found = icsched("learn", "history.json", "five.dag")

    assert found.code == 1
    assert "the clock went backwards: job 'job_2' ended 500 s before its start" in found.complaint


@pytest.mark.parametrize("words", [("bin",), ("bin", "wf.dag"), ("wf.dag", "bin")])
def test_a_file_that_is_no_log_is_named(icsched, tmp_path, words):
    (tmp_path / "bin").write_bytes(bytes(range(256)))

    found = icsched("learn", *words)

    said = "bin: expected a log of HTCondor, or its history as JSON"
    assert (found.code, found.complaint) == (1, said)
