"""Orders of files with splices, and of several files."""

import pytest

from icsched import FormatError
from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import changes, copies, removals
from tests.formats.writing.sections import (
    BEGIN,
    JOINED,
    as_dagman_reads,
    contents,
    make,
    section_text,
)

EMPTY = "# Empty on purpose: its inclusion makes DAGMan know the jobs of splices by name.\n"


PAIR = "JOB p x\nJOB q x\nPARENT p CHILD q\n"


# Splices


def test_jobs_of_splices_are_named_after_an_inclusion_that_makes_them_known(put, folder):
    """DAGMan knows S+p once some file has ended: the companion of the workflow does."""
    text = "JOB a x\nSPLICE S in.dag\nPARENT a CHILD S"
    put({"wf.dag": text, "in.dag": PAIR})

    made = changes(read_submission("wf.dag"), {"a": 3, "S+p": 2, "S+q": 1})
    make(made)

    assert [(change.path, change.old) for change in made] == [
        ("wf.dag.icsched", None),
        ("wf.dag", text.encode()),
    ]
    lines = ["INCLUDE wf.dag.icsched", "PRIORITY a 3", "PRIORITY S+p 2", "PRIORITY S+q 1"]
    assert contents(folder) == {
        "in.dag": PAIR,
        "wf.dag": f"{text}\n{section_text(*lines).replace(BEGIN, JOINED)}",
        "wf.dag.bak": text,
        "wf.dag.icsched": EMPTY,
    }
    assert as_dagman_reads() == {"a": 3, "S+p": 2, "S+q": 1}

    again = changes(read_submission("wf.dag"), {"a": 3, "S+p": 2, "S+q": 1})
    assert all(change.is_none for change in again)

    make(removals(["wf.dag"]))
    assert contents(folder) == {"in.dag": PAIR, "wf.dag": text, "wf.dag.bak": text}


def test_a_copy_has_a_companion_of_its_own(put, folder):
    put({"wf.dag": "SPLICE S in.dag\n", "in.dag": PAIR, "out/old.txt": ""})

    make(copies(read_submission("wf.dag"), {"S+p": 2, "S+q": 1}, "out/copy.dag"))

    written = contents(folder / "out")
    assert written["copy.dag.icsched"] == EMPTY
    assert written["copy.dag"] == "SPLICE S in.dag\n" + section_text(
        f"INCLUDE {folder}/out/copy.dag.icsched", "PRIORITY S+p 2", "PRIORITY S+q 1"
    )
    assert contents(folder)["wf.dag"] == "SPLICE S in.dag\n"


def test_the_companion_is_found_from_where_dagman_looks(put, folder):
    put({"sub/wf.dag": "SPLICE S in.dag\n", "sub/in.dag": "JOB p x\n"})

    beside = changes(read_submission("sub/wf.dag", use_dag_directory=True), {"S+p": 1})
    inner = changes(read_submission("sub/wf.dag", directory="sub"), {"S+p": 1})

    for made in (beside, inner):
        assert [change.path for change in made] == ["sub/wf.dag.icsched", "sub/wf.dag"]
        assert b"\nINCLUDE wf.dag.icsched\n" in made[-1].new

    absolute = changes(read_submission(folder / "sub/wf.dag", directory="sub"), {"S+p": 1})
    assert f"\nINCLUDE {folder}/sub/wf.dag.icsched\n".encode() in absolute[-1].new


def test_a_companion_that_is_not_icscheds_is_not_touched(put):
    put({"wf.dag": "SPLICE S in.dag\n", "in.dag": "JOB p x\n", "wf.dag.icsched": "mine\n"})

    with pytest.raises(FormatError) as caught:
        changes(read_submission("wf.dag"), {"S+p": 1})

    assert str(caught.value) == "wf.dag.icsched: expected a file that icsched wrote, or no file"
    assert [(change.path, change.is_none) for change in removals(["wf.dag"])] == [("wf.dag", True)]


def test_a_companion_that_could_not_be_included_is_refused(put):
    put({"my wf.dag": "SPLICE S in.dag\n", "in.dag": "JOB p x\n"})

    with pytest.raises(FormatError) as caught:
        changes(read_submission("my wf.dag"), {"S+p": 1})

    assert str(caught.value) == (
        "my wf.dag: expected a path without blanks and quotes, for the INCLUDE of a file beside it;"
        " --flatten needs none"
    )


# Several files


def test_each_of_several_files_gets_its_own_section_with_its_own_names(put, folder):
    put({"one.dag": "JOB a x\nJOB b x\n", "two.dag": "JOB a x\n"})
    workflow = read_submission(["one.dag", "two.dag"])

    make(changes(workflow, {"1.a": 3, "0.b": 2, "0.a": 1}))

    files = contents(folder)
    assert files["one.dag"] == "JOB a x\nJOB b x\n" + section_text("PRIORITY b 2", "PRIORITY a 1")
    assert files["two.dag"] == "JOB a x\n" + section_text("PRIORITY a 3")

    make(removals(["one.dag", "two.dag"]))
    assert contents(folder)["one.dag"] == "JOB a x\nJOB b x\n"
    assert contents(folder)["two.dag"] == "JOB a x\n"


def test_a_job_with_a_dot_in_its_name_is_told_from_the_files_place(put):
    put({"one.dag": "JOB a.b x\n", "two.dag": "JOB 0.c x\n"})

    made = changes(read_submission(["one.dag", "two.dag"]), {"0.a.b": 2, "1.0.c": 1})

    assert b"PRIORITY a.b 2\n" in made[0].new
    assert b"PRIORITY 0.c 1\n" in made[1].new


def test_several_files_with_splices_are_refused(put):
    put({"one.dag": "JOB a x\n", "two.dag": "SPLICE S in.dag\n", "in.dag": "JOB p x\n"})
    workflow = read_submission(["one.dag", "two.dag"])

    with pytest.raises(FormatError) as caught:
        changes(workflow, {"0.a": 2, "1.S+1.p": 1})

    assert str(caught.value) == (
        "one.dag: expected one file at a time where there are splices: DAGMan calls their jobs"
        " by the file's place on its command line"
    )
