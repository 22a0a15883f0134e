"""`icsched run --engine htcondor` where HTCondor is missing, or cannot take a workflow."""

import json
import sqlite3
from pathlib import Path

import pytest

from icsched import Dag, Workflow, prioritize
from icsched.commands import Command
from icsched.engines.entry import Terms
from icsched.engines.htcondor.running import stream

RUN = Path("wf.plain.icsched-run")
EMPTY_QUEUE = {"condor_q": "exit 0"}
SUBMITTED = (
    "000 (008.000.000) 2026-01-02 03:04:05 Job submitted from host: <h>\n    DAG Node: a\n...\n"
)
JOB_HELD = "012 (008.000.000) 2026-01-02 03:04:05 Job was held.\n\tno disk\n\tCode 6\n...\n"
FAILED = (
    "005 (007.000.000) 2026-01-02 03:04:05 Job terminated.\n"
    "\t(1) Normal termination (return value 1)\n...\n"
)  # DAGMan
HELD = "012 (007.000.000) 2026-01-02 03:04:05 Job was held.\n...\n"  # DAGMan, job 7


@pytest.fixture
def programs(folder, monkeypatch):
    """Put programs into the only directory of PATH, beside sh; each is a script for a shell."""
    place = folder / "bin"
    place.mkdir()
    (place / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(place))

    def write(**given: str) -> None:
        for name, script in given.items():
            (place / name).write_text(f"#!/bin/sh\n{script}\n")
            (place / name).chmod(0o755)

    return write


def records() -> dict[str, list[tuple]]:
    """All rows of the journal, without the time when it was opened last."""
    with sqlite3.connect(RUN / "journal.sqlite") as journal:
        found = {
            table: journal.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  ours
            for table in ("attempts", "completed", "meta")
        }
    found["meta"] = [row for row in found["meta"] if row[0] != "opened"]
    return found


@pytest.mark.parametrize(
    ("scripts", "problem"),
    [
        ({}, "condor_q is not installed here: run this where you submit jobs to HTCondor"),
        ({"condor_q": "echo no schedd >&2; exit 1"}, "condor_q failed: no schedd"),
        (EMPTY_QUEUE, "condor_submit_dag is not installed here: run this where"),
        (
            {**EMPTY_QUEUE, "condor_submit_dag": "echo no schedd >&2; exit 1"},
            "condor_submit_dag failed: no schedd",
        ),
        (
            {**EMPTY_QUEUE, "condor_submit_dag": "echo hello"},
            "condor_submit_dag did not say that it submitted: hello",
        ),
    ],
    ids=["no queue", "no answer", "no submit", "submit fails", "submit does nothing"],
)
def test_again_forgets_nothing_if_htcondor_does_not_start(
    jobs, icsched_run, programs, scripts, problem
):
    jobs(a="echo >> ran", b="exit 3")
    icsched_run()
    before = records()
    programs(**scripts)

    done = icsched_run("--again", "--engine", "htcondor")

    assert (done.returncode, problem in done.stderr) == (1, True)
    assert records() == before
    assert json.loads(icsched_run("--resume", "--json").stdout)["attempts"] == 1, "b alone"
    assert Path("ran").read_text() == "\n"


@pytest.mark.parametrize("option", [["--shell"], ["--address", "tcp://h:1"], ["--retries", "1"]])
def test_again_forgets_nothing_if_an_option_is_refused(jobs, icsched_run, option):
    jobs(a="echo >> ran")
    icsched_run()
    before = records()

    assert icsched_run("--again", "--engine", "htcondor", *option).returncode == 2
    assert records() == before


def test_again_forgets_what_was_completed_once_dagman_was_submitted(jobs, icsched_run, programs):
    """condor_q finds nothing at first, and DAGMan on hold (status 5) once it was submitted."""
    jobs(a="echo >> ran")
    icsched_run()
    log = RUN.absolute() / "workflow.dag.dagman.log"
    programs(
        condor_q=f"test ! -e {log} || echo 7 5",
        condor_submit_dag=f"printf '{HELD}' > {log}; echo '1 job(s) submitted to cluster 7.'",
    )

    done = icsched_run("--again", "--engine", "htcondor")

    assert "DAGMan is on hold, as job 7" in done.stderr
    assert records()["completed"] == []


def test_the_directory_of_a_run_is_kept_once_dagman_was_submitted(jobs, icsched_run, programs):
    """No job has ended yet when DAGMan is put on hold."""
    jobs(a="true")
    log = RUN.absolute() / "workflow.dag.dagman.log"
    programs(
        condor_q=f"test ! -e {log} || echo 7 5",
        condor_submit_dag=f"printf '{HELD}' > {log}; echo '1 job(s) submitted to cluster 7.'",
    )

    done = icsched_run("--engine", "htcondor")

    what = "condor_q -hold 7 says why, condor_release lets it go on, and --resume follows it"
    assert done.returncode == 1
    assert done.stderr.endswith(f"icsched: DAGMan is on hold, as job 7: {what}\n")
    assert (RUN / "workflow.dag").exists()
    assert records()["attempts"] == []


def test_a_run_that_was_stopped_at_once_has_jobs_left_to_run(jobs, icsched_run, programs):
    """SIGTERM comes while DAGMan is being submitted."""
    jobs(a="true", b="true")
    programs(**EMPTY_QUEUE, condor_submit_dag="kill -TERM $PPID; exec /bin/sleep 1")

    done = icsched_run("--engine", "htcondor")

    left = "wf.plain: 2 jobs\n2 jobs are not completed: use --resume to go on\n"
    assert (done.returncode, done.stdout) == (143, left)


def submission(**more: str) -> str:
    """A condor_submit_dag that copies the files named, with HTCondor's suffixes."""
    files = {"nodes.log": "nodes", "dagman.log": "dagman", **more}
    copies = "".join(
        f"/bin/cat {Path(source).absolute()} > {RUN.absolute()}/workflow.dag.{suffix}\n"
        for suffix, source in files.items()
    )
    return f"{copies}echo '1 job(s) submitted to cluster 7.'"


def test_a_job_on_hold_is_told_once(jobs, icsched_run, programs):
    """The log says it twice, then DAGMan ends."""
    jobs(a="true")
    Path("nodes").write_text(SUBMITTED + JOB_HELD + JOB_HELD)
    Path("dagman").write_text(FAILED)
    programs(**EMPTY_QUEUE, condor_submit_dag=submission())

    done = icsched_run("--engine", "htcondor")

    assert done.stderr.count("icsched: job a is on hold: no disk\n") == 1


def test_if_dagman_fails_its_error_is_told_and_its_log_is_kept(jobs, icsched_run, programs):
    """Nothing was recorded, so the directory of the run would be removed."""
    jobs(a="true")
    Path("nodes").write_text("")
    Path("dagman").write_text(FAILED)
    stamp = "01/02/26 03:04:05 "
    said = ["STARTING UP", "ERROR: first", "ERROR: no such submit file", "EXITING"]
    Path("out").write_text("".join(f"{stamp}{line}\n" for line in said))
    programs(**EMPTY_QUEUE, condor_submit_dag=submission(**{"dagman.out": "out"}))

    done = icsched_run("--engine", "htcondor")

    log = RUN.absolute() / "workflow.dag.dagman.out"
    expected = (
        f"icsched: DAGMan runs the workflow as job 7; its log is {log}\n"
        f"icsched: DAGMan failed: ERROR: no such submit file: see {log}\n"
    )
    assert (done.returncode, done.stderr) == (1, expected)
    assert log.exists()


def test_dagman_is_removed_if_nobody_waits_for_the_first_job(folder, programs):
    """Ctrl-C may come just after the submission."""
    submit, remove = "echo '1 job(s) submitted to cluster 7.'", "echo $1 > removed"
    programs(**EMPTY_QUEUE, condor_submit_dag=submit, condor_rm=remove)
    workflow = Workflow(Dag({"a": []}), [False], find_commands=lambda: [Command(("/bin/sh",))])

    stream(workflow, prioritize(workflow, "fifo"), folder / "run", Terms()).close()

    assert Path("removed").read_text() == "7\n"


def test_an_error_of_an_earlier_run_is_not_told(jobs, icsched_run, programs):
    """DAGMan appends to its log, and said nothing this time."""
    jobs(a="true")
    Path("nodes").write_text("")
    Path("dagman").write_text(FAILED)
    Path("out").write_text("x\n" * 2**20 + "STARTING UP\nERROR: earlier\nSTARTING UP\nEXITING\n")
    programs(**EMPTY_QUEUE, condor_submit_dag=submission(**{"dagman.out": "out"}))

    done = icsched_run("--engine", "htcondor")

    log = RUN.absolute() / "workflow.dag.dagman.out"
    assert (done.returncode, done.stderr) == (1, f"icsched: DAGMan failed: see {log}\n")
