"""`icsched learn`: reports, JSON, written files, and what cannot be learned from."""

import json
import math
from pathlib import Path

import pytest

from icsched.logs import read_run_times
from icsched.sim import Recorded, Workers, read_pool
from tests.logs.lines import end, evict, execute, submit
from tests.logs.test_learning import FORK_LOG, SHRINKING

FORK_DAG = (
    "JOB map_1 map.sub\nJOB map_2 map.sub\nJOB join join.sub\n"
    "JOB out_1 out.sub\nJOB out_2 out.sub\n"
    "PARENT map_1 map_2 CHILD join\nPARENT join CHILD out_1 out_2\n"
)
FIVE_DAG = "".join(f"JOB job_{i} x.sub\n" for i in range(1, 6))


@pytest.fixture(autouse=True)
def files(put):
    put({"wf.dag": FORK_DAG, "wf.log": FORK_LOG, "five.dag": FIVE_DAG, "five.log": SHRINKING})


@pytest.fixture
def learn(icsched):
    """Return what was learned as JSON."""

    def runner(*words: str) -> dict:
        result = icsched("learn", *words, "--json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out)

    return runner


def test_the_report_says_what_the_run_tells(icsched):
    found = icsched("learn", "wf.log", "wf.dag").out

    assert "wf.log: 5 jobs, 5 attempts\n" in found
    assert "took 200 s, from the first start to the last end" in found
    assert "Run times: 5 measured.\n" in found
    assert "Jobs waited 7.0 s from submission to start on average" in found
    assert "Stalls: for 140 s slots were free and no job could be taken; 40.0% of" in found
    assert "  70 to 140 s: 80 slot seconds lost, all waited for join\n" in found
    assert "Pool: 2 workers, 10.0 s until a job can be taken after its last parent.\n" in found
    assert "DAGMan submitted a job 5.0 s after its last parent.\n" in found
    assert "takes 200 s on 2 workers (+0.0%) and 200 s on the recorded slots (+0.0%)" in found


def test_the_fitted_pool_reproduces_the_run_and_tries_other_orders(learn):
    found = learn("wf.log", "wf.dag", "--order", "prio")

    assert found["replay"] == {
        "actual": 200,
        "workers": pytest.approx(200),
        "recorded": pytest.approx(200),
        "error": pytest.approx(0),
    }
    assert list(found["orders"]) == ["used", "prio", "fifo"]
    assert found["orders"]["fifo"]["ratio"] is None
    ratio = found["orders"]["prio"]["ratio"]
    assert ratio["low"] <= 1 <= ratio["high"]  # two slots for two jobs: no order matters
    assert (found["submission_delay"], found["start_delay"]) == (5, 10)


def test_a_log_alone_tells_run_times_and_slots(learn):
    found = learn("wf.log")

    assert (found["jobs"], found["length"], found["peak"]) == (5, 200, 2)
    nothing = ("stalls", "replay", "orders", "run_times", "submission_delay")
    assert [found[key] for key in nothing] == [None] * len(nothing)
    assert found["pool"]["count"] == 2


def test_the_docs_have_exactly_the_keys_that_the_json_has(learn):
    import re

    from tests.test_project import section  # here, because it loads all commands

    table = section("json.md", "learn").partition("| key of `--json` |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE)
    documented = {key for cell in cells for key in re.findall(r"`(\w+)", cell)}

    assert {"schema"} | documented == set(learn("wf.log", "wf.dag"))


def test_a_pool_that_shrinks_is_played_from_the_recorded_slots(learn):
    found = learn("five.log", "five.dag", "--pool-file", "pool.json")

    # One worker takes 500 seconds for five jobs of 100; the run took 400.
    assert found["replay"]["workers"] == pytest.approx(500)
    assert found["replay"]["recorded"] == pytest.approx(400)
    assert found["pool"]["kind"] == "recorded"
    pool = read_pool("pool.json")
    assert isinstance(pool, Recorded)
    assert sorted(pool.ends.tolist()) == [100, math.inf]


def test_recorded_slots_can_be_asked_for(learn):
    assert learn("wf.log", "wf.dag", "--recorded")["pool"]["kind"] == "recorded"
    assert learn("wf.log", "wf.dag")["pool"]["kind"] == "workers"


def test_what_is_written_is_taken_by_other_commands(learn, icsched, put):
    put({"more.dag": FORK_DAG + "JOB map_3 map.sub\nJOB fetch f.sub\n"})
    found = learn("wf.log", "more.dag", "-o", "times.csv", "--pool-file", "pool.json")

    assert found["written"] == ["times.csv", "pool.json"]
    assert read_pool("pool.json") == Workers(2, delay=10)
    table = read_run_times("times.csv")  # the means of kinds are left out, and made again
    assert dict(zip(table.names, table.seconds.tolist(), strict=True)) == {
        "map_1": 60,
        "map_2": 30,
        "join": 60,
        "out_1": 30,
        "out_2": 60,
    }
    words = ("--run-times", "times.csv", "--pool", "pool.json", "--runs", "20", "--json")
    again = json.loads(icsched("simulate", "more.dag", *words).out)["run_times"]
    assert again == {"measured": 5, "pattern": 0, "kind": 1, "all": 1, "unused": 0}


def test_the_table_says_where_times_come_from(learn, put, tmp_path):
    put({"more.dag": FORK_DAG + "JOB map_3 map.sub\n"})
    learn("wf.log", "more.dag", "-o", "times.csv")
    lines = (tmp_path / "times.csv").read_text().splitlines()

    assert lines[0] == "name,seconds,origin"
    assert "map_1,60.0,measured" in lines
    assert lines[-1] == "map_3,45.0,kind"


def test_files_are_told_apart_by_what_is_in_them(learn):
    assert learn("wf.dag", "wf.log")["files"] == ["wf.dag"]


def test_a_history_that_begins_with_the_newest_job_is_no_clock_that_goes_backwards(learn, put):
    ad = '{{"ClusterId": {0}, "ProcId": 0, "DAGNodeName": "{1}", "JobStatus": 4, "ExitCode": 0, '
    ad += '"QDate": {2}, "JobCurrentStartDate": {2}, "CompletionDate": {3}}}'
    rows = [(2, "job_2", 2000, 2050), (1, "job_1", 1000, 1100)]
    put({"history.json": f"[{', '.join(ad.format(*row) for row in rows)}]"})

    found = learn("history.json", "five.dag")

    assert (found["jobs"], found["length"]) == (2, 1050)


def test_a_rescue_file_does_not_hide_the_jobs_of_the_run(learn, put):
    put({"wf.dag.rescue001": "DONE map_1\nDONE map_2\n"})

    assert learn("wf.log", "wf.dag")["run_times"]["measured"] == 5


def test_a_run_that_still_goes_on_is_compared_by_what_has_ended(learn, put):
    going = FORK_LOG[: FORK_LOG.index(submit("4", "12:02:25", "out_1"))]
    put({"going.log": going})
    found = learn("going.log", "wf.dag")

    assert found["replay"]["actual"] == 130  # the join ends
    assert found["replay"]["workers"] == pytest.approx(130)
    assert found["run_times"] == {"measured": 3, "pattern": 0, "kind": 0, "all": 2, "unused": 0}


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
        ((), "expected a log"),
        (("wf.dag",), "expected a log of HTCondor, or its history as JSON"),
        (("wf.log", "wf.dag", "./wf.dag"), "./wf.dag is given twice"),
        (("wf.log", "-o", "-"), "-o: expected a file, got standard output"),
        (("wf.log", "-o", "x", "--pool-file", "x"), "-o and --pool-file name the same file"),
    ],
)
def test_wrong_words_are_told(icsched, words, complaint):
    found = icsched("learn", *words)

    assert (found.code, found.complaint) == (2, complaint)


def test_the_commands_of_the_page_run(icsched, put):
    put({"wf.dag.nodes.log": FORK_LOG})
    page = (Path(__file__).parents[2] / "docs" / "learn.md").read_text()
    commands = page.partition("```sh\n")[2].partition("```")[0].splitlines()

    assert len(commands) == 2
    for command in commands:
        name, *words = command.split()
        found = icsched(*words)
        assert (name, found.code, found.err) == ("icsched", 0, "")


def test_an_order_of_ones_own_is_tried(learn, put):
    put({"mine.txt": "map_2\nmap_1\njoin\nout_2\nout_1\n"})
    found = learn("wf.log", "wf.dag", "--order", "@mine.txt")

    assert list(found["orders"]) == ["used", "@mine.txt", "fifo"]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [("nowhere/x.json", "no such file or directory"), ("a-directory", "is a directory")],
)
def test_no_file_is_written_if_one_cannot_be(icsched, tmp_path, bad, problem):
    (tmp_path / "a-directory").mkdir()
    for good_option, bad_option in [("-o", "--pool-file"), ("--pool-file", "-o")]:
        found = icsched("learn", "wf.log", "wf.dag", good_option, "good", bad_option, bad)

        assert (found.code, found.complaint) == (1, f"{bad}: {problem}")
        assert not (tmp_path / "good").exists()


@pytest.mark.parametrize(
    ("lines", "baseline", "head"),
    [
        ("", "fifo", "against fifo"),
        ("PRIORITY map_1 3\n", "used", "against the order used"),
        ("ALL_NODES 7\n", "fifo", "against fifo"),
    ],
)
def test_a_run_without_priorities_is_compared_as_fifo(icsched, learn, put, lines, baseline, head):
    put({"ranked.dag": FORK_DAG + lines.replace("ALL_NODES", "PRIORITY ALL_NODES")})
    found = learn("wf.log", "ranked.dag")

    assert found["baseline"] == baseline
    assert [n for n, o in found["orders"].items() if o["ratio"] is None] == [baseline]
    report = icsched("learn", "wf.log", "ranked.dag").out
    assert head in report
    assert "used: the recorded order of the starts, as a fixed list" in report


def test_a_run_has_one_length(learn, icsched, put):
    """One slot takes 4 seconds between two jobs; the run is from 0 to 98 seconds."""
    log = "".join(submit(str(i), "12:00:00", f"job_{i}") for i in (1, 2, 3))
    times = [("00:00", "00:30"), ("00:34", "01:04"), ("01:08", "01:38")]
    for i, (begin, over) in enumerate(times, 1):
        log += execute(str(i), f"12:{begin}") + end(str(i), f"12:{over}")
    put({"gaps.log": log, "three.dag": "".join(f"JOB job_{i} x.sub\n" for i in (1, 2, 3))})
    found = learn("gaps.log", "three.dag")

    assert found["pool"]["overhead"] == 4
    assert (found["length"], found["replay"]["actual"]) == (98, 98)
    assert found["replay"]["workers"] == pytest.approx(98)
    assert "98.0 s in fact.\n" in icsched("learn", "gaps.log", "three.dag").out


def test_a_pool_below_the_most_jobs_at_once_says_so(icsched):
    found = icsched("learn", "five.log").out

    assert "Pool: 1 worker.\nUp to 2 jobs ran at once, but usually fewer slots were there" in found


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
