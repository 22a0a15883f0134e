"""Logs and tables made to exhaust a reader: read or refused in seconds, with little memory."""

import json

import pytest

from icsched.errors import FormatError
from icsched.history import read_log
from tests.history.lines import end, event, execute, submit
from tests.hostile import outcome_of

MOST_CPU_SECONDS = 20  # a few times what a slow machine needs
MOST_MEGABYTES = 1_500


@pytest.fixture
def outcome(tmp_path, monkeypatch):
    """Read a hostile file in a process of its own; return the complaint or the number of jobs."""
    monkeypatch.chdir(tmp_path)

    def read(data: str | bytes) -> str:
        (tmp_path / "log").write_bytes(data.encode() if isinstance(data, str) else data)
        limits = {"cpu_seconds": MOST_CPU_SECONDS, "megabytes": MOST_MEGABYTES}
        return outcome_of("read_run_times(sys.argv[1])", "log", **limits)

    return read


GOOD = submit("1", "12:00:00", "a") + execute("1", "12:00:00") + end("1", "12:00:01")
SIZE = 20_000_000


@pytest.mark.parametrize(
    "part",
    [
        b"x",
        b"\n",
        b"\n{",
        b"\n{\n",
        b"{}",
        b"{\n \n",
        b"\n0",
        b"\n001 (",
        b"\n001 (1.0.0) 2026-11-16 12:00:00 x",
        b"\n...",
        b"} ",
        b'\n{"a":',
        b"\r\n",
        b"\t",
    ],
)
def test_a_part_repeated_for_ever_in_a_log(outcome, part):
    data = GOOD.encode() + b"{" + part * (SIZE // len(part)) + b"\n" + GOOD.encode()

    assert outcome(data) == "1 jobs"


def test_an_event_on_a_line_without_end(outcome):
    assert outcome(GOOD + submit("2", "12:00:00", "b" * SIZE)) == "1 jobs"


def test_a_job_that_starts_a_hundred_thousand_times(outcome):
    assert outcome(GOOD + execute("1", "12:00:00") * 100_000) == "1 jobs"


def test_a_job_that_is_suspended_a_hundred_thousand_times(outcome):
    stop = event(10, "1", "12:00:00") + event(11, "1", "12:00:00")

    assert outcome(execute("1", "12:00:00") + stop * 100_000 + end("1", "12:00:01")) == "1 jobs"


def test_a_hundred_thousand_different_days(outcome):
    days = (
        f"{1 + n // 336:04}-{1 + n // 28 % 12:02}-{1 + n % 28:02} 12:00:00" for n in range(100_000)
    )

    assert outcome(GOOD + "".join(execute("1", day) for day in days)) == "1 jobs"


ROW = "\t   Cpus                 :        0        1         8 \n"


@pytest.mark.parametrize(
    "part", ["\tCpus = 8\n", "\tCpus = \n", ROW, "\tPartitionable Resources :\n", "\t : \n"]
)
def test_a_part_repeated_for_ever_in_an_event(outcome, part):
    start, over = execute("2", "12:00:00"), end("2", "12:00:01")
    many = part * (SIZE // len(part))
    long = start.replace("...", f"{many}...") + over.replace("...", f"{many}...")

    assert outcome(GOOD + submit("2", "12:00:00", "b") + long) == "2 jobs"


@pytest.mark.parametrize(
    ("two", "third"),
    [
        (submit("1", "12:00:00") + submit("2", "12:00:00"), submit("3", "12:00:00")),
        (execute("1", "12:00:00") * 2, execute("1", "12:00:00")),  # attempts of one job
    ],
)
def test_too_many_jobs_or_attempts(tmp_path, monkeypatch, two, third):
    monkeypatch.setattr("icsched.history.condor_run.MOST", 2)
    path = tmp_path / "log"
    path.write_text(two)
    read_log(path)
    path.write_text(two + third)

    with pytest.raises(FormatError, match="log: expected at most 2 jobs and attempts"):
        read_log(path)


@pytest.mark.parametrize("text", ["[" * SIZE, "[{" * (SIZE // 2), '[{"a":' * (SIZE // 6)])
def test_a_deep_history(outcome, text):
    assert outcome("[{}," + text).startswith("log: expected jobs with ClusterId")


def test_a_history_of_two_hundred_thousand_jobs(outcome):
    ad = '{{"ClusterId":{},"DAGNodeName":"n{}","JobStartDate":5,"CompletionDate":9,"ExitCode":0}}'
    ads = ",".join(ad.format(n, n) for n in range(200_000))

    assert json.loads(f"[{ads[: ads.index('}') + 1]}]")
    assert outcome(f"[{ads}]") == "200000 jobs"


@pytest.mark.parametrize(
    "line", ["a" * SIZE, "," * SIZE, '"' * SIZE, '"a",' * (SIZE // 4), "#" * SIZE]
)
def test_a_table_with_a_line_without_end(outcome, line):
    assert outcome(f"a 1\n{line}\n").startswith(("log:2: ", "1 jobs"))


def test_a_table_of_a_million_jobs(outcome):
    assert outcome("".join(f"n{n},{n}\n" for n in range(1_000_000))) == "1000000 jobs"
