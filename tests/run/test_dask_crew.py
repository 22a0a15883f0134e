"""Dask as an engine: commands on a cluster of its own, and on one that runs already."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from threading import Timer

import pytest
from distributed import LocalCluster

from icsched.errors import ArgumentError, EngineError
from icsched.run import dask_client as connect
from icsched.run.crew import Attempt, Terms
from icsched.run.dask_crew import DaskCrew, attempted, dask_workers
from icsched.workflow import Command
from tests.plugins.cluster import wait_for

WORKERS = 2
NUMBERS = count()


@pytest.fixture(scope="module")
def crew():
    with dask_workers(Terms(workers=WORKERS)) as crew:
        yield crew


@pytest.fixture
def attempt(tmp_path):
    """Make attempts with logs in a folder."""

    def make(work, time_limit=None):
        number = next(NUMBERS)
        return Attempt(number, 0, "task", work, tmp_path / f"{number}.log", time_limit)

    return make


def ended(crew, *attempts):
    """Run attempts; their outcomes, in that order."""
    for one in attempts:
        crew.start(one)
    return outcomes(crew, *attempts)


def outcomes(crew, *attempts):
    found = {}
    while len(found) < len(attempts):
        found.update({outcome.number: outcome for outcome in crew.ended(60)})
    return [found[one.number] for one in attempts]


def shell(script, **options):
    return Command(("/bin/sh", "-c", script), **options)


def test_commands_run_without_a_shell_and_print_to_their_logs(crew, attempt):
    one, two = attempt(Command(("echo", "$HOME", "a;b"))), attempt(Command(("echo", "two")))

    found = ended(crew, one, two)

    assert [(outcome.problem, outcome.is_lost) for outcome in found] == [(None, False)] * 2
    assert (one.log.read_text(), two.log.read_text()) == ("$HOME a;b\n", "two\n")


def test_a_command_that_fails_is_one_line(crew, attempt):
    wrong = attempt(shell("echo why >&2; exit 3"))
    missing = attempt(Command(("/no/such/program",)))

    found = ended(crew, wrong, missing)

    assert found[0].problem == "exit code 3"
    assert wrong.log.read_text() == "why\n"
    assert re.fullmatch("cannot start: .*/no/such/program.*", found[1].problem)
    assert not any(outcome.is_lost for outcome in found)


def test_a_command_runs_in_its_directory_with_its_variables(crew, attempt, tmp_path):
    work = shell('echo "$COLOUR"; pwd', directory=str(tmp_path), environment=(("COLOUR", "red"),))
    one = attempt(work)

    ended(crew, one)

    assert one.log.read_text() == f"red\n{tmp_path}\n"


def test_a_command_is_stopped_at_its_time_limit(crew, attempt):
    [outcome] = ended(crew, attempt(Command(("sleep", "600")), time_limit=0.2))

    assert outcome.problem == "stopped at its time limit of 0.2 s"
    assert not outcome.is_lost


def test_a_command_that_is_stopped_is_killed_and_ends_as_lost(crew, attempt, tmp_path):
    one = attempt(
        shell(
            f"echo $$ > {tmp_path}/pid.part; mv {tmp_path}/pid.part {tmp_path}/pid; exec sleep 600"
        )
    )
    crew.start(one)
    pid = int(wait_for(tmp_path / "pid", tmp_path / "pid").read_text())

    crew.stop(one.number)
    [outcome] = outcomes(crew, one)

    assert outcome.is_lost
    assert is_gone(pid)
    crew.stop(one.number)  # again: it ended before


def is_gone(pid):
    """Whether a process ends soon, or is a zombie."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_attempts_of_a_killed_worker_end_as_lost(crew, attempt, tmp_path):
    """The command dies with its worker, and Dask does not start it again on its own."""
    one = attempt(shell(f"echo run >> {tmp_path}/runs; sleep 600"))
    crew.start(one)
    wait_for(tmp_path / "runs", 0)

    os.kill(parent_of_sleep(tmp_path), signal.SIGKILL)
    [outcome] = outcomes(crew, one)

    assert (outcome.problem, outcome.is_lost) == ("its worker died", True)
    assert (tmp_path / "runs").read_text() == "run\n"
    assert ended(crew, attempt(Command(("true",))))[0].problem is None


def parent_of_sleep(folder):
    """The worker whose command writes into *folder*."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if any(str(folder).encode() in word for word in words):
                return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    raise AssertionError("no command runs")


def test_two_more_attempts_than_workers_are_in_flight(crew):
    assert crew.size in (WORKERS + 1, WORKERS + 2)  # a killed worker may not be back yet


def test_workers_hold_ctrl_c_back(crew, attempt):
    """A terminal sends it to them too, also while they start."""
    one = attempt(shell("cat /proc/$PPID/task/*/status"))

    ended(crew, one)

    masks = re.findall(r"^SigBlk:\s*(\w+)$", one.log.read_text(), re.MULTILINE)
    assert masks
    assert all(int(mask, 16) & 1 << signal.SIGINT - 1 for mask in masks)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_the_workers_of_a_cluster_are_its_threads(crew):
    assert crew.workers == crew.size - 2


def test_nothing_ends_when_nothing_runs(crew):
    assert crew.ended(None) == []


def test_a_worker_with_other_files_sends_what_was_printed(tmp_path):
    """The mark is not that of the file at that path, so that the worker writes elsewhere."""
    log = tmp_path / "log"
    log.write_text("of another machine\n")

    attempt = Attempt(1, 0, "task", Command(("echo", "here")), log)

    outcome, printed = attempted(attempt, (0, 0), "token", shell=False, recorder=None)

    assert (outcome.problem, printed) == (None, b"here\n")
    assert log.read_text() == "of another machine\n"


def test_a_cluster_that_runs_already_is_used(attempt):
    options = {"processes": False, "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=1, threads_per_worker=3, **options) as cluster,
        dask_workers(Terms(address=cluster.scheduler_address)) as crew,
    ):
        assert crew.size == 5
        assert ended(crew, attempt(Command(("true",))))[0].problem is None


def test_a_silent_worker_elsewhere_is_forgotten_and_its_attempt_reaches_its_limit(
    attempt, tmp_path, monkeypatch
):
    """As long as the worker answers, giving up changes nothing: the worker keeps the limit."""
    monkeypatch.setattr(sys.modules[DaskCrew.__module__], "SILENT_S", 2.0)
    options = {"processes": True, "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    note, place = tmp_path / "part", tmp_path / "worker"
    one = attempt(shell(f"echo $PPID > {note}; mv {note} {place}; exec sleep 600"), 300.0)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, **options) as cluster,
        dask_workers(Terms(address=cluster.scheduler_address)) as crew,
    ):
        crew.start(one)
        worker = int(wait_for(place, place).read_text())
        crew.give_up(one.number)
        assert crew.ended(0.0) == []
        os.kill(worker, signal.SIGSTOP)
        try:
            found = []
            while not found:
                crew.give_up(one.number)
                found = crew.ended(0.2)
        finally:
            os.kill(worker, signal.SIGKILL)

    assert [(end.problem, end.is_lost) for end in found] == [
        ("stopped at its time limit of 300 s", False)
    ]


@pytest.fixture
def programs(tmp_path):
    """A scheduler and a worker of the command line: its process, and the worker's."""
    file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_"]
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file]
    scheduler = subprocess.Popen([*dask[:2], f"{dask[2]}scheduler", *words])
    words = ["--scheduler-file", file, "--no-dashboard", "--no-nanny", "--nthreads", "1"]
    worker = subprocess.Popen([*dask[:2], f"{dask[2]}worker", *words], cwd=tmp_path)
    while not (file.exists() and file.read_text()):
        time.sleep(0.01)
    yield scheduler, json.loads(file.read_text())["address"]
    for program in (worker, scheduler):
        program.kill()
        program.wait()


def test_a_scheduler_that_is_stopped_does_not_hold_the_run_up(
    programs, attempt, monkeypatch, tmp_path
):
    """Nobody can say whether the worker is silent, so its attempt goes on."""
    monkeypatch.setattr(sys.modules[DaskCrew.__module__], "_ANSWER_S", 0.2)
    scheduler, address = programs
    one = attempt(shell(f"touch {tmp_path}/began; sleep 1"))
    goes_on = Timer(30.0, scheduler.send_signal, [signal.SIGCONT])
    with dask_workers(Terms(address=address)) as crew:
        crew.start(one)
        wait_for(tmp_path / "began", None)
        scheduler.send_signal(signal.SIGSTOP)
        goes_on.start()
        crew.give_up(one.number)
        was_held_up = not goes_on.is_alive()
        goes_on.cancel()
        scheduler.send_signal(signal.SIGCONT)
        [outcome] = outcomes(crew, one)

    assert not was_held_up
    assert (outcome.problem, outcome.is_lost) == (None, False)


def test_a_scheduler_that_is_killed_is_one_line(programs):
    scheduler, address = programs
    with dask_workers(Terms(address=address)) as crew:
        scheduler.kill()
        with pytest.raises(EngineError, match=r"^dask: the scheduler is lost: [^\n]*$"):
            all(iter(lambda: crew.size, 0))  # asks until it hears of the end


def test_a_scheduler_that_cannot_be_reached_is_one_line(monkeypatch):
    monkeypatch.setattr(connect, "CONNECT_S", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"

        with (
            pytest.raises(EngineError, match=rf"^dask: no scheduler at {address}: [^\n]*$"),
            dask_workers(Terms(address=address)),
        ):
            pass


def test_a_number_of_workers_cannot_be_used_with_an_address():
    with (
        pytest.raises(ArgumentError, match=r"^engine dask: a number of workers cannot be"),
        dask_workers(Terms(address="tcp://127.0.0.1:1", workers=2)),
    ):
        pass


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)

    with (
        pytest.raises(EngineError, match=r"run pip install 'icsched\[dask\]'$"),
        dask_workers(Terms()),
    ):
        pass
