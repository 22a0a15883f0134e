"""The end of an attempt is the end of all that it has started, also if its worker does not help."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.conftest import answer_the_job, command, complaints, environment, lines
from tools.chaos import workers_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts orphans")

STRAY = "sh -c 'echo $$ >> began; exec tail -f $0' $PWD/mark"
DEAF = "sh -c 'trap : TERM; echo $$ >> began; while :; do sleep 0.1; done' $PWD/mark"
WAYS = {
    "a child": f"{STRAY} &",
    "another session": f"setsid {STRAY} &",
    "an orphan": f"( setsid {STRAY} & ) &",
    "no environment": f"( env -i setsid {STRAY} & )",
    "a deaf orphan": f"( env -i setsid {DEAF} & )",
}
ALL = "\n".join(WAYS.values())
BEGUN = f"test $(cat began | wc -l) -ge {len(WAYS)}"
READY = f"echo $PPID > worker; touch mark began; {ALL}\nuntil {BEGUN}; do sleep 0.05; done"
PROBLEM = "stopped at its time limit of {} s"

# Both fork for 15 s, unless they are killed: SIGKILL comes after the limit of 1 s and 5 s of grace.
# They do not listen to SIGTERM, and make a session for each process.
SPREAD = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 15
while time.monotonic() < end:
    if not os.fork():
        os.setsid()
        os.write(os.open("began", os.O_WRONLY | os.O_APPEND | os.O_CREAT), b"x\\n")
        if os.fork():
            os._exit(0)
        while True:
            signal.pause()
    time.sleep(0.02)
open("finished", "w")
"""
CHAIN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.monotonic() + 15
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
    os.setsid()
    os.write(os.open("began", os.O_WRONLY | os.O_APPEND | os.O_CREAT), b"x\\n")
open("finished", "w")
"""


def strays() -> list[int]:
    """The living processes with the name of the file `mark` among their words."""
    mark, found = f"{Path.cwd()}/mark".encode(), []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (place / "cmdline").read_bytes().split(b"\0"):
                found.append(int(place.name))  # an ended process has no words
        except OSError:
            continue
    return found


@pytest.fixture(autouse=True)
def _no_stray_outlives_its_test(folder):  # noqa: ARG001  the directory of the mark
    yield
    for process in strays():
        os.kill(process, signal.SIGKILL)


@pytest.fixture
def started():
    """Start `icsched run wf.plain`; what it says goes to the file `errors`."""
    servers = []

    def start(*words: str) -> subprocess.Popen[str]:
        with Path("errors").open("w") as errors:
            given = {"env": environment(), "stdout": subprocess.DEVNULL, "stderr": errors}
            servers.append(subprocess.Popen(command(*words), start_new_session=True, **given))
        Path("up").read_text()
        return servers[-1]

    os.mkfifo("up")
    yield start
    for server in servers:
        if server.poll() is None:
            for process in (*workers_of(server.pid), server.pid):
                os.kill(process, signal.SIGKILL)
            server.wait()


def begun() -> int:
    return lines("began")


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_a_time_limit_ends_all_that_an_attempt_has_started(engine, jobs, icsched_run):
    jobs(a=f"{READY}; exec sleep 600")
    done = icsched_run("--time-limit", "3", "--engine", engine)

    assert f"Failed: a: {PROBLEM.format(3)}; " in done.stdout
    assert (done.returncode, begun()) == (1, len(WAYS))
    assert strays() == []


@pytest.mark.parametrize("script", [SPREAD, CHAIN], ids=["spread", "chain"])
def test_a_time_limit_ends_what_keeps_forking(script, jobs, icsched_run):
    """The job itself only waits."""
    Path("bomb.py").write_text(script)
    bomb = f"( {sys.executable} -I -S bomb.py $PWD/mark & )"
    jobs(a=f"{bomb}; until test -s began; do sleep 0.01; done; exec sleep 600")
    done = icsched_run("--time-limit", "1")

    assert f"Failed: a: {PROBLEM.format(1)}; " in done.stdout
    assert begun() > 10
    assert strays() == []
    assert not Path("finished").exists()


def test_a_time_limit_ends_a_job_that_was_stopped(jobs, icsched_run):
    """A process that SIGSTOP has stopped does not meet SIGTERM until SIGCONT comes."""
    jobs(a="trap 'echo asked > asked; exit' TERM; kill -STOP $$; sleep 600")
    done = icsched_run("--time-limit", "1")

    assert f"Failed: a: {PROBLEM.format(1)}; " in done.stdout
    assert Path("asked").read_text() == "asked\n"


def test_a_time_limit_ends_a_job_that_does_not_listen(jobs, icsched_run):
    jobs(a=f"trap '' TERM; touch mark; {DEAF}")
    done = icsched_run("--time-limit", "1")

    assert f"Failed: a: {PROBLEM.format(1)}; " in done.stdout
    assert strays() == []


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_a_time_limit_holds_although_the_worker_was_stopped(engine, jobs, started):
    jobs(a=f"{READY}; echo > up; exec sleep 600", b="touch end")
    server = started("--time-limit", "3", "--engine", engine)
    stop_worker()

    assert server.wait(60) == 1
    assert complaints(Path("errors").read_text()) == [
        f"icsched: task 'a' failed: {PROBLEM.format(3)}"
    ]
    assert strays() == []
    assert not Path("end").exists()


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_a_retry_runs_on_a_new_worker_if_the_worker_was_stopped(engine, jobs, started):
    """The second attempt finds nothing alive of the first one; zombies have no words."""
    again = "for p in $(cat began); do grep -aqs mark /proc/$p/cmdline && exit 7; done; exit 0"
    jobs(a=f"test -e began && {{ {again}; }}; {READY}; echo > up; exec sleep 600", b="touch end")
    server = started("--time-limit", "3", "--retries", "1", "--engine", engine)
    stop_worker()

    assert server.wait(60) == 0
    assert begun() == len(WAYS)
    assert Path("end").exists()


def stop_worker() -> None:
    """Stop the parent of the job, so that it does nothing any more."""
    os.kill(int(Path("worker").read_text()), signal.SIGSTOP)


@pytest.mark.parametrize("engine", ["local", "dask"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_ends_all_that_an_attempt_has_started(number, engine, jobs, started):
    jobs(a=f"{READY}; echo > up; exec sleep 600")
    server = started("--engine", engine)
    server.send_signal(number)

    assert server.wait(60) == 128 + number
    assert begun() == len(WAYS)
    assert strays() == []


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_ctrl_c_ends_a_run_whose_worker_was_stopped(engine, jobs, started):
    jobs(a=f"{READY}; echo > up; exec sleep 600")
    server = started("--engine", engine)
    stop_worker()
    server.send_signal(signal.SIGINT)

    assert server.wait(60) == 130
    assert strays() == []


def test_a_run_ends_although_an_idle_worker_was_stopped(jobs, started):
    os.mkfifo("down")
    jobs(a="echo $PPID > worker; echo > up; read word < down")
    server = started("-j", "2")
    busy = int(Path("worker").read_text())
    [idle] = [one for one in workers_of(server.pid) if one != busy]
    os.kill(idle, signal.SIGSTOP)
    answer_the_job()

    assert server.wait(60) == 0


def test_what_the_job_of_a_killed_worker_has_started_ends_before_the_next_attempt(jobs, started):
    again = "for p in $(cat began); do kill -0 $p && exit 7; done; exit 0"
    jobs(a=f"test -e began && {{ {again}; }}; {READY}; echo > up; exec sleep 600")
    server = started()
    [worker] = workers_of(server.pid)
    os.kill(worker, signal.SIGKILL)

    assert server.wait(60) == 0, Path("errors").read_text()
    assert begun() == len(WAYS)


def test_what_a_completed_job_leaves_running_ends_before_the_next_job(jobs, icsched_run):
    """The number of a process that has ended is free again, so it is no zombie either."""
    jobs(a=READY, b="for p in $(cat began); do kill -0 $p && exit 7; done; exit 0")
    done = icsched_run()

    assert (done.returncode, begun()) == (0, len(WAYS)), done.stdout
    assert strays() == []


def test_what_ends_soon_after_its_job_is_not_disturbed(jobs, icsched_run):
    """The shell does not wait for the process that writes its output to a file."""
    jobs(a="( setsid sh -c 'sleep 0.3; echo rest > out' & ); echo a", b="cat out")

    assert icsched_run().returncode == 0
    assert Path("out").read_text() == "rest\n"


def test_orphans_that_end_while_a_job_runs_leave_no_zombies(jobs, icsched_run):
    """The job waits until its worker, which is the parent of the orphans, has no zombie."""
    zombies = 'cat /proc/[0-9]*/stat 2> why | grep -c ") Z $PPID "'
    orphans = "for i in 1 2 3 4 5 6 7 8 9; do ( setsid true & ); done"
    jobs(a=f"{orphans}; until test $({zombies}) = 0; do sleep 0.05; done")
    done = icsched_run("--time-limit", "20")

    assert done.returncode == 0, done.stdout
