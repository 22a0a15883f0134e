"""Laws of WfFormat: what is written is read again; real traces are read as plain JSON says."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError, Workflow, prioritize
from icsched.formats import FORMATS
from tests.formats.round_trips import check_same, workflows

WFFORMAT = FORMATS["wfformat"]
INSTANCES = Path(__file__).parents[3] / "shared" / "data" / "wfinstances"
IDS = st.text(alphabet="abAB01_-.#:/", min_size=1, max_size=5)


@given(workflows(IDS, WFFORMAT.keeps))
def test_what_is_written_is_read_again(tmp_path_factory, workflow):
    path = tmp_path_factory.mktemp("w") / "wf.json"
    path.write_text(WFFORMAT.text(workflow))

    check_same(icsched.read(path), workflow, WFFORMAT.keeps)


@given(workflows(IDS, WFFORMAT.keeps), st.sampled_from([None, 2]), st.booleans())
def test_an_order_changes_nothing_but_priorities(tmp_path_factory, workflow, indent, has_execution):
    path = tmp_path_factory.mktemp("w") / "wf.json"
    content = json.loads(WFFORMAT.text(workflow))
    if not has_execution:
        content["workflow"].pop("execution", None)
    path.write_text(json.dumps(content, indent=indent))
    before = icsched.read(path)

    icsched.write(path, prioritize(before, "fifo"))

    after = icsched.read(path)
    check_same(after, before, WFFORMAT.keeps - {"priorities"})
    ranks = np.argsort(-after.priorities).tolist()
    assert ranks == prioritize(before, "fifo").order.tolist()


def test_a_name_that_the_schema_does_not_take_is_refused():
    with pytest.raises(
        FormatError, match=r"^o.json: name of a task: expected letters.* got 'a b'$"
    ):
        WFFORMAT.text(Workflow(Dag({"a b": []})), path="o.json")


# Real traces


@pytest.mark.skipif(not INSTANCES.is_dir(), reason="the traces of WfInstances are not here")
def test_real_traces_are_read_as_plain_json_says():
    for path in sorted(INSTANCES.glob("*.json")):
        content = json.loads(path.read_text())["workflow"]
        tasks, found = content["specification"]["tasks"], icsched.read(path)
        arcs = {(parent, task["id"]) for task in tasks for parent in task["parents"]}
        seconds = {task["id"]: task["runtimeInSeconds"] for task in content["execution"]["tasks"]}
        size = {file["id"]: file["sizeInBytes"] for file in content["specification"]["files"]}

        assert [task["id"] for task in tasks] == list(found.names)
        assert {(found.names[a], found.names[b]) for a, b in found.dag.arcs} == arcs
        assert found.run_times.tolist() == [seconds[name] for name in found.names]
        assert found.sizes.tolist() == [
            sum(size[name] for name in task["outputFiles"]) for task in tasks
        ]
        check_same(icsched.read(_rewritten(path, found)), found, WFFORMAT.keeps)


def _rewritten(path: Path, workflow: Workflow) -> Path:
    import tempfile

    new = Path(tempfile.mkdtemp()) / path.name
    new.write_text(WFFORMAT.text(workflow))
    return new
