"""Graphviz files: what they say."""

import pytest

import icsched
from icsched import Dag, FormatError, Workflow
from icsched.formats import FORMATS
from icsched.run_times import Origin
from icsched.workflow import Command


@pytest.fixture
def read(put):
    def reader(text):
        put({"wf.dot": text})
        return icsched.read("wf.dot")

    return reader


@pytest.fixture
def complaint(read):
    def complain(text):
        with pytest.raises(FormatError) as caught:
            read(text)
        return str(caught.value)

    return complain


def arcs(workflow: Workflow) -> set[tuple[str, str]]:
    names = workflow.names
    return {(names[parent], names[child]) for parent, child in workflow.dag.arcs.tolist()}


# What a digraph says


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a -> b -> c", {("a", "b"), ("b", "c")}),
        ("a -> b; a -> b", {("a", "b")}),
        ("a -> {b c} -> d", {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}),
        ("{a b} -> c, d", None),
        ("{a {b}} -> c", {("a", "c"), ("b", "c")}),
        ("subgraph S {a b} a -> b c; subgraph S -> c", {("a", "b"), ("a", "c"), ("b", "c")}),
        ("subgraph S {a} subgraph S {b} -> c", {("a", "c"), ("b", "c")}),
        ("a:out:n -> b:in", {("a", "b")}),
        ('"a" -> b; a -> "b"', {("a", "b")}),
        ("a -> A", {("a", "A")}),
        ('"x" + "y" -> b', {("xy", "b")}),
        ('"x\\"y" -> b', {('x"y', "b")}),
        ('"x\\\ny" -> b', {("xy", "b")}),
        (r'"x\ny" -> b', {(r"x\ny", "b")}),
        ("<<b>x</b>> -> b", {("<<b>x</b>>", "b")}),
        ("<a<!-- > -->> -> b", {("<a<!-- > -->>", "b")}),
        ("-1.5 -> .5 // c\n/* a -> z */ .5 -> 7.", {("-1.5", ".5"), (".5", "7.")}),
        ("a -> b\n# a -> z\n", {("a", "b")}),
        ("é -> ü", {("é", "ü")}),
        ("NODE [shape=box] Edge [color=red] GRAPH [dpi=9] rank=same; a -> b", {("a", "b")}),
        ('a -> b [label="x -> y", weight=3][color=red];;', {("a", "b")}),
    ],
)
def test_edges_go_from_parents_to_children(read, complaint, body, expected):
    if expected is None:
        assert complaint(f"digraph {{{body}}}") == "wf.dot:1: expected a statement, got ','"
    else:
        assert arcs(read(f"strict digraph G {{{body}}}")) == expected


def test_tasks_have_ids_in_the_order_of_their_first_mention(read):
    assert read("digraph {c -> a; b; subgraph {d}}").names == ("c", "a", "b", "d")


def test_attributes_of_nodes_are_facts_of_tasks(read):
    workflow = read(
        "digraph { a [run_time=2.5, size=10, priority=-3, command=\"sort 'my file'\"]\n"
        ' b [run_time=4; size="20" priority=7 command="env", done=false, stdout=out]; a -> b }'
    )

    assert workflow.run_times.tolist() == [2.5, 4]
    assert workflow.sizes.tolist() == [10, 20]
    assert workflow.priorities.tolist() == [-3, 7]
    assert workflow.commands == (Command(("sort", "my file")), Command(("env",), stdout="out"))


def test_defaults_are_for_nodes_that_come_later_in_their_braces(read):
    workflow = read(
        "digraph { a; node [run_time=2]; b; { node [run_time=3]; c; a }; d [run_time=9]; e }"
    )

    known = dict(zip(workflow.names, workflow.run_times.tolist(), strict=True))
    assert {name: known[name] for name in "bcde"} == {"b": 2, "c": 3, "d": 9, "e": 2}
    assert workflow.run_time_origins[0] == Origin.ALL  # a has none of its own


def test_a_task_that_is_done_is_not_left_to_run(read):
    workflow = read("digraph { a [done=true]; a -> b }")

    assert workflow.residual.names == ("b",)


def test_attributes_that_nobody_draws_get_one_remark_each(read):
    workflow = read("digraph {\na [mem=3, color=red]\nb [mem=4]; a -> b [bytes=9]}")

    told = [(remark.line, remark.count, remark.text) for remark in workflow.remarks]
    assert told == [
        (2, 2, "icsched does not read the node attribute 'mem'"),
        (3, 1, "icsched does not read the edge attribute 'bytes'"),
    ]


# What Snakemake and Nextflow draw

SNAKEMAKE = r"""digraph snakemake_dag {
    graph[bgcolor=white, margin=0];
    node[shape=box, style=rounded, fontname=sans,                 fontsize=10, penwidth=2];
    edge[penwidth=2, color=grey];
	0[label = "all", color = "0.00 0.6 0.85", style="rounded"];
	1[label = "plot\nsample: A", color = "0.44 0.6 0.85", style="rounded,dashed"];
	2[label = "plot\nsample: B", color = "0.44 0.6 0.85", style="rounded"];
	3[label = "get", color = "0.22 0.6 0.85", style="rounded"];
	1 -> 0
	2 -> 0
	3 -> 1
	3 -> 2
}
"""

FILEGRAPH = """digraph snakemake_dag {
    graph[bgcolor=white, margin=0];
0 [ shape=none, margin=0, label=<<table border="2" color="#D95757" cellborder="0">
<tr><td>
<b><font point-size="18">all</font></b>
</td></tr>
<hr/>
<tr><td align="left"> <b><font point-size="14">&#8618; input</font></b> </td></tr>
</table>>]
1 [ shape=none, margin=0, label=<<table border="2" color="#57D9AD" cellborder="0">
<tr><td>
<b><font point-size="18">plot</font></b>
</td></tr>
<tr><td align="right"> <b><font point-size="14">output &rarr;</font></b> </td> </tr>
</table>>]
	1 -> 0
}
"""

NEXTFLOW = """digraph "dag" {
p0 [shape=point,label="",fixedsize=true,width=0.1,xlabel="Channel.fromPath"];
p1 [label="INDEX"];
p0 -> p1 [label="reads"];

p1 [label="INDEX"];
p2 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="collect"];
p1 -> p2;

p2 [shape=circle,label="",fixedsize=true,width=0.1,xlabel="collect"];
p3 [label="MERGE"];
p2 -> p3;
}
"""


def test_the_rules_of_snakemake_are_kinds(read):
    workflow = read(SNAKEMAKE)

    assert arcs(workflow) == {("1", "0"), ("2", "0"), ("3", "1"), ("3", "2")}
    assert workflow.source.descriptions() == ["all", "plot", "plot", "get"]
    assert workflow.kinds.tolist() == [0, 1, 1, 2]
    assert workflow.remarks == ()


def test_the_html_tables_of_a_file_graph_are_labels(read):
    workflow = read(FILEGRAPH)

    assert arcs(workflow) == {("1", "0")}
    assert workflow.source.descriptions() == ["all", "plot"]


def test_channels_and_operators_of_nextflow_take_no_time(read):
    workflow = read(NEXTFLOW)

    timed = workflow.with_run_times(icsched.RunTimeTable(("p1",), [8.0]))
    assert arcs(workflow) == {("p0", "p1"), ("p1", "p2"), ("p2", "p3")}
    assert timed.run_times.tolist() == [0, 8, 0, 8]


# What is refused


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1: expected digraph, got the end of the file"),
        ("graph {\na -- b}", "1: expected a digraph, got a graph: its edges have no direction"),
        ("digraph {\na -- b}", "2: expected -> in a digraph, got '--'"),
        ("digraph {\na -> ; b}", "2: expected a node or a subgraph after ->, got ';'"),
        ("digraph {\na -> }", "2: expected a node or a subgraph after ->, got '}'"),
        (
            "digraph {\n\na [x=1",
            "3: expected the name of an attribute or ], got the end of the file",
        ),
        ("digraph {\n{ {a}\n", "2: expected the } that ends these braces"),
        ('digraph {\na -> "b\n\n}', '2: expected the " that ends this string'),
        ("digraph {\na /* b\n\n}", "2: expected the */ that ends this comment"),
        ("digraph {\na [label=<b<i>]\n}", "2: expected the > that ends this HTML string"),
        ("digraph {\na <!-- }", "2: expected the > that ends this HTML string"),
        ("digraph {\n<a<!-- > }", "2: expected the --> that ends this comment"),
        ("digraph {a}\ndigraph {b}", "2: expected one digraph in the file, got 'digraph'"),
        ("digraph {\na | b}", "2: expected a word of the DOT language, got '|'"),
        ('digraph {\n"a" + b}', "2: expected a string in double quotes after +, got 'b'"),
        (
            'digraph {<a>;\n"<a>"}',
            "2: two nodes are called '<a>', an HTML string and a string in quotes",
        ),
        (
            "digraph {a [\nrun_time=fast]}",
            "2: run_time of task 'a': expected seconds, got 'fast'",
        ),
        ("digraph {\na [run_time=-1]}", None),
        (
            "digraph {\na [size=1.5]}",
            f"2: size of task 'a': expected a whole number of bytes below {2**53:,}, got '1.5'",
        ),
        (
            "digraph {\na [priority=3000000000]}",
            "2: priority of task 'a': expected a whole number of 32 bits, got '3000000000'",
        ),
        ("digraph {\na [done=maybe]}", "2: done of task 'a': expected true or false, got 'maybe'"),
        ("digraph {\n\0}", "2: expected text, got a NUL byte"),
        (b"digraph {\n\xe9 -> b}", "2: expected UTF-8 text, got byte 0xe9"),
    ],
)
def test_a_bad_file_is_one_line(complaint, text, problem):
    said = complaint(text)

    assert "\n" not in said
    assert said.startswith("wf.dot:2: run_time") if problem is None else said == f"wf.dot:{problem}"


@pytest.mark.parametrize("body", ["a -> b -> a", "a -> a", "{a b} -> {b c}"])
def test_a_cycle_is_one_line(complaint, body):
    assert complaint(f"digraph {{{body}}}").startswith("wf.dot:1: dependency cycle: ")


def test_a_command_for_a_shell_is_refused_when_it_is_asked_for(read):
    workflow = read('digraph {\na;\nb [command="sort x | head"]}')

    with pytest.raises(FormatError) as caught:
        _ = workflow.commands
    assert str(caught.value) == (
        "wf.dot:3: command of task 'b': expected plain words without shell syntax,"
        " got 'sort x | head'"
    )


def test_a_mark_of_unicode_at_the_start_is_passed_over(read):
    assert read("\ufeffdigraph {a -> b}").names == ("a", "b")


def test_an_edge_to_or_from_an_empty_subgraph_gets_a_remark(read):
    workflow = read("digraph {\na -> {} -> b}")

    assert arcs(workflow) == set()
    told = [(remark.line, remark.count, remark.text) for remark in workflow.remarks]
    assert told == [(2, 2, "an edge to or from an empty subgraph is no dependency")]


def test_a_subgraph_that_is_opened_again_has_its_new_nodes_too(read):
    body = "subgraph x {a} -> d; subgraph x {subgraph y {b}} -> e; subgraph x {subgraph y {c}} -> f"

    assert arcs(read(f"digraph {{{body}}}")) == {
        ("a", "d"),
        ("a", "e"),
        ("b", "e"),
        ("a", "f"),
        ("b", "f"),
        ("c", "f"),
    }


@pytest.mark.parametrize("name", ["ends in \\", 'a\\"b', "a\\\nb"])
def test_a_name_that_graphviz_cannot_hold_is_refused(name):
    entry = FORMATS.find("dot")

    assert not entry.takes_name(name)
    with pytest.raises(FormatError, match="expected no backslash before a quote"):
        entry.text(Workflow(Dag({name: []})))
