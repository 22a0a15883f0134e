"""`icsched report --log`: what the page says of a recorded run."""

import json

import pytest

from tests.cli.learn.dags import FORK_DAG
from tests.history.lines import end, execute, submit
from tests.history.test_learning import FORK_LOG


@pytest.fixture(autouse=True)
def files(put):
    put({"wf.dag": FORK_DAG, "wf.log": FORK_LOG})


def test_jobs_that_are_done_now_count_for_the_pool_of_the_log_as_in_learn(report, icsched, put):
    """join started 10 s after its last parent. Without map and join, nobody could know that."""
    put({"wf.dag.rescue001": "DONE map_1\nDONE map_2\nDONE join\n"})

    found = report("wf.dag", "--log", "wf.log")
    learned = json.loads(icsched("learn", "wf.log", "wf.dag", "--json").out)

    assert {name: found["pool"][name] for name in learned["pool"]} == learned["pool"]
    assert (found["pool"]["count"], found["pool"]["delay"]) == (2, 10)
    assert found["size"]["tasks"] == 2
    run, label = found["lanes"]["runs"]["recorded"], found["dag"]["label"]
    shown = [None if node is None else label[node] for node in run["node"]]
    assert shown == [None, None, None, "out_1", "out_2"]


def test_jobs_that_the_file_calls_done_count_for_the_pool_of_the_log_too(report, icsched, put):
    marked = FORK_DAG
    for job in ("map_1 map", "map_2 map", "join join"):
        marked = marked.replace(f"JOB {job}.sub", f"JOB {job}.sub DONE")
    put({"wf.dag": marked})

    learned = json.loads(icsched("learn", "wf.log", "wf.dag", "--json").out)

    assert learned["pool"]["delay"] == report("wf.dag", "--log", "wf.log")["pool"]["delay"] == 10
    assert learned["replay"]["actual"] == 200
    assert learned["replay"]["workers"] == pytest.approx(200)


def test_a_log_that_learn_refuses_is_refused_by_the_report(icsched, put):
    """The clock went back by 9 minutes before b started."""
    log = submit("1", "10:10:00", "a") + execute("1", "10:10:00") + end("1", "10:10:10")
    log += submit("2", "10:00:50", "b") + execute("2", "10:01:00") + end("2", "10:01:10")
    put({"back.log": log, "back.dag": "JOB a x.sub\nJOB b x.sub\n"})

    refused = icsched("report", "back.dag", "--log", "back.log", "--json")

    assert refused.code == 1
    assert refused.complaint == icsched("learn", "back.log", "back.dag").complaint
    assert refused.complaint.startswith("back.log: the clock went backwards by 540 s")


def test_the_stalls_begin_with_the_time_that_is_lost_and_those_of_the_log_are_as_in_learn(
    report, icsched
):
    found = report("wf.dag", "--log", "wf.log")["stalls"]

    lost = found["waits"]["fifo"]["lost"]
    assert found["words"].startswith(
        "In one simulated run, workers find no job to take"
        f" for {100 * lost:.1f}% of their time in the order fifo, for "
    )
    told = icsched("learn", "wf.log", "wf.dag").out
    assert f"{found['recorded']['words']}\n" in told
    assert "70 to 140 s: 80 slot seconds lost, all waited for join" in found["recorded"]["periods"]
    assert all(f"  {period}\n" in told for period in found["recorded"]["periods"])
    assert found["recorded"]["share"] == 0.4
    assert report("wf.dag")["stalls"]["recorded"] is None
