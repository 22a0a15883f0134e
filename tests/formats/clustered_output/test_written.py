"""Clusters as files: what is written, and what is refused."""

import os
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
from tests.formats.clustered_output.files import FILES, contents


def test_the_files_are_told_and_are_there(write):
    stem = "out.dag.clusters/"
    clusters = [f"{stem}cluster_0002.members", f"{stem}cluster_0002.sub"]

    assert write(clusters=[[0], [1, 2]]) == ["out.dag", f"{stem}run-members", *clusters]
    assert sorted(map(str, Path(stem).iterdir())) == [*clusters, f"{stem}run-members"]
    assert os.access(f"{stem}run-members", os.X_OK)


def test_the_name_of_a_workflow_adds_no_line_to_its_clusters(put):
    name = "wf\nJOB evil x.sub\n.dag"
    put({**FILES, name: FILES["wf.dag"]})

    write_clustered(read_submission(name), [[0, 1, 2]], "out.dag")

    assert read_submission("out.dag").names == ("cluster_0001",)


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
        *("clusters/cluster_0001.log", "clusters/cluster_0001.journal"),
        *("clusters/cluster_0001.out", "clusters/cluster_0001.events"),
        *("clusters/cluster_0001.2.out", "clusters/cluster_0001.2.err"),
        *("rescue001", "condor.sub", "dagman.out", "dagman.log", "nodes.log", "metrics"),
        *("lib.out", "lib.err", "halt"),
    ],
)
def test_what_has_been_run_is_not_written_over(write, complaint, put, trace):
    """Its journals and rescue files speak of other clusters: jobs would be passed over."""
    write()
    put({f"out.dag.{trace}": ""})

    assert complaint(clusters=[[0], [1, 2]]) == (
        f"out.dag: it has been run, because out.dag.{trace} is there:"
        " take another name for -o, or remove out.dag, out.dag.clusters and all out.dag.*"
    )


def test_what_dagman_may_be_running_is_not_written_over(write, complaint, put):
    """A run that has begun has other files too: it is the lock that counts."""
    write()
    put({"out.dag.lock": "", "out.dag.dagman.out": ""})

    assert complaint(clusters=[[0], [1, 2]]) == (
        "out.dag: DAGMan may be running it, because out.dag.lock is there:"
        " take another name for -o, or remove the lock if DAGMan has ended"
    )


@pytest.mark.parametrize("name", ["notes.txt", "results.log", ".hidden"])
def test_a_file_that_no_run_leaves_is_the_users(write, complaint, put, name):
    write()
    put({f"out.dag.clusters/{name}": "mine"})

    assert complaint(clusters=[[0], [1, 2]]) == (
        f"out.dag.clusters/{name}: it is not a file that icsched cluster wrote:"
        " take another name for -o, or move it away"
    )


def test_files_of_the_user_are_not_written_over(complaint, put):
    put({"mine.dag": "JOB q q.sub\n"})

    assert complaint("mine.dag") == (
        "mine.dag: expected a new file, or one that icsched cluster wrote"
    )
    for own in FILES:
        assert complaint(own) == (
            f"{own}: the output is one of the workflow's own files: take another name for -o"
        )


@pytest.mark.parametrize("name", ["my out.dag", "o$ut.dag", 'o"ut.dag', "o\\ut.dag", "o(ut).dag"])
def test_a_name_that_a_submit_description_would_garble_is_refused(complaint, name):
    assert complaint(name).startswith(f"{name}: expected a name without blanks, quotes, $")


def test_a_file_in_the_place_of_the_directory_is_left_alone(complaint, put):
    put({"out.dag.clusters": "mine"})

    assert complaint() == (
        "out.dag.clusters: expected a directory for the clusters: Not a directory"
    )


def test_a_directory_that_is_not_there_is_an_error(complaint):
    assert complaint("no/out.dag") == "no/out.dag: its directory does not exist"


def test_only_one_file_read_from_where_it_is_submitted_is_taken(put):
    put({**FILES, "other.dag": FILES["wf.dag"]})
    several = read_submission(["wf.dag", "other.dag"])
    elsewhere = read_submission("wf.dag", use_dag_directory=True)

    with pytest.raises(FormatError, match=r"wf\.dag: expected one DAGMan file to cluster, got sev"):
        write_clustered(several, [range(6)], "out.dag")
    with pytest.raises(
        FormatError, match=r"wf\.dag: expected names of files from the directory you"
    ):
        write_clustered(elsewhere, [range(3)], "out.dag")
