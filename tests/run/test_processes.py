"""A command runs in a process of its own, as the workflow says, and surely ends."""

import ctypes
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from icsched.run.processes import run_command
from icsched.workflow import Command


def has_ended(process: int) -> bool:
    """Wait until a process has ended, which need not be a child of this one."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)


@pytest.fixture
def log(folder) -> Path:
    return folder / "log"


def test_a_command_that_succeeds_has_no_problem_and_its_output_is_in_the_log(log):
    seconds, problem = run_command(Command(("sh", "-c", "echo out; echo error >&2")), log)

    assert problem is None
    assert seconds > 0
    assert log.read_text() == "out\nerror\n"


def test_output_of_another_attempt_is_kept(log):
    log.write_text("before\n")
    run_command(Command(("echo", "after")), log)

    assert log.read_text() == "before\nafter\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("sh", "-c", "exit 3"), "exit code 3"),
        (("sh", "-c", "kill -9 $$"), "killed by signal 9"),
        (("no-such-program",), "cannot start: no-such-program: No such file or directory"),
        (("/",), "cannot start: /: Permission denied"),
    ],
)
def test_what_went_wrong_is_one_line(words, problem, log):
    assert run_command(Command(words), log)[1] == problem


def test_a_file_whose_name_is_not_utf_8_is_told_in_plain_text(log):
    """Latin-1 has the byte 0xe9 for the last letter; Python holds it as a lone surrogate."""
    _, problem = run_command(Command(("true",), stdout="nodir/caf\udce9"), log)

    assert problem == r"cannot start: nodir/caf\udce9: No such file or directory"


def test_no_shell_reads_the_words_unless_asked(log):
    run_command(Command(("echo", "$HOME;", "*", "`id`")), log)
    run_command(Command(("echo", "$(echo 1; echo 2)")), log, shell=True)  # noqa: S604

    assert log.read_text() == "$HOME; * `id`\n1 2\n"


def test_a_command_has_its_directory_its_variables_and_its_own_streams(folder, log):
    (folder / "in.txt").write_text("read\n")
    (folder / "sub").mkdir()
    work = Command(
        ("sh", "-c", 'cat; echo "$COLOUR"; pwd; echo e >&2'),
        directory=str(folder / "sub"),
        environment=(("COLOUR", "blue"),),
        stdin=str(folder / "in.txt"),
        stdout=str(folder / "out.txt"),
        stderr=str(folder / "err.txt"),
    )

    assert run_command(work, log)[1] is None
    assert (folder / "out.txt").read_text() == f"read\nblue\n{folder / 'sub'}\n"
    assert (folder / "err.txt").read_text() == "e\n"
    assert log.read_text() == ""


def test_two_streams_to_one_file_do_not_overwrite_each_other(folder, log):
    both = str(folder / "both.txt")
    work = Command(("sh", "-c", "echo a; echo b >&2; echo c"), stdout=both, stderr=both)
    run_command(work, log)

    assert Path(both).read_text() == "a\nb\nc\n"


def test_input_is_empty_by_default(log):
    assert run_command(Command(("cat",)), log)[1] is None
    assert log.read_text() == ""


def test_a_command_is_stopped_at_its_time_limit_with_all_that_it_started(folder, log):
    """The child of the command writes its number; it ends, too."""
    script = "sleep 1000 & echo $! > child; wait"
    _, problem = run_command(Command(("sh", "-c", script)), log, time_limit=0.5)
    child = int((folder / "child").read_text())

    assert problem == "stopped at its time limit of 0.5 s"
    assert has_ended(child)


def test_a_time_limit_holds_with_a_python_that_has_no_handles(folder, log, monkeypatch):
    """Some builds of Python 3.11 for Linux lack them."""
    monkeypatch.delattr(os, "pidfd_open")
    script = "setsid sleep 1000 & echo $! > child; wait"
    _, problem = run_command(Command(("sh", "-c", script)), log, time_limit=0.5)
    monkeypatch.undo()

    assert problem == "stopped at its time limit of 0.5 s"
    assert has_ended(int((folder / "child").read_text()))


def test_a_time_limit_ends_a_child_in_another_session_also_without_adoption(folder, log):
    """The child does not listen to SIGTERM, so that it outlives its parent."""
    child = "sh -c 'trap : TERM; echo $$ > child; while :; do sleep 0.1; done'"
    _, problem = run_command(Command(("sh", "-c", f"setsid {child} & wait")), log, time_limit=2)

    assert problem == "stopped at its time limit of 2 s"
    assert has_ended(int((folder / "child").read_text()))


def test_a_command_meets_signals_as_a_new_process_does(log):
    """Workers ignore SIGINT or hold it back, and hold SIGTERM back; their commands must not."""
    show = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler,"
    show += " signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        run_command(Command((sys.executable, "-c", show)), log)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)

    assert log.read_text() == "True set()\n"


def test_a_command_leads_a_group_of_its_own(log):
    run_command(Command((sys.executable, "-c", "import os; print(os.getpgid(0))")), log)

    assert int(log.read_text()) != os.getpgid(0)


def test_nothing_is_looked_up_between_the_fork_and_the_program(log, monkeypatch):
    """A lock of the loader may be held by another thread, and then nobody ever frees it."""

    def refuse(_library, name):
        raise AttributeError(name)

    monkeypatch.setattr(ctypes.CDLL, "__getattr__", refuse)

    assert run_command(Command(("true",)), log)[1] is None


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone lets a process adopt orphans")
@pytest.mark.parametrize("before", [False, True])
def test_a_crew_leaves_it_to_its_process_whether_to_adopt_orphans(before):
    work = f"""
from icsched.run.crew import Terms
from icsched.run.local_crew import local_workers
from icsched.machine import adopt_orphans, adopts_orphans
if __name__ == "__main__":
    adopt_orphans(yes={before})
    with local_workers(Terms(workers=1)):
        print(adopts_orphans())
    print(adopts_orphans())
"""
    done = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["True", str(before)]
