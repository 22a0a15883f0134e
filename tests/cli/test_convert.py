"""`icsched convert`, and `--format` of every command."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched.answers.convert import safe_names
from icsched.formats.dagman.text import is_job_name

FORK = "JOB a x.sub DONE\nJOB b x.sub\nJOB c x.sub\nPARENT a CHILD b c\n"


def test_a_workflow_is_written_in_the_format_of_the_suffix(put, icsched):
    put({"wf.dag": FORK})

    assert icsched("convert", "wf.dag", "wf.dot").code == 0
    assert '"a" -> "b"' in Path("wf.dot").read_text()


def test_what_the_new_format_cannot_hold_is_named(put, icsched):
    put({"wf.dag": FORK})

    found = icsched("convert", "wf.dag", "wf.edges", "--json")

    assert json.loads(found.out) == {
        "schema": 1,
        "file": "wf.dag",
        "output": "wf.edges",
        "from": "dagman",
        "to": "edges",
        "tasks": 3,
        "arcs": 2,
        "lost": ["done", "commands"],
        "commands_unreadable": None,
        "renamed": {},
        "remarks": [],
    }
    line = "not kept: which tasks are done, which format edges cannot hold"
    assert line in icsched("convert", "wf.dag", "wf.edges").out


def test_names_that_the_new_format_cannot_hold_are_changed_and_told(put, icsched):
    """Jobs of a splice have a + in their names, which no JOB line takes."""
    put({"wf.dag": "SPLICE S in.dag\nJOB S_a x.sub\nPARENT S CHILD S_a\n", "in.dag": "JOB a x\n"})

    found = icsched("convert", "wf.dag", "out.dag", "--json")

    assert json.loads(found.out)["renamed"] == {"S+a": "S_a_2"}
    assert "PARENT S_a_2 CHILD S_a" in Path("out.dag").read_text()
    assert "'S+a' -> S_a_2" in icsched("convert", "wf.dag", "out.dag").out


def test_the_text_goes_to_standard_output_and_the_report_does_not(put, icsched):
    put({"wf.dag": FORK})

    found = icsched("convert", "wf.dag", "-", "--to", "dot")

    assert found.out.startswith("digraph")
    assert found.err.startswith("standard output: 3 jobs, 2 dependencies, dagman to dot\n")


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["wf.dag", "wf.dag"], 2, "wf.dag is a file of the workflow: use another name"),
        (["wf.dag", "-"], 2, "- as OUTPUT needs --to, and cannot be used with --json"),
        (["absent.dag", "o.dot"], 1, "absent.dag: no such file or directory"),
    ],
)
def test_a_wrong_request_is_one_line_and_writes_nothing(
    put, folder, icsched, words, code, complaint
):
    put({"wf.dag": FORK})

    found = icsched("convert", *words)

    assert (found.code, found.complaint) == (code, complaint)
    assert [path.name for path in folder.iterdir()] == ["wf.dag"]


@pytest.mark.parametrize("option", ["--to", "--format"])
def test_an_unknown_format_is_one_line_with_the_known_ones(put, icsched, option):
    put({"wf.dag": FORK})

    found = icsched("convert", "wf.dag", "out.dag", option, "cwl")

    assert found.code == 2
    assert found.complaint.startswith("format: expected dagman, ")
    assert found.complaint.endswith(", got 'cwl'")


@pytest.mark.parametrize(
    "command",
    ["show", "prio", "simulate --runs 20", "verify", "batch --take 1", "cluster --size 2"],
)
def test_every_command_takes_the_format_by_name(put, icsched, command):
    """The suffix alone would make a Graphviz file of it."""
    put({"wf.dot": FORK})

    assert icsched(*command.split(), "wf.dot", "--format", "dagman").code == 0


@given(st.lists(st.text(alphabet="ab +_\\é'=", max_size=4), unique=True))
def test_safe_names_are_taken_unique_and_kept_where_they_can_be(names):
    safe = safe_names(names, is_job_name)

    assert len(set(safe)) == len(names)
    assert all(map(is_job_name, safe))
    for old, new in zip(names, safe, strict=True):
        assert new == old or not is_job_name(old)


def test_a_hundred_thousand_names_that_become_the_same_are_told_apart():
    names = [f"a{' ' * (n % 300)}+{' ' * (n // 300)}" for n in range(90_000)]

    assert len(set(safe_names(names, is_job_name))) == 90_000
