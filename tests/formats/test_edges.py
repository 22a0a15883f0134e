"""Lists of edges."""

import io

import networkx
import pytest
from hypothesis import HealthCheck, given, settings

import icsched
from icsched import Dag, FormatError
from icsched.formats import FORMATS
from icsched.workflow import Remark, Workflow
from tests.strategies import dags


def test_a_line_has_a_parent_and_a_child_or_one_task(put):
    put({"wf.edges": "\ufeff# arcs\r\nb c # of b\r\n\n  a\tb\nlone\na b\nA a#1\n"})

    workflow = icsched.read("wf.edges")

    assert workflow.names == ("b", "c", "a", "lone", "A", "a#1")
    assert workflow.dag.arcs.tolist() == [[0, 1], [2, 0], [4, 5]]


def test_weights_and_data_of_networkx_get_one_remark(put):
    put({"wf.edgelist": "a\na b {'weight': 3}\nb c 2.5\n"})

    remark = Remark("wf.edgelist", 2, "icsched does not read weights and data of edges", 2)
    assert icsched.read("wf.edgelist").remarks == (remark,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a b\na b c\n", ":2: expected PARENT CHILD, or one TASK, got 'a b c'"),
        ("a b\nb a\n", ":1: dependency cycle: a -> b -> a"),
        ("a\n\0\n", ":2: expected text, got a NUL byte"),
        (b"\xff a\n", ":1: expected UTF-8 text, got byte 0xff"),
    ],
)
def test_a_bad_file_is_one_line(put, text, problem):
    put({"wf.edges": text})

    with pytest.raises(FormatError) as caught:
        icsched.read("wf.edges")

    assert str(caught.value) == f"wf.edges{problem}"


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dags())
def test_networkx_writes_what_icsched_reads_and_the_other_way_round(put, dag):
    graph = networkx.DiGraph([(str(a), str(b)) for a, b in dag.arcs.tolist()])
    file = io.BytesIO()
    networkx.write_edgelist(graph, file)
    put({"wf.edges": file.getvalue()})

    found = icsched.read("wf.edges").dag
    assert {(found.names[a], found.names[b]) for a, b in found.arcs.tolist()} == {*graph.edges}

    text = FORMATS.find("edges").text(Workflow(Dag.from_networkx(graph)))
    pairs = [line for line in text.splitlines() if " " in line]
    parsed = networkx.parse_edgelist(pairs, create_using=networkx.DiGraph)
    assert {*parsed.edges} == {*graph.edges}
