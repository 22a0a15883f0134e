"""What another user has put into the place of a run is refused in one line, and nothing runs."""

import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SCRIPT
from tests.run.conftest import answer_the_job, environment, lines

RUN = Path("wf.plain.icsched-run")
NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to another user")


def refused(done: subprocess.CompletedProcess[str], place: Path) -> None:
    """Nothing ran, and one line names the file."""
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"icsched: {place.absolute()}: ")
    assert "use --journal DIR" in done.stderr
    assert not Path("ran").exists()


def test_a_log_that_is_a_link_gets_nothing(jobs, icsched_run):
    """The directory was open to others for a while, and its logs still are as they left them."""
    jobs(a="echo secret")
    (RUN / "logs").mkdir(parents=True)
    (RUN / "logs" / "a.1.log").symlink_to(Path("target").absolute())

    assert icsched_run().returncode == 0

    assert not Path("target").exists()
    assert (RUN / "logs" / "a.2.log").read_text() == "secret\n", "numbers go on after all logs"


def test_a_log_is_not_written_through_a_link(jobs, icsched_run):
    """The first job plants a link in the place of the next log."""
    jobs(a="ln -s $PWD/target wf.plain.icsched-run/logs/b.2.log", b="echo secret; echo >> ran")

    done = icsched_run()

    assert done.returncode == 1
    assert "b.2.log: it is a link, which icsched does not follow here" in done.stdout
    assert not Path("target").exists()
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    "name", ["reserve", "journal.sqlite", "workers.lock", "server.lock", "logs", "run-times.csv"]
)
@pytest.mark.parametrize("words", [(), ("--resume",), ("--again",), ("--resume", "--dry-run")])
def test_a_link_in_the_directory_is_refused(jobs, icsched_run, name, words):
    jobs(a="echo >> ran")
    RUN.mkdir()
    (RUN / name).symlink_to(Path("target").absolute())

    refused(icsched_run(*words), RUN / name)
    assert not Path("target").exists()
    assert [path.name for path in RUN.iterdir()] == [name]


def test_a_link_to_a_directory_is_refused(jobs, icsched_run):
    jobs(a="echo >> ran")
    Path("elsewhere").mkdir()
    RUN.symlink_to("elsewhere")

    refused(icsched_run(), RUN)
    assert list(Path("elsewhere").iterdir()) == []


@as_root
@pytest.mark.parametrize("name", [".", "journal.sqlite", "logs"])
@pytest.mark.parametrize("words", [("--resume",), ("--again",), ("--resume", "--dry-run")])
def test_the_journal_of_another_user_is_refused(jobs, icsched_run, name, words):
    jobs(a="true", b="echo >> ran")
    icsched_run()
    Path("ran").unlink()
    os.chown(RUN / name, NOBODY, NOBODY)

    refused(icsched_run(*words), RUN / name)


def test_the_directory_and_what_is_in_it_are_for_this_user_alone(jobs, icsched_run):
    jobs(a="echo said", b="false")
    before = os.umask(0)
    try:
        icsched_run()
        os.umask(0o022)
        icsched_run("--resume")
    finally:
        os.umask(before)

    modes = {str(path.relative_to(RUN)): path.stat().st_mode & 0o777 for path in RUN.rglob("*")}
    assert RUN.stat().st_mode & 0o777 == 0o700
    assert modes.pop("logs") == 0o700
    assert modes.pop("run-times.csv"), "a table like any other, in a directory that is closed"
    assert set(modes.values()) == {0o600}
    assert {"journal.sqlite", "logs/a.1.log", "logs/b.3.log"} <= modes.keys()


def test_the_journal_of_a_copied_directory_is_made_private(jobs, icsched_run):
    """A copy by other tools may be readable by all; SQLite's own files get its permissions."""
    jobs(a="false")
    icsched_run()
    (RUN / "journal.sqlite").chmod(0o644)

    icsched_run("--resume")

    assert (RUN / "journal.sqlite").stat().st_mode & 0o777 == 0o600


def test_two_links_of_one_workflow_are_one_run(talking):
    Path("other.plain").symlink_to("wf.plain")
    server = talking()

    other = run_as("other.plain", "--resume")
    assert "another icsched runs this workflow now" in other.stderr
    answer_the_job()
    assert server.wait(60) == 0

    assert "Nothing was left to run" in run_as("other.plain", "--resume").stdout
    assert lines("first") == 1


def run_as(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    line = [SCRIPT, "run", name, "-j", "1", "--order", "fifo", *words]
    return subprocess.run(line, env=environment(), capture_output=True, text=True, timeout=100)


def test_a_link_in_another_directory_is_a_run_of_its_own(jobs):
    """Its jobs run beside the link: many runs may share one description."""
    jobs(a="echo >> ran")
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "wf.plain").symlink_to("../wf.plain")
        assert run_as(f"{name}/wf.plain").returncode == 0

    assert (lines("one/ran"), lines("two/ran")) == (1, 1)
    assert not RUN.exists()
    with sqlite3.connect("two/wf.plain.icsched-run/journal.sqlite") as journal:
        assert journal.execute("SELECT count(*) FROM completed").fetchone() == (1,)
