"""What a report tells about large, long and narrow workflows."""

import json
import math

import pytest

from icsched import families
from icsched.formats import write_dagman
from icsched.sim import Pool, Recorded, pool_to_dict


def stages(count: int) -> str:
    r"""
      s0
     /  \       Each s frees two jobs, and both free the next s: everything waits for it.
    a0   b0
     \  /
      s1  ...
    """
    jobs = "".join(f"JOB {kind}{k} x.sub\n" for k in range(count) for kind in "sab")
    down = "".join(f"PARENT s{k} CHILD a{k} b{k}\n" for k in range(count))
    on = "".join(f"PARENT a{k} b{k} CHILD s{k + 1}\n" for k in range(count - 1))
    return jobs + down + on


@pytest.mark.parametrize(
    ("count", "told"), [(3, "3 jobs hold up most"), (12, "At least 10 jobs hold up most")]
)
def test_bottlenecks_are_counted_and_marked_in_the_dag(report, put, count, told):
    put({"wf.dag": stages(count)})
    found = report("wf.dag", "--workers", "2")

    narrow = [each["node"] for each in found["stalls"]["bottlenecks"]]
    assert {found["dag"]["label"][node][0] for node in narrow} == {"s"}
    marked = [node for node, flag in enumerate(found["dag"]["is_bottleneck"]) if flag]
    assert marked == sorted(narrow)
    assert told in found["stalls"]["words"]


def test_the_share_that_found_nothing_is_that_of_the_simulation(report, put):
    put({"wf.dag": stages(3)})
    found = report("wf.dag", "--workers", "2")

    shares = {each["name"]: each["stall"]["mean"] for each in found["worth"]["orders"]}
    assert shares["fifo"] > 0.1
    told = f"{100 * shares['fifo']:.1f}% of all requests find no eligible job in the order fifo"
    assert told in found["stalls"]["words"]


def test_a_name_of_300_letters_is_cut_after_200(report, put):
    put({"wf.dag": f"JOB {'x' * 300} x.sub\nJOB {'y' * 200} x.sub\n"})

    assert report("wf.dag")["dag"]["label"] == [f"{'x' * 197}...", "y" * 200]


@pytest.mark.parametrize("jobs", [3000, 3001])
def test_a_run_of_more_than_3000_bars_is_told_to_be_cut(report, put, jobs):
    put({"wf.dag": "".join(f"JOB j{number} x.sub\n" for number in range(jobs))})
    found = report("wf.dag", "--workers", "100")["lanes"]

    assert found["runs"]["fifo"]["is_cut"] == (jobs > 3000)
    assert ("Only the beginning of each run is shown." in found["words"]) == (jobs > 3000)


def test_runs_with_too_many_batches_are_told_to_be_missing(report, put, monkeypatch):
    put({"wf.dag": stages(3)})
    batches = Pool(interval=1, batch=1)
    told = "Runs with very many batches are not shown."
    assert told not in report("wf.dag", pool=batches)["lanes"]["words"]

    monkeypatch.setattr("icsched.commands.report._MOST_BATCHES", 1)

    found = report("wf.dag", pool=batches)["lanes"]
    assert (found["runs"], told in found["words"]) == ({}, True)


@pytest.mark.parametrize("visits", [1000, 1001])
def test_the_visits_of_a_large_recorded_pool_are_left_out(report, put, visits):
    pool = pool_to_dict(Recorded([0.0] * visits, [math.inf] * visits))
    put({"wf.dag": stages(1), "pool.json": json.dumps(pool)})
    found = report("wf.dag", "--pool", "pool.json")["pool"]

    lists = [value for value in pool.values() if isinstance(value, list)]
    assert lists
    for key, value in pool.items():
        expected = None if isinstance(value, list) and visits > 1000 else value
        assert found[key] == expected


@pytest.mark.usefixtures("put")
def test_the_baseline_is_recommended_if_no_order_is_1_percent_better(report):
    """Another order has the least mean time here, by less than 1%."""
    write_dagman(families.random_layered(60, 6, seed=0), "wf.dag")
    found = report("wf.dag", "--workers", "2")["worth"]

    times = {each["name"]: each["time"]["mean"] for each in found["orders"]}
    assert 0.99 * times["fifo"] < min(times.values()) < times["fifo"]
    assert found["best"] == "fifo"
