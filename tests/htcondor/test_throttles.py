"""What keeps an order on a real pool and what disturbs it: throttles, scripts, retries.

c0 is the parent of c1; l0 stands alone. They are wanted in the order c0 c1 l0, so whatever
submits or starts l0 before c1 disturbs the order.
"""

import json

import pytest

from icsched.commands.main import run as icsched
from tests.htcondor.pool import submit_file

LINK = """\
JOB c0 first.sub
JOB c1 task.sub
JOB l0 task.sub
PARENT c0 CHILD c1
"""
PRIORITIES = "PRIORITY c0 3\nPRIORITY c1 2\nPRIORITY l0 1\n"

# One slot: each job takes the whole machine of tools/htcondor.sh.
WHOLE_MACHINE = ("universe = vanilla", "request_cpus = 8", "request_memory = 8", "request_disk = 8")


@pytest.fixture
def place(condor):
    """A directory with the submit file of a job that does nothing."""
    directory = condor.fresh()
    submit_file(directory)
    return directory


def program(place, text: str) -> str:
    """Write a shell script; return the line of a submit file that runs it."""
    path = place / "program.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return "executable = program.sh"


def test_with_as_many_jobs_as_slots_jobs_start_exactly_in_our_order(
    condor, place, monkeypatch, capsys
):
    r"""
    c0         One slot. The links of the chain come before their other children.
    | \
    l0 c1
       | \
       l1 c2
          |
          l2
    """
    monkeypatch.chdir(place)
    submit_file(place, lines=WHOLE_MACHINE)
    text = "".join(f"JOB {name} task.sub\n" for name in ("l0", "l1", "l2", "c0", "c1", "c2"))
    text += "PARENT c0 CHILD l0 c1\nPARENT c1 CHILD l1 c2\nPARENT c2 CHILD l2\n"
    (place / "wf.dag").write_text(text)
    assert icsched(["prio", "--order", "prio", "wf.dag", "--in-place", "--json"]) == 0
    order = json.loads(capsys.readouterr().out)["order"]

    done = condor.run(place, "wf.dag", options=("-maxjobs", "1"))

    assert order[:3] == ["c0", "c1", "c2"]
    assert done.started == order


def test_without_a_throttle_a_freed_slot_takes_the_best_job_that_is_queued(condor, place):
    """c0 ends as soon as DAGMan has read its log; it reads again, and submits c1, 6 s later."""
    seen = "until grep -q 'ULOG_EXECUTE for HTCondor Node c0' wf.dag.dagman.out; do sleep 0.1; done"
    submit_file(place, lines=WHOLE_MACHINE)
    submit_file(place, "first.sub", lines=[*WHOLE_MACHINE, program(place, seen)])
    (place / "wf.dag").write_text(LINK + PRIORITIES)

    done = condor.run(
        place,
        "wf.dag",
        options=(),
        config={"DAGMAN_USER_LOG_SCAN_INTERVAL": "6"},
        fast=False,
    )

    assert done.started == ["c0", "l0", "c1"]


def test_a_limit_on_idle_jobs_lets_one_more_in_while_jobs_run(condor, place):
    """c0 runs until l0 is in the queue: c0 is no longer idle, so -maxidle 1 has room for l0."""
    queued = "until grep -q 'DAG Node: l0' wf.dag.nodes.log; do sleep 0.1; done"
    submit_file(place, "first.sub", lines=[program(place, queued)])
    (place / "wf.dag").write_text(LINK + PRIORITIES)

    done = condor.run(place, "wf.dag", options=("-maxidle", "1"))

    assert done.submitted == ["c0", "l0", "c1"]


def test_the_setting_for_idle_jobs_is_overridden_by_condor_submit_dag(condor, place):
    """It gives DAGMan -MaxIdle 1000 where the user says nothing: the page must say so."""
    submit_file(place, "first.sub")
    (place / "wf.dag").write_text(LINK + PRIORITIES)

    done = condor.run(place, "wf.dag", options=(), config={"DAGMAN_MAX_JOBS_IDLE": "1"})

    assert "DAGMAN_MAX_JOBS_IDLE setting: 1\n" in done.log
    assert "because of -MaxIdle limit (1000)" in done.log


def test_while_a_post_script_runs_another_job_takes_the_place(condor, place):
    """c0 itself has ended, so -maxjobs has room; c1 waits for the script."""
    program(place, "sleep 1")
    submit_file(place, "first.sub")
    (place / "wf.dag").write_text(f"{LINK}{PRIORITIES}SCRIPT POST c0 program.sh\n")

    done = condor.run(place, "wf.dag", options=("-maxjobs", "1"))

    assert done.submitted == ["c0", "l0", "c1"]


@pytest.mark.parametrize(
    ("priorities", "config", "submitted"),
    [
        (PRIORITIES, {}, ["c0", "c0", "c1", "l0"]),
        ("", {}, ["c0", "l0", "c0", "c1"]),
        ("", {"DAGMAN_RETRY_NODE_FIRST": "True"}, ["c0", "c0", "l0", "c1"]),
    ],
    ids=["by priority", "without priorities behind all", "retries first"],
)
def test_a_retried_job_waits_in_its_place(condor, place, priorities, config, submitted):
    fails_once = "test -e tried || { touch tried; exit 1; }"
    submit_file(place, "first.sub", lines=[program(place, fails_once)])
    (place / "wf.dag").write_text(f"{LINK}{priorities}RETRY c0 1\n")

    done = condor.run(place, "wf.dag", options=("-maxjobs", "1"), config=config)

    assert done.submitted == submitted
    assert len(set(done.job_prio["c0"])) == 1, "both attempts have the same priority"
