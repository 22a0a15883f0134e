"""Arcs from the files that tasks write and read: the same rule for WfFormat, Pegasus and DAX."""

import json

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError
from icsched.formats.draft import arcs_by_files
from icsched.formats.facts import Remarks

SEVERAL = "files that several tasks write: a task that only reads one waits for all of them"
LINKS = st.sampled_from(["", "input", "output", "inout"])


def found(links):
    """Return the arcs between tasks that use one file in these ways."""
    inputs = [["f"] if link in ("input", "inout") else [] for link in links]
    outputs = [["f"] if link in ("output", "inout") else [] for link in links]
    return arcs_by_files(inputs, outputs, Remarks("wf")).tolist()


def wanted(links):
    """Return all pairs of a task and one that must wait for it, in the words of the rule."""
    tasks = range(len(links))
    writers = [task for task in tasks if links[task] in ("output", "inout")]
    readers = [(writer, task) for writer in writers for task in tasks if links[task] == "input"]
    return set(readers) | {(a, b) for a in writers for b in tasks if a < b and links[b] == "inout"}


@given(st.lists(LINKS, max_size=40))
def test_a_task_waits_for_the_tasks_that_the_rule_names_and_no_other(links):
    arcs = found(links)

    closed = networkx.transitive_closure_dag(networkx.DiGraph(arcs))  # raises for a cycle
    assert set(closed.edges) == wanted(links)
    assert len({*map(tuple, arcs)}) == len(arcs)


def test_jobs_that_all_update_one_file_are_a_chain():
    assert found(["inout"] * 50_000) == [[task, task + 1] for task in range(49_999)]


def test_a_file_that_a_task_names_twice_counts_once():
    arcs = arcs_by_files([[], ["f", "f"]], [["f", "f"], []], Remarks("wf"))

    assert arcs.tolist() == [[0, 1]]


def written(name, links):
    """Return a workflow of tasks t0, t1, ... that use one file, in a format."""
    rows = [(f"t{number}", link) for number, link in enumerate(links)]
    if name == "wf.yml":
        jobs = [f"- {{id: {job}, uses: [{{lfn: f, type: {link}}}]}}\n" for job, link in rows]
        return "jobs:\n" + "".join(jobs)
    if name == "wf.dax":
        jobs = [f'<job id="{job}"><uses name="f" link="{link}"/></job>' for job, link in rows]
        return f"<adag>{''.join(jobs)}</adag>"
    tasks = [
        {
            "id": job,
            "inputFiles": ["f"] if link in ("input", "inout") else [],
            "outputFiles": ["f"] if link in ("output", "inout") else [],
        }
        for job, link in rows
    ]
    return json.dumps({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": tasks}}})


FILES = ["wf.yml", "wf.dax", "wf.json"]


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_several_writers_is_told(put, name):
    put({name: written(name, ["input", "output", "inout", "inout", "output", "input"])})

    workflow = icsched.read(name)

    assert workflow.dag == Dag(
        {"t0": ["t3", "t4"], "t1": [], "t2": ["t1"], "t3": ["t2"], "t4": [], "t5": ["t3", "t4"]}
    )
    remarks = {(remark.text, remark.count) for remark in workflow.remarks}
    assert {(SEVERAL, 1), ("dependencies come from the files that tasks write and read", 6)} <= (
        remarks
    )


@pytest.mark.parametrize("name", FILES)
def test_too_many_dependencies_by_one_file_are_one_line(put, name):
    """4,000 tasks write one file and 4,000 read it: 16 million arcs."""
    put({name: written(name, ["output"] * 4_000 + ["input"] * 4_000)})

    with pytest.raises(FormatError) as caught:
        icsched.read(name)

    most = "10,000,000 dependencies by files that several tasks write"
    assert str(caught.value) == f"{name}: expected at most {most}, got 16,000,000"
