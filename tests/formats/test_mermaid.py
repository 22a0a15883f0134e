"""Flowcharts of Mermaid."""

import pytest

import icsched
from icsched import FormatError, Workflow


@pytest.fixture
def read(put):
    def reader(text):
        put({"wf.mmd": text})
        return icsched.read("wf.mmd")

    return reader


def arcs(workflow: Workflow) -> set[tuple[str, str]]:
    names = workflow.names
    return {(names[parent], names[child]) for parent, child in workflow.whole.arcs.tolist()}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a --> b --> c", {"ab", "bc"}),
        ("a-->b;b-->c", {"ab", "bc"}),
        ("a & b --> c & d", {"ac", "ad", "bc", "bd"}),
        ("a ----> b\n b -.-> c\n c ==> d", {"ab", "bc", "cd"}),
        ("a -->|yes| b -- no --> c", {"ab", "bc"}),
        ('a -- "x --> y" --> b == z ==> c -. w .-> d', {"ab", "bc", "cd"}),
        ("a --x b --o c", {"ab", "bc"}),
        ("a e1@--> b\n e1@{ animate: true }", {"ab"}),
        ("a ~~~ b", set()),
        ("a[one] --> b(two) --> c([three])", {"ab", "bc"}),
        ('a["x ] --> z"] --> b{four}', {"ab"}),
        ("a[[x]] --> b[(x)]; b --> c((x)) --> d(((x)))", {"ab", "bc", "cd"}),
        ("a>x] --> b{{x}} --> c[/x/] --> d[\\x\\]", {"ab", "bc", "cd"}),
        ("a[/x\\] --> b[\\x/]", {"ab"}),
        ('a@{ shape: rect, label: "}" } --> b:::wide', {"ab"}),
        ("a --> b %% a --> z\n%% a --> y\n", {"ab"}),
        ("style a fill:#f9f\nclassDef x fill:red;\nclass a x\nclick a call f()\na --> b", {"ab"}),
        ("direction LR\nlinkStyle 0 stroke:red\naccTitle: t\naccDescr { x\ny }\na --> b", {"ab"}),
        ("subgraph s [Title]\na\nb\nend\ns --> c", {"ac", "bc"}),
        ("c --> s\nsubgraph s\ndirection TB\na --> b\nend", {"ca", "cb", "ab"}),
        ("subgraph s\nsubgraph t\na\nend\nb\nend\ns --> c", {"ac", "bc"}),
        ("%% subgraph b\na --> b", {"ab"}),
        ('a["subgraph b"] --> b', {"ab"}),
        ("a -->|subgraph b| b", {"ab"}),
        ('subgraph " "\na\nend\nsubgraph " "\nb\nend\na --> b', {"ab"}),
    ],
)
def test_links_go_from_parents_to_children(read, body, expected):
    assert arcs(read(f"flowchart TD\n{body}\n")) == {(pair[0], pair[1]) for pair in expected}


@pytest.mark.parametrize(
    "header",
    [
        "graph LR;",
        "flowchart\n",
        "\ufeffflowchart RL\n",
        "---\ntitle: DAG\n---\nflowchart TB\n",
        "%%{init: {'theme': 'dark'}}%%\n%% drawn\n  graph BT\n",
        "flowchart-elk TD\r\n",
    ],
)
def test_a_flowchart_may_begin_in_many_ways(read, header):
    assert arcs(read(f"{header}a --> b")) == {("a", "b")}


def test_a_link_to_or_from_an_empty_subgraph_gets_a_remark(read):
    workflow = read("graph TD\nsubgraph s\nend\na --> s\ns --> b\n")

    assert arcs(workflow) == set()
    told = [(remark.line, remark.count, remark.text) for remark in workflow.remarks]
    assert told == [(4, 2, "an edge to or from an empty subgraph is no dependency")]


def test_the_rules_of_snakemake_are_kinds(read):
    workflow = read(
        "---\ntitle: DAG\n---\nflowchart TB\n\tid0[all]\n\tid1[plot - sample: A]\n"
        "\tid2[plot - sample: B]\n\tstyle id0 fill:#D95757,stroke-width:2px,color:#333333\n"
        "\tid1 --> id0\n\tid2 --> id0\n"
    )

    assert arcs(workflow) == {("id1", "id0"), ("id2", "id0")}
    assert workflow.describe() == ["all", "plot", "plot"]


def test_the_subgraphs_and_operators_of_nextflow_are_read(read):
    workflow = read(
        'flowchart TB\n    subgraph " "\n    v0["Channel.fromPath"]\n    end\n'
        "    subgraph RNASEQ [RNASEQ]\n    v1([INDEX])\n    v2(( ))\n"
        "    subgraph RNASEQ:QC [QC]\n    v3([FASTQC])\n    end\n    end\n"
        "    v0 --> v1\n    v1 --> v2\n    v2 --> v3\n"
    )

    assert arcs(workflow) == {("v0", "v1"), ("v1", "v2"), ("v2", "v3")}
    assert workflow.describe() == ["Channel.fromPath", "INDEX", "", "FASTQC"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "",
            "1: expected flowchart or graph, with a direction such as TD, got the end of the line",
        ),
        (
            "sequenceDiagram\na->>b: x",
            "1: expected flowchart or graph, with a direction such as TD, got 'sequenceDiagram'",
        ),
        ("graph TD\na --- b", "2: expected an arrow with one head, such as -->, got '--- b'"),
        ("graph TD\na <--> b", "2: expected an arrow with one head, such as -->, got '<--> b'"),
        ("graph TD\na -- x --- b", None),
        ("graph TD\na -->", "2: expected a node, got the end of the line"),
        ("graph TD\na b", "2: expected an arrow with one head, such as -->, got 'b'"),
        ("graph TD\na[x --> b\n]", "2: expected the ] that ends this shape"),
        ('graph TD\na["x --> b]', None),
        ("graph TD\nsubgraph s\na\n", "2: expected the end of this subgraph"),
        (
            "graph TD\na e1@--> b\ne1@{ animate: true } --> c",
            "3: expected a node at each end of a link, got a link",
        ),
        (b"graph TD\n\xe9", "2: expected UTF-8 text, got byte 0xe9"),
        ("graph TD\na --> a", "2: dependency cycle: a -> a"),
        ("graph TD\nsubgraph s\ns --> a\nend", "3: dependency cycle: a -> a"),
    ],
)
def test_a_bad_file_is_one_line(read, text, problem):
    with pytest.raises(FormatError) as caught:
        read(text)

    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith("wf.mmd:2: ") if problem is None else said == f"wf.mmd:{problem}"
