"""`icsched run --engine htcondor` on a real pool: a user's whole way, with kills and failures."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import SCRIPT
from tests.htcondor.pool import await_true
from tests.htcondor.test_engine import place, traced  # noqa: F401  a fixture

EXAMPLES = Path(__file__).parents[2] / "examples" / "run"


def words_of(file: str, *more: str) -> list[str]:
    order = [] if "--order" in more else ["--order", "fifo"]
    options = ["--engine", "htcondor", "-j", "4", *order]
    return [*as_tester(), str(SCRIPT), "run", file, *options, *more]


def as_tester() -> list[str]:
    """Return words that run a program as the owner of the jobs, who alone may use their directory.

    The program keeps some rights of root, so that the commands of HTCondor can enter the chroot.
    """
    owner = Path(os.environ["ICSCHED_HTCONDOR_ROOT"], "home", "tester").stat()
    user = [f"--reuid={owner.st_uid}", f"--regid={owner.st_gid}", "--clear-groups"]
    rights = "+sys_chroot,+setuid,+setgid,+chown,+dac_override,+fowner,+kill"
    return ["setpriv", *user, f"--inh-caps={rights}", f"--ambient-caps={rights}"]


def run(file: str, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words_of(file, *more), capture_output=True, text=True, timeout=100)


def told(done: subprocess.CompletedProcess[str], file: str) -> list[str]:
    """Return the lines on standard error, after the line that says who runs the workflow."""
    first, *others = done.stderr.splitlines()
    log = Path.cwd() / f"{file}.icsched-run" / "workflow.dag.dagman.out"
    known = r"icsched: DAGMan runs the workflow as job \d+; its log is "
    assert re.fullmatch(known + re.escape(str(log)), first), first
    assert log.exists()
    return others


def completed(file: str) -> list[int]:
    """The tasks that the journal says are completed, in the order in which they ended."""
    with sqlite3.connect(f"{file}.icsched-run/journal.sqlite") as journal:
        return [task for (task,) in journal.execute("SELECT task FROM completed ORDER BY number")]


def put(parents: dict[str, list[str]], script: str) -> None:
    """Write wf.json, whose tasks run *script* with their names."""
    tasks = [{"name": n, "id": n, "parents": p, "children": []} for n, p in parents.items()]
    commands = [
        {"id": n, "command": {"program": "sh", "arguments": ["-c", script, n]}} for n in parents
    ]
    workflow = {"specification": {"tasks": tasks}, "execution": {"tasks": commands}}
    text = json.dumps({"name": "wf", "schemaVersion": "1.5", "workflow": workflow})
    Path("wf.json").write_text(text)


def test_the_examples_run_to_their_end(place):  # noqa: F811
    """One after the other, in one directory: each makes all the files again."""
    shutil.copytree(EXAMPLES, place, dirs_exist_ok=True)
    for file in ("words.dag", "words.json", "words.yml"):
        done = run(file)

        assert (done.returncode, told(done, file)) == (0, [])
        assert Path("merged.txt").read_text() == "apple\nfig\npear\n"
        assert "Completed 4 jobs" in done.stdout
        assert sorted(completed(file)) == [0, 1, 2, 3]
        Path("merged.txt").unlink()


# b waits until it may go on.
CHAIN = {"a": [], "b": ["a"], "c": ["b"]}
WAIT = 'echo "$0" >>trace; [ "$0" != b ] || until [ -e go ]; do sleep 0.1; done'
SUBMIT = f"executable = /bin/sh\narguments = \"-c '{WAIT}' $(JOB)\"\nqueue\n".replace(
    "$0", "$(DOLLAR)0"
).replace('"$(DOLLAR)0"', '""$(DOLLAR)0""')
DAG = "JOB a wait.sub\nJOB b wait.sub\nJOB c wait.sub\nPARENT a CHILD b\nPARENT b CHILD c\n"


@contextmanager
def running(file: str, *more: str, stdout: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen]:
    """Start a run, which is killed at the end if it still goes on, as when the test has failed."""
    pipes = {"stdout": stdout, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words_of(file, *more), **pipes) as server:
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def started(file: str) -> Iterator[subprocess.Popen]:
    """Start a run, and wait until b runs and the journal knows that a is completed."""
    with running(file) as server:
        deadline = time.monotonic() + 60
        await_true(
            lambda: Path("trace").exists() and traced() == ["a", "b"] and completed(file) == [0],
            deadline,
            "b did not start",
        )
        yield server


def followed(file: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Follow a run that was killed, and let b go on once icsched says that it follows."""
    with running(file, "--resume", *more, stdout=subprocess.PIPE) as server:
        first = server.stderr.readline()
        Path("go").touch()
        printed, others = server.communicate(timeout=100)
    return subprocess.CompletedProcess(server.args, server.returncode, printed, first + others)


@pytest.mark.parametrize("file", ["wf.json", "wf.dag"])
@pytest.mark.usefixtures("place")
def test_a_killed_run_is_followed_and_nothing_is_repeated(file):
    put(CHAIN, WAIT)
    Path("wait.sub").write_text(SUBMIT)
    Path("wf.dag").write_text(DAG)
    with started(file):
        pass  # its end kills the run
    again = run(file, "--again")
    done = followed(file, "--order", "prio")

    assert again.stderr.startswith("icsched: DAGMan still runs this workflow, as job ")
    assert again.stderr.count("\n") == 1
    assert (done.returncode, told(done, file)) == (0, [])
    assert "3 jobs, 1 completed before\nCompleted 2 jobs" in done.stdout
    assert "in the order fifo\n" in done.stdout, "which DAGMan follows"
    assert (traced(), completed(file)) == (["a", "b", "c"], [0, 1, 2])


def test_after_ctrl_c_the_jobs_leave_the_queue_and_the_run_can_go_on(condor, place):  # noqa: F811
    put(CHAIN, WAIT)
    with started("wf.json") as server:
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 130
    await_true(condor.is_idle, time.monotonic() + 60, "the queue does not empty")
    (place / "go").touch()
    assert run("wf.json", "--resume").returncode == 0
    assert traced() == ["a", "b", "b", "c"]


@pytest.mark.usefixtures("place")
def test_dagman_can_be_put_on_hold_before_any_job_has_ended(condor):
    put({"b": []}, WAIT)
    with running("wf.json") as server:
        deadline = time.monotonic() + 60
        await_true(Path("trace").exists, deadline, "b did not start")
        condor.command(condor.home, "condor_hold", "-constraint", "IcschedRun isnt undefined")
        said = server.communicate(timeout=60)[1]

    assert (server.returncode, "icsched: DAGMan is on hold, as job " in said) == (1, True)
    assert Path("wf.json.icsched-run/workflow.dag").exists()
    condor.command(condor.home, "condor_release", "-constraint", "IcschedRun isnt undefined")
    Path("go").touch()
    done = run("wf.json", "--resume")
    assert (done.returncode, completed("wf.json")) == (0, [0]), done.stderr


@pytest.mark.usefixtures("place")
def test_a_failure_is_told_with_its_log_and_all_jobs_can_run_again():
    put(CHAIN, 'echo "$0" >>trace; echo said; [ "$0" != b ] || [ -e mended ] || exit 7')
    done = run("wf.json")

    log = Path.cwd() / "wf.json.icsched-run" / "logs" / "b.2.log"
    problem = "icsched: task 'b' failed: exit code 7"
    assert (done.returncode, told(done, "wf.json")) == (1, [problem])
    assert f"Failed: b: exit code 7; its output is in {log}\n" in done.stdout
    assert log.read_text() == "said\n"
    Path("mended").touch()
    assert run("wf.json", "--resume").returncode == 0
    assert traced() == ["a", "b", "b", "c"]
    assert run("wf.json", "--again").returncode == 0
    assert traced() == ["a", "b", "b", "c", "a", "b", "c"]


ODD = ["a b", "it's", 'q"q', "", "$HOME", "\\n", "}", "#", "é"]


@pytest.mark.usefixtures("place")
def test_a_converted_workflow_is_run_by_dagman_with_the_same_words(condor):
    put({"a": []}, "")
    text = Path("wf.json").read_text()
    work = '#!/bin/sh\nfor word; do printf "%s|" "$word"; done >out\n'
    Path("work").write_text(work)
    Path("work").chmod(0o755)
    known = json.loads(text)
    known["workflow"]["execution"]["tasks"] = [
        {"id": "a", "command": {"program": "./work", "arguments": ODD}}
    ]
    Path("wf.json").write_text(json.dumps(known))
    subprocess.run([SCRIPT, "convert", "wf.json", "wf.dag"], check=True, capture_output=True)
    subprocess.run(["condor_submit_dag", "wf.dag"], check=True, capture_output=True)

    await_true(condor.is_idle, time.monotonic() + 60, "the queue does not empty")
    assert Path("out").read_text() == "".join(f"{word}|" for word in ODD)
