"""`icsched cluster -o`: clusters as the jobs of a workflow."""

import json
import re

import pytest

from icsched import read
from tests.cli.lean import LEAN
from tests.cli.workflows import PAIR_AND_FORK

# Written as a workflow


@pytest.fixture
def files(put):
    """The workflow as wf.dag in the working directory, with a submit description."""
    put({"wf.dag": PAIR_AND_FORK.replace(" x\n", " x.sub\n"), "x.sub": SUBMIT})


SUBMIT = "executable = work\narguments = $(JOB)\nqueue\n"


WRITTEN = [
    "out.dag",
    *(
        f"out.dag.clusters/{name}"
        for name in (
            *("run-members", "cluster_0001.members", "cluster_0001.sub"),
            *("cluster_0002.members", "cluster_0002.sub"),
        )
    ),
]


def contents(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("files")
def test_clusters_are_written_as_the_jobs_of_a_workflow(icsched, folder):
    """a and b make one cluster, c, d and e the other: nothing is cut, so none waits."""
    result = icsched("cluster", "wf.dag", *LEAN, "-o", "out.dag", "--json")

    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)["written"] == WRITTEN
    assert all((folder / file).is_file() for file in WRITTEN)
    dag = read("out.dag").dag
    assert (dag.names, dag.arc_count) == (("cluster_0001", "cluster_0002"), 0)
    members = (folder / "out.dag.clusters/cluster_0002.members").read_text()
    assert re.findall(r"^member (.*)", members, re.MULTILINE) == ["c", "d", "e"]
    assert re.findall(r"^argument (.*)", members, re.MULTILINE) == ["c", "d", "e"]


@pytest.mark.usefixtures("files")
def test_what_was_written_is_read_back_with_the_dependencies_between_clusters(icsched):
    """c and a, then b and d, then e alone: both wait for the first."""
    icsched("cluster", "wf.dag", "--size", "2", "--clusterer", "direct", "-o", "out.dag")

    dag = read("out.dag").dag
    names = [(dag.names[parent], dag.names[child]) for parent, child in dag.arcs.tolist()]
    assert sorted(names) == [("cluster_0001", "cluster_0002"), ("cluster_0001", "e")]
    order = json.loads(icsched("prio", "out.dag", "--json").out)["order"]
    assert order[0] == "cluster_0001"


@pytest.mark.usefixtures("files")
def test_the_report_ends_with_what_was_written_and_how_to_submit_it(icsched):
    result = icsched("cluster", "wf.dag", *LEAN, "-o", "out.dag")

    assert result.out.splitlines()[-1] == (
        "wrote out.dag and the files of its clusters in out.dag.clusters;"
        " to run them, from here: condor_submit_dag out.dag"
    )
    again = icsched("cluster", "wf.dag", *LEAN, "-o", "out.dag")
    assert again == result


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["wf.dag", "wf.dag", "-o", "out.dag"], "-o cannot be used with several files"),
        (["wf.dag", "--lenient", "-o", "out.dag"], "-o cannot be used with --lenient"),
        (["wf.dag", "--usedagdir", "-o", "out.dag"], "-o cannot be used with --usedagdir"),
        (["wf.dag", "-o", "-"], "-o: expected a file, got standard output"),
        (["wf.dag", "--output=-", "--json"], "-o: expected a file, got standard output"),
        (["wf.dag", "-o", "wf.dag"], "wf.dag is a file of the workflow: use another name"),
        (["wf.dag", "-o", "x.sub"], "x.sub is a file of the workflow: use another name"),
    ],
)
@pytest.mark.usefixtures("files")
def test_what_cannot_be_written_is_bad_usage_and_nothing_is_written(
    icsched, folder, words, complaint
):
    before = contents(folder)

    result = icsched("cluster", *words, "--size", "2")

    assert (result.code, result.complaint) == (2, complaint)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"out.dag": "JOB mine x\n"}, "out.dag: expected a new file, or one that icsched cl"),
        ({"x.sub": "executable = work\nqueue 2\n"}, "x.sub:2: "),
        ({"out.dag.clusters": "mine"}, "out.dag.clusters: expected a directory for the clust"),
    ],
)
@pytest.mark.usefixtures("files")
def test_what_clusters_cannot_do_is_one_line_and_nothing_is_written(
    icsched, put, folder, changed, complaint
):
    put(changed)
    before = contents(folder)

    result = icsched("cluster", "wf.dag", "--size", "2", "-o", "out.dag")

    assert result.code == 1
    assert result.complaint.startswith(complaint)
    assert contents(folder) == before


@pytest.mark.usefixtures("files")
def test_a_job_that_cannot_be_clustered_can_stand_alone(icsched, put):
    put({"wf.dag": PAIR_AND_FORK.replace(" x\n", " x.sub\n") + "SCRIPT PRE d fetch\n"})
    words = ["cluster", "wf.dag", *LEAN, "-o", "out.dag"]

    refused = icsched(*words)

    assert (refused.code, refused.complaint) == (
        1,
        "wf.dag:8: SCRIPT cannot be used for a job in a cluster of several, got SCRIPT PRE d fetch;"
        " --alone d keeps it out of clusters",
    )
    assert icsched(*words, "--alone", "d").code == 0
    assert set(read("out.dag").dag.names) == {"cluster_0001", "c", "d", "e"}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("said", "sub", "job"),
    [
        ("", "executable = t\nkill_sig = 9\nqueue\n", "a"),
        ("", "executable = t\nrank = $(JOB)\nqueue\n", "b"),
        ("RETRY c 1 UNLESS-EXIT 2\nRETRY e 1\n", SUBMIT, "e"),
        ("CATEGORY e big\n", SUBMIT, "e"),
        ("JOB f x.sub\nSUBDAG EXTERNAL $g in.dag\nPARENT f CHILD $g\n", SUBMIT, "'$g'"),
    ],
)
def test_the_job_that_is_to_stand_alone_is_named(icsched, put, said, sub, job):
    """The clusters are a and b; c, d and e; f and $g."""
    put({"wf.dag": PAIR_AND_FORK.replace(" x\n", " x.sub\n") + said, "x.sub": sub})

    refused = icsched("cluster", "wf.dag", *LEAN, "-o", "out.dag")

    assert refused.complaint.endswith(f"; --alone {job} keeps it out of clusters")


@pytest.mark.usefixtures("files")
def test_a_submit_file_that_is_not_there_is_nothing_to_stand_alone_for(icsched, folder):
    (folder / "x.sub").unlink()

    refused = icsched("cluster", "wf.dag", *LEAN, "-o", "out.dag")

    assert refused.complaint == "wf.dag:1: job a: x.sub: no such file or directory"


@pytest.mark.usefixtures("files")
def test_a_directory_that_is_not_there_is_told_in_one_line(icsched):
    result = icsched("cluster", "wf.dag", *LEAN, "-o", "no/c.dag")

    assert (result.code, result.complaint) == (1, "no/c.dag: its directory does not exist")


@pytest.mark.usefixtures("files")
def test_only_jobs_that_are_left_are_written(icsched, put, folder):
    put({"wf.dag.rescue001": "DONE a\nDONE c\n"})

    result = icsched("cluster", "wf.dag", "--size", "3", "-o", "out.dag")

    members = (folder / "out.dag.clusters/cluster_0001.members").read_text()
    assert sorted(re.findall(r"^member (.*)", members, re.MULTILINE)) == ["b", "d", "e"]
    assert result.out.splitlines()[-2] == (
        "2 jobs done by wf.dag.rescue001; 3 jobs left to cluster (--no-rescue ignores that file)"
    )
    assert (folder / "out.dag").read_text().splitlines()[0] == (
        "# Made by icsched cluster. 3 jobs of wf.dag in 1 clusters."
        " Left out: 2 done by wf.dag.rescue001."
    )


@pytest.mark.usefixtures("files")
def test_jobs_that_the_workflow_itself_says_are_done_are_told_too(icsched, put):
    put({"wf.dag": PAIR_AND_FORK.replace(" x\n", " x.sub\n").replace("a x.sub", "a x.sub DONE")})
    words = ["cluster", "wf.dag", "--size", "3"]

    last = icsched(*words).out.splitlines()[-1]

    assert last == "1 job done by DONE in the files; 4 jobs left to cluster"
    answer = json.loads(icsched(*words, "--json").out)
    assert (answer["jobs"], answer["done"]) == (4, 1)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("size", ["1", "2"])
def test_a_clustered_workflow_under_another_name_is_never_destroyed(icsched, folder, size):
    """It is clustered again to the name it had: its jobs are in that name's directory."""
    icsched("cluster", "wf.dag", *LEAN, "-o", "out.dag")
    (folder / "out.dag").rename(folder / "final.dag")
    before = contents(folder)

    refused = icsched("cluster", "final.dag", "--size", size, "-o", "out.dag")

    assert refused.code == 1
    assert refused.complaint
    assert contents(folder) == before
