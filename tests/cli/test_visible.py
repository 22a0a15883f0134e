"""Nothing that stands in a file or an argument reaches the terminal as a command to it."""

import json
import os
import pty
import subprocess

import pytest

from icsched.messages import escaped
from tests.cli.terminal import read_until, shown
from tests.cli.workflows import PAIR_AND_FORK

# A new colour, a new title, the one-byte form of an escape, delete, and text set backwards.
NASTY = "\x1b[31m\x1b]0;owned\x07\x9b31m\x7f\u202e"
SHOWN = r"\x1b[31m\x1b]0;owned\x07\x9b31m\x7f\u202e"
FILE = f"wf{NASTY}.dag"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A directory to be in, with a workflow whose file has a nasty name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).write_text(PAIR_AND_FORK)
    return tmp_path


def assert_harmless(text: str) -> None:
    assert not set(NASTY[0] + "\x07\x7f\x9b\u202e\r\b") & set(text), ascii(text)


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\0", r"\x00"),
        ("\t", r"\t"),
        ("\r", r"\r"),
        ("\x1b", r"\x1b"),
        ("\x7f", r"\x7f"),
        ("\x80", r"\x80"),
        ("\x9f", r"\x9f"),
        ("\u200f", r"\u200f"),
        ("\u2028", r"\u2028"),
        ("\u202e", r"\u202e"),
        ("\u2066", r"\u2066"),
        ("\udc9b", r"\udc9b"),  # a byte that is not UTF-8
        ("\n", "\n"),
        ("é", "é"),
        ("\\", "\\"),
    ],
)
def test_a_character_that_acts_on_a_terminal_is_shown_by_name(character, name):
    assert escaped(f"a{character}b") == f"a{name}b"


COMMANDS = {
    "prio": ("prio", "--order", "prio", FILE),
    "prio --in-place": ("prio", "--order", "prio", FILE, "--in-place"),
    "show --tables": ("show", FILE, "--tables", f"tables{NASTY}"),
    "show": ("show", FILE),
    "simulate": ("simulate", FILE, "--runs", "20", "--half-width", "1"),
    "study": (
        *("study", FILE, "-o", f"out{NASTY}", "--intervals", "1", "--batches", "2"),
        *("--runs", "20", "--half-width", "1"),
    ),
    "cluster": ("cluster", FILE, "--size", "2"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_reports_show_the_control_characters_of_paths(icsched, words):
    result = icsched(*words)

    assert result.code == 0
    assert SHOWN in result.out
    assert_harmless(result.out + result.err)


def test_a_verdict_shows_the_control_characters_of_the_path(icsched, place):
    (place / "order.txt").write_text("c\na\nb\nd\ne\n")

    result = icsched("verify", FILE, "--order", "@order.txt")

    assert result.out == (
        f"IC-optimal: no order of wf{SHOWN}.dag (5 jobs) has more eligible jobs at any step"
        " than the order @order.txt\n"
    )


def test_a_newline_in_a_name_makes_no_line_of_a_report(icsched, place):
    (place / "a\nIC-optimal.dag").write_text("JOB a x\n")

    assert icsched("show", "a\nIC-optimal.dag").out.startswith("a\\nIC-optimal.dag: 1 job,")
    written = icsched("prio", "--order", "prio", "a\nIC-optimal.dag", "--in-place").out
    assert "\nwrote a\\nIC-optimal.dag, kept a\\nIC-optimal.dag.bak\n" in written
    assert not [line for line in written.splitlines() if line.startswith("IC-optimal.dag")]
    stale = "JOB b x\nSCRIPT PRE b x\n# icsched: begin.\nPRIORITY a 1\n# icsched: end.\n"
    (place / "a\nIC-optimal.dag").write_text(stale)
    shown = icsched("show", "a\nIC-optimal.dag").out
    assert "\n  a\\nIC-optimal.dag:2: SCRIPT PRE" in shown
    assert "\na\\nIC-optimal.dag:3: icsched's section" in shown


def test_what_files_say_reaches_reports_by_name(icsched, place):
    """The advice names an included file; so does a note of a nested one that is not there."""
    (place / f"more{NASTY}").write_text("SCRIPT PRE a x\n")
    (place / "wf.dag").write_text(f"JOB a x\nINCLUDE more{NASTY}\nSUBDAG EXTERNAL s gone{NASTY}\n")

    shown = icsched("show", "wf.dag").out
    told = icsched("prio", "--order", "prio", "wf.dag", "--in-place", "--recursive").out

    assert f"more{SHOWN}:1: " in shown
    assert f"gone{SHOWN} is not there yet" in told
    assert_harmless(shown + told)


@pytest.mark.parametrize(
    "text",
    [
        f"{NASTY} a b\n",
        f"JOB a{NASTY} x\n",
        f"JOB a x\nPARENT a CHILD b{NASTY}\n",
        f"JOB a x {NASTY}\n",
        f"JOB a x\nRETRY a {NASTY}\n",
        f"INCLUDE gone{NASTY}\n",
        f"SPLICE s gone{NASTY}\n",
    ],
)
def test_complaints_about_files_show_control_characters_by_name(icsched, place, text):
    (place / "wf.dag").write_text(text)

    result = icsched("show", "wf.dag")

    assert result.code == 1
    assert_harmless(result.complaint)


@pytest.mark.parametrize(
    "words",
    [
        (NASTY,),
        ("show", f"--{NASTY}"),
        ("show", f"gone{NASTY}.dag"),
        ("prio", "--order", "prio", FILE, "--memory", NASTY),
        ("prio", FILE, "--order", NASTY),
        ("make", NASTY),
        ("make", "airsn", NASTY),
        ("batch", FILE, "--take", "1", "--done", NASTY),
        ("simulate", FILE, "--order", f"@gone{NASTY}"),
    ],
)
def test_complaints_about_arguments_show_control_characters_by_name(icsched, words):
    result = icsched(*words)

    assert result.code in (1, 2)
    assert_harmless(result.complaint)


def test_a_name_that_is_not_utf_8_is_shown_by_name(icsched_process):
    name = os.fsdecode(b"wf\x9b31m.dag")
    with open(name, "w") as file:  # noqa: PTH123  pathlib is no simpler here
        file.write("JOB a x\n")

    shown = icsched_process("show", name)
    gone = icsched_process("show", f"gone-{name}")

    assert shown.out.startswith(r"wf\udc9b31m.dag: 1 job,")
    assert gone.complaint.startswith(r"gone-wf\udc9b31m.dag: ")


def test_json_means_the_same_without_characters_that_act_on_a_terminal(icsched):
    result = icsched("prio", "--order", "prio", FILE, "--in-place", "--json")

    assert_harmless(result.out)
    assert json.loads(result.out)["written"][0]["file"] == FILE


def test_what_is_written_keeps_every_byte(icsched_process, place):
    text = f"JOB a x\n# {NASTY}\n".encode()
    (place / "wf.dag").write_bytes(text)

    result = icsched_process("prio", "--order", "prio", "wf.dag", "-o", f"out{NASTY}")
    streamed = icsched_process("prio", "--order", "prio", "wf.dag", "-o", "-")

    assert f"wrote out{SHOWN}" in result.out
    assert (place / f"out{NASTY}").read_bytes().startswith(text)
    assert streamed.out.encode().startswith(text)
    assert_harmless(streamed.err)


STREAMS = {
    "convert": ("convert", "wf.csv", "-", "--to", "dot"),
    "convert -o": ("convert", "wf.csv", "-", "--to", "dot"),
    "convert to /dev/fd": ("convert", "wf.csv", "/dev/fd/1", "--to", "dot", "--json"),
    "prio": ("prio", "--order", "prio", "wf.dag", "-o", "-"),
    "prio to /dev/fd": ("prio", "--order", "prio", "wf.dag", "-o", "/dev/fd/1", "--json"),
}


@pytest.fixture
def nasty_files(place):
    """A task with a nasty name, and a DAGMan file with a nasty comment."""
    (place / "wf.csv").write_text(f"task,parents\na{NASTY},\nb,\n")
    (place / "wf.dag").write_text(f"JOB a x\n# a{NASTY}\n")


@pytest.mark.usefixtures("nasty_files")
@pytest.mark.parametrize("words", STREAMS.values(), ids=STREAMS.keys())
def test_what_is_written_to_standard_output_is_escaped_on_a_terminal_alone(
    icsched_process, script, words
):
    on_terminal = shown([script, *words], 80, LC_ALL="C.UTF-8")
    on_pipe = icsched_process(*words)

    assert f"a{SHOWN}" in on_terminal
    assert_harmless(on_terminal)
    assert f"a{NASTY}" in on_pipe.out


@pytest.mark.usefixtures("nasty_files")
def test_a_file_that_is_written_to_a_terminal_by_its_name_is_escaped(icsched):
    terminal, end = pty.openpty()

    result = icsched("convert", "wf.csv", os.ttyname(end), "--to", "dot")
    os.write(end, b"over")
    seen = read_until(terminal, b"over").decode()
    os.close(end)
    os.close(terminal)

    assert result.code == 0
    assert f"a{SHOWN}" in seen
    assert "\x1b" not in seen


def test_bytes_that_are_no_text_keep_their_values_in_a_pipe_and_lose_them_on_a_terminal(
    icsched_process, script, place
):
    (place / "wf.dag").write_bytes(b"JOB a x\n# \x9b31m\xff\n")
    words = ("prio", "--order", "prio", "wf.dag", "-o", "-")

    assert r"# \udc9b31m\udcff" in shown([script, *words], 80, LC_ALL="C.UTF-8")
    piped = icsched_process(*words).out
    assert os.fsencode(piped).startswith(b"JOB a x\n# \x9b31m\xff\n")


def test_a_spinner_takes_a_name_as_it_is(script, place):
    """Nothing in a name is a command to the terminal or to what draws the spinner."""
    name = f"[bold]{NASTY}[/red].dag"  # in a directory whose name ends in a bracket
    (place / name).parent.mkdir()
    (place / name).write_text("JOB a x\n")
    terminal, end = pty.openpty()
    done = subprocess.run(
        [script, "show", name, "--json"],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        timeout=60,
        check=False,
    )
    os.write(end, b"over")
    seen = read_until(terminal, b"over").decode()
    os.close(end)
    os.close(terminal)

    assert done.returncode == 0, seen
    assert f"reading [bold]{SHOWN}[/red].dag" in seen
    assert "\x1b]0;owned" not in seen
    assert "\u202e" not in seen
