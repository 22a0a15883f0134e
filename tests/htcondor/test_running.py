"""Changes of a workflow that runs: docs/htcondor.md promises them.

`first` makes the changes itself, while the others wait for it to end.
"""

import pytest

from tests.htcondor.pool import submit_file

# One slot: each job takes the whole machine of tools/htcondor.sh.
WHOLE_MACHINE = ("universe = vanilla", "request_cpus = 8", "request_memory = 8", "request_disk = 8")
JOBS = "JOB first first.sub\n" + "".join(f"JOB {name} task.sub\n" for name in "abc")
PRIORITIES = "PRIORITY first 4\nPRIORITY a 3\nPRIORITY b 2\nPRIORITY c 1\n"


@pytest.fixture
def place(condor):
    """A directory for the workflow."""
    return condor.fresh()


def first_runs(place, script: str, *lines: str) -> None:
    """Describe `first`, which runs *script*."""
    path = place / "first.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    submit_file(place, "first.sub", lines=[*lines, "executable = first.sh"])


def until_submitted(job: str) -> str:
    return f"until grep -q 'DAG Node: {job}' wf.dag.nodes.log; do sleep 0.1; done\n"


@pytest.mark.parametrize(
    ("new", "started"), [({}, "abc"), ({"c": 9, "b": 5}, "cba")], ids=["as it is", "condor_prio"]
)
def test_condor_prio_changes_the_order_of_jobs_in_the_queue(condor, place, new, started):
    find = "condor_q -af ClusterId -constraint 'DAGNodeName == \"{}\"'"
    changes = "".join(
        f"condor_prio -p {priority} $({find.format(job)})\n" for job, priority in new.items()
    )
    first_runs(place, until_submitted("c") + changes, *WHOLE_MACHINE)
    submit_file(place, lines=WHOLE_MACHINE)
    (place / "wf.dag").write_text(JOBS + PRIORITIES)

    done = condor.run(place, "wf.dag", options=())

    assert done.submitted == ["first", "a", "b", "c"]
    assert done.started == ["first", *started]
    assert {job: done.job_prio[job] for job in new} == {job: [new[job]] for job in new}


def test_condor_qedit_changes_the_throttle(condor, place):
    """`first` ends once all others are in the queue, which the throttle of the start forbids."""
    edit = "condor_qedit -constraint 'JobUniverse == 7' DAGMan_MaxJobs 4\n"  # DAGMan itself
    first_runs(place, edit + until_submitted("c"))
    submit_file(place)
    (place / "wf.dag").write_text(JOBS + PRIORITIES)

    done = condor.run(
        place,
        "wf.dag",
        options=("-maxjobs", "1"),
        config={"DAGMAN_QUEUE_UPDATE_INTERVAL": "5"},  # 5 minutes by default
    )

    assert done.submitted == ["first", "a", "b", "c"]
    assert done.started[0] == "first"
