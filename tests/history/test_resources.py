"""Resources in logs made by hand: what jobs asked for, and what their slots held."""

import json
import math

import pytest

from tests.history.lines import end, end_held, event, execute, held, submit, table

MIB = 2**20
START = submit("7", "12:00:00", "a") + execute("7", "12:00:03")


def test_a_job_in_the_slot_of_a_larger_one_holds_more_than_it_asked_for(log):
    body = ["\tSlotName: slot1_3@ep", '\tCondorScratchDir = "/x"', "\tCpus = 8", "\tMemory = 1024"]
    past = log(
        submit("7", "12:00:00", "a")
        + event(1, "7", "12:00:03", *body)
        + end_held("7", "12:00:09", *held(8, 1))
    )

    assert past.requested["cores"].tolist() == [1]
    assert past.allocated["cores"].tolist() == [8]
    assert past.requested["memory_bytes"].tolist() == [128 * MIB]
    assert past.allocated["memory_bytes"].tolist() == [1024 * MIB]  # as at the start
    assert past.allocated["disk_bytes"].tolist() == [99999 * 1024]
    assert past.unread == 0


def test_a_job_that_was_evicted_has_a_table_too(log):
    past = log(
        submit("7", "12:00:00", "a")
        + event(1, "7", "12:00:03", "\tSlotName: slot1_1@ep")
        + event(4, "7", "12:00:05", "\t(0) CPU times", *held(4, 2))
        + execute("7", "12:00:07", cores=2)
    )

    assert past.requested["cores"][0] == 2
    assert math.isnan(past.requested["cores"][1])
    assert past.allocated["cores"].tolist() == [4, 2]
    assert past.needs["cores"].tolist() == [2]


@pytest.mark.parametrize(
    ("row", "asked", "had", "unread"),
    [
        ("Cpus                 :     0.50        1         8 ", 1, 8, 0),
        ("Cpus                 :                 1         8 ", 1, 8, 0),  # no usage is known
        ('Gpus                 :        0        1         2 "GPU-1, GPU-2"', None, None, 0),
        ("Cpus                 :        0        x         8 ", None, 8, 1),
        ("Cpus                 :        0       -1       nan ", None, None, 2),
        ("Cpus                 :        0        1 1000000000000000 ", 1, None, 1),
        ("Cpus (GB)            :        0        1         8 ", None, None, 2),
        ("TimeExecute (s)      :        5                    ", None, None, 0),
    ],
)
def test_numbers_of_a_table_are_checked(log, row, asked, had, unread):
    start = event(1, "7", "12:00:03", "\tSlotName: slot1_1@ep")
    past = log(submit("7", "12:00:00", "a") + start + end_held("7", "12:00:09", *table(row)))

    found = [told.get("cores", [math.nan])[0] for told in (past.requested, past.allocated)]
    assert [None if math.isnan(value) else value for value in found] == [asked, had]
    assert past.unread == unread


def test_resources_that_an_administrator_invented_keep_their_name(log):
    rows = table("Cpus : 0 1 1", "Licenses : 0 2 3", 'Gpus : 0 1 1 "GPU-1"')
    past = log(START + end_held("7", "12:01:00", *rows))

    assert past.needs["licenses"].tolist() == [2]
    assert past.needs["gpus"].tolist() == [1]


def test_a_log_has_columns_for_few_resources(log):
    rows = table("Cpus : 0 1 1", *(f"R{number} : 0 1 1" for number in range(50)))
    past = log(START + end_held("7", "12:01:00", *rows))

    assert "cores" in past.requested
    assert len(past.requested) == 16


def test_the_lines_of_another_event_are_not_of_this_one(log):
    """An execute event without properties, then one of another job with them."""
    start = event(1, "7", "12:00:03", "\tSlotName: slot1_1@ep")
    past = log(start + execute("8", "12:00:04", cores=4))

    assert math.isnan(past.allocated["cores"][0])
    assert past.allocated["cores"][1] == 4


def test_a_cut_line_says_nothing(log):
    text = submit("7", "12:00:00", "a") + execute("7", "12:00:03", cores=16)
    past = log(text[: text.index("= 16") + 3])

    assert past.allocated == {}


def test_json_events_have_resources(log):
    head = {"Cluster": 7, "Proc": 0}
    started = {**head, "EventTypeNumber": 1, "EventTime": "2026-11-16T12:00:03"}
    ended = {**head, "EventTypeNumber": 5, "EventTime": "2026-11-16T12:00:10"}
    started |= {"SlotName": "slot1_1@ep", "ExecuteProps": {"Cpus": 8, "Memory": 1024}}
    ended |= {"TerminatedNormally": True, "ReturnValue": 0, "RequestCpus": 1, "Cpus": 8}
    ended |= {"RequestMemory": "an expression", "RequestDisk": [], "RequestGPUs": -1}
    past = log(json.dumps(started) + "\n" + json.dumps(ended) + "\n")

    assert (past.requested["cores"].tolist(), past.allocated["cores"].tolist()) == ([1], [8])
    assert past.allocated["memory_bytes"].tolist() == [1024 * MIB]
    assert past.unread == 2  # a list and a negative number; an expression is no mistake


def test_a_history_has_resources(log):
    ad = {"ClusterId": 7, "ProcId": 0, "JobStatus": 4, "ExitCode": 0, "QDate": 1000}
    ad |= {"JobCurrentStartDate": 1010, "CompletionDate": 1020, "LastRemoteHost": "slot1_2@ep"}
    ad |= {"RequestCpus": 2, "CpusProvisioned": 4, "MemoryProvisioned": 256}
    past = log(json.dumps([ad]))

    assert (past.requested["cores"].tolist(), past.allocated["cores"].tolist()) == ([2], [4])
    assert past.allocated["memory_bytes"].tolist() == [256 * MIB]


def test_an_event_in_two_logs_counts_once_though_one_says_less(log):
    short = event(1, "7", "12:00:03", "\tSlotName: slot1_1@ep")
    long = execute("7", "12:00:03", "slot1_1@ep", cores=2)
    past = log(submit("7", "12:00:00", "a") + short + end("7", "12:00:09"), long)

    assert len(past) == 1


def test_the_last_run_has_its_own_resources(log):
    once = submit("7", "12:00:00", "a") + execute("7", "12:00:03", cores=2) + end("7", "12:00:09")
    again = submit("8", "12:01:00", "a") + execute("8", "12:01:03", cores=4) + end("8", "12:01:09")

    assert log(once + again).last_run.allocated["cores"].tolist() == [4]
