"""Attempts and clocks of hand-made logs; every expected value is worked out by hand."""

import numpy as np
import pytest

from tests.history.lines import PLAIN, end, event, evict, execute, post, submit


def test_a_job_that_succeeds_is_one_attempt(log):
    past = log(PLAIN)

    assert past.names == ("a",)
    assert past.slots == ("slot1@ep",)
    assert past.began == 1794830400  # 16 November 2026, 12:00:00 UTC
    assert (past.submitted[0], past.started[0], past.ended[0]) == (0, 3, 10)
    assert past.seconds.tolist() == [7]
    assert past.run_times().names == ("a",)
    assert past.run_times().seconds.tolist() == [7]


def test_a_job_without_a_dag_node_has_the_name_of_its_cluster_and_proc(log):
    past = log(submit("7.2", "12:00:00") + execute("7.2", "12:00:01"))

    assert past.names == ("7.2",)


def test_a_job_of_a_cluster_has_the_dag_node_of_the_cluster(log):
    cluster = event(35, "7", "12:00:00", "    DAG Node: many")
    past = log(cluster + submit("7.3", "12:00:00") + execute("7.3", "12:00:01"))

    assert past.names == ("many",)


@pytest.mark.parametrize("number", [4, 7, 12, 24])
def test_a_job_that_leaves_its_slot_before_its_end_is_evicted(log, attempts, number):
    again = execute("7", "12:01:00", "slot2@ep") + end("7", "12:01:30")
    past = log(
        submit("7", "12:00:00", "a")
        + execute("7", "12:00:03")
        + event(number, "7", "12:00:05")
        + again
    )

    assert attempts(past) == [("a", 3, 5, "EVICTED"), ("a", 60, 90, "DONE")]
    assert past.slots == ("slot1@ep", "slot2@ep")
    assert past.slot.tolist() == [0, 1]
    assert past.run_times().seconds.tolist() == [30]  # the lost attempt says nothing


def test_a_held_and_released_job_starts_again(log, attempts):
    held = evict("7", "12:00:04") + event(12, "7", "12:00:04", "\tvia condor_hold")
    released = event(13, "7", "12:00:20") + execute("7", "12:00:21") + end("7", "12:00:23")
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:01") + held + released)

    assert attempts(past) == [("a", 1, 4, "EVICTED"), ("a", 21, 23, "DONE")]


def test_suspended_time_is_not_run_time(log):
    stops = event(10, "7", "12:00:05") + event(11, "7", "12:00:09")
    past = log(
        submit("7", "12:00:00", "a") + execute("7", "12:00:02") + stops + end("7", "12:00:12")
    )

    assert past.suspended.tolist() == [4]
    assert past.seconds.tolist() == [6]


def test_a_job_that_is_killed_while_suspended_was_suspended_until_then(log):
    stop = event(10, "7", "12:00:05")
    past = log(
        submit("7", "12:00:00", "a") + execute("7", "12:00:02") + stop + evict("7", "12:00:08")
    )

    assert past.suspended.tolist() == [3]


def test_a_suspension_without_an_end_in_an_attempt_without_an_end_counts_nothing(log):
    stop = event(10, "7", "12:00:05")
    again = execute("7", "12:00:08") + end("7", "12:00:09")
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:02") + stop + again)

    assert past.suspended.tolist() == [0, 0]
    assert past.run_times().seconds.tolist() == [1]


def test_condor_rm_evicts_and_aborts_and_both_mean_removed(log, attempts):
    removed = evict("7", "12:00:05") + event(9, "7", "12:00:06", "\tvia condor_rm")
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:02") + removed)

    assert attempts(past) == [("a", 2, 5, "REMOVED")]


def test_a_job_removed_long_after_its_eviction_was_evicted(log, attempts):
    removed = evict("7", "12:00:05") + event(9, "7", "12:10:00")
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:02") + removed)

    assert attempts(past) == [("a", 2, 5, "EVICTED")]


@pytest.mark.parametrize(("value", "ending"), [(0, "DONE"), (1, "FAILED")])
def test_a_job_removed_right_after_its_end_has_ended_as_it_did(log, attempts, value, ending):
    """HTCondor may remove a job that has ended, but has not left the queue yet."""
    removed = end("7", "12:00:05", value) + event(9, "7", "12:00:06", "\tvia condor_rm")
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:02") + removed)

    assert attempts(past) == [("a", 2, 5, ending)]


def test_a_job_removed_while_idle_has_no_attempt(log):
    past = log(submit("7", "12:00:00", "a") + event(9, "7", "12:10:00"))

    assert past.names == ("a",)
    assert len(past) == 0


def test_a_lost_connection_that_comes_back_changes_nothing(log, attempts):
    gap = event(22, "7", "12:00:05") + event(23, "7", "12:00:07")
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:02") + gap + end("7", "12:00:12"))

    assert attempts(past) == [("a", 2, 12, "DONE")]


def test_a_retry_is_another_job_of_the_same_name_in_the_same_run(log, attempts):
    again = submit("8", "12:00:20", "a") + execute("8", "12:00:21") + end("8", "12:00:25")
    past = log(
        submit("7", "12:00:00", "a") + execute("7", "12:00:02") + end("7", "12:00:12", 3) + again
    )

    assert attempts(past) == [("a", 2, 12, "FAILED"), ("a", 21, 25, "DONE")]
    assert past.run.tolist() == [0, 0]
    assert past.run_times().seconds.tolist() == [4]


def test_a_job_that_a_signal_killed_has_failed(log, attempts):
    killed = event(5, "7", "12:00:12", "\t(0) Abnormal termination (signal 9)")
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:02") + killed)

    assert attempts(past) == [("a", 2, 12, "FAILED")]


def test_a_job_submitted_again_after_success_begins_another_run(log):
    """b is new in the second run: the time says that it belongs there."""
    again = submit("8", "13:00:00", "a") + execute("8", "13:00:01") + end("8", "13:00:10")
    new = submit("9", "13:00:11", "b") + execute("9", "13:00:12") + end("9", "13:00:13")
    past = log(PLAIN + again + new)

    assert past.run.tolist() == [0, 1, 1]
    assert past.last_run.started.tolist() == [3601, 3612]
    assert past.run_times().seconds.tolist() == [8, 1]  # the mean of 7 and 9; of b alone


def test_each_submission_is_judged_by_its_own_end(log):
    """First a retry after a failure, then a run after success, and one after a job without end."""
    text = submit("7", "12:00:00", "a") + execute("7", "12:00:01") + end("7", "12:00:02", 1)
    text += submit("8", "12:01:00", "a") + execute("8", "12:01:01") + end("8", "12:01:02")
    text += submit("9", "12:02:00", "a") + execute("9", "12:02:01") + evict("9", "12:02:02")
    text += submit("10", "12:03:00", "a") + execute("10", "12:03:01")

    assert log(text).run.tolist() == [0, 0, 1, 1]


def test_a_failed_post_script_makes_the_next_submission_a_retry(log):
    again = submit("8", "12:00:20", "a") + execute("8", "12:00:21")

    assert log(PLAIN + post("7", "12:00:12", 1) + again).run.tolist() == [0, 0]
    assert log(PLAIN + post("7", "12:00:12", 0) + again).run.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "run"),
    [((0, 0), 1), ((0, 3), 0), ((3, 0), 0), ((3, 3), 0), ((0, 0, 0), 1), ((0, 3, 0), 0)],
)
def test_a_node_of_several_jobs_has_succeeded_once_all_of_them_have(log, values, run):
    """After success, the next submission of the node begins another run. Else it is a retry."""
    jobs = [f"7.{number}" for number in range(len(values))]
    text = "".join(submit(job, "12:00:00", "a") + execute(job, "12:00:03") for job in jobs)
    text += "".join(end(job, "12:00:10", value) for job, value in zip(jobs, values, strict=True))
    again = submit("8.0", "12:00:20", "a") + execute("8.0", "12:00:21")

    assert log(text + again).run.tolist() == [0] * len(values) + [run]


def test_nodes_that_dagman_does_not_submit_are_left_out(log):
    noop = "000 (000.2147483647.001) 2026-11-16 12:00:00 Job submitted from host: <dummy>\n"
    noop += (
        "    DAG Node: join\n...\n005 (000.2147483647.001) 2026-11-16 12:00:00 Job terminated.\n"
    )
    past = log(noop + "\t(1) Normal termination (return value 0)\n...\n" + PLAIN)

    assert past.names == ("a",)
    assert len(past) == 1


def test_the_log_of_a_run_that_goes_on_has_running_attempts(log, attempts):
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:02"))

    assert attempts(past) == [("a", 2, None, "RUNNING")]
    assert len(past.run_times()) == 0


def test_every_cut_of_a_log_is_read_up_to_the_cut(log, attempts):
    """The end is known from the moment its second line is whole."""
    data = PLAIN.encode()
    known = data.index(b"(return value 0)\n") + len(b"(return value 0)\n")
    for length in range(data.index(b"..."), len(data)):
        found = attempts(log(data[:length]))
        assert [row[3] for row in found] in ([], ["RUNNING"], ["DONE"])
        assert (("a", 3, 10, "DONE") in found) == (length >= known)


def test_a_log_that_begins_in_the_middle_of_an_event(log, attempts):
    tail = (execute("7", "12:00:03") + end("7", "12:00:10")).partition("SlotName")[2]

    assert attempts(log(tail)) == [("7.0", None, 0, "DONE")]


def test_an_event_whose_end_is_lost_does_not_take_the_next_one_along(log, attempts):
    broken = execute("7", "12:00:03").removesuffix("...\n") + end("7", "12:00:10")

    assert attempts(log(submit("7", "12:00:00", "a") + broken)) == [("a", 3, 10, "DONE")]


def test_an_attempt_without_any_end_is_evicted_at_an_unknown_time(log, attempts):
    again = execute("7", "12:00:30") + end("7", "12:00:40")

    assert attempts(log(submit("7", "12:00:00", "a") + execute("7", "12:00:03") + again)) == [
        ("a", 3, None, "EVICTED"),
        ("a", 30, 40, "DONE"),
    ]


def test_unknown_events_junk_and_carriage_returns_are_passed_over(log, attempts):
    junk = (
        event(99, "7", "12:00:01")
        + event(6, "7", "12:00:01")
        + "junk\n\0\xff\n...\n"
        + event(36, "7", "12:00:09")
    )
    text = submit("7", "12:00:00", "a") + junk + execute("7", "12:00:03") + end("7", "12:00:10")

    assert (
        attempts(log(text)) == attempts(log(text.replace("\n", "\r\n"))) == [("a", 3, 10, "DONE")]
    )
    assert log(text.replace("\n", "\r\n")).names == ("a",)
    assert log(text.replace("\n", "\r\n")).slots == ("slot1@ep",)


# Clocks


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("11/16 12:00:00", "11/16 12:00:09", 9),
        ("12/31 23:59:58", "01/01 00:00:01", 3),
        ("02/29 12:00:00", "03/01 12:00:00", 86_400),
        ("2023-11-16 12:00:00", "2023-11-16 12:00:01.250", 1.25),
        ("2023-11-16 12:00:00Z", "2023-11-16 12:00:01.5Z", 1.5),
        ("2023-11-16 12:00:00+01:00", "2023-11-16 12:00:00Z", 3600),
        ("2023-11-16 12:00:00.5-0530", "2023-11-16 17:30:01.5Z", 1),
    ],
)
def test_every_form_of_time_is_understood(log, first, second, apart):
    past = log(submit("7", first, "a") + execute("7", first) + end("7", second))

    assert past.seconds.tolist() == [pytest.approx(apart)]


@pytest.mark.parametrize("first", ["", submit("6", "12/31 23:59:00")])
def test_an_event_that_is_late_at_new_year_belongs_to_the_old_year(log, first):
    """Job 8 started two seconds before the new year; the log says so afterwards."""
    past = log(
        first
        + submit("7", "01/01 00:00:01", "a")
        + execute("8", "12/31 23:59:58")
        + execute("7", "01/01 00:00:01")
        + end("8", "01/01 00:00:05")
        + end("7", "01/01 00:00:09")
    )

    assert past.seconds.tolist() == [7, 8]
    assert float(past.ended.max()) - float(past.started.min()) == 11
    assert not past.has_year


def test_runs_in_january_and_in_december_are_of_one_year(log):
    """2000 is a leap year: from 20 January to 5 December are 320 days."""
    january = submit("7", "01/20 12:00:00", "a") + execute("7", "01/20 12:00:01")
    december = submit("8", "12/05 12:00:00", "a") + execute("8", "12/05 12:00:01")

    past = log(january + end("7", "01/20 12:00:09") + december + end("8", "12/05 12:00:05"))

    assert past.started.tolist() == [1, 320 * 86_400 + 1]
    assert past.run.tolist() == [0, 1]
    assert past.last_run.seconds.tolist() == [4]


def test_a_day_that_does_not_exist_makes_the_event_unreadable(log, attempts):
    past = log(
        submit("7", "12:00:00", "a") + execute("7", "2026-02-30 12:00:00") + end("7", "12:00:10")
    )

    assert attempts(past) == [("a", None, 10, "DONE")]


def test_a_clock_that_is_set_back_makes_the_run_time_unknown_and_never_negative(log, attempts):
    past = log(submit("7", "12:00:00", "a") + execute("7", "12:00:30") + end("7", "11:00:00"))

    assert attempts(past) == [("a", None, 0, "DONE")]
    assert past.began == 1794830400 - 3600
    assert np.isnan(past.submitted).all()
    assert len(past.run_times()) == 0
