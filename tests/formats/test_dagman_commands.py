"""Statements in their typed form: what each says, and its exact text."""

import pytest

from icsched.formats.dagman import source
from icsched.formats.dagman.grammar import parse
from icsched.formats.dagman.statements import (
    Abort,
    Category,
    Modifier,
    Parent,
    Priority,
    Retry,
    Script,
    Text,
    Vars,
)

ABOUT_JOBS = [
    "RETRY  a\t3  unless_exit 2",
    "abort-dag-on a 1 return 0",
    'VARS a APPEND k="one two"  l="3"',
    "SCRIPT DEFER 4 60 DEBUG log ALL PRE a ./x.sh a $JOB",
    "PRIORITY a -5",
    "CATEGORY a  big",
    "PRE_SKIP a 3",
    "TOLERANCE a 10 % WAIT",
    "DONE a",
    "SAVE_POINT_FILE a there.save",
]


@pytest.mark.parametrize("text", ABOUT_JOBS)
def test_a_statement_about_a_job_can_be_written_back_around_the_name_of_the_job(text):
    command = parse(Text(text))

    assert isinstance(command, Modifier)
    before, after = command.around_name
    assert f"{before}{command.name}{after}" == text
    assert command.text.raw == text


def test_each_statement_of_a_file_keeps_its_exact_text(put):
    statements = [
        "JOB a \\\n  # why\n  a.sub  NOOP",
        "SUBMIT-DESCRIPTION d {\n  executable = x \n}",
        "JOB b @=end\n # not DAGMan's\n executable = x\n@end DONE",
        "WEAK  PARENT a CHILD b",
        *ABOUT_JOBS,
    ]
    put({"wf.dag": "\n".join(["# first", *statements, ""])})

    file = source.load("wf.dag", named_by_user=True)
    commands = [source.Statement(file, number).command for number in range(len(file.scan.kind))]

    assert [command.text.raw for command in commands] == statements


def test_what_statements_say_is_typed():
    assert parse(Text("RETRY a 3 unless_exit 2")) == Retry(Text(""), "a", 3, "UNLESS-EXIT 2")
    retry, abort, variables, *_ = (parse(Text(text)) for text in ABOUT_JOBS)

    assert isinstance(retry, Retry)
    assert (retry.count, retry.limit) == (3, "UNLESS-EXIT 2")
    assert isinstance(abort, Abort)
    assert abort.condition == "1 RETURN 0"
    assert isinstance(variables, Vars)
    assert variables.variables is not None
    assert variables.variables.place == "APPEND"
    assert variables.variables.pairs == (("k", "one two"), ("l", "3"))
    assert parse(Text(ABOUT_JOBS[3])) == Script(Text(""), "a", "PRE")
    assert parse(Text(ABOUT_JOBS[4])) == Priority(Text(""), "a", -5)
    assert parse(Text(ABOUT_JOBS[5])) == Category(Text(""), "a", "big")


@pytest.mark.parametrize(
    ("text", "is_weak"), [("PARENT a CHILD b", False), ("weak parent a child b", True)]
)
def test_a_weak_parent_is_told_from_a_strong_one(text, is_weak):
    command = parse(Text(text))

    assert isinstance(command, Parent)
    assert (command.parents, command.children, command.is_weak) == (("a",), ("b",), is_weak)


def test_variables_that_the_two_parsers_read_differently_are_unknown():
    """To the old parser this is APPEND and the key k, to the new one the key APPENDk."""
    command = parse(Text('VARS a APPENDk="1"'))

    assert command == Vars(Text(""), "a", None)
    assert isinstance(command, Vars)
    assert command.variables is None
