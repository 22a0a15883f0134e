"""Graphviz files in other readers: pydot and networkx see what icsched sees."""

import networkx
import pydot
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import icsched
from icsched import Dag, Workflow
from icsched.formats import FORMATS

NAMES = ["a", "B", "b", "_x1", '"d e"', "3.5", '"é"', "z"]  # pydot refuses -3.5
SETTINGS = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def of_networkx(text: str) -> tuple[set[str], set[tuple[str, str]]]:
    """Return nodes and edges as pydot and networkx see them, names without quotes."""
    [graph] = pydot.graph_from_dot_data(text)
    found = networkx.nx_pydot.from_pydot(graph)
    plain = {name: name.strip('"') for name in found.nodes}
    return {*plain.values()}, {(plain[a], plain[b]) for a, b in found.edges()}


@st.composite
def statements(draw: st.DrawFn) -> str:
    """Edges from earlier to later names, chains, braces at one end, nodes with attributes."""
    chosen = sorted(draw(st.sets(st.integers(0, len(NAMES) - 1), min_size=1, max_size=4)))
    words = [NAMES[number] for number in chosen]
    cut = draw(st.integers(1, len(words)))
    kind = draw(st.sampled_from(["chain", "fork", "node"]))
    end = draw(st.sampled_from([";", "\n", "; // no\n", " [color=red];", "/* a -> b */\n"]))
    if kind == "node" or len(words) < 2:
        return f"{words[0]} [label={words[0]}]{end if '[' not in end else ';'}"
    if kind == "chain" or cut == len(words):
        return " -> ".join(words) + end
    return f"{words[0]} -> {{{'; '.join(words[1:])}}}{end}"


@pytest.mark.filterwarnings("ignore")  # of networkx, about its use of pydot
@SETTINGS
@given(st.lists(statements(), max_size=6))
def test_pydot_and_networkx_find_the_same_nodes_and_edges(put, found):
    text = f"digraph G {{\n{''.join(found)}}}\n"
    put({"wf.dot": text})

    workflow = icsched.read("wf.dot")

    nodes, edges = of_networkx(text)
    names = workflow.names
    arcs = {(names[a], names[b]) for a, b in workflow.dag.arcs.tolist()}
    assert arcs == edges
    assert {*workflow.names} == nodes - {"\\n"}  # pydot takes a stray line end for a node


@pytest.mark.filterwarnings("ignore")
def test_pydot_reads_what_icsched_writes():
    dag = Dag({"a": [], "b c": ["a"], 'say "x"': ["a", "b c"], r"C:\d": []})

    [graph] = pydot.graph_from_dot_data(FORMATS.find("dot").text(Workflow(dag)))

    edges = {(edge.get_source(), edge.get_destination()) for edge in graph.get_edges()}
    assert edges == {('"a"', '"b c"'), ('"a"', r'"say \"x\""'), ('"b c"', r'"say \"x\""')}
    assert {node.get_name() for node in graph.get_nodes()} >= {'"a"', '"b c"', r'"C:\d"'}
