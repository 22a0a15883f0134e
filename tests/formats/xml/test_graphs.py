"""GraphML and GEXF, with networkx as the oracle both ways."""

from io import BytesIO
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings

import icsched
from icsched import Dag, FormatError, Workflow, prioritize
from icsched.formats import FORMATS
from icsched.workflow import Remark
from tests.formats.xml.cases import FILES, read
from tests.strategies import dags

READERS = {"graphml": nx.read_graphml, "gexf": nx.read_gexf}
WRITERS = {"graphml": nx.write_graphml, "gexf": nx.write_gexf}
GRAPHS = ("graphml", "gexf")
GRAPH = '<graph defaultedgetype="directed">'


def named(dag: Dag) -> Dag:
    return Dag.from_arcs(len(dag), dag.arcs, names=[f"t {task}" for task in range(len(dag))])


@pytest.mark.parametrize("name", GRAPHS)
@settings(max_examples=30)
@given(dag=dags(most_tasks=6))
def test_networkx_reads_what_icsched_writes(name, dag):
    tasks = len(dag)
    workflow = Workflow(
        named(dag),
        [False] * tasks,
        run_times=[0.5 + task for task in range(tasks)] or None,
        sizes=list(range(tasks)) or None,
        priorities=[task - 2 for task in range(tasks)] or None,
    )
    graph = READERS[name](BytesIO(FORMATS.find(name).text(workflow).encode()))

    assert graph.is_directed()
    assert list(graph.nodes) == list(workflow.names)
    assert set(graph.edges()) == set(map(tuple, workflow.to_dict()["arcs"]))
    for task, (_, known) in enumerate(graph.nodes(data=True)):
        found = known["run_time"], known["size"], known["priority"]
        assert found == (0.5 + task, task, task - 2)


@pytest.mark.parametrize("name", GRAPHS)
@settings(max_examples=30)
@given(dag=dags(most_tasks=6))
def test_icsched_reads_what_networkx_writes(tmp_path_factory, name, dag):
    graph = named(dag).to_networkx()
    for task, node in enumerate(graph.nodes):
        graph.nodes[node].update(run_time=task / 4, size=10 * task, priority=-task, command="run x")
    path = tmp_path_factory.mktemp("nx") / "wf"
    WRITERS[name](graph, path)

    workflow = read(name, str(path))

    tasks = range(len(dag))
    assert workflow.whole == named(dag)
    if tasks:
        assert workflow.run_times.tolist() == [task / 4 for task in tasks]
        assert workflow.sizes.tolist() == [10 * task for task in tasks]
        assert workflow.priorities.tolist() == [-task for task in tasks]
        assert {command.argv for command in workflow.commands} == {("run", "x")}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", GRAPHS)
def test_networkx_reads_the_order_that_icsched_writes_into_its_file(name):
    graph = nx.DiGraph([("a", "b"), ("c", "d"), ("c", "e")])
    nx.set_node_attributes(graph, "red", "colour")
    WRITERS[name](graph, "wf")
    plan = prioritize(read(name, "wf").dag, ["c", "a", "b", "d", "e"])

    assert icsched.write("wf", plan, format=name) == ["wf"]

    again = READERS[name]("wf")
    assert dict(again.nodes(data="priority")) == {"c": 5, "a": 4, "b": 3, "d": 2, "e": 1}
    assert set(again.edges()) == set(graph.edges())
    assert dict(again.nodes(data="colour")) == dict.fromkeys("abcde", "red")
    assert icsched.write("wf", plan, format=name) == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", GRAPHS)
def test_attributes_that_icsched_does_not_use_are_told_by_name(name):
    """A size with a fraction is a drawing size, not bytes."""
    graph = nx.DiGraph([("a", "b", {"weight": 2.0})])
    nx.set_node_attributes(graph, 3.5, "size")
    WRITERS[name](graph, "wf")

    workflow = read(name, "wf")

    assert workflow.sizes is None
    told = {remark.text: remark.count for remark in workflow.remarks}
    assert told["icsched does not use attribute 'size'"] == 2
    if name == "graphml":  # networkx writes the weight of a GEXF edge into its tag
        assert told["icsched does not use attribute 'weight'"] == 1


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", GRAPHS)
def test_an_undirected_graph_of_networkx_is_refused(name):
    WRITERS[name](nx.Graph([("a", "b")]), "wf")

    with pytest.raises(FormatError, match=r"^wf:\d+: expected directed edges"):
        icsched.read("wf", format=name)


GRAPHML = '<graphml>\n{keys}<graph edgedefault="directed">\n{inside}</graph></graphml>'


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<node id='a'><graph/></node>", "expected one flat graph, got a second or nested graph"),
        ("<hyperedge/>", "expected edges of two nodes, got a hyperedge"),
        (
            "<node id='a'/><edge source='a' target='a' directed='false'/>",
            "expected directed edges, got an undirected one",
        ),
        ("<node id='a'/><edge source='a'/>", "expected two tasks, got one"),
    ],
)
def test_graphml_that_is_no_dag_is_one_line(inside, expected, put):
    put({"wf.graphml": GRAPHML.format(keys="", inside=inside)})

    with pytest.raises(FormatError) as caught:
        icsched.read("wf.graphml")

    assert str(caught.value) == f"wf.graphml:3: {expected}"


def test_a_default_of_graphml_holds_for_nodes_that_say_nothing(put):
    keys = (
        '<key id="d0" for="node" attr.name="run_time" attr.type="double"><default>2</default></key>'
        '<key id="priority" for="edge" attr.name="x" attr.type="int"/>'
    )
    inside = '<node id="a"/><node id="b"><data key="d0">5</data></node>'
    put({"wf.graphml": GRAPHML.format(keys=keys, inside=inside)})

    workflow = icsched.read("wf.graphml")
    icsched.write("wf.graphml", prioritize(workflow.dag, ["b", "a"]))

    assert workflow.run_times.tolist() == [2, 5]
    assert icsched.read("wf.graphml").priorities.tolist() == [1, 2]
    # The id "priority" belongs to an attribute of edges already.
    assert '<key id="priority2" for="node"' in Path("wf.graphml").read_text()


def test_a_description_stays_before_the_priority(put):
    node = '<node id="a"><desc>x</desc><port name="p"/></node>'
    put({"wf.graphml": GRAPHML.format(keys="", inside=node)})

    workflow = icsched.read("wf.graphml")
    icsched.write("wf.graphml", prioritize(workflow.dag, "fifo"))

    assert '<desc>x</desc><data key="priority">1</data><port' in Path("wf.graphml").read_text()
    assert [remark.text for remark in workflow.remarks] == ["icsched does not use ports of nodes"]


# As Nextflow writes it with -with-dag wf.gexf.
NEXTFLOW = """\
<?xml version='1.0' encoding='UTF-8'?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"
      xmlns:viz="http://www.gexf.net/1.2draft/viz">
<graph defaultedgetype="directed"><nodes>
<node label="FASTQC" id="p0"/><node label="ALIGN" id="p1"><viz:color r="1"/></node>
</nodes><edges><edge id="e0" source="p0" target="p1" label="reads"/></edges></graph></gexf>
"""


def test_a_graph_of_nextflow_is_read_and_ordered(put):
    put({"wf.gexf": NEXTFLOW})

    workflow = icsched.read("wf.gexf")
    icsched.write("wf.gexf", prioritize(workflow.dag, "fifo"))

    assert workflow.to_dict()["arcs"] == [["p0", "p1"]]
    assert list(workflow.describe()) == ["FASTQC", "ALIGN"]
    assert [remark.text for remark in workflow.remarks] == ["icsched does not use <color> elements"]
    assert icsched.read("wf.gexf").priorities.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<node id="a"><nodes><node id="b"/></nodes></node>', "expected a flat graph, got a node"),
        ('<edge source="a" target="b" type="mutual"/>', "got one of type 'mutual'"),
    ],
)
def test_gexf_that_is_no_dag_is_one_line(inside, expected, put):
    put({"wf.gexf": f'<gexf><graph defaultedgetype="directed">\n{inside}</graph></gexf>'})

    with pytest.raises(FormatError, match=rf"^wf.gexf:2: .*{expected}"):
        icsched.read("wf.gexf")


def test_a_default_of_gexf_holds_and_a_hierarchy_is_told(put):
    attributes = (
        '<attributes class="node"><attribute id="0" title="size" type="long">'
        "<default>9</default></attribute></attributes>"
    )
    value = '<attvalues><attvalue id="0" value="1"/></attvalues>'
    nodes = f'<node id="a"/><node id="b" pid="a">{value}</node>'
    put({"wf.gexf": f"<gexf>{GRAPH}{attributes}<nodes>{nodes}</nodes></graph></gexf>"})

    workflow = icsched.read("wf.gexf")

    assert workflow.sizes.tolist() == [9, 1]
    assert [remark.text for remark in workflow.remarks] == [
        "icsched does not use the hierarchy of nodes (pid)"
    ]


@pytest.mark.parametrize("name", GRAPHS)
def test_a_file_without_a_graph_is_one_line(name, put):
    put({"wf": f"<{name}/>"})

    with pytest.raises(FormatError, match=r"^wf: expected a graph, got none$"):
        icsched.read("wf", format=name)


def test_values_of_an_attribute_that_is_not_declared_stay_as_they_are(put):
    """The file uses the id "priority" without saying what it means; icsched takes another id."""
    node = '<node id="a"><data key="priority">high</data></node>'
    put({"wf.graphml": GRAPHML.format(keys="", inside=node)})
    value = '<attvalues><attvalue for="priority" value="high"/></attvalues>'
    graph = f'<graph defaultedgetype="directed"><nodes><node id="a">{value}</node></nodes></graph>'
    put({"wf.gexf": f"<gexf>{graph}</gexf>"})

    for path in ("wf.graphml", "wf.gexf"):
        icsched.write(path, prioritize(Dag({"a": []}), "fifo"))
        assert icsched.read(path).priorities.tolist() == [1]
        assert "high" in Path(path).read_text()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gexf", '<attvalue for="x{}" value="1"/>'),
        ("graphml", '<data key="x{}">1</data>'),
    ],
)
def test_of_many_unused_attributes_ten_are_named_and_the_others_counted(name, value, put):
    values = "".join(value.format(number) for number in range(500))
    put({"wf.xml": FILES[name](["a"], []).replace('"a"/>', f'"a">{values}</node>')})

    found = {remark.text: remark.count for remark in read(name, "wf.xml").remarks}

    named = {f"icsched does not use attribute 'x{number}'": 1 for number in range(10)}
    assert found == {**named, "icsched does not use other attributes": 490}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "graphml",
            '<graphml>\n<key id="k" for="node" attr.name="cost" attr.type="int"/>\n'
            '<graph edgedefault="directed">\n<node id="a">\n<data key="k">1</data></node>\n'
            '<node id="b"><data key="k">2</data></node></graph></graphml>',
        ),
        (
            "gexf",
            '<gexf><graph defaultedgetype="directed"><attributes class="node">\n'
            '<attribute id="k" title="cost" type="integer"/></attributes>\n'
            '<nodes><node id="a">\n<attvalues><attvalue for="k" value="1"/></attvalues></node>\n'
            '<node id="b"><attvalues><attvalue for="k" value="2"/></attvalues></node>\n'
            "</nodes></graph></gexf>",
        ),
    ],
)
def test_a_remark_names_the_line_that_declares_an_attribute(name, text, put):
    put({"wf.xml": text})

    [remark] = read(name, "wf.xml").remarks

    assert remark == Remark("wf.xml", 2, "icsched does not use attribute 'cost'", 2)


def test_labels_say_which_tasks_are_of_one_kind(put):
    """The names alone, n0 to n2, would make them all one kind."""
    labels = dict(zip(("n0", "n1", "n2"), ("map", "sort", "map"), strict=True))
    key = '<key id="k" for="node" attr.name="label" attr.type="string"/>'
    data = "".join(f'<node id="{n}"><data key="k">{v}</data></node>' for n, v in labels.items())
    nodes = "".join(f'<node id="{n}" label="{v}"/>' for n, v in labels.items())
    put({"wf.graphml": GRAPHML.format(keys=key, inside=data)})
    put({"wf.gexf": f"<gexf>{GRAPH}<nodes>{nodes}</nodes></graph></gexf>"})

    assert icsched.read("wf.graphml").kinds.tolist() == [0, 1, 0]
    assert icsched.read("wf.gexf").kinds.tolist() == [0, 1, 0]
