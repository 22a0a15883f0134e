"""The sentences of `icsched report`: bounds, chance, words for tasks, how to repeat it."""

import json
import re

import pytest

from icsched import Workers
from tests.cli.learn.dags import FORK_DAG
from tests.cli.report.samples import ONE_BY_ONE, POOL, WORKFLOW, workflow_json
from tests.history.test_learning import FORK_LOG


@pytest.mark.parametrize(
    ("pool", "time", "reason", "why"),
    [
        (Workers(1), 4, "work", "the work of all jobs keeps all workers busy"),
        (Workers(2, [1, 0.25]), 3.2, "work", "3.2 run times on average"),
        (Workers(3), 2, "path", "the longest path of jobs takes that long"),
        (Workers(3, [4, 1, 1]), 2 / 3, "work", "0.666 run times"),
        (ONE_BY_ONE, 2, "path", "before 2 run times on average: the longest path of jobs"),
    ],
)
def test_no_order_ends_before_the_longest_path_and_the_work(report, fork, pool, time, reason, why):
    """Four jobs of mean 1; the longest path, a and b, has two of them."""
    found = report(fork, pool=pool)["worth"]

    assert found["least_time"]["time"] == pytest.approx(time)
    assert found["least_time"]["reason"] == reason
    assert why in found["least_time"]["words"]
    assert all(each["time"]["high"] > time for each in found["orders"])


@pytest.mark.parametrize("more", [{"leave": 9}, {"deadline": 9}, {"replicas": 2}])
def test_no_bound_of_the_time_is_claimed_if_jobs_run_again(report, fork, more):
    assert report(fork, pool=Workers(2, **more))["worth"]["least_time"] is None


def test_a_bound_of_the_time_is_rounded_down(report, put):
    """One job of 102.96 s on one worker: "before 103 s" would be false."""
    put({"wf.dag": "JOB a x.sub\n", "t.csv": "a,102.96\n"})
    found = report("wf.dag", "--workers", "1", "--run-times", "t.csv")["worth"]

    words, [mean] = found["least_time"]["words"], {e["time"]["mean"] for e in found["orders"]}
    assert words.startswith("No order can end this run before 102 s on average")
    assert words.endswith("is chance.") == (mean < 102.96)


def test_the_page_says_why_the_run_that_is_drawn_does_not_end_at_the_mean(report, fork):
    assert "its end differs from the mean" in report(fork)["lanes"]["words"]


def words_of(found: object) -> list[str]:
    """All sentences of a report."""
    if isinstance(found, list):
        return [line for each in found for line in words_of(each)]
    if not isinstance(found, dict):
        return []
    own = [found["words"]] if isinstance(found.get("words"), str) else []
    return own + [line for each in found.values() for line in words_of(each)]


def test_tasks_are_called_as_the_format_of_the_file_calls_them(report, put):
    """The same dag, once as DAGMan's jobs and once as the tasks of a workflow."""
    tasks = [{"name": n, "id": n, "parents": ["a"] * (n in "bc")} for n in ("lone", "a", "b", "c")]
    put({"wf.dag": WORKFLOW, "wf.json": json.dumps(workflow_json(tasks))})
    pool = Workers(2, overhead=1)

    jobs, others = (" ".join(words_of(report(name, pool=pool))) for name in ("wf.dag", "wf.json"))
    assert re.search(r"\bjobs?\b", jobs)
    assert not re.search(r"\btasks?\b", jobs)
    assert re.search(r"\btasks?\b", others)
    assert not re.search(r"\bjobs?\b", others)


def test_orders_that_hold_equally_little_are_all_named(report, put):
    """Each result is held until its child has run; a good order runs each child at once."""
    put(
        {
            "wf.dag": "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\nPARENT a CHILD c\n"
            "PARENT b CHILD d\nPRIORITY a 4\nPRIORITY c 3\nPRIORITY b 2\nPRIORITY d 1\n"
        }
    )
    found = report("wf.dag", "--workers", "1")["memory"]

    # All orders take as long on one worker, so auto keeps the priorities of the file.
    peaks = {name: each["peak"] for name, each in found["orders"].items()}
    assert (peaks["now"], peaks["auto"], peaks["fifo"]) == (1, 1, 2)
    least = "The order that the file has now and the order auto need the least: at most 1 result."
    assert least in found["words"]


def test_a_report_says_that_no_order_gains_anything(report, put):
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n"})

    words = report("wf.dag", "--workers", "1")["worth"]["words"]
    assert words.startswith("No order of icsched gains 1% or more on this pool over first come")


def test_a_time_beside_a_bound_has_its_interval(report, put):
    """One job of mean 1: the mean of some runs may be below 1, so its interval must be there."""
    put({"wf.dag": "JOB a x.sub\n"})
    found = report("wf.dag", "--workers", "1")

    told = re.search(
        r"takes (\S+) \[(\S+), (\S+)\] run times", found["worth"]["least_time"]["words"]
    )
    mean, low, high = map(float, told.groups())
    assert low < mean < high
    assert low <= 1 <= high
    assert found["proof"]["tree"]["name"] == "1 job"


def test_chance_is_named_only_if_the_interval_includes_0(report, fork, monkeypatch):
    """A large workflow gets few runs: their intervals are not trusted, but may exclude 0."""
    monkeypatch.setattr("icsched.commands.report._MOST_TASKS", 4 * 4 * 400)
    found = report(fork, pool=ONE_BY_ONE)["worth"]

    ratio = next(each["ratio"] for each in found["orders"] if each["name"] == found["best"])
    assert (found["runs"], found["is_clear"], ratio["high"] < 1) == (400, False, True)
    few = "Only 400 runs of each order were simulated, so the intervals may be too narrow."
    assert few in found["words"]
    assert "chance" not in found["words"]


def test_the_page_says_how_to_repeat_it(report, put):
    """Only a pool that no file has must be saved first."""
    put({"wf.dag": FORK_DAG, "wf.log": FORK_LOG, "my pool.json": POOL})
    saved = "To repeat it, save the pool as pool.json and run this:"
    given = {
        (): "--pool pool.json",
        ("--workers", "2"): "--pool pool.json",
        ("--log", "wf.log"): "--log wf.log",
        ("--log", "wf.log", "--workers", "2"): "--log wf.log --pool pool.json",
        ("--pool", "my pool.json"): "--pool 'my pool.json'",
        ("--no-rescue", "--lenient"): "--lenient --no-rescue --pool pool.json",
    }

    for words, repeated in given.items():
        found = report("wf.dag", *words)
        assert found["repeat"] == f"icsched report wf.dag {repeated} -o report.html"
        assert (found["to_repeat"] == saved) == ("--pool pool.json" in repeated)


def test_the_pool_of_a_report_can_be_given_to_the_next_one(report, fork, put):
    first = report(fork)["pool"]
    put({"pool.json": json.dumps({key: value for key, value in first.items() if key != "words"})})

    again = report(fork, "--pool", "pool.json")["pool"]

    assert {**again, "words": None} == {**first, "words": None}


def test_jobs_that_take_no_time_take_0_s(report, put):
    """They are simulated as 1e-100 s, which no sentence shows."""
    put({"wf.dag": WORKFLOW, "t.csv": "lone,0\na,0\nb,0\nc,0\n"})
    found = report("wf.dag", "--workers", "2", "--run-times", "t.csv")

    assert "takes 0 [0, 0] s" in found["worth"]["least_time"]["words"]
    assert [line for line in words_of(found) if "e-" in line] == []
