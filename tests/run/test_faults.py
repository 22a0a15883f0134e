"""A run whose journal cannot be written any more, or whose workers are killed or do not start."""

import ctypes
import os
import resource
import signal
import sqlite3
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path

from tests.run.conftest import answer_the_job, command, complaints, environment, lines
from tools.chaos import workers_of

RUN = Path("wf.plain.icsched-run")
DROP, OVERRIDE, SEARCH = 24, 1, 2  # PR_CAPBSET_DROP; CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH


def obey_permissions():
    """Let permissions of files hold also for root; for other users they do already."""
    for capability in (OVERRIDE, SEARCH):
        ctypes.CDLL(None).prctl(DROP, capability)


def completed():
    """The tasks that the journal says are completed."""
    with closing(sqlite3.connect(RUN / "journal.sqlite")) as journal:
        return [task for (task,) in journal.execute("SELECT task FROM completed ORDER BY 1")]


def test_a_directory_that_becomes_read_only_in_mid_run(talking, icsched_run):
    """The journal is open, so b is recorded; c gets no log, and the run times get no file."""
    server = talking(preexec_fn=obey_permissions)
    for place in (RUN, RUN / "logs"):
        place.chmod(0o500)
    answer_the_job()

    assert server.wait(60) == 1
    [complaint] = complaints(Path("errors").read_text())
    assert "denied" in complaint
    for place in (RUN, RUN / "logs"):
        place.chmod(0o700)
    assert completed() == [0, 1]
    assert icsched_run("--resume").returncode == 0
    assert (lines("first"), lines("began"), lines("finished")) == (1, 1, 1)
    assert Path("end").exists()


def test_a_journal_that_cannot_grow_in_mid_run(talking):
    """Nobody can record that b ends, so that c never starts, and b runs again."""
    server = talking()
    for process in (server.pid, *workers_of(server.pid)):
        hard = resource.prlimit(process, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, hard))
    answer_the_job()

    assert server.wait(60) == 1
    [complaint] = complaints(Path("errors").read_text())
    assert complaint.endswith("the run has stopped: fix this, then use --resume")
    assert completed() == [0]
    assert not Path("end").exists()
    resumed = talking("--resume")
    answer_the_job()
    assert resumed.wait(60) == 0
    assert (lines("first"), lines("began"), lines("finished")) == (1, 2, 2)


def test_more_workers_than_the_system_allows_are_one_line(jobs):
    """Each worker needs several open files, so 64 of them are too few for 30 workers."""
    jobs(a="touch ran")
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (64, 64))
    given = {"env": environment(), "capture_output": True, "text": True, "timeout": 100}
    done = subprocess.run(command("-j", "30"), preexec_fn=limit, **given)

    problem = "engine local: cannot start 30 workers: too many open files: use fewer workers"
    assert (done.returncode, done.stderr) == (1, f"icsched: {problem}\n")
    assert not Path("ran").exists()
    assert not RUN.exists()


def test_what_a_lost_job_has_started_is_killed_before_the_job_runs_again(jobs, talking):
    """The first attempt waits for a child. The second one asks whether the child is there."""
    child = "sh -c 'echo $$ > child; echo > up; sleep 600; true'; true"
    again = "cat /proc/$(cat child)/cmdline > left 2> why; exit 0"  # cat fails if init was quick
    jobs(a="true", b=f"test -e child && {{ {again}; }}; {child}")
    server = talking()
    [worker] = workers_of(server.pid)
    os.kill(worker, signal.SIGKILL)

    assert server.wait(60) == 0
    assert Path("left").read_text() == "", "a process that has ended has no words"
