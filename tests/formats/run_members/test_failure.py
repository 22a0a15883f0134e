"""`run_members.sh`: failure, restart and signals."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
from tests.formats.run_members.runs import CLUSTER, log, run, trace


def await_trace(expected: list[str]) -> None:
    deadline = time.monotonic() + 10
    while trace() != expected:
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Failure and resumption

# Notes that it ran, and fails where a file says so.
FAILS = """executable = /bin/sh
arguments = "-c 'echo $(JOB) >>trace; test ! -e fail-$(JOB) || exit 7'"
queue
"""


def test_a_failed_member_stops_its_cluster_and_is_named(cluster, put, shell):
    cluster("abc", FAILS)
    put({"fail-b": ""})

    done = run(shell)

    assert done.returncode == 7
    assert done.stderr == "run-members: job b failed with exit code 7\n"
    assert trace() == ["a", "b"]
    assert log() == [
        *("start a", "end a exit code 0", "start b", "end b exit code 7"),
        "job b failed with exit code 7",
    ]


def test_a_log_that_cannot_be_written_is_no_fault_of_a_member(cluster, shell):
    cluster("ab", FAILS)
    Path(f"{CLUSTER}.log").mkdir()

    done = run(shell)

    assert done.returncode == 74
    assert done.stderr.endswith(f"run-members: cannot write ./{CLUSTER}.log\n")
    assert trace() == [], "nothing has run"


def test_a_restart_goes_on_after_the_members_that_ended_well(cluster, put, shell):
    cluster("abc", FAILS)
    put({"fail-b": ""})
    run(shell)
    run(shell)
    Path("fail-b").unlink()

    assert run(shell).returncode == 0
    assert trace() == ["a", "b", "b", "b", "c"]


def test_a_cluster_that_has_ended_well_runs_whole_if_it_is_run_again(cluster, shell):
    cluster("ab", FAILS)

    assert [run(shell).returncode for _ in range(2)] == [0, 0]
    assert trace() == ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    "line",
    ["executable = nowhere", "initialdir = nowhere", "input = nowhere", "output = nowhere/x"],
)
def test_a_member_that_cannot_start_has_failed(cluster, shell, line):
    cluster("ab", f"executable = work\narguments = 1\n{line}\nqueue\n")

    done = run(shell)

    assert done.returncode != 0
    assert "run-members: job a failed with exit code" in done.stderr
    assert trace() == []


def test_a_member_ended_by_a_signal_has_failed(cluster, shell):
    cluster(
        "ab",
        "executable = /bin/sh\narguments = \"-c 'kill -9 $(DOLLAR)$(DOLLAR)'\"\nqueue\n",
    )

    assert run(shell).returncode == 128 + 9


def test_a_list_that_is_cut_short_never_passes_for_a_whole_one(cluster):
    cluster("ab", FAILS)
    whole = Path(f"{CLUSTER}.members").read_bytes()
    for size in range(0, len(whole) - 1, 7):
        Path(f"{CLUSTER}.members").write_bytes(whole[:size])
        Path(f"{CLUSTER}.journal").unlink(missing_ok=True)

        assert run(["sh"]).returncode == 65, size


def test_a_journal_that_is_cut_short_skips_only_what_it_names_whole(cluster, put):
    """Names that begin alike, and a cut after each byte."""
    names = ["a", "ab", "abc", "1", "11"]
    cluster([*names, "z"], FAILS)
    put({"fail-z": ""})
    run(["sh"])
    whole = Path(f"{CLUSTER}.journal").read_bytes()
    assert whole == b"1 a\n2 ab\n3 abc\n4 1\n5 11\n"
    for size in range(len(whole)):
        Path(f"{CLUSTER}.journal").write_bytes(whole[:size])
        Path("trace").unlink()
        assert run(["sh"]).returncode == 7

        # A line counts from its last letter on: the line end says nothing more.
        ended = sum(size >= whole.index(line) + len(line) for line in whole.split(b"\n")[:-1])
        assert trace() == [*names[ended:], "z"], size
        assert run(["sh"]).returncode == 7
        assert trace() == [*names[ended:], "z", "z"], "what came after the cut is whole"


def test_however_it_is_killed_no_member_is_passed_over(cluster):
    """Kill all its processes at random moments until it comes through."""
    names = [f"j{n}" for n in range(12)]
    cluster(names, "executable = work\narguments = $(JOB)\nqueue\n")
    draw = random.Random(11)  # noqa: S311
    kills = 0
    while kills < 25:
        command = ["sh", "out.dag.clusters/run-members", CLUSTER]
        with subprocess.Popen(command, start_new_session=True) as process:
            time.sleep(draw.uniform(0, 0.15))
            if process.poll() is not None:
                break
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
    if process.returncode != 0:
        assert run(["sh"]).returncode == 0

    assert kills > 3
    ended: set[str] = set()
    for word, name in (line.split(" ") for line in trace()):
        assert set(names[: names.index(name)]) <= ended, "each waits for all before it"
        ended |= {name} if word == "end" else set()
    assert ended == set(names)
    assert not Path(f"{CLUSTER}.journal").exists()


def test_a_member_that_is_stopped_never_counts_as_done(cluster, put, shell):
    """It even ends with exit code 0 when it is told to stop."""
    put(
        {
            "polite": "#!/bin/sh\ntrap 'echo stopped >>trace; exit 0' TERM\necho up >>trace\n"
            "while :; do sleep 0.01; done\n"
        }
    )
    Path("polite").chmod(0o755)
    cluster("ab", "executable = polite\nqueue\n")
    command = [*shell, "out.dag.clusters/run-members", CLUSTER]
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            await_trace(["up"])
            process.terminate()
            assert process.wait(timeout=10) == 143
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    assert trace() == ["up", "stopped"]
    assert log() == ["start a", "stopped a"]
    assert not Path(f"{CLUSTER}.journal").exists()


def test_a_journal_whose_name_begins_with_a_hyphen_is_read_and_removed(put, shell):
    """Else a second run would pass over all jobs, or a restart over none."""
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\n", "x.sub": FAILS, "fail-b": ""})
    write_clustered(read_submission("wf.dag"), [[0, 1]], "-x.dag")
    command = [*shell, "./-x.dag.clusters/run-members", "-x.dag.clusters/cluster_0001"]

    codes = [subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode]
    Path("fail-b").unlink()
    codes += [subprocess.run(command, check=False).returncode for _ in range(2)]

    assert codes == [7, 0, 0]
    assert trace() == ["a", "b", "b", "a", "b"]
    assert not Path("-x.dag.clusters/cluster_0001.journal").exists()
