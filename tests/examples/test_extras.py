"""The example package: installed by its own entry points, it works in commands and library."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

EXTRAS = Path(__file__).parents[2] / "examples" / "icsched-extras"
BIN = Path(sys.executable).parent

ARCS = "a,b\nb,c\nd,e\nd,f\nd,g\ng,h\nf,h\nlone\n"
JOBS = "".join(f"JOB {job} x.sub\n" for job in "abcdefgh")
DAGMAN = f"{JOBS}PARENT a CHILD b\nPARENT b CHILD c\nPARENT d CHILD e f g\nPARENT f g CHILD h\n"
r"""
  a      d
  |    / | \
  b   e  f  g       beside them in the pairs: lone
  |       \ |
  c         h
"""


@pytest.fixture
def run(put, folder) -> Callable[..., subprocess.CompletedProcess]:
    """Run a command that finds the example package as if pip had installed it."""
    project = tomllib.loads((EXTRAS / "pyproject.toml").read_text())["project"]
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    name, version = project["name"].replace("-", "_"), project["version"]
    about = f"lib/{name}-{version}.dist-info"
    put(
        {
            f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{about}/entry_points.txt": points,
            "wf.dag": DAGMAN,
            "wf.pairs": ARCS,
        }
    )
    path = os.pathsep.join([str(folder / "lib"), str(EXTRAS / "src")])

    def runner(*words: str, check: bool = True) -> subprocess.CompletedProcess:
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            [BIN / words[0], *words[1:]], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0 or not check, done.stderr
        return done

    return runner


# The order


def test_the_task_with_the_most_children_runs_first_and_ties_go_to_the_smaller_id(run):
    """d has three children. Of one child each: a, b, f and g, once they are eligible."""
    found = json.loads(
        run("icsched", "prio", "wf.dag", "--order", "most-children", "--json").stdout
    )

    assert found["ordered_by"] == "most-children"
    assert found["order"] == ["d", "a", "b", "f", "g", "c", "e", "h"]


def test_the_order_is_written_simulated_and_listed_by_help(run, folder):
    run("icsched", "prio", "wf.dag", "--order", "most-children", "--in-place")
    words = ["--order", "most-children", "--runs", "50", "--json"]
    simulated = json.loads(run("icsched", "simulate", "wf.dag", *words).stdout)
    shown = run("icsched", "prio", "--help").stdout.replace("│", " ")

    assert "PRIORITY d 8\nPRIORITY a 7\nPRIORITY b 6\n" in (folder / "wf.dag").read_text()
    compared = {"most-children", "critical-path", "now"}  # the file has an order now
    assert set(simulated["ratio"]) == {f"{name}_over_fifo" for name in compared}
    assert "most-children, the job with the most children first" in " ".join(shown.split())


# The format


def test_pairs_are_read_with_ids_in_the_order_in_which_the_file_names_the_tasks(run):
    first = run("icsched", "show", "wf.pairs").stdout.splitlines()[0]

    assert first == (
        "wf.pairs: 9 jobs, 7 dependencies (0 superfluous), 3 levels, 3 sources, 4 sinks"
    )
    found = json.loads(run("icsched", "prio", "wf.pairs", "--order", "fifo", "--json").stdout)
    assert found["order"] == ["a", "d", "lone", "b", "e", "f", "g", "c", "h"]


def test_an_order_is_the_last_comment_and_replaces_an_earlier_one(run, folder):
    file = folder / "wf.pairs"
    run("icsched", "prio", "wf.pairs", "--order", "fifo", "--in-place")
    assert file.read_text() == f"{ARCS}# order: a,d,lone,b,e,f,g,c,h\n"
    assert (folder / "wf.pairs.bak").read_text() == ARCS

    run("icsched", "prio", "wf.pairs", "--order", "most-children", "--in-place")
    assert file.read_text() == f"{ARCS}# order: d,a,b,f,g,c,e,h,lone\n"

    backups = sorted(path.name for path in folder.glob("wf.pairs.bak*"))
    assert backups == ["wf.pairs.bak"]  # of the user's own lines, which are still the same
    again = run("icsched", "prio", "wf.pairs", "--order", "most-children", "--in-place")
    assert "nothing to change" in again.stdout


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\na,b,c\n", "bad.pairs:2: expected PARENT,CHILD or TASK, got 'a,b,c'"),
        ("a,\n", "bad.pairs:1: expected PARENT,CHILD or TASK, got 'a,'"),
        ("a,b\nb,a\n", "bad.pairs: dependency cycle: a -> b -> a"),
        (b"\xff\n", "bad.pairs: expected UTF-8, got byte 0xff"),
    ],
)
def test_a_bad_file_is_one_line(run, put, text, problem):
    put({"bad.pairs": text})

    done = run("icsched", "show", "bad.pairs", check=False)

    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"icsched: {problem}\n")


# The clusterer


def test_a_cluster_is_a_chain_that_ends_at_forks_and_before_joins(run):
    """h waits for f and g: the first of them ends its chain, the second takes h along."""
    words = ["--size", "4", "--order", "fifo", "--clusterer", "chains", "--json"]
    found = json.loads(run("icsched", "cluster", "wf.dag", *words).stdout)

    assert found["clusterer"] == "chains"
    chains = [cluster["jobs"] for cluster in found["clusters"]]
    assert chains == [["a", "b", "c"], ["d"], ["e"], ["f"], ["g", "h"]]


def test_a_chain_longer_than_the_capacity_is_cut(run):
    words = ["--size", "2", "--order", "fifo", "--clusterer", "chains", "--json"]
    found = json.loads(run("icsched", "cluster", "wf.dag", *words).stdout)

    assert [cluster["jobs"] for cluster in found["clusters"]][:3] == [["a", "b"], ["d"], ["e"]]


# The library

USE = """
import icsched

workflow = icsched.read("wf.pairs")
plan = icsched.prioritize(workflow, "most-children")
print(workflow.format, *plan.names)
print(icsched.write("wf.pairs", plan), icsched.write("new.pairs", workflow.dag))
assert icsched.read("new.pairs").dag == workflow.dag

dag = icsched.read("wf.dag").dag
def serve(dag):
    return icsched.ClusterServer(dag, clusterer="chains", order=list(range(8)))
server = serve(dag)
chain, fork = server.take(4), server.take(4)
print(*chain, "-", *fork, "-", *server.take(4))
server.lost(*chain)
print(*server.take(2))
server.done(*fork)
print(*server.take(1), "-", *server.take(4), "-", *server.take(4))

found = icsched.simulate(dag, ["most-children", "fifo"], seed=1)
print(*found.ratio)
"""


def test_the_library_has_all_three(run, folder):
    lines = run("python", "-c", USE).stdout.splitlines()

    assert lines == [
        "pairs d a b f g c e h lone",
        "['wf.pairs'] ['new.pairs']",
        "0 1 2 - 3 -",
        "0 1",
        "4 - 5 - 6",
        "most-children_over_fifo",
    ]
    assert (folder / "new.pairs").read_text() == (
        "a\nb\nc\nd\ne\nf\ng\nh\nlone\na,b\nb,c\nd,e\nd,f\nd,g\nf,h\ng,h\n"
    )
