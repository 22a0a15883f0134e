"""`icsched prio --recursive`: workflows inside a workflow."""

import os

import pytest

from tests.cli.prio_write.sections import ONE, ONE_BLOCK
from tests.unstamped import unstamped

# Workflows inside


NESTED = {
    "wf.dag": "SUBDAG EXTERNAL s in.dag DIR sub\nSUBDAG EXTERNAL n no.dag\n",
    "sub/in.dag": "SUBDAG EXTERNAL back ../wf.dag\nSUBDAG EXTERNAL t deep.dag\n"
    "SUBDAG EXTERNAL again deep.dag\n",
    "sub/deep.dag": ONE,
}


def test_workflows_inside_are_treated_too_each_once(icsched, answer, put, folder):
    """wf.dag runs sub/in.dag, which runs sub/deep.dag twice and wf.dag again."""
    put(NESTED)

    said = answer("wf.dag", "--in-place", "--recursive")

    assert [entry["file"] for entry in said["written"]] == ["wf.dag", "sub/in.dag", "sub/deep.dag"]
    assert "no.dag is not there yet and was left out (job n)" in said["notes"]
    assert unstamped((folder / "sub" / "deep.dag").read_text()) == ONE + ONE_BLOCK
    assert said["jobs"] == 2  # the outer workflow's

    assert icsched("prio", "--order", "prio", "wf.dag", "--remove", "--recursive").code == 0
    for name, text in NESTED.items():
        assert (folder / name).read_text() == text


def test_workflows_inside_are_left_alone_unless_asked(answer, put, folder):
    put(NESTED)

    assert [entry["file"] for entry in answer("wf.dag", "--in-place")["written"]] == ["wf.dag"]
    assert (folder / "sub" / "deep.dag").read_text() == ONE


@pytest.mark.parametrize("file", ["pipe", "/dev/zero", "folder"])
@pytest.mark.parametrize("what", ["--in-place", "--remove"])
def test_a_workflow_inside_that_is_no_ordinary_file_is_not_opened(icsched, put, folder, file, what):
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    put({"wf.dag": f"JOB a x\nSUBDAG EXTERNAL s {file}\n"})

    result = icsched("prio", "--order", "prio", "wf.dag", what, "--recursive")

    assert (result.code, result.complaint) == (1, f"wf.dag:2: {file}: expected an ordinary file")
    assert (folder / "wf.dag").read_text() == f"JOB a x\nSUBDAG EXTERNAL s {file}\n"


def test_an_error_in_a_workflow_inside_has_its_place_there(icsched, put):
    put({"wf.dag": "SUBDAG EXTERNAL s in.dag\n", "in.dag": "\nJOB a\n"})

    result = icsched("prio", "--order", "prio", "wf.dag", "--in-place", "--recursive")

    assert result.code == 1
    assert result.complaint.startswith("in.dag:2: expected JOB name")


def test_nothing_is_written_unless_all_workflows_inside_can_be_read(icsched, put, folder):
    files = {
        "wf.dag": "SUBDAG EXTERNAL s good.dag\nSUBDAG EXTERNAL t bad.dag\n",
        "good.dag": ONE,
        "bad.dag": "JOB a\n",
    }
    put(files)

    assert icsched("prio", "--order", "prio", "wf.dag", "--in-place", "--recursive").code == 1

    assert {path.name: path.read_text() for path in folder.iterdir()} == files


def test_workflows_may_be_inside_each_other_twelve_hundred_deep(answer, put, folder):
    put({f"{number}.dag": f"SUBDAG EXTERNAL s {number + 1}.dag\n" for number in range(1_200)})
    put({"1200.dag": ONE})

    assert len(answer("0.dag", "--in-place", "--recursive")["written"]) == 1_201
    assert unstamped((folder / "1200.dag").read_text()) == ONE + ONE_BLOCK

    assert len(answer("0.dag", "--remove", "--recursive")["written"]) == 1_201
    assert (folder / "1200.dag").read_text() == ONE


def test_workflows_inside_are_found_beside_the_workflow_when_asked(answer, put):
    put({"sub/wf.dag": "SUBDAG EXTERNAL s in.dag\n", "sub/in.dag": ONE})

    said = answer("sub/wf.dag", "--in-place", "--recursive", "--usedagdir")

    assert [entry["file"] for entry in said["written"]] == ["sub/wf.dag", "sub/in.dag"]
