"""`icsched cluster`: clusters as a table, as JSON and as a drawing."""

import json

import pytest

from icsched import families, formats, read
from icsched.serve.clusters import CLUSTERERS
from tests.cli.lean import LEAN
from tests.cli.workflows import PAIR_AND_FORK


@pytest.fixture
def workflow(tmp_path):
    path = tmp_path / "wf.dag"
    path.write_text(PAIR_AND_FORK)
    return str(path)


def test_cluster_prints_a_row_for_each_cluster_in_the_order_they_are_handed_out(icsched, workflow):
    result = icsched("cluster", workflow, "--size", "2", "--clusterer", "direct")

    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        f"{workflow}: 5 jobs, 3 dependencies",
        "3 clusters, clusterer direct: 3 of 3 dependencies cut",
        "  cluster  jobs  cut  productive  first to run first",
        "        1     2    3  yes         c a",
        "        2     2    0  yes         b d",
        "        3     1    0  yes         e",
    ]


def test_cluster_json_has_the_keys_that_scripts_rely_on(icsched, workflow):
    result = icsched("cluster", workflow, "--capacities", "2,3", "--clusterer", "lean", "--json")

    assert json.loads(result.out) == {
        "schema": 1,
        "jobs": 5,
        "arcs": 3,
        "ordered_by": "prio",
        "run_times": None,
        "clusterer": "lean",
        "cut_arcs": 0,
        "clusters": [
            {"jobs": ["a", "b"], "size": 2, "cut_arcs": 0, "productive": False},
            {"jobs": ["c", "d", "e"], "size": 3, "cut_arcs": 0, "productive": True},
        ],
        "done": 0,
        "written": [],
    }


def test_the_clusters_hold_every_job_once_and_parents_come_first(icsched, tmp_path):
    path = tmp_path / "montage.dag"
    formats.write_dagman(families.montage(6, 6), path)
    dag = read(path).dag

    result = icsched("cluster", str(path), "--capacities", "4,16,64", "--json")

    answer = json.loads(result.out)
    place = {job: i for i, job in enumerate(j for c in answer["clusters"] for j in c["jobs"])}
    assert sorted(place) == sorted(dag.names)
    assert all(place[dag.names[p]] < place[dag.names[c]] for p, c in dag.arcs.tolist())
    assert [c["size"] for c in answer["clusters"]][:3] == [4, 16, 64]
    assert sum(c["cut_arcs"] for c in answer["clusters"]) == answer["cut_arcs"]


def test_jobs_that_are_done_are_in_no_cluster(icsched, put):
    put({"wf.dag": PAIR_AND_FORK, "wf.dag.rescue001": "DONE c\nDONE d\n"})

    answer = json.loads(icsched("cluster", "wf.dag", "--size", "3", "--json").out)

    assert [sorted(c["jobs"]) for c in answer["clusters"]] == [["a", "b", "e"]]


def test_a_rescue_file_may_leave_fewer_jobs_than_a_cluster_holds(icsched, put):
    """A script that clusters anew what is left goes on; a size that never fitted is refused."""
    put({"wf.dag": PAIR_AND_FORK, "wf.dag.rescue001": "DONE c\nDONE d\n"})

    answer = json.loads(icsched("cluster", "wf.dag", "--size", "5", "--json").out)

    assert [sorted(c["jobs"]) for c in answer["clusters"]] == [["a", "b", "e"]]
    assert icsched("cluster", "wf.dag", "--size", "6").complaint == (
        "--size: expected 1 to 5, the number of jobs, got 6"
    )
    put({"wf.dag": PAIR_AND_FORK.replace("JOB c x", "JOB c x DONE"), "wf.dag.rescue001": ""})
    assert icsched("cluster", "wf.dag", "--size", "5", "--no-rescue").complaint == (
        "--size: expected 1 to 4, the number of jobs, got 5"
    )


@pytest.mark.parametrize("names", ["c", "@alone.txt"])
def test_jobs_that_are_to_be_alone_are_split_out_of_their_clusters(icsched, put, names):
    """Lean makes a b and c d e of it; without c the latter has d and e, which cut nothing."""
    put({"wf.dag": PAIR_AND_FORK, "alone.txt": "c\n"})

    words = ["cluster", "wf.dag", *LEAN, "--alone", names, "--json"]
    answer = json.loads(icsched(*words).out)

    assert [(c["jobs"], c["cut_arcs"]) for c in answer["clusters"]] == [
        (["a", "b"], 0),
        (["c"], 2),
        (["d", "e"], 0),
    ]
    assert answer["cut_arcs"] == 2


def test_jobs_to_be_alone_must_be_known_and_may_be_done(icsched, put):
    put({"wf.dag": PAIR_AND_FORK, "wf.dag.rescue001": "DONE c\n"})

    assert icsched("cluster", "wf.dag", "--size", "2", "--alone", "c").code == 0
    assert icsched("cluster", "wf.dag", "--size", "2", "--alone", "z").complaint == (
        "--alone: unknown job 'z'"
    )


def test_only_twenty_clusters_are_listed(icsched, tmp_path):
    path = tmp_path / "tree.dag"
    formats.write_dagman(families.tree(5), path)

    lines = icsched("cluster", str(path), "--size", "2").out.splitlines()

    assert len(lines) == 3 + 20 + 1
    assert lines[-1] == "  and 12 more: --json has all"


@pytest.mark.parametrize(
    ("options", "code", "problem"),
    [
        (["--size", "0"], 2, "--size: expected 1 to 5, the number of jobs, got 0"),
        (["--size", "-3"], 2, "--size: expected 1 to 5, the number of jobs, got -3"),
        (["--size", "6"], 2, "--size: expected 1 to 5, the number of jobs, got 6"),
        ([], 2, "expected --size or --capacities, got neither"),
        (["--size", "2", "--capacities", "2"], 2, "expected --size or --capacities, got both"),
        (
            ["--capacities", "4,many"],
            2,
            "--capacities: expected whole numbers separated by commas, got '4,many'",
        ),
        (
            ["--capacities", ""],
            2,
            "--capacities: expected whole numbers separated by commas, got ''",
        ),
        (["--capacities", "4,0"], 2, "--capacities: expected a whole number, 1 or more, got 0"),
        (
            ["--size", "2", "--clusterer", "best"],
            2,
            "--clusterer: expected auto, direct, staggered, donor, lean, got 'best'",
        ),
    ],
)
def test_bad_usage_is_told_in_one_line(icsched, workflow, options, code, problem):
    result = icsched("cluster", workflow, *options)

    assert (result.code, result.complaint) == (code, problem)


@pytest.mark.parametrize("clusterer", [name for name in CLUSTERERS if name != "donor"])
def test_every_clusterer_that_applies_may_be_named(icsched, workflow, clusterer):
    result = icsched("cluster", workflow, "--size", "2", "--clusterer", clusterer)

    assert (result.code, result.err) == (0, "")


def test_a_size_that_is_no_number_is_told_in_one_line(icsched, workflow):
    result = icsched("cluster", workflow, "--size", "many")

    assert result.code == 2
    assert "many" in result.complaint


def test_an_empty_workflow_and_a_clusterer_that_does_not_apply_are_told_in_one_line(icsched, put):
    put({"empty.dag": "# nothing\n", "two.dag": "JOB a x\nJOB b x\nJOB c x\nJOB d x\nJOB e x\n"})
    assert icsched("cluster", "empty.dag", "--size", "1").complaint == (
        "empty.dag: expected at least one job that is left to run"
    )
    joins = "PARENT a b c CHILD d\nPARENT d e f CHILD g\n"
    put({"wf.dag": "".join(f"JOB {j} x\n" for j in "abcdefg") + joins})
    assert icsched("cluster", "wf.dag", "--size", "1", "--clusterer", "donor").complaint == (
        "clusterer donor: expected W-, N- and C-dags, or M-dags, laid on each other source by"
        " source; this dag is not made of them; use auto, direct or lean"
    )
