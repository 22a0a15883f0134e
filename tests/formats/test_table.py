"""The table of formats, and reading and writing through it."""

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import icsched
from icsched import ArgumentError, Dag, FormatError, Workflow, prioritize
from icsched.errors import ScheduleError
from icsched.formats import FORMATS, Format, dagman_text, dot_text, format_of, write_clusters
from icsched.formats.dagman.submission import Submission
from icsched.formats.dagman.workflow_files import submission_of

FORK = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nPARENT a CHILD b c\n"


# Which format a file has


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("wf.dag", "dagman"),
        ("WF.DAG", "dagman"),
        ("diamond", "dagman"),
        ("/dev/stdin", "dagman"),
        ("wf.dag.rescue001", "dagman"),
        ("dag.dot", "dot"),
        ("dag.GV", "dot"),
        ("dag.edgelist", "edges"),
        ("dag.TSV", "csv"),
        ("submit.sh", "slurm"),
        ("wf.json", "wfformat"),
        ("wf.yml", "pegasus"),
        ("wf.dax", "dax"),
        ("wf.xml", "dax"),
    ],
)
def test_the_suffix_says_the_format_and_dagman_files_may_have_any_name(path, name):
    assert format_of(path).name == name


def test_a_name_says_the_format_whatever_the_suffix(put):
    put({"wf.dot": FORK})

    assert icsched.read("wf.dot", format="dagman").names == ("a", "b", "c")


def test_a_suffix_of_our_own_does_not_look_for_other_packages():
    code = (
        "import sys, icsched.formats as f; f.format_of('wf.dag');"
        "assert '_others' not in vars(f.FORMATS)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_format_has_a_sentence_and_every_option_a_default_and_help():
    for entry in FORMATS.values():
        assert entry.sentence
        entry.options()
        for option in fields(entry.options):
            assert option.metadata["help"].endswith(".")


# Reading


def test_a_workflow_knows_its_format_and_what_its_files_say(put):
    put({"wf.dag": FORK.replace("JOB a x.sub", "JOB a x.sub DONE")})

    workflow = icsched.read("wf.dag")

    assert workflow.format == "dagman"
    assert workflow.done.tolist() == [True, False, False]
    assert list(workflow.files) == ["wf.dag", "x.sub"]
    assert workflow.done_by is None
    assert workflow.run_times is workflow.sizes is None
    assert isinstance(submission_of(workflow), Submission)


def test_the_rescue_file_is_named_and_an_option_leaves_it_aside(put):
    put({"wf.dag": FORK, "wf.dag.rescue001": "DONE a\n"})

    assert icsched.read("wf.dag").done_by == "wf.dag.rescue001"
    assert icsched.read("wf.dag", no_rescue=True).done_by is None
    assert len(icsched.read("wf.dag", no_rescue=True).dag) == 3


def test_the_options_of_dagman_reach_its_reader(put):
    put({"wf.dag": "NONSENSE\n" + FORK, "sub/wf.dag": "SPLICE S in.dag\n", "sub/in.dag": FORK})

    assert icsched.read("wf.dag", lenient=True).names == ("a", "b", "c")
    assert icsched.read("sub/wf.dag", usedagdir=True).names == ("S+a", "S+b", "S+c")


def test_several_dagman_files_make_one_workflow(put):
    put({"one.dag": "JOB a x.sub\n", "two.dag": "JOB b x.sub\n"})

    assert icsched.read(["one.dag", Path("two.dag")]).names == ("0.a", "1.b")


def test_a_cycle_is_an_error_of_the_file(put):
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\nPARENT b CHILD a\n"})

    with pytest.raises(FormatError, match=r"^wf.dag:[34]: dependency cycle: a -> b -> a$"):
        icsched.read("wf.dag")


@pytest.mark.parametrize(
    ("paths", "options", "problem"),
    [
        ("wf.dag", {"format": "cwl"}, f"format: expected {', '.join(FORMATS)}, got 'cwl'"),
        (
            "wf.dag",
            {"strict": True},
            "format dagman: expected lenient, usedagdir, no_rescue, got 'strict'",
        ),
        ("wf.dag", {"format": []}, f"format: expected {', '.join(FORMATS)}, got []"),
        ([], {}, "expected a file, got none"),
        (5, {}, "expected the name of a file, got 5"),
        (b"x", {}, "expected the name of a file, got b'x'"),
        ([None], {}, "expected the name of a file, got None"),
        ("wf\0.dag", {}, "expected the name of a file, got 'wf\\x00.dag'"),
    ],
)
def test_wrong_arguments_of_read_are_one_line(paths, options, problem):
    with pytest.raises(ArgumentError) as caught:
        icsched.read(paths, **options)

    assert str(caught.value) == problem


# What a format cannot do


def test_writing_an_order_into_a_format_that_holds_none_is_one_line(put):
    put({"wf.edges": "a\n"})

    with pytest.raises(FormatError) as caught:
        icsched.write("wf.edges", prioritize(Dag({"a": []}), "prio"))

    problem = 'files of format edges hold no order: write("NAME.csv", plan) writes it as a table'
    assert str(caught.value) == f"wf.edges: {problem}"
    assert Path("wf.edges").read_text() == "a\n"


def test_writing_clusters_in_a_format_that_has_none_is_one_line():
    """The line names the input, whose format it is, and not the output."""
    workflow = Workflow(Dag({"a": []}), done=[False], files=["in.dot"], format="dot")

    with pytest.raises(FormatError, match=r"^in.dot: format dot: .*, but not write clusters$"):
        write_clusters("out.dag", workflow, [[0]])


def test_a_format_that_can_do_nothing_says_so():
    error = Format("none", "nothing").cannot("read", "wf")

    assert str(error).endswith("icsched can do nothing with it, but not read a workflow")


def test_a_workflow_of_no_files_has_no_submission():
    with pytest.raises(ArgumentError, match="expected a workflow that was read from a DAGMan file"):
        submission_of(Workflow(Dag({"a": []}), done=[False]))


# Writing


def test_a_plan_is_written_as_a_table_if_the_name_ends_in_csv(folder):
    """The table is the same for any names, and an older file is kept once."""
    table = folder / "order.csv"
    table.write_text("mine\n")
    plan = prioritize(Dag({1: [], "b": [1]}), "prio")

    assert icsched.write(table, plan) == [str(table)]
    assert icsched.write("order.csv", plan) == []

    assert table.read_text() == "task,priority\n1,2\nb,1\n"
    assert {path.name: path.read_text() for path in folder.iterdir() if path != table} == {
        "order.csv.bak": "mine\n"
    }


@pytest.mark.parametrize(
    ("graph", "path", "options", "complaint"),
    [
        ({1: [], "1": []}, "o.csv", {}, "o.csv: two tasks have the same name once written as text"),
        ({"\udcff": []}, "o.csv", {}, "o.csv: expected text that UTF-8 can hold, got '\\udcff'"),
        ({"a": []}, "no/o.csv", {}, "no/o.csv: its directory does not exist"),
        (
            {"a": []},
            "o.csv",
            {"lenient": True},
            "write: expected one file for a table of an order, and no options",
        ),
    ],
)
def test_a_table_that_cannot_be_written_is_one_line(folder, graph, path, options, complaint):
    with pytest.raises(icsched.IcschedError) as caught:
        icsched.write(path, prioritize(Dag(graph), "prio"), **options)

    assert str(caught.value) == complaint
    assert [*folder.iterdir()] == []


def test_a_dag_is_written_in_the_format_of_the_suffix(folder):
    pair = Dag({"a": [], "b": ["a"]})

    assert icsched.write("wf.dag", pair) == ["wf.dag"]
    assert icsched.write(folder / "wf.gv", pair) == [str(folder / "wf.gv")]
    assert icsched.write("wf.txt", pair, format="dot") == ["wf.txt"]

    assert Path("wf.dag").read_text() == dagman_text(pair)
    assert Path("wf.gv").read_text() == Path("wf.txt").read_text() == dot_text(pair)
    assert icsched.read("wf.dag").dag == pair


def test_the_order_of_a_plan_is_written_as_prio_in_place_writes_it(put):
    r"""
      a     c       c frees two jobs, a only one: c runs first.
      |    / \
      b   d   e
    """
    text = (
        "".join(f"JOB {job} x.sub\n" for job in "abcde") + "PARENT a CHILD b\nPARENT c CHILD d e\n"
    )
    put({"wf.dag": text, "told.dag": text})
    plan = prioritize(icsched.read("wf.dag").dag, "prio")

    assert icsched.write("wf.dag", plan) == ["wf.dag"]

    told = Path("wf.dag").read_text()
    lines = ["PRIORITY c 5", "PRIORITY a 4", "PRIORITY b 3", "PRIORITY d 2", "PRIORITY e 1"]
    assert [line for line in told.splitlines() if line.startswith("PRIORITY")] == lines
    assert Path("wf.dag.bak").read_text() == text
    command = [
        Path(sys.executable).parent / "icsched",
        "prio",
        "--order=prio",
        "--in-place",
        "told.dag",
    ]
    subprocess.run(command, check=True, capture_output=True)
    assert Path("told.dag").read_text() == told


def test_writing_the_same_order_twice_changes_nothing(put):
    put({"wf.dag": FORK})
    plan = prioritize(icsched.read("wf.dag").dag, "prio")
    icsched.write("wf.dag", plan)
    before = {path.name: path.read_bytes() for path in Path().iterdir()}

    assert icsched.write("wf.dag", plan) == []

    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_an_order_is_written_into_several_files(put):
    put({"one.dag": "JOB a x.sub\n", "two.dag": "JOB b x.sub\n"})
    files = ["one.dag", "two.dag"]

    assert icsched.write(files, prioritize(icsched.read(files).dag, "prio")) == files

    assert "PRIORITY a 2\n" in Path("one.dag").read_text()
    assert "PRIORITY b 1\n" in Path("two.dag").read_text()


def test_options_say_which_jobs_are_left_for_a_plan(put):
    put({"wf.dag": FORK, "wf.dag.rescue001": "DONE a\n"})
    plan = prioritize(icsched.read("wf.dag", no_rescue=True).dag, "prio")

    with pytest.raises(ArgumentError) as caught:
        icsched.write("wf.dag", plan)
    assert str(caught.value) == "wf.dag: the plan has task 'a', which is not left to run here"

    assert icsched.write("wf.dag", plan, no_rescue=True) == ["wf.dag"]


def test_a_plan_of_other_tasks_is_refused_and_the_file_kept(put):
    put({"wf.dag": FORK})

    with pytest.raises(ArgumentError) as caught:
        icsched.write("wf.dag", prioritize(Dag({"a": [], "c": ["a"]}), "prio"))

    assert str(caught.value) == "wf.dag: the plan lacks task 'b', which is left to run here"
    assert Path("wf.dag").read_text() == FORK


def test_a_plan_that_does_not_respect_the_file_is_refused_and_the_file_kept(put):
    put({"wf.dag": FORK})

    with pytest.raises(ScheduleError, match="step 1 runs 'b' before its parent 'a'"):
        icsched.write("wf.dag", prioritize(Dag({"b": [], "a": ["b"], "c": ["a"]}), "prio"))

    assert Path("wf.dag").read_text() == FORK


def test_a_read_only_file_is_left_as_it_is(put):
    put({"wf.dag": FORK})
    plan = prioritize(icsched.read("wf.dag").dag, "prio")
    Path("wf.dag").chmod(0o444)

    with pytest.raises(FormatError) as caught:
        icsched.write("wf.dag", plan)

    assert str(caught.value) == "wf.dag: it is read-only (mode 0444): icsched leaves it as it is"
    assert os.listdir() == ["wf.dag"]  # noqa: PTH208  names are enough


def test_an_order_that_dagman_would_refuse_is_not_written(put):
    text = "CONFIG c.conf\nPRIORITY a 7\n" + FORK
    put({"wf.dag": text, "c.conf": "DAGMAN_USE_STRICT = 2\n"})

    with pytest.raises(FormatError, match=r"^c.conf:1: .*refuse a second priority for a job"):
        icsched.write("wf.dag", prioritize(icsched.read("wf.dag").dag, "prio"))

    assert Path("wf.dag").read_text() == text


@pytest.mark.parametrize(
    ("path", "content", "options", "problem"),
    [
        (5, prioritize({"a": []}, "prio"), {}, "expected the name of a file, got 5"),
        ("wf.dag", {"a": []}, {}, "write: expected a Plan or a Dag, got dict"),
        (["a.dag", "b.dag"], Dag({}), {}, "write: expected one file for a dag, and no options"),
        ("a.dag", Dag({}), {"lenient": True}, "write: expected one file for a dag, and no options"),
    ],
)
def test_wrong_arguments_of_write_are_one_line(folder, path, content, options, problem):
    with pytest.raises(ArgumentError) as caught:
        icsched.write(path, content, **options)

    assert str(caught.value) == problem
    assert list(folder.iterdir()) == []


def test_clusters_are_written_in_the_format_of_the_workflow(put):
    put({"wf.dag": FORK, "x.sub": "executable = work\nqueue\n"})

    files = write_clusters("out.dag", icsched.read("wf.dag"), [[0], [1, 2]])

    assert files[0] == "out.dag"
    assert icsched.read("out.dag").names == ("a", "cluster_0002")
