"""Where clusters are written: never over a user's file, never under a workflow that has run."""

import os
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.formats import read_workflow, write_clustered

FILES = {
    "wf.dag": "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\n",
    "x.sub": "executable = t\nqueue\n",
}


@pytest.fixture
def write(put):
    """Write clusters of three jobs; by default all in one."""
    put(FILES)

    def writer(output: str = "out.dag", *, clusters=((0, 1, 2),)) -> list[str]:
        return write_clustered(read_workflow("wf.dag"), clusters, output)

    return writer


@pytest.fixture
def complaint(write, folder):
    """Try to write; return what is said of it, after seeing that nothing changed."""

    def complain(output: str = "out.dag", **options) -> str:
        before = contents(folder)
        with pytest.raises(FormatError) as caught:
            write(output, **options)
        assert contents(folder) == before
        return str(caught.value)

    return complain


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_files_are_told_and_are_there(write):
    stem = "out.dag.clusters/"
    clusters = [f"{stem}cluster_0002.members", f"{stem}cluster_0002.sub"]

    assert write(clusters=[[0], [1, 2]]) == ["out.dag", f"{stem}run-members", *clusters]
    assert sorted(map(str, Path(stem).iterdir())) == [*clusters, f"{stem}run-members"]
    assert os.access(f"{stem}run-members", os.X_OK)


def test_writing_twice_changes_nothing(write, folder):
    write()
    once = contents(folder)
    write()

    assert contents(folder) == once


def test_clusters_that_were_never_run_are_replaced_whole(write):
    write(clusters=[[0, 1], [2]])
    write(clusters=[[0], [1, 2]])

    names = {path.name for path in Path("out.dag.clusters").iterdir()}
    assert names == {"run-members", "cluster_0002.members", "cluster_0002.sub"}


@pytest.mark.parametrize(
    "trace",
    [
        *("out.dag.clusters/cluster_0001.log", "out.dag.clusters/cluster_0001.journal"),
        *("out.dag.rescue001", "out.dag.lock"),
    ],
)
def test_what_has_been_run_is_not_written_over(write, complaint, put, trace):
    """Its journals and rescue files speak of other clusters: jobs would be passed over."""
    write()
    put({trace: ""})

    assert complaint(clusters=[[0], [1, 2]]) == (
        "out.dag: expected an output that has not been run: take another name, or remove"
        f" {trace} and all else of that run"
    )


def test_files_of_the_user_are_not_written_over(complaint, put):
    put({"mine.dag": "JOB q q.sub\n"})

    assert complaint("mine.dag") == (
        "mine.dag: expected a new file, or one that icsched cluster wrote"
    )
    for own in FILES:
        assert complaint(own) == f"{own}: expected another file than the workflow's own"


@pytest.mark.parametrize("name", ["my out.dag", "o$ut.dag", 'o"ut.dag', "o\\ut.dag", "o(ut).dag"])
def test_a_name_that_a_submit_description_would_garble_is_refused(complaint, name):
    assert complaint(name).startswith(f"{name}: expected a name without blanks, quotes, $")


def test_a_file_in_the_place_of_the_directory_is_left_alone(complaint, put):
    put({"out.dag.clusters": "mine"})

    assert complaint() == (
        "out.dag.clusters: expected a directory for the clusters: Not a directory"
    )


def test_a_directory_that_is_not_there_is_an_error(complaint):
    assert complaint("no/out.dag") == "no/out.dag: no such directory"


def test_only_one_file_read_from_where_it_is_submitted_is_taken(put):
    put({**FILES, "other.dag": FILES["wf.dag"]})
    several = read_workflow(["wf.dag", "other.dag"])
    elsewhere = read_workflow("wf.dag", use_dag_directory=True)

    with pytest.raises(FormatError, match=r"wf\.dag: expected one DAGMan file to cluster, got sev"):
        write_clustered(several, [range(6)], "out.dag")
    with pytest.raises(
        FormatError, match=r"wf\.dag: expected names of files from the directory you"
    ):
        write_clustered(elsewhere, [range(3)], "out.dag")
