"""Machines, throttles and lost cores of runs whose logs are made by hand."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag
from icsched.history import Losses, Submission, Usage, machines_of, parsed_run
from icsched.history.replay import running_difference
from tests.history.lines import end, end_held, execute, held, submit


def job(number: int, name: str, times: tuple[str, str, str], slot: str, cores: int, asked: int):
    """Write a job with submission, start and end, which asked for some of the cores it held."""
    word = str(number)
    return [
        (times[0], submit(word, times[0], name)),
        (times[1], execute(word, times[1], slot, cores)),
        (times[2], end_held(word, times[2], *held(cores, asked))),
    ]


def text_of(*jobs: list[tuple[str, str]]) -> str:
    """Write the events of jobs in the order of time."""
    events = [event for each in jobs for event in each]
    return "".join(text for _, text in sorted(events, key=lambda event: event[0]))


def moment(second: float) -> str:
    return f"12:{int(second) // 60:02}:{int(second) % 60:02}"


def one(number: int, name: str, seconds: tuple[int, int, int], slot: str, cores=1, asked=None):
    times = tuple(map(moment, seconds))
    return job(number, name, times, slot, cores, cores if asked is None else asked)


# One machine of 8 cores, seconds after 12:00:
#
#   slot1_1 (8)  a 0 ---- 10 b 10 ---- 20      w 25 ---- 35
#   slot1_2 (2)                                                   c 42 ---- 52
#
# a and w ask for 8 cores, b for 1 of the 8 that its slot has, c for 2. a, b and w are submitted at
# 0, c at 40, because its parent w ends at 35.
CLAIMS = Dag({"a": [], "b": [], "w": [], "c": ["w"]})
CLAIMS_LOG = text_of(
    one(1, "a", (0, 0, 10), "slot1_1@ep", 8),
    one(2, "b", (0, 10, 20), "slot1_1@ep", 8, 1),
    one(3, "w", (0, 25, 35), "slot1_1@ep", 8),
    one(4, "c", (40, 42, 52), "slot1_2@ep", 2),
)


def losses(log, text: str, dag: Dag) -> dict[str, float]:
    past = log(text)
    usage = Usage.of(past, dag)
    seen = machines_of(usage, past.slots)
    return asdict(Losses.of(usage, seen, Submission.of(usage)))


def test_cores_are_lost_to_large_slots_and_to_htcondor_and_to_missing_jobs(log):
    """416 core seconds: 52 s of 8 cores."""
    found = losses(log, CLAIMS_LOG, CLAIMS)

    assert found == {
        "used": 80 + 10 + 80 + 20,
        "large_slots": 7 * 10,  # b
        "matching": 8 * 5 + 2 * 2,  # w from 20 to 25, c from 40 to 42
        "cores": 0,
        "memory": 0,
        "throttle": 0,
        "submission": 2 * 5,  # c from 35 to 40
        "no_job": 6 * 5 + 6 * 2 + 6 * 10,
    }


def test_cores_are_lost_while_a_job_needs_more_than_is_free(log):
    """s 3 cores until 10, t 5 cores until 4, then w wants all 8: 5 cores wait for 6 s."""
    text = text_of(
        one(1, "s", (0, 0, 10), "slot1_1@ep", 3),
        one(2, "t", (0, 0, 4), "slot1_2@ep", 5),
        one(3, "w", (0, 10, 12), "slot1_3@ep", 8),
    )
    found = losses(log, text, Dag({"s": [], "t": [], "w": []}))

    assert (found["used"], found["cores"], sum(found.values())) == (66, 30, 96)


def test_what_is_free_on_two_machines_does_not_make_room_on_one(log):
    """Two machines of 4 cores. From 2 to 10 each has 2 free, and w wants 3."""
    text = text_of(
        one(1, "a", (0, 0, 10), "slot1_1@x", 2),
        one(2, "b", (0, 0, 2), "slot1_2@x", 2),
        one(3, "c", (0, 0, 10), "slot1_1@y", 2),
        one(4, "d", (0, 0, 2), "slot1_2@y", 2),
        one(5, "w", (0, 10, 12), "slot1_3@y", 3),
    )
    found = losses(log, text, Dag(dict.fromkeys("abcdw", ())))

    assert found["cores"] == 3 * 8  # of the 4 free ones; w would take 3
    assert found["matching"] == 0
    assert found["no_job"] == 1 * 8 + 5 * 2


def test_slots_of_one_partitionable_slot_are_one_machine(log):
    past = log(CLAIMS_LOG)
    seen = machines_of(Usage.of(past, CLAIMS), past.slots)

    (kind,) = seen.kinds
    assert (kind.count, kind.cores, kind.is_partitionable) == (1, 8, True)
    assert kind.memory_bytes == 128 * 2**20  # never two jobs at once
    assert seen.hosts == 1
    assert seen.is_divided


def test_slots_held_at_once_add_up_and_an_overlap_of_a_second_does_not(log):
    """slot1_1 holds 3 cores until 10, slot1_2 5 from 5 on, slot1_3 8 from 14 on.

    slot1_2 ends at 15, but its end may be a second late.
    """
    text = text_of(
        one(1, "a", (0, 0, 10), "slot1_1@ep", 3),
        one(2, "b", (0, 5, 15), "slot1_2@ep", 4),
        one(3, "c", (0, 14, 20), "slot1_3@ep", 5),
    )
    past = log(text)

    assert machines_of(Usage.of(past), past.slots).cores.tolist() == [7]


def test_static_slots_are_machines_of_one_host(log):
    text = text_of(
        one(1, "a", (0, 0, 10), "slot1@ep"),
        one(2, "b", (0, 0, 10), "slot2@ep"),
        one(3, "c", (0, 0, 10), "slot1@other"),
    )
    past = log(text)
    seen = machines_of(Usage.of(past), past.slots)

    (kind,) = seen.kinds
    assert (kind.count, kind.cores, kind.is_partitionable) == (3, 1, False)
    assert seen.hosts == 2
    assert not seen.is_divided


def test_a_log_without_cores_shows_no_machines(log):
    text = (
        submit("1", "12:00:00") + execute("1", "12:00:00", "slot1_1@ep", "?") + end("1", "12:01:00")
    )
    past = log(text)

    assert machines_of(Usage.of(past), past.slots) is None


FAN = Dag({"r": [], **{f"c{i}": ["r"] for i in range(8)}})


def fan(*waves: tuple[int, int, int]) -> str:
    """Write a root from 0 to 10, then pairs of children with their submission, start and end."""
    jobs = [one(1, "r", (0, 0, 10), "slot1_1@ep")]
    for number, times in enumerate(waves):
        for part in (0, 1):
            child = 2 * number + part
            jobs.append(one(child + 2, f"c{child}", times, f"slot1_{part + 1}@ep"))
    return text_of(*jobs)


def test_a_full_queue_while_ready_jobs_wait_is_maxjobs(log):
    """Two jobs at a time; DAGMan submits the next two a second after both have ended."""
    text = fan((11, 11, 21), (22, 22, 32), (33, 33, 43), (44, 44, 54))
    told = Submission.of(Usage.of(log(text), FAN))

    assert (told.max_jobs, told.max_idle) == (2, None)
    assert told.scan_interval == pytest.approx(1 / 1.1)  # the first children come after 1 s
    assert told.held_back == pytest.approx(34 - 2 / 1.1 - 1)  # from two intervals and 1 s after 10


def test_idle_jobs_at_a_ceiling_while_ready_jobs_wait_are_maxidle(log):
    """Two cores, and two idle jobs whenever DAGMan has just looked."""
    text = fan((11, 12, 22), (13, 22, 32), (23, 32, 42), (33, 42, 52))
    told = Submission.of(Usage.of(log(text), FAN))

    assert (told.max_jobs, told.max_idle) == (None, 2)


def test_jobs_that_are_submitted_at_once_are_not_held_back(log):
    text = fan((11, 12, 22), (11, 22, 32), (11, 32, 42), (11, 42, 52))
    told = Submission.of(Usage.of(log(text), FAN))

    assert (told.max_jobs, told.max_idle, told.held_back) == (None, None, 0)


def test_cores_that_a_throttle_leaves_idle_are_blamed_on_it(log):
    """Two cores stay empty from 21 to 22, from 32 to 33 and from 43 to 44."""
    text = fan((11, 11, 21), (22, 22, 32), (33, 33, 43), (44, 44, 54))
    found = losses(log, text, FAN)

    assert found["used"] == 10 + 8 * 10
    assert found["throttle"] == 2 * 3
    assert sum(found.values()) == 2 * 54


TWO = st.lists(
    st.tuples(*(st.integers(0, 9) for _ in range(3)), st.integers(0, 1), st.integers(1, 4)),
    min_size=1,
    max_size=7,
)


@given(TWO)
def test_lost_cores_are_those_of_a_count_second_by_second(rows):
    """Jobs without parents on two machines; each runs alone in a slot of what it asked for."""
    jobs = [
        (queued, queued + wait, queued + wait + length, where, cores)
        for queued, wait, length, where, cores in rows
    ]
    text = text_of(
        *(
            [
                (moment(queued), submit(f"{number}", moment(queued))),
                (
                    moment(start),
                    execute(f"{number}", moment(start), f"slot1_{number}@h{where}", cores),
                ),
                (moment(over), end(f"{number}", moment(over))),
            ]
            for number, (queued, start, over, where, cores) in enumerate(jobs)
        )
    )
    past = parsed_run([("log", text.encode())])
    usage = Usage.of(past)
    seen = machines_of(usage, past.slots)
    found = Losses.of(usage, seen, Submission.of(usage))
    hosts = list(dict.fromkeys(where for *_, where, _ in sorted(jobs, key=lambda row: row[1])))
    most = dict(zip(hosts, seen.cores.tolist(), strict=True))
    begin, over = min(job[1] for job in jobs), max(job[2] for job in jobs)
    used = matching = cores = nothing = 0.0
    for second in range(begin, over):
        running = [job for job in jobs if job[1] <= second < job[2]]
        waiting = [job for job in jobs if job[0] <= second < job[1]]
        free = {h: most[h] - sum(job[4] for job in running if job[3] == h) for h in hosts}
        left = max(sum(free.values()), 0)
        used += sum(job[4] for job in running)
        fitting = [job[4] for job in waiting if job[4] <= max(free.values())]
        matched = min(left, sum(fitting))
        blocked = min(left - matched, sum(job[4] for job in waiting) - sum(fitting))
        matching, cores = matching + matched, cores + blocked
        nothing += left - matched - blocked

    assert (found.used, found.matching, found.cores) == (used, matching, cores)
    assert (found.no_job, found.large_slots, found.memory) == (nothing, 0, 0)


def test_running_jobs_of_a_replay_are_compared_at_each_moment():
    """The log has two jobs until 10; the replay has one until 10, and the other until 20."""
    log = np.array([0.0, 0.0]), np.array([10.0, 10.0])

    assert running_difference(*log, np.array([0.0, 10.0]), np.array([10.0, 20.0])) == 1
    assert running_difference(*log, *log) == 0


def test_cores_of_a_replay_are_compared_by_what_each_job_asked_for():
    """The log has jobs of 3 cores and 1 core until 10; the replay has the small one until 20."""
    log = np.array([0.0, 0.0]), np.array([10.0, 10.0])
    replay = np.array([0.0, 10.0]), np.array([10.0, 20.0])
    cores = np.array([3.0, 1.0])

    assert running_difference(*log, *replay, cores, cores) == (1 * 10 + 1 * 10) / 40


def test_gaps_between_submissions_tell_the_interval_where_a_throttle_delays_all_children(log):
    """Two of eight jobs at a time, 9 seconds each; DAGMan looks every second.

    Jobs are submitted at 0, 10, 11, 20, 21, 30, 31 and 42, so most gaps are 1 s and 9 s.
    """
    merge = Dag({**{f"c{i}": [] for i in range(8)}, "m": [f"c{i}" for i in range(8)]})
    begins = [0, 0, 10, 11, 20, 21, 30, 31]
    jobs = [one(i + 1, f"c{i}", (s, s, s + 9), "slot1_1@ep") for i, s in enumerate(begins)]
    jobs.append(one(9, "m", (42, 42, 50), "slot1_1@ep"))
    told = Submission.of(Usage.of(log(text_of(*jobs)), merge))

    assert (told.max_jobs, told.scan_interval) == (2, 1)
    assert told.held_back == 31 - 3  # from two intervals and 1 s after the first submission


def test_a_throttle_is_seen_where_no_job_has_parents(log):
    """Two of six jobs at a time, ten seconds each; DAGMan submits two a second after two ended."""
    waves = [0, 11, 22]
    jobs = [
        one(i + 1, f"s{i}", (w, w, w + 10), "slot1_1@ep") for i in range(6) for w in [waves[i // 2]]
    ]
    told = Submission.of(Usage.of(log(text_of(*jobs)), Dag({f"s{i}": [] for i in range(6)})))

    assert told.max_jobs == 2
    assert told.held_back == 22 - 1  # from a second after 0, as the log shows no interval
