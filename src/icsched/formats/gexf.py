"""GEXF files: nodes are tasks, and directed edges go from parents to children."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from icsched.files import Change
from icsched.formats.attributes import Attributes
from icsched.formats.entry import NoOptions
from icsched.formats.found import shown_facts
from icsched.formats.markup import attribute, content, is_text, read_document
from icsched.formats.nodes import Nodes, Places, places_of, written_rows
from icsched.workflow import Workflow

_SPACE = "http://www.gexf.net/1.2draft"
_TYPES = {"run_time": "double", "size": "long", "priority": "integer", "done": "boolean"}
_KNOWN = frozenset({"meta", "creator", "description", "keywords", "nodes", "edges", "default"})
_ATTRIBUTE, _VALUE = "attribute", "attvalue"


class _Reader:
    """Goes through a GEXF file once."""

    def __init__(self, path: str) -> None:
        self.document = read_document(path)
        self.nodes = Nodes(self.document)
        self.graph = -1  # the offset of its tag
        self.list = -1  # the offset of a list of attributes of nodes
        self.is_directed = False
        self.owner = ""  # "node", "edge" or "" for what else is open
        self.of_nodes = False  # whether the open list of attributes is of nodes
        self.attributes = Attributes(self.nodes)
        self.hierarchy = 0

    def read(self) -> Workflow[str]:
        remarks = self.document.walk(
            "gexf",
            {
                "graph": self._graph,
                "attributes": self._attributes,
                _ATTRIBUTE: self._attribute,
                "node": self._node,
                "edge": self._edge,
                "attvalues": self._attvalues,
                _VALUE: self._attvalue,
            },
            {
                _ATTRIBUTE: self._attribute_closed,
                "default": self.attributes.default,
                "node": self._closed,
                "edge": self._closed,
            },
            texts=frozenset({"default"}),
            known=_KNOWN,
        )
        self.nodes.check_graph(self.graph, is_directed=self.is_directed)
        self.nodes.remark_all(remarks)
        self.attributes.finish()
        hierarchy = "icsched does not use the hierarchy of nodes (pid)"
        self.nodes.remarks.add(hierarchy, self.hierarchy)
        head = self.graph if self.list < 0 else self.list
        return self.nodes.workflow("gexf", self.attributes.places(self.graph, head))

    def _graph(self, given: Mapping[str, str], at: int) -> None:
        if self.graph >= 0:
            raise self.document.error(at, "expected one flat graph, got a second or nested graph")
        self.graph = at
        self.is_directed = given.get("defaultedgetype", "undirected") == "directed"

    def _attributes(self, given: Mapping[str, str], at: int) -> None:
        self.of_nodes = given.get("class") == "node"
        if self.of_nodes and given.get("mode", "static") == "static" and self.list < 0:
            self.list = at

    def _attribute(self, given: Mapping[str, str], at: int) -> None:
        if self.of_nodes:
            key, name = given.get("id", ""), given.get("title", "")
            self.attributes.declare(key, name, given.get("type"), at, _ATTRIBUTE)

    def _attribute_closed(self, _: str, __: int) -> None:
        self.attributes.close()

    def _node(self, given: Mapping[str, str], at: int) -> None:
        if self.owner == "node":
            self._refuse_nested(at)
        task = self.nodes.add(given.get("id"), at, "node")
        self.owner = "node"
        if given.get("label"):
            self.nodes.kinds[task] = given["label"]
        self.hierarchy += "pid" in given

    def _refuse_nested(self, at: int) -> NoReturn:
        raise self.document.error(at, "expected a flat graph, got a node inside a node")

    def _edge(self, given: Mapping[str, str], at: int) -> None:
        if self.owner == "node":
            self._refuse_nested(at)
        kind = given.get("type", "directed" if self.is_directed else "undirected")
        if kind != "directed":
            raise self.document.error(at, f"expected directed edges, got one of type {kind!r}")
        self.nodes.add_arc(given.get("source"), given.get("target"), at)
        self.owner = "edge"

    def _closed(self, _: str, __: int) -> None:
        self.owner = ""

    def _attvalues(self, _: Mapping[str, str], at: int) -> None:
        if self.owner == "node" and self.nodes.leads[-1] < 0:
            self.nodes.leads[-1] = at

    def _attvalue(self, given: Mapping[str, str], at: int) -> None:
        key = given.get("for", given.get("id", ""))  # version 1.0 says id
        fact = self.attributes.fact(key)
        if self.owner == "node" and fact is not None:
            self.nodes.say(fact, len(self.nodes) - 1, given.get("value", ""), at)
            span = self.document.tag(at).value_of("value") if fact == "priority" else None
            if span:
                self.nodes.starts[-1], self.nodes.stops[-1] = span
        elif self.owner:
            self.attributes.pass_over(key, is_of_node=self.owner == "node")


def read_gexf(paths: Sequence[str], _: NoOptions) -> Workflow[str]:
    """Return the workflow in a GEXF file; the id of a node is the name of the task."""
    return _Reader(paths[0]).read()


def changes(workflow: Workflow, order: Sequence[int]) -> list[Change]:
    """Return the change that writes an order as the attribute "priority" of nodes."""
    places = places_of(workflow)
    document, prefix = places.document, places.prefix
    more = [] if places.has_key else [document.inserted(places.head, _declaration(places))]
    name, key = f"{prefix}{_VALUE}", attribute("for", places.key)

    def new(task: int, value: int) -> tuple[int, int, str]:
        inside = f'<{name}{key} value="{value}"/>'
        if places.leads[task] >= 0:
            return document.inserted(places.leads[task], inside)
        both = f"<{prefix}attvalues>{inside}</{prefix}attvalues>"
        return document.inserted(places.tags[task], both)

    return [places.change(workflow, order, new, more)]


def _declaration(places: Places) -> str:
    """Return the declaration of the attribute, in a list of its own if the file has no list."""
    prefix = places.prefix
    given = {"id": places.key, "title": "priority", "type": "integer"}
    told = "".join(attribute(name, value) for name, value in given.items())
    declared = f"<{prefix}{_ATTRIBUTE}{told}/>"
    if places.document.tag(places.head).name.removeprefix(prefix) == "attributes":
        return declared
    return f'<{prefix}attributes class="node">{declared}</{prefix}attributes>'


def gexf_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return a workflow as GEXF."""
    rows = written_rows(workflow, path)
    names = [name for name, _ in rows]
    declared = [
        f'      <attribute id="{fact}" title="{fact}" type="{_TYPES.get(fact, "string")}"/>\n'
        for fact in shown_facts(facts for _, facts in rows)
    ]
    if declared:
        declared = ['    <attributes class="node">\n', *declared, "    </attributes>\n"]
    about = content(title) if is_text(title) else ""
    edges = [
        f'      <edge id="{number}"{attribute("source", names[a])}'
        f"{attribute('target', names[b])}/>\n"
        for number, (a, b) in enumerate(workflow.whole.arcs.tolist())
    ]
    return "".join(
        [
            f'<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="{_SPACE}" version="1.2">\n',
            f"  <meta><description>{about}</description></meta>\n" if about else "",
            '  <graph mode="static" defaultedgetype="directed">\n',
            *declared,
            "    <nodes>\n",
            *(_node(name, facts) for name, facts in rows),
            "    </nodes>\n    <edges>\n",
            *edges,
            "    </edges>\n  </graph>\n</gexf>\n",
        ]
    )


def _node(name: str, facts: Mapping[str, str]) -> str:
    said = [f'<{_VALUE} for="{fact}"{attribute("value", v)}/>' for fact, v in facts.items()]
    tag = f"      <node{attribute('id', name)}{attribute('label', name)}"
    return f"{tag}><attvalues>{''.join(said)}</attvalues></node>\n" if said else f"{tag}/>\n"
