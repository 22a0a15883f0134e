"""Clusters written, and struck at every system call: a file that is there has all it names."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.test_in_place import Campaign, is_kill, is_temporary, lasting

FILES = {
    "wf.dag": "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\nPARENT a CHILD b c\n",
    "x.sub": "executable = /bin/true\narguments = $(JOB)\nqueue\n",
}
OUTPUT = ("out.dag", "out.dag.clusters/")


def write(clusters: list[list[int]]) -> str:
    """Return code that writes these clusters, and says in one line why it cannot."""
    return f"""
import sys
from icsched import FormatError
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
def work():
    try:
        write_clustered(read_submission("wf.dag"), {clusters}, "out.dag")
    except FormatError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
"""


# What is done beforehand, and how the writing is struck.
CAMPAIGNS = {
    "new": ("def work(): return 0", ["kill after", "EIO", "sweep"]),
    "in place of others": (write([[0], [1, 2, 3]]), ["kill after", "EIO", "sweep"]),
}


def written(files: dict[str, Any]) -> dict[str, Any]:
    return {name: file for name, file in files.items() if name.startswith(OUTPUT)}


def contents(files: dict[str, Any]) -> set[str]:
    return {text for _, text in files.values()}


def problems(whole: dict[str, Any], point: dict[str, Any]) -> list[str]:
    """Return all that is wrong with how a strike ended."""
    found = [*lost(whole, point), *untidy(point)]
    new = written(lasting(whole["files"]))
    if point["again"]["code"] or written(lasting(point["again"]["files"])) != new:
        found.append(f"running once more ends in {point['again']}")
    if any(map(is_temporary, point["again"]["files"])):
        found.append("something temporary is there after one more run")
    calls = ", ".join(point["calls"][at] for at in point["struck"])
    return [f"{point['strike']} {calls} {point['struck']}: {text}" for text in found]


def lost(whole: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """Something of the user's is gone, or the wrong things are together."""
    now, old, new = (
        written(lasting(files)) for files in (point["files"], whole["start"], whole["files"])
    )
    if "out.dag" in now and now not in (old, new):
        yield f"out.dag stands beside other files: {sorted(now)}"
    if now != new and not contents(old) <= contents(point["files"]):
        yield f"files of before are lost: only {sorted(point['files'])} are left"
    if {n: f for n, f in lasting(point["files"]).items() if n in FILES} != {
        n: whole["start"][n] for n in FILES
    }:
        yield "a file of the user's changed"
    if is_kill(point):
        return
    if len(point["struck"]) == 1 and now not in (old, new):
        yield f"one failure leaves neither the old nor the new files: {sorted(now)}"
    if point["code"] == 0 and now != new:
        yield "it says that all went well"


def untidy(point: dict[str, Any]) -> Iterator[str]:
    """It says nothing or too much, or leaves something behind."""
    if is_kill(point):
        return
    if point["code"] and point["err"].count("\n") != 1:
        yield f"it said {point['err']!r}"
    if point["strike"] == "sweep" and point["code"]:
        yield "another icsched disturbs it"
    if len(point["struck"]) == 1 and any(map(is_temporary, point["files"])):
        yield "something temporary is left"


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_a_kill_or_failure_at_any_call_leaves_no_file_beside_the_wrong_clusters(tmp_path, campaign):
    before, strikes = CAMPAIGNS[campaign]
    code = write([[0, 1], [2, 3]])
    whole, points = Campaign(tmp_path / "report", FILES, before, code, strikes).report()

    assert whole["code"] == 0
    assert "out.dag.clusters/cluster_0001.members" in whole["files"]
    assert sum(map(is_kill, points)) > 30
    assert [problem for point in points for problem in problems(whole, point)] == []


def test_a_failure_after_a_failure_or_a_sweep_loses_nothing(tmp_path):
    before, _ = CAMPAIGNS["in place of others"]
    code = write([[0, 1], [2, 3]])

    whole, points = Campaign(
        tmp_path / "report", FILES, before, code, ["EIO", "sweep"], again=("EIO", "sweep")
    ).report()

    assert sum(len(point["struck"]) == 2 for point in points) > 300
    assert [problem for point in points for problem in lost(whole, point)] == []
