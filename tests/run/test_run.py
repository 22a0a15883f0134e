"""`icsched run`: what it says, what it leaves, what it refuses, and how it goes on."""

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SCRIPT
from tests.run.conftest import answer_the_job, command, complaints, environment, lines

RUN = Path("wf.plain.icsched-run")


def complaint(done: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """The one line on standard error."""
    assert done.returncode == code
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("icsched: ").rstrip()


def test_a_workflow_runs_to_its_end_and_the_next_run_knows_its_times(jobs, icsched_run):
    jobs(a="echo one > out; echo said", b="cat out >> out2", c="cat out2 >> out3")
    done = icsched_run("--json")
    report = json.loads(done.stdout)

    assert (done.returncode, done.stderr) == (0, "")
    assert Path("out3").read_text() == "one\n"
    assert (report["completed"], report["left"], report["attempts"]) == (3, 0, 3)
    assert report["forecast"] is None
    assert (RUN / "logs" / "a.1.log").read_text() == "said\n"
    again = json.loads(icsched_run("--again", "--json").stdout)
    assert again["completed"] == 3
    assert again["forecast"]["low"] <= again["forecast"]["seconds"] <= again["forecast"]["high"]
    assert Path("out3").read_text() == "one\none\none\n", "b appended to what was there, then c"


def test_run_times_of_0_give_no_forecast(jobs, icsched_run):
    """Every run would take infinitely many times as long as the forecast."""
    jobs(a="true", b="true")
    Path("times.csv").write_text("a,0\nb,0\n")
    done = icsched_run("--json", "--run-times", "times.csv")

    assert json.loads(done.stdout)["forecast"] is None


def test_a_journal_that_is_there_is_not_touched_unless_asked(jobs, icsched_run):
    jobs(a="echo >> ran")
    icsched_run()

    assert "use --resume to go on" in complaint(icsched_run())
    resumed = icsched_run("--resume")
    assert (resumed.returncode, resumed.stdout.splitlines()[1]) == (0, "Nothing was left to run")
    assert Path("ran").read_text() == "\n"


@pytest.mark.usefixtures("folder")
def test_a_job_whose_output_has_a_name_that_is_not_utf_8_fails_alone():
    Path("wf.dag").write_text("JOB a a.sub\nJOB b b.sub\n")
    Path("a.sub").write_bytes(b"executable = /bin/true\noutput = nodir/caf\xe9\nqueue\n")
    Path("b.sub").write_text("executable = /bin/true\nqueue\n")
    words = ["run", "wf.dag", "-j", "1", "--keep-going", "--json"]
    done = subprocess.run([str(SCRIPT), *words], capture_output=True, text=True)

    assert json.loads(done.stdout)["completed"] == 1
    assert complaint(done).startswith("task 'a' failed: cannot start: ")
    assert r"/nodir/caf\udce9: No such file" in done.stderr


def test_a_failure_is_told_with_its_log_and_can_be_fixed(jobs, icsched_run):
    jobs(a="echo >> ran", b="echo why; test -e fixed", c="touch end")
    done = icsched_run()

    assert done.returncode == 1
    assert done.stderr == "icsched: task 'b' failed: exit code 1\n"
    assert "Failed: b: exit code 1; its output is in " in done.stdout
    assert "2 jobs are not completed: use --resume to go on" in done.stdout
    assert (RUN / "logs" / "b.2.log").read_text() == "why\n"
    Path("fixed").touch()
    assert icsched_run("--resume").returncode == 0
    assert Path("end").exists()
    assert Path("ran").read_text() == "\n"


def test_a_run_begins_with_a_line_if_there_is_no_journal_to_resume(jobs, icsched_run):
    jobs(a="echo >> ran")
    for words in (["--dry-run"], []):
        done = icsched_run("--resume", *words)
        said = f"icsched: {RUN.absolute()}: no journal to resume: all jobs run\n"
        assert (done.returncode, done.stderr) == (0, said)
    assert icsched_run("--resume").stderr == ""
    assert Path("ran").read_text() == "\n"


def test_a_shell_reads_the_commands_of_a_table_as_they_are_written(put):
    """The quotes reach the shell, too. Without a shell such commands are refused."""
    put({"wf.csv": "task,parents,command\na,,X=1 printf '%s  %s' a$((2+3)) \"b c\" | cat > made\n"})
    line = [command()[0], "run", "wf.csv", "-j", "1"]
    plain = subprocess.run(line, capture_output=True, text=True)
    subprocess.run([*line, "--shell"], capture_output=True, check=True)

    assert "expected plain words without shell syntax" in complaint(plain)
    assert Path("made").read_text() == "a5  b c"


def test_a_command_that_failed_can_be_fixed(jobs, icsched_run):
    jobs(a="echo >> ran", b="fasle")
    assert icsched_run().returncode == 1
    jobs(a="echo >> ran", b="touch end")

    assert icsched_run("--resume").returncode == 0
    assert Path("end").exists()
    assert Path("ran").read_text() == "\n"


def test_a_changed_workflow_is_not_resumed(jobs, icsched_run):
    jobs(a="true")
    icsched_run()
    jobs(a="touch other")

    told = complaint(icsched_run("--resume"))
    assert "'a' is completed, but what it runs has changed since: --again forgets" in told
    assert not Path("other").exists()


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["--engine", "slurm"], 2, "engine: expected local"),
        (["--resume", "--again"], 2, "--resume cannot be used with --again"),
        (["--journal", "file/run"], 1, "Not a directory"),
        (["--address", "tcp://x:1"], 2, "engine local: an address cannot be used"),
        (["-j", "0"], 2, "workers: expected a whole number from 1"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_nothing_starts(
    words, code, problem, jobs, icsched_run
):
    jobs(a="touch started")
    Path("file").touch()

    assert problem in complaint(icsched_run(*words), code)
    assert not Path("started").exists()
    assert not RUN.exists()


def test_a_missing_program_is_found_before_anything_starts(jobs, icsched_run):
    jobs(a="touch started", b=["no-such-program", "x"])

    expected = "wf.plain: job 'b': expected a program that can be run, found none called"
    assert complaint(icsched_run()) == f"{expected} 'no-such-program'"
    assert not Path("started").exists()


@pytest.mark.parametrize(("name", "why"), [("x.sh", "is not executable"), ("d", "is a directory")])
def test_a_file_that_is_no_program_is_told_from_a_missing_one(jobs, icsched_run, name, why):
    Path("x.sh").touch(mode=0o644)
    Path("d").mkdir()
    jobs(a=[f"./{name}"])

    expected = "wf.plain: job 'a': expected a program that can be run"
    assert complaint(icsched_run()) == f"{expected}: './{name}' {why}"


def test_jobs_that_run_nothing_are_counted(put):
    put({"wf.csv": "task,parents,command\na,,true\nb,a,\n"})

    def ran(*words):
        line = [command()[0], "run", "wf.csv", "-j", "1", *words]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout

    assert "1 job runs nothing\n" in ran()
    assert json.loads(ran("--again", "--json"))["runs_nothing"] == 1


def test_a_file_without_commands_is_refused(put):
    put({"wf.dot": "digraph { a -> b }"})
    words = [command()[0], "run", "wf.dot"]
    done = subprocess.run(words, capture_output=True, text=True)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_a_dry_run_says_what_would_run_and_writes_nothing(jobs, icsched_run):
    jobs(a=["echo", "a b"], b="touch started")
    done = icsched_run("--dry-run")

    assert done.stdout.splitlines()[1:] == ["a: echo 'a b'", "b: sh -c 'touch started'"]
    assert not RUN.exists()
    assert not Path("started").exists()


def test_a_dry_run_of_a_resumed_run_writes_nothing(jobs, icsched_run):
    jobs(a="true", b="test -e fixed")
    icsched_run()
    (RUN / "reserve").unlink()
    before = {path: path.read_bytes() for path in RUN.rglob("*") if path.is_file()}
    done = icsched_run("--dry-run", "--resume")

    assert done.stdout.splitlines()[1:] == ["b: sh -c 'test -e fixed'"]
    assert {path: path.read_bytes() for path in RUN.rglob("*") if path.is_file()} == before


def test_a_dry_run_does_not_wait_for_a_run(talking, icsched_run):
    server = talking()

    assert icsched_run("--dry-run", "--resume").stdout.splitlines()[2:] == ["c: sh -c 'touch end'"]
    answer_the_job()
    assert server.wait(60) == 0


def test_each_run_has_logs_of_its_own(jobs, icsched_run):
    jobs(a="echo one")
    icsched_run()
    jobs(a="echo two")
    icsched_run("--again")

    logs = {path.name: path.read_text() for path in (RUN / "logs").iterdir()}
    assert logs == {"a.1.log": "one\n", "a.2.log": "two\n"}


@pytest.mark.usefixtures("jobs")
def test_standard_input_has_no_directory_to_run_in():
    Path("wf.dag").write_text("JOB a a.sub\n")
    for name in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        words = [command()[0], "run", name]
        with Path("wf.dag").open() as file:
            done = subprocess.run(
                words, env=environment(), stdin=file, capture_output=True, text=True
            )

        assert "expected a file, because its directory is where jobs run" in complaint(done, 2)


@pytest.mark.parametrize("given", [{"argv": ["sh", "a\0"]}, {"argv": ["sh"], "stdout": "a\0"}])
def test_every_command_is_searched_for_null_bytes(given, jobs, icsched_run):
    """Both jobs run the same program in the same directory."""
    jobs(a="touch started")
    found = json.loads(Path("wf.plain").read_text())
    Path("wf.plain").write_text(json.dumps({**found, "b": {"parents": ["a"], **given}}))

    assert complaint(icsched_run()) == "wf.plain: job 'b': expected words without null bytes"
    assert not Path("started").exists()


def test_a_dry_run_with_a_shell_shows_the_line_that_the_shell_gets(jobs, icsched_run):
    jobs(a=["echo", "a  b", "$HOME"])

    assert icsched_run("--dry-run", "--shell").stdout.splitlines()[1:] == ["a: echo a  b $HOME"]


def test_no_shell_reads_commands_unless_asked(jobs, icsched_run):
    jobs(a=["touch", "$NAME;x"])
    icsched_run()
    jobs(a=["touch", "$(echo made)"])
    icsched_run("--again", "--shell")

    assert Path("$NAME;x").exists()
    assert Path("made").exists()


def test_a_job_outlives_a_killed_server_and_is_not_run_again(talking, icsched_run):
    """The server is killed while b runs. Then b ends, and its worker says so in the journal."""
    server = talking(stderr=subprocess.PIPE, text=True)
    server.kill()
    server.wait()
    answer_the_job()
    with server.stderr as errors:
        assert complaints(errors.read()) == [], "until the last process has ended"
    with sqlite3.connect(RUN / "journal.sqlite") as journal:
        assert journal.execute("SELECT task FROM completed ORDER BY 1").fetchall() == [(0,), (1,)]

    assert icsched_run("--resume").returncode == 0
    assert (lines("first"), lines("began"), lines("finished")) == (1, 1, 1)
    assert Path("end").exists()


def test_a_resumed_run_waits_for_jobs_of_the_killed_one(talking):
    server = talking()
    server.kill()
    server.wait()
    words = command("--resume")
    with subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True) as resumed:
        assert "still running: waiting for them" in resumed.stderr.readline()
        answer_the_job()
        assert resumed.wait(60) == 0

    assert (lines("first"), lines("began"), lines("finished")) == (1, 1, 1)


def test_a_second_server_is_refused_while_one_runs(talking, icsched_run):
    server = talking()

    assert "another icsched runs this workflow now" in complaint(icsched_run("--resume"))
    answer_the_job()
    assert server.wait(60) == 0


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_after_ctrl_c_jobs_are_stopped_and_the_run_can_go_on(talking, engine):
    """A terminal sends the signal to all processes of the command."""
    server = talking("--engine", engine)
    os.killpg(server.pid, signal.SIGINT)

    assert server.wait(60) == 130
    assert complaints(Path("errors").read_text()) == []
    resumed = talking("--resume")
    answer_the_job()
    assert resumed.wait(60) == 0
    assert (lines("first"), lines("began"), lines("finished")) == (1, 2, 1)
    assert Path("end").exists()
