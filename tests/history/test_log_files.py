"""Files of logs: JSON, several files, the global event log, and what is no log."""

import json

import pytest

from icsched.errors import ArgumentError, FormatError
from icsched.history import read_log
from tests.history.lines import PLAIN, end, event, evict, execute, manage, post, submit

# JSON


def json_event(number: int, moment: str, **more) -> dict:
    stamp = f"2026-11-16T{moment}"
    return {"EventTypeNumber": number, "Cluster": 7, "Proc": 0, "EventTime": stamp, **more}


EVENTS = [
    json_event(0, "12:00:00", LogNotes="DAG Node: a", SubmitHost="<10.0.0.1:9618?x>"),
    json_event(1, "12:00:03.500", ExecuteHost="<10.0.0.2:9618?x>", ExecuteProps={"Cpus": 1}),
    json_event(5, "12:00:10", TerminatedNormally=True, ReturnValue=0, ToE={"How": "{"}),
]


@pytest.mark.parametrize("indent", [2, None], ids=["over many lines", "one line each"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_log_may_be_json(log, attempts, indent, line_end):
    text = "".join(json.dumps(found, indent=indent) + "\n" for found in EVENTS)
    past = log(text.replace("\n", line_end))

    assert attempts(past) == [("a", 3.5, 10, "DONE")]
    assert past.slots == ("10.0.0.2:9618",)


def test_text_and_json_may_share_a_file(log, attempts):
    """DAGMan writes its own events as JSON into a log that others write as text."""
    middle = json.dumps(EVENTS[1], indent=2) + "\n"
    past = log(submit("7", "12:00:00", "a") + middle + end("7", "12:00:10"))

    assert attempts(past) == [("a", 3.5, 10, "DONE")]


def test_a_json_log_may_be_cut_anywhere(log, attempts):
    data = "".join(json.dumps(found, indent=2) + "\n" for found in EVENTS).encode()
    whole = data.index(b"\n}\n") + 2
    for length in range(whole, len(data) - 1, 7):
        assert [row[3] for row in attempts(log(data[:length]))] in ([], ["RUNNING"])


def test_wrong_types_in_json_make_the_event_unreadable(log, attempts):
    wrong = {**EVENTS[1], "EventTime": 5}
    deep = '{"EventTypeNumber": ' + "[" * 100_000 + "}"
    text = "\n".join([json.dumps(EVENTS[0]), json.dumps(wrong), deep, json.dumps(EVENTS[2])])

    assert attempts(log(text)) == [("a", None, 10, "DONE")]


# Several files


def test_rotated_logs_are_read_in_the_order_of_time(log, attempts):
    old = submit("7", "12:00:00", "a") + execute("7", "12:00:03")

    assert attempts(log(end("7", "12:00:10"), old)) == [("a", 3, 10, "DONE")]


def test_rotated_logs_of_the_same_second_are_read_by_their_last_events_and_names(
    tmp_path, attempts
):
    (tmp_path / "log.2").write_text(submit("7", "12:00:00", "a"))
    (tmp_path / "log.1").write_text(execute("7", "12:00:00"))
    (tmp_path / "log").write_text(event(4, "7", "12:00:00") + event(6, "7", "12:00:00"))
    paths = [tmp_path / name for name in ("log", "log.1", "log.2")]

    assert attempts(read_log(paths)) == [("a", 0, 0, "EVICTED")]


def test_a_log_without_an_event_that_matters_is_read(log, attempts):
    """A rotated log may have only the sizes of jobs."""
    assert len(log(event(6, "7", "12:00:00"))) == 0
    assert attempts(log(PLAIN, event(6, "7", "12:00:00"))) == [("a", 3, 10, "DONE")]


def test_an_event_in_two_logs_counts_once(log, attempts):
    """The job's own log, and the log of DAGMan, which has the event of the script too."""
    assert attempts(log(PLAIN, PLAIN + post("7", "12:00:12"))) == [("a", 3, 10, "DONE")]


def test_an_event_counts_once_where_one_of_two_logs_has_parts_of_a_second(log, attempts):
    """JSON has them and text has not, unless HTCondor's settings say otherwise."""
    exact = [("12:00:00.900", submit), ("12:00:03.250", execute), ("12:00:10.001", end)]
    finer = "".join(write("7", f"2026-11-16 {moment}") for moment, write in exact)
    finer = finer.replace("alias=ap>\n", "alias=ap>\n    DAG Node: a\n")

    for logs in ((PLAIN, finer), (finer, PLAIN)):
        assert attempts(log(*logs)) == [("a", 2.35, 9.101, "DONE")]  # since 12:00:00.900


SHORT = execute("7", "12:00:00") + end("7", "12:00:01")


def test_the_finer_of_two_stamps_of_an_event_counts(log):
    """From 0.950 s to 1.050 s; whole seconds alone would say 1 s."""
    finer = execute("7", "2026-11-16 12:00:00.950") + end("7", "2026-11-16 12:00:01.050")

    assert log(SHORT).seconds.tolist() == [1]
    for logs in ((SHORT, finer), (finer, SHORT), (SHORT, finer, SHORT)):
        assert log(*logs).seconds.tolist() == [0.1]


def test_a_finer_log_may_have_only_some_of_the_events(log, attempts):
    finer = end("7", "2026-11-16 12:00:01.250")

    assert attempts(log(SHORT, finer)) == [("7.0", 0, 1.25, "DONE")]
    assert attempts(log(finer, SHORT)) == [("7.0", 0, 1.25, "DONE")]


def test_like_events_within_a_second_get_their_finer_stamps_in_order(log, attempts):
    def again(*moments):
        first, second, third, last = (f"2026-11-16 12:00:0{moment}" for moment in moments)
        return execute("7", first) + evict("7", second) + execute("7", third) + end("7", last)

    coarse, finer = again(0, 0, 0, 1), again(0.25, 0.5, 0.75, 1.25)

    for logs in ((coarse, finer), (finer, coarse)):
        found = attempts(log(*logs))
        assert found == [("7.0", 0, 0.25, "EVICTED"), ("7.0", 0.5, 1, "DONE")]


def test_two_events_within_a_second_are_two(log, attempts):
    first = execute("7", "2026-11-16 12:00:00.25") + evict("7", "2026-11-16 12:00:00.5")
    second = execute("7", "2026-11-16 12:00:00.75") + end("7", "2026-11-16 12:00:01.25")

    assert attempts(log(first, second)) == [("7.0", 0, 0.25, "EVICTED"), ("7.0", 0.5, 1, "DONE")]


def test_more_than_nine_logs_of_one_second_are_read_by_their_numbers(tmp_path, attempts):
    (tmp_path / "log.10").write_text(execute("7", "12:00:00"))
    (tmp_path / "log.9").write_text(end("7", "12:00:00"))

    assert attempts(read_log([tmp_path / "log.9", tmp_path / "log.10"])) == [("7.0", 0, 0, "DONE")]


# The global event log of HTCondor

HEADER = "008 (-01.-01.-01) 2026-11-16 12:00:00 Global JobLog: ctime=1794830400 id=0.1  \n...\n"


def test_a_log_may_have_only_the_header_of_an_event_log(log, attempts):
    assert len(log(HEADER)) == 0
    assert attempts(log(HEADER, PLAIN)) == [("a", 3, 10, "DONE")]


def test_dagman_is_not_a_job_of_the_workflow(log, attempts):
    """DAGMan is a job that runs beside the queue, from before the first node until the end."""
    dagman = submit("6", "12:00:00") + manage("6", "12:00:00")
    past = log(HEADER + dagman + PLAIN + end("6", "12:00:15"))

    assert attempts(past) == [("a", 3, 10, "DONE")]
    assert (past.names, past.slots) == (("a",), ("slot1@ep",))


def test_a_node_may_have_the_number_that_dagman_had_before(log, attempts):
    """HTCondor counts jobs from 1 again if its queue was lost."""
    moments = [f"2026-01-16 12:00:0{second}" for second in range(3)]
    dagman = submit("1", moments[0]) + manage("1", moments[1]) + end("1", moments[2])
    later = [f"2026-02-16 12:00:0{second}" for second in (0, 3, 9)]
    node = submit("1", later[0], "A") + execute("1", later[1]) + end("1", later[2])

    past = log(dagman + node)

    month = 31 * 86_400
    assert attempts(past) == [("A", month + 3, month + 9, "DONE")]
    assert past.names == ("A",)


def test_a_dag_inside_the_dag_is_a_node(log, attempts):
    inner = submit("7", "12:00:00", "a") + manage("7", "12:00:03") + end("7", "12:00:10")
    past = log(inner)

    assert attempts(past) == [("a", 3, 10, "DONE")]
    assert past.slots == ("schedd@10.0.0.1:9618",)


# What is no log


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected an event log or a history of HTCondor"),
        ("a 5\n", "expected an event log or a history of HTCondor"),
        ("<?xml version='1.0'?>\n<classads>", "expected text or JSON, got XML"),
        ("<c>\n<a n='MyType'>", "expected text or JSON, got XML"),
        ("[\n]\n", "expected jobs with ClusterId and CompletionDate, got none"),
    ],
)
def test_what_is_no_log_is_refused_in_one_line(log, text, problem):
    with pytest.raises(FormatError, match=problem):
        log(text)


def test_a_log_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match="no such file"):
        read_log(tmp_path / "none.log")


def test_no_log_at_all():
    with pytest.raises(ArgumentError, match="paths: expected at least one file"):
        read_log([])
