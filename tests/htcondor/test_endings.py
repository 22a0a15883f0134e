"""What `icsched run --engine htcondor` believes when DAGMan has ended: on a real pool."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.htcondor.test_engine import place, traced  # noqa: F401  a fixture
from tests.htcondor.test_run import run

FILE = "wf.dag"
TABLE = Path("wf.dag.icsched-run/run-times.csv")
WORK = '#!/bin/sh\necho "$1" >>trace\n[ ! -e "fail-$1" ]\n'
SUBMIT = "universe = local\nexecutable = work\narguments = $(JOB)\nqueue\n"
# b frees c, and a is alone.
THREE = "JOB a work.sub\nJOB b work.sub\nJOB c work.sub\nPARENT b CHILD c\n"


@pytest.fixture
def write(place):  # noqa: F811
    """Write wf.dag; the jobs and scripts that are named fail."""
    for name in ("work", "script"):
        (place / name).write_text(WORK)
        (place / name).chmod(0o755)
    (place / "work.sub").write_text(SUBMIT)

    def write(text: str, *failing: str) -> None:
        Path(FILE).write_text(text)
        for name in failing:
            Path(f"fail-{name}").touch()

    return write


def mend() -> None:
    """Let everything succeed from now on."""
    for path in Path().glob("fail-*"):
        path.unlink()


def known() -> dict[str, bool]:
    """Return the jobs that the journal has attempts at, and whether they are completed."""
    with sqlite3.connect(f"{FILE}.icsched-run/journal.sqlite") as journal:
        query = (
            "SELECT name, attempts.task IN (SELECT task FROM completed)"
            " FROM attempts ORDER BY attempts.task"
        )
        return {name: bool(is_completed) for name, is_completed in journal.execute(query)}


def timed() -> set[str]:
    return {line.split(",")[0] for line in TABLE.read_text().splitlines()[1:]}


@pytest.mark.parametrize(
    ("more", "failing", "failed"),
    [
        ("FINAL f work.sub\n", "b", "b: exit code 1"),
        ("FINAL f work.sub\nSCRIPT POST b script post\nRETRY b 1\n", "post", "b: POST script"),
        ("FINAL f work.sub\nSCRIPT PRE b script pre\n", "pre", "b: its PRE script failed"),
        ("SCRIPT PRE b script pre\nRETRY b 1\n", "pre", "b: its PRE script failed with status 1"),
        ("PARENT a CHILD b\nABORT-DAG-ON b 1 RETURN 0\n", "b", "b: exit code 1"),
    ],
    ids=["final", "post", "pre", "retried pre", "abort"],
)
def test_what_failed_or_never_ran_is_not_completed_if_dagman_says_that_all_is_well(
    write, more, failing, failed
):
    """DAGMan's exit code is 0 in most of them, because the file says so."""
    write(THREE + more, failing)
    done = run(FILE)

    assert (done.returncode, "Completed 1 job in" in done.stdout) == (1, True)
    assert f"Failed: {failed}" in done.stdout
    assert "2 jobs are not completed: use --resume to go on\n" in done.stdout
    assert known() == {"a": True, "b": False}
    assert timed() == {"a"}
    mend()
    Path("trace").unlink()
    resumed = run(FILE, "--resume")
    assert (resumed.returncode, "Completed 2 jobs" in resumed.stdout) == (0, True)
    assert {"b", "c"} <= set(traced())
    assert "a" not in traced()


def test_jobs_left_out_by_an_abort_after_a_success_are_an_error(write):
    write("JOB a work.sub\nJOB b work.sub\nPARENT a CHILD b\nABORT-DAG-ON a 0 RETURN 0\n")
    done = run(FILE)

    log = Path.cwd() / "wf.dag.icsched-run" / "workflow.dag.dagman.out"
    problem = f"icsched: DAGMan ended before all jobs were done: see {log}\n"
    assert (done.returncode, done.stderr.endswith(problem)) == (1, True)
    assert known() == {"a": True}


def test_jobs_that_dagman_skips_are_completed_without_a_run_time(write):
    """a by PRE_SKIP; b runs nothing; c is never submitted, but its POST script succeeds; d runs."""
    write(
        "JOB a work.sub\nJOB b work.sub NOOP\nJOB c none.sub\nJOB d work.sub\n"
        "PARENT a CHILD b\nPARENT b CHILD d\nSCRIPT PRE a script pre\nPRE_SKIP a 1\n"
        "SCRIPT POST c script post\n",
        "pre",
    )
    done = run(FILE, "--json")

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["completed"], found["left"], found["failed"]) == (4, 0, [])
    assert known() == {"b": True, "d": True}
    assert {"a", "c"} & timed() == set()
    assert sorted(traced()) == ["d", "post", "pre"]


def test_each_attempt_counts_but_not_the_final_node(write):
    write("JOB a work.sub\nJOB b work.sub\nRETRY b 1\nFINAL f work.sub\n", "b")
    done = run(FILE)

    assert sorted(traced()) == ["a", "b", "b", "f"]
    assert "\n3 attempts: 1 retried, 0 lost with their worker, 0 copies\n" in done.stdout
    assert "task 'b' failed: exit code 1\n" in done.stderr
    mend()
    assert "\n1 attempt: 0 retried, " in run(FILE, "--resume").stdout
