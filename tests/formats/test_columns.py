"""Workflows as tables."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError
from icsched.workflow import Command
from tests.formats.workflows import TEXT

TASKS = (
    "Task,parents,run_time,size,command,priority,note\n"
    'a,,1.5,10,"sort ""my file""",3,x\n'
    "b,a,2,20,env,4,\n"
    '"c, d",a; b,,30,,,"two\nlines"\n'
)


@pytest.fixture
def read(put):
    def reader(text, name="wf.csv"):
        put({name: text})
        return icsched.read(name)

    return reader


def test_a_row_is_a_dependency_if_the_columns_are_parent_and_child(read):
    workflow = read("\ufeffchild,parent,weight\nb,a,1\n\nc,b,2\nlone,,\n")

    assert workflow.dag == Dag({"a": [], "b": ["a"], "c": ["b"], "lone": []})
    told = [(remark.line, remark.text) for remark in workflow.remarks]
    assert told == [(1, "icsched does not read the column 'weight'")]


def test_a_row_is_a_task_if_the_columns_are_task_and_parents(read):
    workflow = read(TASKS)

    assert workflow.dag == Dag({"a": [], "b": ["a"], "c, d": ["a", "b"]})
    assert workflow.run_times.tolist() == [1.5, 2, 1.75]  # the last has the mean of all
    assert workflow.sizes.tolist() == [10, 20, 30]
    assert workflow.priorities.tolist() == [3, 4, 0]
    assert workflow.commands == (Command(("sort", "my file")), Command(("env",)), None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("task\tparents\na\t\nb\ta\n", "wf.tsv"),
        ("task;parents\r\na;\r\nb;a\r\n", "wf.csv"),
        ("parents,task\ra,b\r,a", "wf.csv"),
    ],
)
def test_cells_are_separated_as_in_the_header(read, text, name):
    assert read(text, name).dag.to_mapping() == {"a": [], "b": ["a"]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "",
            ":1: expected a header with the columns parent,child or task,parents,"
            " got an empty file",
        ),
        (
            "name,after\n",
            ":1: expected a header with the columns parent,child or task,parents,"
            " got 'name, after'",
        ),
        ("task,parents\na\n", ":2: expected 2 cells, got 1"),
        ("task,parents\na,\nb,\nc,a,b\n", ":4: expected 2 cells as in the header, got 3"),
        ("task;parents\na;\nb;\nc;a;b\n", ":4: expected 2 cells as in the header, got 3"),
        ("parent,child\na,b,c\n", ":2: expected 2 cells as in the header, got 3"),
        ("task,parents\n,\n", ":2: expected the name of another task, got an empty cell"),
        ("task,parents\na,\na,\n", ":3: expected the name of another task, got 'a' twice"),
        ("task,parents\na,b\n", ":2: expected parents that have a row, got 'b'"),
        ("task,parents,task\n", ":1: expected one column 'task', got 2"),
        ('task,parents\na,"b\n\n', ":2: expected a quoted cell to end before ','"),
        ('task,parents\n"a"b,\n', ":2: expected a quoted cell to end before ','"),
        ("parent,child\n,\n", ":2: expected a parent or a child, got two empty cells"),
        ("parent,child\na,b\nb,a\n", ":2: dependency cycle: a -> b -> a"),
        (
            "task,parents,run_time\na,,1\nb,,x\n",
            ":3: run_time of task 'b': expected seconds, got 'x'",
        ),
        (b"parent,child\n\xe9,b\n", ":2: expected UTF-8 text, got byte 0xe9"),
    ],
)
def test_a_bad_file_is_one_line(read, text, problem):
    with pytest.raises(FormatError) as caught:
        read(text)

    assert str(caught.value) == f"wf.csv{problem}"


@pytest.mark.parametrize("cell", ["a,b", '"a;b"', '"a, b"'])
def test_a_comma_separates_parents_if_semicolons_separate_cells(read, cell):
    workflow = read(f"task;parents;note\na;;\nb;;x,y\nc;{cell};\n")

    assert workflow.dag == Dag({"a": [], "b": [], "c": ["a", "b"]})


def test_the_first_line_may_end_in_a_carriage_return_alone(read):
    assert read("task;parents\ra;\rb;a\rc;a,b\r").dag.to_mapping()["c"] == ["a", "b"]


def test_of_many_unknown_columns_ten_are_named_and_the_others_counted(read):
    workflow = read("task,parents" + "".join(f",x{i}" for i in range(60_000)) + "\n")

    assert [remark.count for remark in workflow.remarks] == [1] * 10 + [59_990]
    assert workflow.remarks[9].text == "icsched does not read the column 'x9'"
    assert workflow.remarks[10].text == "icsched does not read other columns"


def test_names_may_differ_only_in_case_or_in_quotes(read):
    assert read('task,parents\na,\nA,a\n"""a""",A\n').names == ("a", "A", '"a"')


# The module csv of Python agrees

NAME = TEXT.map(str.strip).filter(lambda name: name and ";" not in name)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(NAME, unique=True, min_size=1, max_size=5),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from([",", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_python_writes_what_icsched_reads(put, names, quoting, delimiter, end):
    """Each task has the one before it as its parent."""
    file = io.StringIO(newline="")
    rows = csv.writer(file, quoting=quoting, delimiter=delimiter, lineterminator=end)
    rows.writerow(["task", "parents"])
    rows.writerows(zip(names, ["", *names], strict=False))
    put({"wf.csv": file.getvalue()})

    workflow = icsched.read("wf.csv")

    assert workflow.names == tuple(names)
    assert workflow.dag.arcs.tolist() == [[i, i + 1] for i in range(len(names) - 1)]
