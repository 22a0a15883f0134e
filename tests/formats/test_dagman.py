"""DAGMan files: what is read, what is refused and where, what is written."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError
from icsched.errors import CycleError
from icsched.formats import dagman_text, read_dagman, write_dagman
from tests.strategies import dags

DIAMOND = """\
JOB a a.sub
JOB b b.sub
JOB c c.sub
JOB d d.sub
PARENT a CHILD b c
PARENT b c CHILD d
"""


@pytest.fixture
def dag_file(tmp_path):
    """Where `read` puts its text."""
    return tmp_path / "wf.dag"


@pytest.fixture
def read(dag_file):
    """Read a text as a DAGMan file."""

    def reader(text: str) -> Dag:
        dag_file.write_text(text, encoding="utf-8")
        return read_dagman(dag_file)

    return reader


@pytest.fixture
def complaint(read, dag_file):
    """Read a bad text; return what is said of it, without the file's name."""

    def complain(text: str) -> str:
        with pytest.raises(FormatError) as caught:
            read(text)
        assert str(caught.value).startswith(f"{dag_file}:")
        return str(caught.value).removeprefix(f"{dag_file}:")

    return complain


# Reading


def test_jobs_get_their_ids_in_the_order_of_their_lines(read):
    r"""
      a
     / \
    b   c
     \ /
      d
    """
    dag = read(DIAMOND)

    assert dag.names == ("a", "b", "c", "d")
    assert dag.arcs.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]


def test_every_parent_of_a_line_is_a_parent_of_every_child(read):
    dag = read("JOB a x\nJOB b x\nJOB c x\nJOB d x\nJOB e x\nPARENT a b CHILD c d e\n")

    assert dag.arcs.tolist() == [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]]


def test_dependencies_may_come_before_the_jobs(read):
    assert read("PARENT b CHILD a\nJOB a x\nJOB b x\n").to_mapping() == {"a": ["b"], "b": []}


def test_a_dependency_given_twice_counts_once(read):
    assert read("JOB a x\nJOB b x\nPARENT a CHILD b b\nPARENT a CHILD b\n").arc_count == 1


def test_commands_are_read_in_any_case_and_names_as_they_are(read):
    dag = read("job a x\nJob A x\nparent a Child A\n")

    assert dag.to_mapping() == {"a": [], "A": ["a"]}


def test_comments_and_blank_lines_are_skipped(read):
    text = "# JOB x x\n\nJOB a x\n   # indented\n// JOB y y\n \t \n\tJOB b x  \nPARENT a CHILD b"

    assert read(text).to_mapping() == {"a": [], "b": ["a"]}


def test_a_hash_later_in_a_line_is_no_comment(read):
    assert read("JOB a#1 x\n").names == ("a#1",)


def test_a_backslash_continues_a_line(read):
    text = "JOB a x\nJOB b x\nJOB \\\n  c x\nPARENT a \\\n  CHILD b\\\n  c\n"

    assert read(text).to_mapping() == {"a": [], "b": ["a"], "c": ["a"]}


def test_comments_and_blank_lines_do_not_end_a_continued_line(read):
    assert read("JOB \\\n# not yet\n\n// nor now\n a x\n").names == ("a",)


def test_a_backslash_inside_a_line_is_part_of_its_word(read):
    assert read("JOB a\\b x\\y\n").names == ("a\\b",)


def test_lines_may_end_as_on_windows(read):
    text = "JOB a x\r\nJOB b \\\r\n x\r\n\r\nPARENT a CHILD b\r\n"

    assert read(text).to_mapping() == {"a": [], "b": ["a"]}


def test_the_last_line_need_not_end(read):
    assert read("JOB a x\nJOB b x").names == ("a", "b")


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_a_file_without_jobs_is_an_empty_dag(read, text):
    assert len(read(text)) == 0


def test_options_of_a_job_are_skipped(read):
    assert read("JOB a x DIR d\nJOB b x NOOP\nJOB c x dir d noop\n").names == ("a", "b", "c")


def test_a_directory_may_be_called_done(read):
    assert read("JOB a x DIR done\n").names == ("a",)


@pytest.mark.parametrize(
    "line",
    [
        "ABORT-DAG-ON a 3 RETURN 1",
        "ABORT_DAG_ON a 3",
        "CATEGORY a big",
        "CONFIG dagman.config",
        "DOT wf.dot UPDATE",
        "ENV SET A=1",
        "JOBSTATE_LOG log",
        "MAXJOBS big 3",
        "NODE_STATUS_FILE status 30",
        "PRE_SKIP a 2",
        "pre-skip a 2",
        "PRIORITY a 10",
        "REJECT",
        "RETRY a 3 UNLESS-EXIT 2",
        "SAVE_POINT_FILE a",
        "SCRIPT PRE a PARENT a CHILD b",
        "SET_JOB_ATTR k = v",
        'VARS a name="PARENT a CHILD b"',
    ],
)
def test_commands_that_change_no_dependency_are_skipped(read, line):
    assert read(f"JOB a x\n{line}\nJOB b x\n").to_mapping() == {"a": [], "b": []}


def test_read_takes_a_path_or_a_string(dag_file):
    dag_file.write_text(DIAMOND)

    assert icsched.read(dag_file) == icsched.read(str(dag_file)) == read_dagman(dag_file)


# Refusing


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("JOB", "expected JOB name submit-file, got 'JOB'"),
        ("job b", "expected JOB name submit-file, got 'job b'"),
        ("JOB a y", "job 'a' is already on line 1"),
        ("JOB PARENT x", "job name: expected no reserved word, '+' or quote: 'PARENT'"),
        ("JOB child x", "job name: expected no reserved word, '+' or quote: 'child'"),
        ("JOB All_Nodes x", "job name: expected no reserved word, '+' or quote: 'All_Nodes'"),
        ("JOB b+c x", "job name: expected no reserved word, '+' or quote: 'b+c'"),
        ("JOB b {", "job 'b': inline submit descriptions are not read yet"),
        ("JOB b @=END", "job 'b': inline submit descriptions are not read yet"),
        ("JOB b x DONE", "job 'b': DONE is not read yet"),
        ("JOB b x DIR d NOOP done", "job 'b': DONE is not read yet"),
        ("PARENT", "expected PARENT jobs CHILD jobs, got 'PARENT'"),
        ("PARENT a", "expected PARENT jobs CHILD jobs, got 'PARENT a'"),
        ("PARENT a CHILD", "expected PARENT jobs CHILD jobs, got 'PARENT a CHILD'"),
        ("PARENT CHILD a", "expected PARENT jobs CHILD jobs, got 'PARENT CHILD a'"),
        ("PARENT a b c d e f", "expected PARENT jobs CHILD jobs, got 'PARENT a b c d e ...'"),
        ("PARENT a CHILD b", "unknown job 'b': no JOB line names it"),
        ("PARENT A CHILD a", "unknown job 'A': no JOB line names it"),
        ("CHILD a PARENT b", "expected JOB or PARENT ... CHILD, got 'CHILD'"),
        ("JOBS a x", "expected JOB or PARENT ... CHILD, got 'JOBS'"),
        ("{", "expected JOB or PARENT ... CHILD, got '{'"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(complaint, line, problem):
    assert complaint(f"JOB a x\n# comment\n{line}\n") == f"3: {problem}"


@pytest.mark.parametrize(
    "line",
    [
        "CONNECT s t",
        "DONE a",
        "FINAL f x",
        "INCLUDE more.dag",
        "PIN_IN a 1",
        "PROVISIONER p x",
        "SERVICE s x",
        "SPLICE s inner.dag",
        "SUBDAG EXTERNAL s inner.dag",
        "SUBMIT-DESCRIPTION d {",
        "WEAK PARENT a CHILD b",
    ],
)
def test_a_command_that_may_change_jobs_or_dependencies_is_refused(complaint, line):
    command = line.split()[0]

    assert complaint(f"{DIAMOND}{line}\n") == f"7: {command} is not read yet"


def test_the_line_of_a_continued_command_is_its_first(complaint):
    assert complaint("JOB a x\nPARENT \\\n# comment\na \\\nCHILD b\n").startswith(
        "2: unknown job 'b'"
    )


def test_an_error_holds_its_place_and_problem(read, dag_file):
    with pytest.raises(FormatError) as caught:
        read("\n\nJOB a\n")

    error = caught.value
    assert (error.path, error.line) == (str(dag_file), 3)
    assert error.problem == "expected JOB name submit-file, got 'JOB a'"
    assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        ("PARENT b CHILD b", {"b -> b"}),
        ("PARENT b CHILD a", {"a -> b -> a", "b -> a -> b"}),
        (
            "PARENT b CHILD c\nPARENT c CHILD a",
            {"a -> b -> c -> a", "b -> c -> a -> b", "c -> a -> b -> c"},
        ),
    ],
)
def test_a_cycle_is_printed_as_a_cycle(read, dag_file, lines, cycles):
    with pytest.raises(FormatError) as caught:
        read(f"JOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b\n{lines}\n")

    assert str(caught.value) in {f"{dag_file}: dependency cycle: {cycle}" for cycle in cycles}
    assert isinstance(caught.value.__cause__, CycleError)


@pytest.mark.parametrize(
    "line",
    [
        'JOB "a b" x',  # one name, with its quotes, to some versions of DAGMan
        "JOB 'a x",
        "JOB a x DOEN",
        "JOB a x NOOP y",
        "JOB a x DIR",
        "JOB a {x",
        "JOB a\u00a0x",  # a no-break space parts no words
    ],
)
def test_what_dagman_would_read_otherwise_is_refused(complaint, line):
    assert complaint(f"{line}\n").startswith("1: ")


def test_bytes_that_are_no_text_are_refused_with_their_line(dag_file):
    for data, place in [
        (b"\x89PNG\r\n\x1a\n\0\0", "1: expected UTF-8 text, got byte 0x89"),
        (b"JOB a x\n# caf\xc3\xa9\nJOB b\xe9 x\n", "3: expected UTF-8 text, got byte 0xe9"),
        (b"JOB a x\nJOB \xc3", "2: expected UTF-8 text, got byte 0xc3"),
        (b"JOB a x\n\nJOB b\0 x\n", "3: expected text, got a NUL byte"),
    ]:
        dag_file.write_bytes(data)
        with pytest.raises(FormatError) as caught:
            read_dagman(dag_file)
        assert str(caught.value) == f"{dag_file}:{place}"


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    with pytest.raises(FormatError) as caught:
        read_dagman(tmp_path / "no.dag")
    assert str(caught.value) == f"{tmp_path / 'no.dag'}: no such file or directory"

    with pytest.raises(FormatError) as caught:
        read_dagman(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is a directory"


# Writing


def test_a_dag_is_written_with_one_parent_a_line():
    dag = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})

    assert dagman_text(dag) == (
        "JOB a task.sub\nJOB b task.sub\nJOB c task.sub\nJOB d task.sub\n"
        "PARENT a CHILD b c\nPARENT b CHILD d\nPARENT c CHILD d\n"
    )


def test_a_title_becomes_a_comment_on_top():
    assert dagman_text(Dag({"a": []}), title="my dag") == "# my dag\nJOB a task.sub\n"


def test_every_line_of_a_title_is_a_comment(read):
    text = dagman_text(Dag({"a": []}), title="two\nJOB x x")

    assert read(text).names == ("a",)


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
    path.write_text(DIAMOND)

    with pytest.raises(FormatError):
        write_dagman(Dag({"a": [], "b c": ["a"]}), path)

    assert path.read_text() == DIAMOND
    assert list(tmp_path.iterdir()) == [path]


# There and back

# No blanks and control characters, and nothing that test_a_name_that_dagman_* refuses.
_letters = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="+\"'=\\")
job_names = st.text(_letters, min_size=1, max_size=5).filter(
    lambda name: not re.fullmatch("parent|child|all_nodes", name, re.IGNORECASE)
)


@pytest.fixture(scope="session")
def scratch(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("dagman") / "wf.dag"


@settings(deadline=None)
@given(dags(), st.data(), st.text(max_size=3))
def test_a_dag_that_was_written_is_read_back_the_same(scratch, dag, data, title):
    names = data.draw(
        st.lists(job_names, min_size=len(dag), max_size=len(dag), unique=True), label="names"
    )
    named = Dag.from_arcs(len(dag), dag.arcs, names=names)

    write_dagman(named, scratch, title=title.replace("\n", " ").replace("\0", " "))

    assert read_dagman(scratch) == named
    assert scratch.read_text(encoding="utf-8").endswith(dagman_text(named))
