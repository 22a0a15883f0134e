"""What a command prints arrives whole, or the command fails: whatever Python's buffering."""

import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SCRIPT
from tests.history.lines import end, execute, submit

JOBS = 3_000  # a report, its JSON and its file are longer than a page of the disk or of a buffer
ROOM = 5_000  # bytes that the disk takes: less than any of these, and no multiple of a block
BUFFERINGS = {"buffered": {"PYTHONUNBUFFERED": ""}, "unbuffered": {"PYTHONUNBUFFERED": "1"}}
COMMANDS = {
    "prio --json": ("prio", "--order", "prio", "wf.dag", "--json"),
    "prio -o -": ("prio", "--order", "prio", "wf.dag", "-o", "-"),
    "prio --flatten -o -": ("prio", "--order", "prio", "wf.dag", "--flatten", "-o", "-"),
    "cluster --json": ("cluster", "wf.dag", "--size", "2", "--json"),
    "batch": ("batch", "wf.dag", "--take", "2000"),
    "make": ("make", "w", "300", "2"),
    "make -o -": ("make", "w", "300", "2", "-o", "-"),
    "demo": ("demo", "-o", "tour"),
    "--help": ("prio", "--order", "prio", "--help"),
}


@pytest.fixture(autouse=True)
def workflow(tmp_path, monkeypatch):
    """A workflow in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("wf.dag").write_text("".join(f"JOB job{number} x.sub\n" for number in range(JOBS)))


def fill_up() -> None:
    """Let no file grow beyond the room: a write across that line is cut short, the next fails."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def run(words, output, buffering, *, full: bool) -> subprocess.CompletedProcess[str]:
    with Path(output).open("wb") as stdout:
        return subprocess.run(
            [SCRIPT, *words],
            env={**os.environ, **BUFFERINGS[buffering], "COLUMNS": "80"},
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            preexec_fn=fill_up if full else None,
        )


@pytest.mark.parametrize("buffering", BUFFERINGS)
@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("demo", "--help")])
def test_what_does_not_fit_on_the_disk_is_one_line_and_exit_1(command, buffering):
    done = run(COMMANDS[command], "out", buffering, full=True)

    assert done.returncode == 1
    assert done.stderr.startswith("icsched: ")
    assert done.stderr.endswith(("file too large\n", "File too large\n"))
    assert done.stderr.count("\n") == 1
    assert Path("out").stat().st_size <= ROOM


@pytest.mark.parametrize("buffering", BUFFERINGS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_disk_that_takes_nothing_is_one_line_and_exit_1(command, buffering):
    done = run(COMMANDS[command], "/dev/full", buffering, full=False)

    assert done.returncode == 1
    assert done.stderr.lower().endswith("no space left on device\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["prio -o -", "make", "batch"])
def test_the_same_bytes_arrive_with_and_without_buffers(command):
    for buffering in BUFFERINGS:
        assert run(COMMANDS[command], buffering, buffering, full=False).returncode == 0

    assert Path("buffered").read_bytes() == Path("unbuffered").read_bytes()
    assert Path("buffered").stat().st_size > ROOM


@pytest.mark.parametrize("buffering", BUFFERINGS)
def test_a_report_that_standard_error_does_not_take_is_exit_1(buffering):
    """With -o - the report goes there; there is no place left for a complaint."""
    with Path("/dev/full").open("wb") as stderr:
        done = subprocess.run(
            [SCRIPT, "prio", "--order", "prio", "wf.dag", "-o", "-"],
            env={**os.environ, **BUFFERINGS[buffering]},
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            check=False,
        )

    assert done.returncode == 1


@pytest.mark.parametrize("name", ["-", "/dev/fd/1", "/dev/stdout"])
def test_a_file_written_to_standard_output_comes_behind_what_is_there(name):
    with Path("out").open("wb") as stdout:
        stdout.write(b"before\n")
        stdout.flush()
        words = [SCRIPT, "make", "w", "1", "2", "-o", name]
        subprocess.run(words, stdout=stdout, check=True)
        subprocess.run(words, stdout=stdout, check=True)

    text = Path("out").read_text()
    assert text.startswith("before\n# icsched make w 1 2")
    assert text.count("# icsched make w 1 2") == 2


def test_a_disk_that_is_full_for_the_second_file_of_learn_gets_neither():
    """The table has one job, and the pool a visit for each of 400 slots: the pool has no room.

    A table that is there already stays as it is.
    """
    Path("one.dag").write_text("JOB a x.sub\n")
    visits = [execute("7", "12:00:00", f"s{n}@ep") + end("7", "12:00:00", 1) for n in range(400)]
    last = execute("7", "12:00:01") + end("7", "12:00:09")
    Path("log").write_text(submit("7", "12:00:00", "a") + "".join(visits) + last)
    Path("times.csv").write_text("old")
    names = {path.name for path in Path().iterdir()}
    words = ("learn", "log", "one.dag", "--recorded", "-o", "times.csv", "--pool-file", "pool.json")

    done = run(words, "out", "buffered", full=True)

    assert (done.returncode, done.stderr) == (1, "icsched: pool.json: file too large\n")
    assert Path("times.csv").read_text() == "old"
    assert {path.name for path in Path().iterdir()} == {*names, "out"}
    assert run(words, "out", "buffered", full=False).returncode == 0
    assert Path("pool.json").stat().st_size > ROOM > Path("times.csv").stat().st_size
