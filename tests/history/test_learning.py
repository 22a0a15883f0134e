"""What a run did over time: slots, stalls and the pool that fits, on logs made by hand."""

import math
from pathlib import Path

import pytest

from icsched import Dag
from icsched.errors import SimulationError
from icsched.history import Usage, find_stalls, fitted, kinds_in, over_time, read_log, waits
from tests.history.lines import end, evict, execute, submit

# Two maps, then a join, then two ends:
#
#   map_1   10 ------------- 70
#   map_2   10 ---- 40
#   join                        80 --------- 140      submitted at 75
#   out_1                                       150 -- 180      submitted at 145
#   out_2                                       150 -------- 210
#
# All in seconds after 12:00; both maps are submitted at 0.
FORK = Dag(
    {"map_1": [], "map_2": [], "join": ["map_1", "map_2"], "out_1": ["join"], "out_2": ["join"]}
)
FORK_LOG = "".join(
    [
        submit("1", "12:00:00", "map_1"),
        submit("2", "12:00:00", "map_2"),
        execute("1", "12:00:10", "slot1@ep"),
        execute("2", "12:00:10", "slot2@ep"),
        end("2", "12:00:40"),
        end("1", "12:01:10"),
        submit("3", "12:01:15", "join"),
        execute("3", "12:01:20", "slot1@ep"),
        end("3", "12:02:20"),
        submit("4", "12:02:25", "out_1"),
        submit("5", "12:02:25", "out_2"),
        execute("4", "12:02:30", "slot1@ep"),
        execute("5", "12:02:30", "slot2@ep"),
        end("4", "12:03:00"),
        end("5", "12:03:30"),
    ]
)


@pytest.fixture
def run(tmp_path: Path):
    """Return the past run in a log."""

    def read(text: str):
        path = tmp_path / "a.log"
        path.write_text(text)
        return read_log(path)

    return read


def test_kinds_have_count_mean_and_spread(run):
    found = {kind.name: kind for kind in kinds_in(run(FORK_LOG), {})}

    assert list(found) == ["map_#", "out_#", "join"]  # 90, 90 and 60 seconds in all
    maps = found["map_#"]
    assert (maps.jobs, maps.count, maps.mean) == (2, 2, 45)
    assert maps.spread == pytest.approx(math.sqrt(450) / 45)  # 60 and 30: twice 15 squared, over 1
    assert (maps.failures, maps.evictions) == (0, 0)


def test_a_run_without_attempts_has_no_kinds(run):
    """The log of a run whose first job waits still."""
    assert kinds_in(run(submit("1", "12:00:00", "map_1")), {}) == []


def test_jobs_of_two_submit_files_are_two_kinds(run):
    described = {"map_1": "a.sub", "map_2": "b.sub"}
    names = [kind.name for kind in kinds_in(run(FORK_LOG), described)]

    assert "map_# (a.sub)" in names
    assert "map_# (b.sub)" in names


def test_waiting_is_from_submission_to_start(run):
    found = waits(Usage.of(run(FORK_LOG), FORK))

    assert (found.mean, found.median) == (7, 5)  # 10, 10, 5, 5, 5
    assert found.high == pytest.approx(10)


def test_a_run_over_time_counts_each_second_once(run):
    usage = Usage.of(run(FORK_LOG), FORK)
    found = over_time(usage)
    step = found.time[1]

    assert usage.length == 200
    assert found.running.sum() * step == pytest.approx(240)  # 60 + 30 + 60 + 30 + 60
    assert found.missing.sum() * step == pytest.approx(160)


def test_stalls_name_the_job_that_all_waited_for(run):
    found = find_stalls(Usage.of(run(FORK_LOG), FORK), FORK.names)

    # Free slots without a job to take, since the first start: 1 in 30-60, 2 in 60-70, 1 in 70-130,
    # 2 in 130-140, 1 in 170-200. The run ends with out_2.
    assert (found.seconds, found.lost, found.share) == (140, 160, 0.4)
    assert found.waited_for == (("join", 80.0), ("map_1", 50.0), ("out_2", 30.0))
    periods = [(s.start, s.end, s.lost, s.waited_for) for s in found.longest]
    assert periods == [(30, 70, 50, "map_1"), (70, 140, 80, "join"), (170, 200, 30, "out_2")]


def test_a_pool_has_the_slots_and_the_delay_of_the_run(run):
    found = fitted(Usage.of(run(FORK_LOG), FORK))

    assert found.submission == 5
    assert found.freed == 10
    assert (found.workers.count, found.workers.delay, found.workers.overhead) == (2, 10, 0)
    assert found.workers.leave == math.inf
    assert found.recorded.starts.tolist() == [0, 0]
    assert found.recorded.ends.tolist() == [math.inf, math.inf]


def test_the_gap_between_waiting_jobs_is_overhead(run):
    """Three jobs wait for one slot, which takes 4 seconds between two of them."""
    log = "".join(submit(str(i), "12:00:00", f"job_{i}") for i in (1, 2, 3))
    for i, (begin, over) in enumerate(
        [("00:00", "00:30"), ("00:34", "01:04"), ("01:08", "01:38")], 1
    ):
        log += execute(str(i), f"12:{begin}") + end(str(i), f"12:{over}")
    found = fitted(Usage.of(run(log)))

    assert (found.workers.count, found.workers.overhead) == (1, 4)
    assert found.begin == -4


SHRINKING = "".join(submit(str(i), "12:00:39", f"job_{i}") for i in range(1, 6)) + "".join(
    [
        execute("1", "12:00:40", "slot1@ep"),
        execute("2", "12:00:40", "slot2@ep"),
        end("1", "12:02:20"),
        end("2", "12:02:20"),
        execute("3", "12:02:20", "slot1@ep"),
        end("3", "12:04:00"),
        execute("4", "12:04:00", "slot1@ep"),
        end("4", "12:05:40"),
        execute("5", "12:05:40", "slot1@ep"),
        end("5", "12:07:20"),
    ]
)


def test_a_slot_that_stays_empty_while_jobs_wait_has_left(run):
    """slot2 takes one job of 100 seconds; then three jobs wait for slot1, one after the other."""
    usage = Usage.of(run(SHRINKING))
    starts, ends = usage.visits

    assert sorted(zip(starts.tolist(), ends.tolist(), strict=True)) == [(0, 100), (0, math.inf)]
    assert fitted(usage).workers.count == 1  # for 200 of the 299 seconds in which a job waited


def test_a_short_wait_says_little_about_the_number_of_slots(run):
    """slot1 is empty from 100 on; a job waits in vain for 48 of the 1,100 seconds of the run."""
    log = "".join(
        [
            submit("1", "12:00:00", "job_1"),
            submit("2", "12:00:00", "job_2"),
            execute("1", "12:00:00", "slot1@ep"),
            execute("2", "12:00:00", "slot2@ep"),
            end("1", "12:01:40"),
            submit("3", "12:15:50", "job_3"),
            end("2", "12:16:40"),
            execute("3", "12:16:40", "slot2@ep"),
            end("3", "12:18:20"),
        ]
    )
    usage = Usage.of(run(log))

    assert usage.length == 1100
    assert sorted(usage.visits[1].tolist()) == [100, math.inf]
    assert fitted(usage).workers.count == 2


def test_slots_are_made_up_if_the_log_has_two_jobs_at_once_on_one(run):
    log = SHRINKING.replace("slot1@ep", "ep").replace("slot2@ep", "ep")
    usage = Usage.of(run(log))

    assert usage.lane.tolist()[:2] == [0, 1]
    assert set(usage.lane.tolist()) == {0, 1}
    assert len(usage.visits[0]) == 2


def test_an_eviction_ends_a_visit_and_says_how_long_workers_stay(run):
    log = "".join(
        [
            submit("1", "12:00:00", "only"),
            execute("1", "12:00:00"),
            evict("1", "12:01:00"),
            execute("1", "12:02:00"),
            end("1", "12:04:00"),
        ]
    )
    usage = Usage.of(run(log))

    assert usage.available.tolist() == [0, 60]  # the job can be taken again at once
    assert usage.visits[0].tolist() == [0, 120]
    assert usage.visits[1].tolist() == [60, math.inf]
    assert fitted(usage).workers.leave == 180  # 60 + 120 seconds for one eviction


def test_a_job_that_starts_before_its_parent_ends_is_an_error(run):
    log = FORK_LOG.replace("12:01:20", "12:00:50").replace("12:01:15", "12:00:45")

    with pytest.raises(SimulationError, match="'join' started 20 s before a parent of it ended"):
        Usage.of(run(log), FORK)


def test_a_throttled_job_waits_from_30_seconds_after_its_parents(run):
    """DAGMan submits the join 60 seconds late; it could have been taken after 30."""
    log = FORK_LOG.replace("12:02:20", "12:04:20")
    for old, new in [("12:01:15", "12:02:10"), ("12:01:20", "12:02:15")]:
        log = log.replace(old, new)
    for old, new in [("12:02:25", "12:04:25"), ("12:02:30", "12:04:30")]:
        log = log.replace(old, new)
    log = log.replace("12:03:00", "12:05:00").replace("12:03:30", "12:05:30")
    usage = Usage.of(run(log), FORK)

    assert usage.available[2] == 90  # map_1 ends at 60


def test_a_run_in_which_nothing_started_has_no_usage(run):
    assert len(Usage.of(run(submit("1", "12:00:00", "a")))) == 0
