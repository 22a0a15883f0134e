"""`icsched run` on a terminal: what it shows, and how Ctrl-C and SIGTERM end it."""

import fcntl
import os
import pty
import re
import signal
import sqlite3
import termios
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.cli.terminal import read_until
from tests.run.conftest import answer_the_job, complaints, lines
from tests.run.test_processes import has_ended

SHOW, HIDE, ERASE = b"\x1b[?25h", b"\x1b[?25l", b"\x1b[2K"  # the cursor; a line


@pytest.fixture
def terminal():
    """A terminal of 24 lines of 80 characters: the two ends of it."""
    ends = pty.openpty()
    termios.tcsetwinsize(ends[1], (24, 80))
    yield ends
    for end in ends:
        os.close(end)


def options(end):
    """What a process gets that a terminal controls."""
    return {
        "stdin": end,
        "stderr": end,
        "env": {**os.environ, "PYTHONPATH": "lib", "TERM": "xterm"},
        "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    }


def rest_of(terminal):
    """What a terminal shows now, to its end."""
    os.set_blocking(terminal, False)
    shown = b""
    with suppress(BlockingIOError):
        while piece := os.read(terminal, 4096):
            shown += piece
    return shown


def test_a_terminal_shows_where_the_run_stands_and_is_left_clean(talking, terminal):
    """The chain a, b, c on two workers, while b runs: one worker has nothing to do."""
    ours, theirs = terminal
    server = talking("-j", "2", **options(theirs))
    shown = read_until(ours, b"1 of 3 jobs done, 1 running, 0 eligible, 1 worker stalled")
    answer_the_job()

    assert server.wait(60) == 0
    shown += rest_of(ours)
    assert shown.rfind(SHOW) > shown.rfind(HIDE) >= 0, "the cursor is there again"
    last = re.sub(rb"\x1b\[[?0-9;]*[A-Za-z]|\s", b"", shown[shown.rfind(ERASE) :])
    assert last == b"", "nothing is left of the line"


def test_a_second_ctrl_c_kills_a_job_that_does_not_listen(jobs, talking, terminal):
    """The job says that it was asked to end, and goes on; its worker is then killed with it."""
    jobs(a="trap 'echo > up' TERM; echo $$ > pid; echo > up; while :; do sleep 0.05; done")
    ours, theirs = terminal
    server = talking("-j", "1", **options(theirs))
    os.write(ours, b"\x03")
    Path("up").read_text()
    os.write(ours, b"\x03")

    assert server.wait(60) == 130
    assert has_ended(int(Path("pid").read_text()))
    with closing(sqlite3.connect("wf.plain.icsched-run/journal.sqlite")) as journal:
        [(ended,)] = journal.execute("SELECT ended FROM attempts")
    assert ended is None, "a worker that could wait until the job is killed would say so"


def test_a_second_ctrl_c_kills_what_a_job_has_started(jobs, talking, terminal):
    """The job waits for a child that does not listen, and that outlives the job by itself."""
    child = "trap 'echo > up' TERM; echo $$ > child; echo > up; while :; do sleep 0.05; done"
    Path("child.sh").write_text(child)
    jobs(a="trap : TERM; sh child.sh; true")
    ours, theirs = terminal
    server = talking("-j", "1", **options(theirs))
    os.write(ours, b"\x03")
    Path("up").read_text()
    os.write(ours, b"\x03")

    assert server.wait(60) == 130
    assert has_ended(int(Path("child").read_text()))


def test_sigterm_ends_a_run_as_ctrl_c_does_with_another_exit_code(talking):
    server = talking()
    server.send_signal(signal.SIGTERM)

    assert server.wait(60) == 143
    assert complaints(Path("errors").read_text()) == []
    assert (lines("began"), lines("finished")) == (1, 0)
