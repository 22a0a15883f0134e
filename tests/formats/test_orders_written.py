"""Orders in files of all layouts: the graph stays, the order is there, and once is enough."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import icsched
from icsched import prioritize
from icsched.formats import FORMATS
from tests.formats.layouts import LAYOUTS, files


def test_all_formats_that_take_an_order_have_a_layout():
    takes = {name for name in FORMATS if FORMATS[name].changes is not None}

    assert takes - {*LAYOUTS} == {"dagman"}  # tests/formats/writing


def drawn_order(data, dag) -> list[int]:
    """Return any order in which parents come first."""
    ranks = data.draw(st.permutations(range(len(dag))))
    order: list[int] = []
    while len(order) < len(dag):
        ready = [t for t in ranks if t not in order and {*dag.parents(t).tolist()} <= {*order}]
        order.append(ready[0])
    return order


@pytest.mark.parametrize("name", [name for name in LAYOUTS if FORMATS[name].changes is None])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_file_of_another_format_has_its_tasks_and_arcs(name, data):
    text, tasks, arcs = data.draw(files(name))
    with TemporaryDirectory() as folder:
        path = Path(folder, f"wf{FORMATS[name].suffixes[0]}")
        path.write_bytes(text.encode())
        workflow = icsched.read(path)

    assert (len(workflow.dag), len(workflow.dag.arcs)) == (tasks, arcs)


@pytest.mark.parametrize("name", [name for name in LAYOUTS if FORMATS[name].changes is not None])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_an_order_is_read_again_and_a_second_time_changes_nothing(name, data):
    text, tasks, arcs = data.draw(files(name))
    with TemporaryDirectory() as folder:
        path = Path(folder, f"wf{FORMATS[name].suffixes[0]}")
        path.write_bytes(text.encode())
        workflow = icsched.read(path)
        order = drawn_order(data, workflow.dag)
        plan = prioritize(workflow, order)

        icsched.write(path, plan)

        again = icsched.read(path)
        assert icsched.write(path, plan) == []
    assert (len(workflow.dag), len(workflow.dag.arcs)) == (tasks, arcs)
    assert again.dag == workflow.dag
    bigger_first = sorted(range(tasks), key=lambda task: -again.priorities[task])
    assert bigger_first == order
