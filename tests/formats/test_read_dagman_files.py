"""INCLUDE, and where the files of a workflow are looked for."""

import os

import pytest

from icsched import FormatError
from icsched.formats.dagman.submission import read_submission
from tests.formats.said import done, places, priorities

INSIDE_ITSELF = "expected a file that is not inside itself, got"
NO_SUCH_FILE = "no such file or directory"


# INCLUDE


def test_an_included_file_is_read_as_if_it_stood_there(read):
    workflow = read(
        "JOB a x\nINCLUDE more.dag\nPARENT b CHILD c\nJOB c x\n",
        {"more.dag": "JOB b x DONE\nPARENT a CHILD b\nPRIORITY c 3\n"},
    )

    assert workflow.dag.to_mapping() == {"a": [], "c": ["b"], "b": ["a"]}
    assert (done(workflow), priorities(workflow)) == ({"b"}, {"c": 3})


def test_included_jobs_are_known_only_after_their_inclusion(complaint):
    more = {"more.dag": "JOB b x\n"}

    assert complaint("JOB a x\nPARENT a CHILD b\nINCLUDE more.dag\n", more) == (
        "wf.dag:2: unknown job b"
    )
    assert complaint("PRIORITY b 3\nINCLUDE more.dag\n", more) == "wf.dag:1: unknown job b"
    assert complaint("WEAK PARENT b CHILD b\nINCLUDE more.dag\n", more).endswith("unknown job b")


def test_all_nodes_means_those_known_so_far(read):
    text = "JOB a x\n{}INCLUDE more.dag\n{}"
    more = {"more.dag": "JOB b x\n"}

    before = read(text.format("PRIORITY ALL_NODES 3\n", ""), more)
    after = read(text.format("", "PRIORITY ALL_NODES 3\n"), more)
    inside = read(text.format("", ""), {"more.dag": "PRIORITY ALL_NODES 3\nJOB b x\n"})

    assert priorities(before) == {"a": 3}
    assert priorities(after) == priorities(inside) == {"a": 3, "b": 3}


@pytest.mark.parametrize(
    "line",
    [
        "include more.dag",
        'INCLUDE "more.dag"',
        "INCLUDE './more.dag'",
        "INCLUDE ./more.dag",
        "INCLUDE 'a file.dag'",
        'INCLUDE "a file.dag"',
        "INCLUDE it's.dag",
    ],
)
def test_the_name_of_an_included_file_may_be_written_in_several_ways(read, line):
    files = dict.fromkeys(["more.dag", "a file.dag", "it's.dag"], "JOB b x\n")

    assert read(f"{line}\n", files).names == ("b",)


@pytest.mark.parametrize(
    "line",
    [
        "SPLICE S 'in.dag'",
        'SPLICE S "in.dag"',
        "SPLICE S 'in.dag' DIR .",
        "SPLICE S 'a file.dag' DIR 'a folder'",
        'SPLICE S "a file.dag" DIR "a folder"',
        "SPLICE S it's.dag",
    ],
)
def test_the_name_of_a_spliced_file_may_be_written_in_several_ways(read, line):
    files = dict.fromkeys(["in.dag", "a folder/a file.dag", "it's.dag"], "JOB b x\n")

    assert read(f"{line}\n", files).names == ("S+b",)


@pytest.mark.parametrize("line", ["INCLUDE mo'r'e.dag", 'SPLICE S mo"r"e.dag', 'INCLUDE "more.dag'])
def test_quotes_that_versions_of_dagman_read_differently_are_refused(complaint, line):
    assert complaint(f"{line}\n").startswith("wf.dag:1: expected ")


def test_an_error_in_an_included_file_has_its_line_there(complaint):
    assert complaint("\nINCLUDE more.dag\n", {"more.dag": "\n\nPRIORITY b 3\n"}) == (
        "more.dag:3: unknown job b"
    )


def test_a_file_included_twice_defines_its_jobs_twice(complaint):
    assert complaint("INCLUDE more.dag\nINCLUDE more.dag\n", {"more.dag": "\nJOB b x\n"}) == (
        "more.dag:2: expected a new name, got b, which is taken"
    )


# Files that are not there, or should not be


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
def test_a_missing_file_is_named_with_the_line_that_wants_it(complaint, command):
    assert complaint(f"\n{command} no.dag\n") == f"wf.dag:2: no.dag: {NO_SUCH_FILE}"


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
def test_a_file_that_stands_beside_the_one_that_names_it_gets_a_hint(put, command):
    """DAGMan looks for it in the directory in which it was started."""
    put({"sub/wf.dag": f"{command} more.dag\n", "sub/more.dag": "JOB b x\n"})

    with pytest.raises(FormatError) as caught:
        read_submission("sub/wf.dag")

    assert str(caught.value) == (
        f"sub/wf.dag:1: more.dag: {NO_SUCH_FILE} (DAGMan looks from the directory you submit in;"
        " the file is beside the one that names it: go there, or give --usedagdir)"
    )


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
def test_the_null_device_is_an_empty_file(read, command):
    assert read(f"JOB a x\n{command} /dev/null\n").names == ("a",)


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
@pytest.mark.parametrize("file", ["pipe", "folder", "/dev/zero", "sub/pipe"])
def test_what_is_no_ordinary_file_is_refused_without_a_look(complaint, folder, command, file):
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "sub").symlink_to(".")

    assert complaint(f"{command} {file}\n") == f"wf.dag:1: {file}: expected an ordinary file"


def test_what_is_there_but_no_ordinary_file_gets_no_hint(put):
    put({"sub/wf.dag": "INCLUDE folder\n", "sub/folder/file": ""})

    with pytest.raises(FormatError) as caught:
        read_submission("sub/wf.dag", use_dag_directory=True)

    assert str(caught.value) == "sub/wf.dag:1: sub/folder: expected an ordinary file"


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"wf.dag": "wf.dag"}, "wf.dag:1: {} wf.dag"),
        ({"wf.dag": "./wf.dag"}, "wf.dag:1: {} ./wf.dag"),
        ({"wf.dag": "one.dag", "one.dag": "wf.dag"}, "one.dag:1: {} wf.dag"),
        (
            {"wf.dag": "one.dag", "one.dag": "two.dag", "two.dag": "one.dag"},
            "two.dag:1: {} one.dag",
        ),
    ],
)
def test_a_file_inside_itself_is_refused(complaint, command, files, place):
    texts = {name: f"{command} {target}\n" for name, target in files.items()}

    assert complaint(texts["wf.dag"], texts) == place.format(INSIDE_ITSELF)


def test_a_file_may_be_inside_two_others(read):
    workflow = read(
        "SPLICE A one.dag\nSPLICE B two.dag\n",
        {"one.dag": "SPLICE C in.dag\n", "two.dag": "SPLICE C in.dag\n", "in.dag": "JOB p x\n"},
    )

    assert workflow.names == ("A+C+p", "B+C+p")


# Where names of files are taken from


def test_files_are_found_from_the_working_directory(put):
    put(
        {"sub/wf.dag": "SPLICE S in.dag\n", "in.dag": "JOB here x\n", "sub/in.dag": "JOB there x\n"}
    )

    assert read_submission("sub/wf.dag").names == ("S+here",)


def test_or_from_the_directory_that_is_given(put):
    put({"wf.dag": "SPLICE S in.dag\nJOB a x DIR d\n", "sub/in.dag": "JOB p x\n"})

    workflow = read_submission("wf.dag", directory="sub")

    assert workflow.names == ("a", "S+p")
    assert places(workflow) == {"a": "sub/d/x", "S+p": "sub/x"}


def test_or_from_the_directory_of_each_file(put):
    put(
        {
            "sub/wf.dag": "JOB a a.sub\nSPLICE S in/in.dag\nINCLUDE more/more.dag\n",
            "sub/in/in.dag": "JOB p p.sub\n",
            "sub/more/more.dag": "JOB b b.sub\nINCLUDE last.dag\n",
            "sub/more/last.dag": "JOB c c.sub\nCONFIG c.config\n",
        }
    )

    workflow = read_submission("sub/wf.dag", use_dag_directory=True)

    assert workflow.names == ("a", "b", "c", "S+p")  # splices come at the end of a file
    assert workflow.configs == ("sub/more/c.config",)
    assert places(workflow)["a"] == "sub/a.sub"
    assert places(workflow)["S+p"] == "sub/in/p.sub"


@pytest.mark.parametrize(
    "line",
    [
        "JOB a x DIR d",
        'JOB a "x" DIR "d"',
        "JOB a {\n} DIR d",
        "JOB a x NOOP DIR d",
        "SUBDAG EXTERNAL a in.dag DIR d",
        "FINAL a x DIR d",
    ],
)
def test_then_a_job_may_have_no_directory_of_its_own(put, line):
    """DAGMan is in the directory of the file and refuses to go to another."""
    put({"wf.dag": f"JOB b x\n\n{line}\n", "out.dag": "JOB b x\nSPLICE S wf.dag\n"})

    for name in ["wf.dag", "out.dag"]:
        with pytest.raises(FormatError) as caught:
            read_submission(name, use_dag_directory=True)

        assert str(caught.value) == (
            "wf.dag:3: DIR of a job cannot be used with --usedagdir: leave out one of the two"
        )
    assert read_submission("wf.dag")


def test_a_file_that_many_jobs_name_is_among_the_files_once(put):
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\nJOB c y.sub\n"})

    assert list(read_submission("wf.dag").files) == ["wf.dag", "x.sub", "y.sub"]
