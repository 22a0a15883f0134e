"""What stands where icsched looks for a file of its own, or has a name that no file can have."""

import os
import subprocess

import pytest

from tests.cli.conftest import SCRIPT

JOBS = "JOB a x.sub\nJOB b x.sub\n"
SUBMIT = "executable = /bin/true\nqueue\n"
ORDINARY = "expected an ordinary file"
LONG = "n" * 300
IN_PLACE = ("prio", "--order", "prio", "wf.dag", "--in-place")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working directory with two workflows, one of them in a splice of the other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wf.dag").write_text("SPLICE s inner.dag\n")
    (tmp_path / "inner.dag").write_text(JOBS)
    (tmp_path / "x.sub").write_text(SUBMIT)
    return tmp_path


@pytest.mark.parametrize(
    ("pipe", "words"),
    [
        ("out.dag", ("cluster", "inner.dag", "--size", "2", "-o", "out.dag")),
        ("wf.dag.icsched", IN_PLACE),
        ("wf.dag.icsched", ("prio", "--order", "prio", "wf.dag", "--remove")),
    ],
)
def test_no_command_waits_for_a_pipe_at_the_place_of_a_file_of_icscheds(pipe, words):
    os.mkfifo(pipe)

    done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (1, f"icsched: {pipe}: {ORDINARY}\n")


@pytest.mark.parametrize("option", ["--in-place", "--remove"])
def test_a_nested_workflow_with_a_name_that_no_file_can_have_is_named(icsched, folder, option):
    (folder / "outer.dag").write_text(f"SUBDAG EXTERNAL s {LONG}\n")

    complaint = icsched("prio", "--order", "prio", "outer.dag", "--recursive", option).complaint

    assert complaint == f"{LONG}: file name too long"


def test_an_output_with_a_name_that_no_file_can_have_is_named(icsched):
    assert (
        icsched("prio", "--order", "prio", "inner.dag", "-o", LONG).complaint
        == f"{LONG}: file name too long"
    )


@pytest.mark.parametrize(
    "words",
    [
        ("prio", "--order", "prio", "wf.dag", "--json"),
        ("prio", "--order", "prio", "inner.dag", "-o", "-"),
    ],
)
def test_what_cannot_be_written_because_standard_output_is_closed_is_exit_1(words):
    done = closed(">&-", *words)

    assert done.returncode == 1
    assert done.stderr.endswith("icsched: standard output: Bad file descriptor\n")


def test_a_closed_standard_input_cannot_be_read_even_if_the_output_is_closed_too():
    done = closed("<&- >&-", "prio", "-")

    assert (done.returncode, done.stderr) == (1, "icsched: /dev/stdin: bad file descriptor\n")


def test_a_command_works_with_standard_error_closed(folder):
    done = closed("<&- 2>&-", *IN_PLACE)

    assert done.returncode == 0
    assert "PRIORITY s+a 2" in (folder / "wf.dag").read_text()


def closed(streams: str, *words: str) -> subprocess.CompletedProcess:
    """Run icsched from a shell that closes *streams*."""
    command = ["/bin/sh", "-c", f'exec "$0" "$@" {streams}', SCRIPT, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("use", ["JOB c é.sub", "INCLUDE é.sub"])
def test_a_name_that_the_locale_lacks_is_told_in_one_line(icsched_process, folder, use):
    (folder / "é.sub").write_text("# no job")
    (folder / "wf.dag").write_text(f"{JOBS}{use}\n")
    ascii_only = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}

    refused = icsched_process("show", "wf.dag", **ascii_only)

    told = "the locale has no such name of a file: set PYTHONUTF8=1"
    assert (refused.code, refused.complaint) == (1, told)
    assert icsched_process("show", "wf.dag", **{**ascii_only, "PYTHONUTF8": "1"}).code == 0


@pytest.mark.parametrize("use", ["CONFIG huge", "JOB c huge"])
def test_a_huge_file_is_not_looked_through_for_advice(folder, use):
    with (folder / "huge").open("wb") as file:
        file.truncate(2_000_000_000)
    (folder / "wf.dag").write_text(f"{JOBS}{use}\n")
    command = ["/bin/sh", "-c", 'ulimit -v 1500000; exec "$0" show wf.dag', SCRIPT]

    done = subprocess.run(command, capture_output=True, timeout=60, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
