"""The `icsched` command itself: help, version, exit codes, and endings of all kinds."""

import json
import os
import re
import shlex
import signal
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from icsched.commands.app import app
from icsched.commands.demo import ending

COMMANDS = [
    "prio",
    "show",
    "learn",
    "simulate",
    "report",
    "run",
    "study",
    "plot",
    "batch",
    "cluster",
    "convert",
    "make",
    "verify",
    "doctor",
    "completion",
    "demo",
]


def test_the_version_is_that_of_the_package(icsched):
    result = icsched("--version")

    assert (result.code, result.err) == (0, "")
    assert result.out == f"icsched {version('icsched')}\n"


def test_the_commands_are_those_tested_here():
    assert [name for name in app if not name.startswith("-")] == COMMANDS


@pytest.mark.parametrize(
    "command", ["prio", "show", "simulate", "study", "plot", "batch", "cluster", "verify"]
)
def test_help_says_that_a_workflow_can_be_a_file_of_any_format(icsched, command):
    arguments = icsched(command, "--help").out.partition("Parameters")[0]

    assert re.search(r"FILES? +Workflow file", arguments)


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_help_names_every_command(icsched, words):
    result = icsched(*words)

    assert (result.code, result.err) == (0, "")
    assert "Usage: icsched COMMAND" in result.out
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", result.out)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(icsched, command):
    result = icsched(command, "--help")

    assert (result.code, result.err) == (0, "")
    assert f"Usage: icsched {command}" in result.out
    assert f"Example: icsched {command}" in result.out


@pytest.mark.parametrize(
    "words",
    [
        ("bogus",),
        ("bogus", "--help"),
        ("--bogus",),
        ("mkae", "w", "3", "2"),
        ("make", "--bogus"),
        ("demo", "--bogus"),
        ("demo", "extra"),
        ("",),
    ],
)
def test_an_unknown_command_or_option_is_one_line_and_exit_2(icsched, words):
    result = icsched(*words)

    assert result.code == 2
    assert result.complaint


def test_a_message_of_several_lines_becomes_one(icsched):
    result = icsched("verify", "two\nlines.dag", "--order", "@order.txt")

    assert result.code == 1
    assert result.complaint == "two lines.dag: no such file or directory"


def imported(script: Path, program: str, slow: list[str]) -> list[str]:
    """Return which modules of *slow* are there after *program* has run."""
    tell = f"import sys; sys.stderr.write(' '.join(m for m in {slow} if m in sys.modules))"
    done = subprocess.run(
        [script.parent / "python", "-c", f"{program}\n{tell}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    return done.stderr.split()


SLOW = ["asyncio", "dask", "matplotlib", "msgspec", "networkx", "numpy", "ortools"]
OURS = ["icsched.dag", "icsched.formats", "icsched.orders", "icsched.sim", "icsched.theory"]


@pytest.mark.parametrize(
    ("program", "slow"),
    [
        ("import icsched", [*SLOW, *OURS, "cyclopts"]),
        ("from icsched.commands.main import run; run(['--version'])", [*SLOW, *OURS, "cyclopts"]),
        ("from icsched.commands.main import run; run(['--help'])", [*SLOW, *OURS]),
        ("from icsched.commands.main import run; run([])", [*SLOW, *OURS]),
        ("import icsched; icsched.Dag", ["icsched.formats", "icsched.sim", "cyclopts"]),
    ],
)
def test_nothing_is_imported_that_is_not_needed(script, program, slow):
    assert imported(script, program, slow) == []


PRESSED = """
import os, signal, sys
class Presser:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Presser())
from icsched.commands.main import main
main(["prio", "none.dag"])
"""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "module", ["cyclopts", "icsched.commands.app", "icsched.commands.prio", "numpy"]
)
def test_an_interrupt_while_modules_are_imported_ends_it_quietly_with_130(script, module):
    done = subprocess.run(
        [script.parent / "python", "-c", PRESSED, module],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# The tour


def test_the_tour_shows_profiles_and_what_the_referee_says(icsched, tmp_path):
    result = icsched("demo", "-o", str(tmp_path / "tour"))

    assert (result.code, result.err) == (0, "")
    assert "AIRSN 250, a brain-imaging workflow: 773 jobs, 1,270 dep" in result.out
    assert "first come, first served" in result.out
    assert "critical path" in result.out
    assert "IC-optimal, no order has more eligible jobs at any step (" in result.out
    assert "The exact referee on AIRSN 6 (41 jobs) says:" in result.out
    told = result.out.partition("The tour wrote:")[0]
    assert all(len(line) <= 90 for line in told.splitlines())


def test_the_tour_simulates_machines_with_and_without_a_line_in_the_submit_files(icsched, tmp_path):
    """On both, prio ends before first come, first served; the line ends the run earlier, too."""
    shown = icsched("demo", "-o", str(tmp_path / "tour")).out
    seconds = r" +([\d,]+) \[[\d,]+, [\d,]+\]\n"

    found = re.findall(rf"first come, first served{seconds}.*\n  prio{seconds}", shown)

    assert "on 4 machines of 8 cores, as HTCondor fills the machines:" in " ".join(shown.split())
    (first, prio), (first_released, prio_released) = (
        [int(words.replace(",", "")) for words in row] for row in found
    )
    assert prio < first
    assert prio_released < first_released < first


def test_the_tour_keeps_files_that_other_commands_read(icsched, tmp_path):
    tour = tmp_path / "tour"
    told = icsched("demo", "-o", str(tour)).out.partition("The tour wrote:\n")[2]
    submit = [f"{kind}.sub" for kind in ("handle", "fringe", "cover", "join")]
    files = {str(tour / name) for name in ("airsn.dag", "times.csv", "report.html", *submit)}

    assert set(map(str.strip, told.partition("Open ")[0].splitlines())) == files
    assert (tour / "report.html").read_text().startswith("<!doctype html>")
    assert {str(path) for path in tour.iterdir()} == files
    found = icsched("show", f"{tour}/airsn.dag", "--run-times", f"{tour}/times.csv", "--json")
    assert json.loads(found.out)["run_times"]["measured"] == 773


def test_the_commands_that_the_tour_names_find_the_cores_of_all_jobs(
    icsched, tmp_path, monkeypatch
):
    told = icsched("demo", "-o", str(tmp_path / "a tour")).out.partition("Next:\n")[2]
    enter, show, prio = (shlex.split(line) for line in told.splitlines())
    assert enter == ["cd", str(tmp_path / "a tour")]
    monkeypatch.chdir(enter[1])

    needs = icsched(*show[1:]).out.partition("What jobs need:\n")[2]
    found = icsched(*prio[1:])

    assert re.findall(r"(\d+) x (\w+?)_.* (\d) cores?", needs) == [
        ("250", "fringe", "1"),
        ("21", "handle", "1"),
        ("500", "cover", "2"),
        ("2", "join", "8"),
    ]
    assert (found.code, found.err) == (0, "")
    assert "not found" not in found.out
    assert "keep_claim_idle = 0" in found.out


def test_a_path_of_icsched_is_whole_after_the_tour_changes_the_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    told = ending(["t/a.dag", "t/times.csv", "t/report.html"], "bin/icsched")

    assert f"\n  cd t\n  {tmp_path}/bin/icsched show a.dag\n" in told
    assert "\n  icsched show a.dag\n" in ending(["t/a.dag", "t/times.csv", "t/report.html"])


def test_the_tour_writes_nothing_into_the_directory_where_it_is_started(
    icsched_process, tmp_path, monkeypatch
):
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    result = icsched_process("demo", TMPDIR=str(temporary))

    assert result.code == 0
    assert list(here.iterdir()) == []
    (tour,) = temporary.iterdir()
    assert f"  {tour}/airsn.dag\n" in result.out


def test_the_tour_replaces_nothing(icsched, tmp_path):
    (tmp_path / "airsn.dag").write_text("mine")
    result = icsched("demo", "-o", str(tmp_path))

    assert result.code == 2
    assert result.complaint == f"-o: expected an empty directory, got {tmp_path}"
    assert (tmp_path / "airsn.dag").read_text() == "mine"


def test_the_tour_on_a_terminal_that_cannot_draw_is_no_bug(icsched_process, tmp_path):
    result = icsched_process("demo", "-o", str(tmp_path / "tour"), PYTHONIOENCODING="ascii")

    assert "Traceback" not in result.err
    assert result.code == 0
    assert "773 jobs" in result.out


# What only a process can show


def test_the_script_exits_as_run_says(icsched_process):
    assert icsched_process("--version").code == 0

    refused = icsched_process("make", "w", "3", "2", "-o", "/dev/null/w.dag")
    assert (refused.code, refused.complaint) == (1, "/dev/null/w.dag: not a directory")

    unknown = icsched_process("bogus")
    assert unknown.code == 2
    assert unknown.complaint.startswith("Unknown command: bogus")


@pytest.mark.parametrize("words", [("make", "w", "3", "2"), ("--help",), ("--version",)])
def test_a_full_disk_is_one_line_and_exit_1(icsched_process, words):
    with Path("/dev/full").open("w") as full:
        result = icsched_process(*words, stdout=full)

    assert result.code == 1
    assert result.complaint.lower().endswith("no space left on device")


def test_a_closed_standard_output_is_no_bug(script):
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" make w 3 2 >&-', script],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )

    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1


@pytest.mark.parametrize(
    "words",
    [
        *(("make", "w", "3", "2"), ("make", "w", "3", "2", "-o", "-"), ("make",)),
        *(("doctor",), ("--version",), ("--help",)),
    ],
)
def test_a_reader_that_has_left_ends_it_quietly(icsched_process, words):
    reader, writer = os.pipe()
    os.close(reader)
    result = icsched_process(*words, stdout=writer)
    os.close(writer)

    assert (result.code, result.err) == (0, "")


@pytest.fixture
def interruptible():
    """Let new processes take SIGINT, even where the tests run with it ignored."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_it_quietly_with_130(script, tmp_path):
    """The other side of a pipe interrupts the command while it reads from the pipe."""
    pipe = tmp_path / "wf.dag"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [script, "verify", pipe, "--order", "@order.txt"], stderr=subprocess.PIPE, text=True
    ) as process:
        interrupt = ["/bin/sh", "-c", 'exec > "$0"; kill -INT "$1"', pipe, str(process.pid)]
        with subprocess.Popen(interrupt) as interrupter:
            try:
                errors = process.communicate(timeout=60)[1]
            finally:
                process.kill()
                interrupter.kill()

    assert errors == ""
    assert process.returncode == 130
