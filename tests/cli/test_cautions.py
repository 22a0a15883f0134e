"""What a simulated gain leaves out is told below the gain."""

import json
import os

import pytest

from icsched import Workers
from icsched.sim import read_pool
from tests.history.lines import end, execute, submit

# DAGMan submitted b 100 s after a was done, so two jobs of 10 s took 120 s, and not 20 s.
SLOW_LOG = "".join(
    [
        submit("1", "10:00:00", "a"),
        execute("1", "10:00:00"),
        end("1", "10:00:10"),
        submit("2", "10:01:50", "b"),
        execute("2", "10:01:50"),
        end("2", "10:02:00"),
    ]
)
UNEXPLAINED = (
    "The pool does not explain the run that it was learned from: simulated, that run ends 83.3% too"
    " early. Do not trust the gains. Perhaps a throttle such as -maxjobs held jobs back."
)
LIMITS = "MAXJOBS limits of categories are not simulated."
INNER = "1 job is an inner workflow (SUBDAG EXTERNAL): it counts as a job of ordinary length."
DAG = "JOB lone x\nJOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b c\n"
FEW = ("--runs", "20")


def as_note(line: str) -> str:
    """Return a line as it stands among the notes of JSON."""
    kept = line if line.startswith("MAXJOBS") else line[0].lower() + line[1:]
    return kept.removesuffix(".")


@pytest.fixture
def pool(icsched, put):
    """A pool that does not explain the run that it was learned from."""
    put({"slow.log": SLOW_LOG, "slow.dag": "JOB a x.sub\nJOB b x.sub\n", "wf.dag": DAG})
    icsched("learn", "slow.log", "slow.dag", "--pool-file", "pool.json")
    return "pool.json"


def test_the_file_of_a_pool_says_how_far_off_the_simulated_run_was(pool, folder):
    found = json.loads((folder / pool).read_text())

    assert found["replay_error"] == -0.8333  # 20 s of 120 s
    assert found["count"] == 1
    assert read_pool(folder / pool) == Workers(1)


def test_the_file_of_a_pool_that_explains_the_run_says_nothing(icsched, put, folder):
    log = SLOW_LOG.replace("10:01:50", "10:00:10").replace("10:02:00", "10:00:20")
    put({"wf.log": log, "wf.dag": "JOB a x.sub\nJOB b x.sub\n"})
    icsched("learn", "wf.log", "wf.dag", "--pool-file", "pool.json")

    assert "replay_error" not in json.loads((folder / "pool.json").read_text())


@pytest.mark.parametrize(
    "words",
    [
        ("prio", "wf.dag"),
        ("simulate", "wf.dag", *FEW),
        ("plot", "lanes", "wf.dag", "-o", "lanes.svg"),
        ("study", "wf.dag", "-o", "out", *FEW),
    ],
    ids=lambda words: words[0],
)
def test_each_command_that_takes_the_pool_says_that_it_does_not_explain_its_run(
    icsched, pool, words
):
    found = icsched(*words, "--pool", pool)

    assert (found.code, found.err) == (0, "")
    assert found.out.count(f"{UNEXPLAINED}\n") == 1


@pytest.mark.parametrize("words", [("prio",), ("simulate", *FEW)], ids=lambda words: words[0])
def test_the_notes_in_json_say_it_too(icsched, pool, words):
    found = json.loads(icsched(*words, "wf.dag", "--pool", pool, "--json").out)

    assert as_note(UNEXPLAINED) in found["notes"]


def test_a_report_says_it_of_a_pool_and_of_a_log_below_the_gain(icsched, pool):
    by_pool = json.loads(icsched("report", "wf.dag", "--pool", pool, "--json").out)
    by_log = json.loads(icsched("report", "slow.dag", "--log", "slow.log", "--json").out)
    own = ("--log", "slow.log", "--workers", "1", "--json")
    by_options = json.loads(icsched("report", "slow.dag", *own).out)

    assert by_pool["worth"]["cautions"] == [UNEXPLAINED]
    assert by_log["worth"]["cautions"] == [UNEXPLAINED]
    assert by_options["worth"]["cautions"] == []  # this pool was not learned


@pytest.mark.parametrize("command", [("simulate",), ("study", "-o", "out")], ids=lambda c: c[0])
def test_a_pool_from_a_pipe_is_read_once(icsched, pool, folder, command):
    receiver, sender = os.pipe()
    os.write(sender, (folder / pool).read_bytes())
    os.close(sender)

    found = icsched(*command, "wf.dag", "--pool", f"/dev/fd/{receiver}", *FEW)

    os.close(receiver)
    assert UNEXPLAINED in found.out


@pytest.mark.parametrize(
    ("error", "complaint"),
    [
        ('"far"', "replay_error: expected a number, got 'far'"),
        ("null", "replay_error: expected a number, got null"),
        ("true", "replay_error: expected a number, got true"),
        ('1, "other": 2', "expected the keys count, speeds, leave, deadline, replicas, overhead,"),
    ],
)
def test_a_wrong_error_and_unknown_keys_are_refused(icsched, put, error, complaint):
    text = f'{{"schema": 1, "kind": "workers", "count": 2, "replay_error": {error}}}'
    put({"wf.dag": DAG, "pool.json": text})

    found = icsched("simulate", "wf.dag", "--pool", "pool.json")

    assert found.code == 1
    assert found.complaint.startswith(f"pool.json: {complaint}")


# What DAGMan does and a simulation does not


def lines_after_the_gain(text: str, gain: str, count: int) -> list[str]:
    lines = text.splitlines()
    last = max(at for at, line in enumerate(lines) if gain in line)
    return lines[last + 1 : last + 1 + count]


def test_limits_of_categories_and_inner_workflows_are_told_below_the_gain(icsched, put):
    limited = "CATEGORY b few\nMAXJOBS few 1\nSUBDAG EXTERNAL d inner.dag\nPARENT a CHILD d\n"
    put({"wf.dag": DAG + limited, "inner.dag": "JOB x x\n"})
    workers = ("wf.dag", "--workers", "1")

    prio, simulated = icsched("prio", *workers), icsched("simulate", *workers, *FEW)
    report = json.loads(icsched("report", *workers, "--json").out)

    assert lines_after_the_gain(prio.out, "on your pool", 2) == [LIMITS, INNER]
    assert lines_after_the_gain(simulated.out, "of single runs", 2) == [LIMITS, INNER]
    assert report["worth"]["cautions"] == [LIMITS, INNER]
    for command in (("prio",), ("simulate", *FEW)):
        notes = json.loads(icsched(*command, *workers, "--json").out)["notes"]
        assert notes[:2] == [as_note(LIMITS), as_note(INNER)]


@pytest.mark.parametrize(
    ("lines", "is_told"),
    [
        ("CATEGORY b few\nMAXJOBS few 1\n", True),
        ("category ALL_NODES few\nMAXJOBS few 1\n", True),
        ("CATEGORY b few\n", False),
        ("MAXJOBS few 1\n", False),
        ("CATEGORY b few\nMAXJOBS other 1\n", False),
        ("SPLICE S in.dag\n", True),
        ("SPLICE S in.dag\nMAXJOBS +all 3\n", True),
    ],
)
def test_limits_are_told_if_a_job_is_in_a_category_that_has_one(icsched, put, lines, is_told):
    put({"wf.dag": DAG + lines, "in.dag": "JOB y x\nCATEGORY y own\nMAXJOBS own 2\n"})

    assert (LIMITS in icsched("simulate", "wf.dag", *FEW).out) is is_told


def test_an_inner_workflow_with_a_run_time_of_its_own_or_that_is_done_is_not_told(icsched, put):
    inner = "SUBDAG EXTERNAL d inner.dag"
    put(
        {"wf.dag": f"{DAG}{inner}\n", "inner.dag": "JOB x x\n", "times.csv": "name,seconds\nd,50\n"}
    )
    timed = ("--run-times", "times.csv", "--workers", "2", *FEW)

    assert INNER in icsched("simulate", "wf.dag", *FEW).out
    assert INNER not in icsched("simulate", "wf.dag", *timed).out
    put({"wf.dag": f"{DAG}{inner} DONE\n"})
    assert INNER not in icsched("simulate", "wf.dag", *FEW).out


def test_show_tells_of_inner_workflows(icsched, put):
    put({"wf.dag": f"{DAG}SUBDAG EXTERNAL d inner.dag\nSUBDAG EXTERNAL e inner.dag\n"})
    put({"inner.dag": "JOB x x\n"})

    told = "2 jobs are inner workflows (SUBDAG EXTERNAL): each counts as a job of ordinary length."
    assert f"{told}\n" in icsched("show", "wf.dag").out
