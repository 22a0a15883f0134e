"""Run times from tables, histories and logs, whichever the content says it is."""

import json

import numpy as np
import pytest

import icsched
from icsched import ArgumentError, FormatError, RunTimeTable
from tests.history.lines import end, execute, submit


@pytest.fixture
def read(tmp_path):
    """Read texts as files called 0, 1, ...; return names and patterns with their seconds."""

    def reader(*texts: str | bytes) -> dict[str, float]:
        paths = [tmp_path / str(number) for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        table = icsched.read_run_times(*paths)
        return dict(zip(table.names, table.seconds.tolist(), strict=True)) | dict(table.patterns)

    return reader


@pytest.fixture
def complaint(read, tmp_path):
    """Return what is said about files that cannot be read, without the folder."""

    def complain(*texts: str | bytes) -> str:
        with pytest.raises(FormatError) as caught:
            read(*texts)
        return str(caught.value).removeprefix(f"{tmp_path}/")

    return complain


# Tables


def test_rows_that_are_means_are_left_out(read):
    """`icsched learn` writes the column origin; a row without that cell counts as measured."""
    rows = ["a,1,measured", "b,2,kind", "c*,3,pattern", "d,4,all", "e,5,", "f,6"]

    assert read("\n".join(["job,seconds,origin", *rows])) == {"a": 1, "c*": 3, "e": 5, "f": 6}


@pytest.mark.parametrize(
    "text",
    [
        "a 2\nb 3.5\n",
        "a,2\nb,3.5",
        "a , 2\r\nb , 3.5\r\n",
        "a\t2\nb\t3.5\n",
        "a;2\nb;3.5\n",
        "a;2,0\nb;3,5\n",
        "\n# seconds of each job\n  a   2\n\nb 3.5 \n",
        '"a",2\n"b","3.5"\n',
        "job,seconds\na,2\nb,3.5\n",
        "Seconds;Host;Node\n2;x;a\n3,5;y;b\n",
        "what,how long\na,2\nb,3.5\n",
        "name time\na 2\nb 3.5\n",
        "seconds,who\n2,a\n3.5,b\n",
        "\ufeffrule,wall\na,2\nb,3.5\n",
    ],
)
def test_a_table_may_be_written_in_many_ways(read, text):
    assert read(text) == {"a": 2, "b": 3.5}


def test_quoted_names_may_hold_the_separator(read):
    assert read('"a, b",2\n"say ""so""",3\n') == {"a, b": 2, 'say "so"': 3}


def test_a_job_may_begin_with_the_sign_of_a_comment(read):
    assert read("#1 5\n# 7 is a comment\n#also a comment\n") == {"#1": 5}


def test_a_comment_says_nothing_about_the_columns(read):
    """Its comma separates nothing, and its quote need not end."""
    assert read('# seconds, of "each\rjob\na 2\n') == {"a": 2}


def test_zero_seconds_is_an_instant_job(read):
    assert read("a 0\n") == {"a": 0}


def test_names_with_glob_signs_are_patterns_and_the_longest_comes_first(tmp_path):
    (tmp_path / "times").write_text("map_*,5\nmap_1?,6\nmap_[12]x*,7\nmap_7,8\n")
    table = icsched.read_run_times(tmp_path / "times")

    assert table.names == ("map_7",)
    assert list(table.patterns.items()) == [("map_[12]x*", 7), ("map_1?", 6), ("map_*", 5)]


def test_a_table_may_begin_with_a_pattern_in_brackets(read):
    assert read("[ab]*,5\n") == {"[ab]*": 5}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0: expected run times, got an empty file"),
        ("# nothing\n\n", "0: expected run times, got an empty file"),
        ("a 2\nb -1\n", "0:2: job 'b': expected a number of seconds, 0 or more, got '-1'"),
        (
            "a 2\nb 1e308\n",
            "0:2: job 'b': expected a number of seconds, 0, or 1e-100 to 1e+100, got '1e308'",
        ),
        (
            "a 1e-320\n",
            "0:1: job 'a': expected a number of seconds, 0, or 1e-100 to 1e+100, got '1e-320'",
        ),
        ("a nan\n", "0:1: job 'a': expected a number of seconds, 0 or more, got 'nan'"),
        ("a,2\n\nb,inf\n", "0:3: job 'b': expected a number of seconds, 0 or more, got 'inf'"),
        ("a,2\nb,fast\n", "0:2: job 'b': expected a number of seconds, 0 or more, got 'fast'"),
        ("a 2\na 3\n", "0:2: job 'a' is already on line 1"),
        ("a 2\nb\n", "0:2: expected a job and a number of seconds, 0 or more, got 'b'"),
        ("a\n", "0:1: expected a job and a number of seconds, 0 or more, got 'a'"),
        ("a x\n", "0:1: expected a job and a number of seconds, 0 or more, got 'a,x'"),
        (",5\n", "0:1: job '': expected a number of seconds, 0 or more, got '5'"),
        (b"a 2\nb\xff 3\n", "0:2: expected UTF-8 text, got byte 0xff"),
        (b"a 2\nb\0 3\n", "0:2: expected text, got a NUL byte"),
        ('a 2\nb\r"c 3\n', "0:2: expected cells, got new-line character seen in unquoted field"),
        ("<?xml?>", "0:1: expected text or JSON, got XML"),
    ],
)
def test_a_wrong_line_is_named(complaint, text, said):
    assert complaint(text).partition(" - ")[0] == said


def test_a_table_without_header_has_two_columns(complaint):
    assert complaint("a 2 3\n") == "0:1: expected two columns, or a header that names them, got 3"


def test_long_lines_are_shown_in_part(complaint):
    assert len(complaint("a 1\n" + "x" * 1_000_000 + " y\n")) < 400


# Logs and histories

LOG = submit("7", "12:00:00", "a") + execute("7", "12:00:03") + end("7", "12:00:10")
AD = {"ClusterId": 7, "ProcId": 0, "DAGNodeName": "a", "JobUniverse": 5, "QDate": 1000}
DONE = {**AD, "JobCurrentStartDate": 1003, "CompletionDate": 1010, "JobStatus": 4, "ExitCode": 0}


def test_a_log_gives_the_times_of_its_jobs(read):
    assert read(LOG) == {"a": 7}


def test_logs_are_taken_together_and_a_table_replaces_what_they_say(read):
    """a took 7 and 9 seconds; the table knows better about b, and the later one best."""
    again = submit("8", "13:00:00", "a") + execute("8", "13:00:00") + end("8", "13:00:09")
    other = submit("9", "13:00:00", "b") + execute("9", "13:00:00") + end("9", "13:00:01")

    assert read("b 5\n", LOG, "b 6\n", again + other) == {"a": 8, "b": 6}


FORMS = {
    "list": lambda ads: json.dumps(ads),
    "as HTCondor prints": lambda ads: (
        "[\n" + "\n,\n".join(json.dumps(ad, indent=2) for ad in ads) + "\n]\n"
    ),
    "two lists": lambda ads: "".join(f"[\n{json.dumps(ad, indent=2)}\n]\n" for ad in ads),
    "lines": lambda ads: "".join(json.dumps(ad) + "\n" for ad in ads),
    "cut": lambda ads: "[\n" + "\n,\n".join(json.dumps(ad, indent=2) for ad in [*ads, AD])[:-20],
}


@pytest.mark.parametrize("form", FORMS)
def test_a_history_gives_the_times_of_its_jobs(read, form):
    other = {**DONE, "ClusterId": 8, "DAGNodeName": "b", "CompletionDate": 1005}
    dagman = {**DONE, "ClusterId": 1, "DAGNodeName": "", "JobUniverse": 7}

    assert read(FORMS[form]([other, DONE, dagman])) == {"a": 7, "b": 2}


def test_the_wall_clock_time_stands_in_for_a_start_that_is_not_there(read):
    ad = {"ClusterId": 7, "DAGNodeName": "a", "CompletionDate": 1010, "RemoteWallClockTime": 4.0}

    assert read(json.dumps([{**ad, "ExitCode": 0}])) == {"a": 4}


def test_suspended_time_in_a_history_is_not_run_time(read):
    assert read(json.dumps([{**DONE, "CommittedSuspensionTime": 2}])) == {"a": 5}


def test_failed_and_removed_jobs_of_a_history_have_no_run_time(read):
    failed = {**DONE, "ExitCode": 1}
    removed = {**AD, "JobCurrentStartDate": 1003, "EnteredCurrentStatus": 1009, "JobStatus": 3}

    assert read(json.dumps([failed, {**removed, "ClusterId": 8}])) == {}


@pytest.mark.parametrize("wrong", [-1, 1e300, "soon"])
def test_a_history_with_senseless_times_has_no_jobs(complaint, wrong):
    said = complaint(json.dumps([{**DONE, "CompletionDate": wrong}]))

    assert said == "0: expected jobs with ClusterId and CompletionDate, got none"


def test_no_file_at_all():
    with pytest.raises(ArgumentError, match="paths: expected at least one file"):
        icsched.read_run_times()


# The class


@pytest.mark.parametrize(
    ("names", "seconds", "patterns", "problem"),
    [
        (("a",), [1, 2], {}, "seconds: expected 1 numbers, got 2"),
        (("a", "a"), [1, 2], {}, "names: expected each name once, got 'a' twice"),
        (("a",), [-1], {}, "seconds of 'a': expected 0 or more, got -1"),
        (("a",), [1e101], {}, r"seconds of 'a': expected 0, or 1e-100 to 1e\+100, got 1e\+101"),
        (("a",), [1e-101], {}, r"seconds of 'a': expected 0, or 1e-100 to 1e\+100, got 1e-101"),
        (("a",), [np.nan], {}, "seconds of 'a': expected 0 or more, got nan"),
        (("a",), [1], {"b*": np.inf}, r"seconds of 'b\*': expected 0 or more, got inf"),
    ],
)
def test_a_table_of_run_times_checks_what_it_is_given(names, seconds, patterns, problem):
    with pytest.raises(ArgumentError, match=problem):
        RunTimeTable(names, np.array(seconds), patterns)
