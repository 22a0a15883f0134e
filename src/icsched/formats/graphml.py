"""GraphML files: nodes are tasks, and directed edges go from parents to children."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from icsched.files import Change
from icsched.formats.attributes import Attributes
from icsched.formats.entry import NoOptions
from icsched.formats.found import shown_facts
from icsched.formats.markup import attribute, content, is_text, read_document
from icsched.formats.nodes import Nodes, places_of, written_rows
from icsched.workflow import Workflow

_SPACE = "http://graphml.graphdrawing.org/xmlns"
_TYPES = {"run_time": "double", "size": "long", "priority": "int", "done": "boolean"}
_KNOWN = frozenset({"graphml", "graph", "node", "edge", "data", "key", "desc", "default"})


class _Reader:
    """Goes through a GraphML file once."""

    def __init__(self, path: str) -> None:
        self.document = read_document(path)
        self.nodes = Nodes(self.document)
        self.graph = -1  # the offset of its tag
        self.is_directed = True
        self.attributes = Attributes(self.nodes)
        self.owner = ""  # "node", "edge" or "" for what else is open
        self.data: tuple[str, int] | None = None  # the key and the offset of open data
        self.desc = -1  # the offset of an open description
        self.ports = 0

    def read(self) -> Workflow[str]:
        remarks = self.document.walk(
            "graphml",
            {
                "key": self._key,
                "graph": self._graph,
                "node": self._node,
                "edge": self._edge,
                "data": self._data,
                "desc": self._desc,
                "port": self._port,
                "hyperedge": self._hyperedge,
            },
            {
                "key": self._key_closed,
                "default": self.attributes.default,
                "node": self._closed,
                "edge": self._closed,
                "desc": self._desc_closed,
                "data": self._data_closed,
            },
            texts=frozenset({"data", "default"}),
            known=_KNOWN,
        )
        self.nodes.check_graph(self.graph, is_directed=self.is_directed)
        self.nodes.remark_all(remarks)
        self.attributes.finish()
        self.nodes.remarks.add("icsched does not use ports of nodes", self.ports)
        return self.nodes.workflow("graphml", self.attributes.places(self.graph, self.graph))

    def _key(self, given: Mapping[str, str], at: int) -> None:
        is_of_nodes = given.get("for", "all") in ("node", "all")
        kind = given.get("attr.type", "string") if is_of_nodes else None
        self.attributes.declare(given.get("id", ""), given.get("attr.name", ""), kind, at, "key")

    def _key_closed(self, _: str, __: int) -> None:
        self.attributes.close()

    def _graph(self, given: Mapping[str, str], at: int) -> None:
        if self.graph >= 0:
            raise self.document.error(at, "expected one flat graph, got a second or nested graph")
        self.graph = at
        self.is_directed = given.get("edgedefault", "directed") == "directed"

    def _node(self, given: Mapping[str, str], at: int) -> None:
        self.nodes.add(given.get("id"), at, "node")
        self.owner = "node"

    def _edge(self, given: Mapping[str, str], at: int) -> None:
        directed = given.get("directed")
        is_directed = self.is_directed if directed is None else directed in ("true", "1")
        if not is_directed:
            raise self.document.error(at, "expected directed edges, got an undirected one")
        self.nodes.add_arc(given.get("source"), given.get("target"), at)
        self.owner = "edge"

    def _closed(self, _: str, __: int) -> None:
        self.owner = ""

    def _port(self, _: Mapping[str, str], __: int) -> None:
        self.ports += 1

    def _hyperedge(self, _: Mapping[str, str], at: int) -> NoReturn:
        raise self.document.error(at, "expected edges of two nodes, got a hyperedge")

    def _desc(self, _: Mapping[str, str], at: int) -> None:
        self.desc = at

    def _desc_closed(self, _: str, at: int) -> None:
        if self.owner == "node" and self.nodes.leads[-1] < 0:
            self.nodes.leads[-1] = self.document.end_of(self.desc, at)

    def _data(self, given: Mapping[str, str], at: int) -> None:
        self.data = given.get("key", ""), at

    def _data_closed(self, text: str, at: int) -> None:
        if self.data is None:
            return
        (key, begin), self.data = self.data, None
        fact = self.attributes.fact(key)
        if self.owner == "node" and fact is not None:
            self.nodes.say(fact, len(self.nodes) - 1, text, begin)
            if fact == "priority":
                self._place_priority(begin, at)
        elif self.owner:
            self.attributes.pass_over(key)
            if self.owner == "node" and self.attributes.name(key) == "label":
                self.nodes.kinds[len(self.nodes) - 1] = text

    def _place_priority(self, begin: int, end: int) -> None:
        tag = self.document.tag(begin)
        self.nodes.starts[-1], self.nodes.stops[-1] = tag.stop, end


def read_graphml(paths: Sequence[str], _: NoOptions) -> Workflow[str]:
    """Return the workflow in a GraphML file; the id of a node is the name of the task."""
    return _Reader(paths[0]).read()


def changes(workflow: Workflow, order: Sequence[int]) -> list[Change]:
    """Return the change that writes an order as the attribute "priority" of nodes."""
    places = places_of(workflow)
    document, prefix, key = places.document, places.prefix, places.key
    more = []
    if not places.has_key:
        given = {"id": key, "for": "node", "attr.name": "priority", "attr.type": "int"}
        told = "".join(attribute(name, value) for name, value in given.items())
        blanks = document.blanks_before(places.head)
        more = [(places.head, places.head, f"<{prefix}key{told}/>{blanks}")]
    opening, closing = f"<{prefix}data{attribute('key', key)}>", f"</{prefix}data>"
    return [
        places.change(
            workflow,
            order,
            lambda task, value: document.inserted(
                places.tags[task], f"{opening}{value}{closing}", after=places.leads[task]
            ),
            more,
        )
    ]


def graphml_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return a workflow as GraphML."""
    rows = written_rows(workflow, path)
    names = [name for name, _ in rows]
    keys = [
        f'  <key id="{fact}" for="node" attr.name="{fact}"'
        f' attr.type="{_TYPES.get(fact, "string")}"/>\n'
        for fact in shown_facts(facts for _, facts in rows)
    ]
    graph_id = attribute("id", title) if title and is_text(title) else ""
    nodes = [_node(name, facts) for name, facts in rows]
    edges = [
        f"    <edge{attribute('source', names[a])}{attribute('target', names[b])}/>\n"
        for a, b in workflow.whole.arcs.tolist()
    ]
    return "".join(
        [
            f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_SPACE}">\n',
            *keys,
            f'  <graph{graph_id} edgedefault="directed">\n',
            *nodes,
            *edges,
            "  </graph>\n</graphml>\n",
        ]
    )


def _node(name: str, facts: Mapping[str, str]) -> str:
    said = [f'      <data key="{fact}">{content(v)}</data>\n' for fact, v in facts.items()]
    tag = f"    <node{attribute('id', name)}"
    return f"{tag}>\n{''.join(said)}    </node>\n" if said else f"{tag}/>\n"
