"""`icsched run --engine dask`: kills, a cluster that runs already, and none."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from distributed import LocalCluster

from tests.cli.conftest import SCRIPT
from tests.plugins.cluster import unauthenticated
from tests.run.conftest import TALK, answer_the_job, complaints, environment, lines

DASK = ("--engine", "dask", "-j", "2")


def test_after_a_kill_of_the_server_nothing_is_lost_and_nothing_completed_runs_again(talking):
    """The cluster ends with the server, and so does b, without a word on the terminal."""
    server = talking(*DASK, stderr=subprocess.PIPE, text=True)
    server.kill()
    server.wait()
    with server.stderr as errors:
        assert complaints(errors.read()) == [], "until the last process has ended"

    resumed = talking(*DASK, "--resume")
    answer_the_job()
    assert resumed.wait(60) == 0
    assert (lines("first"), lines("began"), lines("finished")) == (1, 2, 1)
    assert Path("end").exists()


def test_a_run_goes_on_after_a_worker_was_killed(jobs, talking):
    jobs(a="echo >> first", b=f"echo $PPID > worker; {TALK}", c="touch end")
    server = talking(*DASK)
    os.kill(int(Path("worker").read_text()), signal.SIGKILL)
    Path("up").read_text()  # b has begun again
    answer_the_job()

    assert server.wait(60) == 0
    assert (lines("first"), lines("began"), lines("finished")) == (1, 2, 1)
    assert Path("end").exists()
    assert complaints(Path("errors").read_text()) == []


def at(address, *words):
    line = [SCRIPT, "run", "wf.plain", "--order", "fifo", "--engine", "dask", "--address", address]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*line, *words], env=environment(), **given)


@pytest.fixture
def unreachable():
    """An address at which nothing listens, and nothing will."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield f"tcp://127.0.0.1:{free.getsockname()[1]}"


def test_a_scheduler_is_used_or_its_absence_is_one_line(jobs, unreachable):
    """Both at once: whether something listens is known after some seconds only."""
    jobs(a="echo >> first", b="echo >> second")
    lonely = at(unreachable, "--journal", "other")
    options = {"processes": False, "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, threads_per_worker=2, **options) as cluster:
        for words in ([], ["--again"]):
            out, errors = at(cluster.scheduler_address, *words).communicate(timeout=60)
            assert "Completed 2 jobs" in out
            assert complaints(errors) == [unauthenticated(cluster.scheduler_address)]
    assert (lines("first"), lines("second")) == (2, 2)

    out, errors = lonely.communicate(timeout=60)
    assert (lonely.returncode, out) == (1, "")
    assert errors.startswith(f"icsched: dask: no scheduler at {unreachable}: ")
    assert errors.count("\n") == 1
    assert not Path("other").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_waits_for_an_answer_ends_at_once_if_asked(jobs, number, code):
    """Python must not wait at its end for a client of Dask that is half-made."""
    jobs(a="echo >> first")
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        deaf.settimeout(60)
        waiting = at(f"tcp://127.0.0.1:{deaf.getsockname()[1]}")
        connection, _ = deaf.accept()
        with connection:
            waiting.send_signal(number)
            out, errors = waiting.communicate(timeout=60)

    assert (waiting.returncode, out, complaints(errors)) == (code, "", [])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_waits_for_workers_ends_at_once_if_asked(jobs, number, code):
    jobs(a="echo >> first")
    options = {"processes": False, "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=0, **options) as cluster:
        waiting = at(cluster.scheduler_address)
        said = ""
        while not complaints(said) and waiting.poll() is None:
            said += waiting.stderr.readline()  # it has connected, and waits for a worker
        waiting.send_signal(number)
        out, errors = waiting.communicate(timeout=30)

    assert (waiting.returncode, out) == (code, "")
    assert complaints(said + errors) == [unauthenticated(cluster.scheduler_address)]
    assert not Path("wf.plain.icsched-run").exists()
