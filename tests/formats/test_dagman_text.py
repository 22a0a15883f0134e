"""Dags written as DAGMan files; test_read_dagman_fuzz.py reads them back."""

import pytest

from icsched import Dag, FormatError
from icsched.formats import dagman_text, write_dagman


def test_a_dag_is_written_with_one_parent_a_line():
    dag = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})

    assert dagman_text(dag) == (
        "JOB a task.sub\nJOB b task.sub\nJOB c task.sub\nJOB d task.sub\n"
        "PARENT a CHILD b c\nPARENT b CHILD d\nPARENT c CHILD d\n"
    )


def test_a_title_becomes_a_comment_on_top():
    assert dagman_text(Dag({"a": []}), title="my dag") == "# my dag\nJOB a task.sub\n"


def test_every_line_of_a_title_is_a_comment():
    assert dagman_text(Dag({"a": []}), title="two\nJOB x x") == (
        "# two\n# JOB x x\nJOB a task.sub\n"
    )


def test_the_empty_dag_is_the_empty_file():
    assert dagman_text(Dag({})) == ""


def test_names_that_are_no_strings_are_written_as_text():
    assert dagman_text(Dag.from_arcs(2, [(0, 1)])) == (
        "JOB 0 task.sub\nJOB 1 task.sub\nPARENT 0 CHILD 1\n"
    )


def test_names_that_differ_only_in_type_are_refused():
    with pytest.raises(FormatError) as caught:
        dagman_text(Dag({1: [], "1": []}), path="wf.dag")

    assert str(caught.value) == "wf.dag: two tasks have the same name once written as text"


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a\tb", "a\n", "\u00a0a", "a+b", "PARENT", "child", "All_nodes", (1, 2)],
)
def test_a_name_that_dagman_refuses_is_not_written(name, tmp_path):
    path = tmp_path / "wf.dag"

    with pytest.raises(FormatError) as caught:
        write_dagman(Dag({name: []}), path)

    expected = "a word without blanks, quotes, '+', '=' or '\\', not PARENT, CHILD or ALL_NODES"
    assert str(caught.value) == f"{path}: job name: expected {expected}, got {str(name)!r}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        'a"b',  # opens a quotation
        "it's",
        "a=",  # swallows the next word
        "=a",
        "a\\",  # continues the line when it comes last
        "a\0b",
        "a\udc80b",  # has no bytes in UTF-8
    ],
    ids=["quote", "apostrophe", "equals", "equals first", "backslash", "nul", "surrogate"],
)
def test_a_name_that_dagman_misreads_is_not_written(name, tmp_path):
    with pytest.raises(FormatError, match="job name: expected"):
        write_dagman(Dag({"p": [], name: ["p"]}), tmp_path / "wf.dag")
    assert list(tmp_path.iterdir()) == []


def test_a_dag_that_cannot_be_written_leaves_the_old_file(tmp_path):
    path = tmp_path / "wf.dag"
    path.write_text("old")

    with pytest.raises(FormatError):
        write_dagman(Dag({"a": [], "b c": ["a"]}), path)

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
