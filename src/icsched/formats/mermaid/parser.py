"""Flowcharts of Mermaid as tasks and arcs."""

import re
from collections.abc import Sequence

from icsched.errors import FormatError
from icsched.formats.found import Found
from icsched.formats.groups import Group

_FRONT = re.compile(r"\ufeff?\s*---[ \t]*\r?\n(?:(?!---[ \t]*\r?$)[^\n]*+\n)*+---[ \t]*\r?$", re.M)
_SKIP = re.compile(r"(?:[\s;\ufeff]++|%%\{(?:[^}]|\}(?!%%))*+\}%%|%%(?!\{)[^\n]*+)*+")
_BLANKS = re.compile(r"[ \t]*+")
_HEADER = re.compile(
    r"(?:flowchart|graph)(?:-elk)?(?:[ \t]++(?:TB|TD|BT|RL|LR|[<>^v]))?[ \t]*+(?=;|\r?\n|\Z)"
)
_STYLE = re.compile(
    r"(?:style|class|classDef|click|linkStyle|direction|accTitle)\b(?![ \t]*+[-=&\[({])[^\n;]*+"
    r"|accDescr[ \t]*+(?::[^\n]*+|\{[^}]*+\})"
)
_SUBGRAPH = re.compile(r"subgraph\b[ \t]*+([^\n;]*+)")
_GROUP_NAME = re.compile(r"([^\s\[\]\"]+)[ \t]*+(?:\[.*\])?[ \t\r]*+")
_END = re.compile(r"end\b(?=[ \t]*+(?:;|\r?\n|%%|\Z))")
_ID = re.compile(r"(?:[^\W]|[.!$'*+?/\\`]|\#|-(?![-.>])|=(?!=))++")
_CLASS = re.compile(r":::[\w-]+")
_DATA = re.compile(r'@\{(?:[^"}]|"[^"]*")*+\}')
_DATA_LABEL = re.compile(r'label:\s*"([^"]*)"')
_QUOTED = re.compile(r'\s*"([^"]*)"\s*')

# How a link is written: with a head; with text and then a head; without a direction.
_EDGE_ID = re.compile(r"([\w.]++)@(?=[-=<~])")
_INVISIBLE = re.compile(r"~~~+")
_ARROW = re.compile(r"(?:--+|==+|-\.+-)[>ox](?![\w-])|(?:--+|==+|-\.+-)>")
_OPEN = re.compile(r"(?:[<ox](?:--|==|-\.)|---|===|-\.+-)[^\s\w]*")
_TEXTED = re.compile(
    r'--(?:\s*"[^"]*"\s*|(?:[^"\n-]|-(?!-))*+)--+[>ox]'
    r'|==(?:\s*"[^"]*"\s*|(?:[^"\n=]|=(?!=))*+)==+[>ox]'
    r'|-\.(?:\s*"[^"]*"\s*|(?:[^"\n.]|\.(?![.-]))*+)\.+-[>ox]'
)
_PLAIN = re.compile(r"(\w++)[ \t]*+-->[ \t]*+(\w++)(?=[ \t]*+(?:;|\r?\n|\Z))")  # most lines
_LABEL = re.compile(r'[ \t]*+\|(?:\s*"[^"]*"\s*|[^|"]*+)\|')
_FIRST_LINE = re.compile(r"<br|\\n|\n| - \w+: ")

_SHAPES = [  # longest first; some may end in two ways
    ("(((", (")))",)),
    ("((", ("))",)),
    ("([", ("])",)),
    ("[[", ("]]",)),
    ("[(", (")]",)),
    ("{{", ("}}",)),
    ("[/", ("/]", "\\]")),
    ("[\\", ("\\]", "/]")),
    ("(", (")",)),
    ("[", ("]",)),
    ("{", ("}",)),
    (">", ("]",)),
]


class Parser:
    """Reads one flowchart into a `Found`.

    An edge to or from a subgraph stands for edges of all its nodes. A subgraph may be written after
    its edges, so these edges are made last.
    """

    def __init__(self, found: Found) -> None:
        self._found, self._text = found, found.text
        self._place = 0
        self._groups: dict[str, Group] = {}
        self._open: list[tuple[Group, int]] = []
        self._edge_ids: set[str] = set()
        self._deferred: list[tuple[list[int | Group], list[int | Group], int]] = []

    def parse(self) -> None:
        """Read the file; raises FormatError for anything but a flowchart of directed links.

        A file with subgraphs is read twice, because an edge may name one that comes later.
        """
        if "subgraph" in self._text:
            first = Parser(Found(self._found.path, self._text))
            first._walk()
            self._groups = {name: Group() for name in first._groups}
        self._walk()
        for parents, children, place in self._deferred:
            self._found.arcs(parents, children, place)

    def _walk(self) -> None:
        front = _FRONT.match(self._text)
        self._place = front.end() if front else 0
        self._skip()
        if self._take(_HEADER) is None:
            raise self._unexpected("flowchart or graph, with a direction such as TD")
        self._skip()
        while self._place < len(self._text):
            self._statement()
            self._skip()
        if self._open:
            raise self._found.error(self._open[-1][1], "expected the end of this subgraph")

    # Text

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go past what *pattern* matches here."""
        match = pattern.match(self._text, self._place)
        if match is not None:
            self._place = match.end()
        return match

    def _skip(self) -> None:
        self._take(_SKIP)

    def _unexpected(self, expected: str) -> FormatError:
        line = self._text[self._place : self._place + 200].split("\n")[0].strip()[:40]
        got = repr(line) if line else "the end of the line"
        return self._found.error(self._place, f"expected {expected}, got {got}")

    # Statements

    def _statement(self) -> None:
        start = self._place
        plain = _PLAIN.match(self._text, start)
        if plain is not None and not self._groups and not self._open:
            self._place = plain.end()
            self._found.arc(self._found.task(plain[1]), self._found.task(plain[2]), start)
            return
        if self._take(_STYLE) is not None:
            return
        if (subgraph := self._take(_SUBGRAPH)) is not None:
            self._open_group(subgraph[1], start)
        elif self._open and self._take(_END) is not None:
            self._open.pop()
        else:
            self._links()

    def _open_group(self, title: str, start: int) -> None:
        name = _GROUP_NAME.fullmatch(title)
        group = Group() if name is None else self._groups.setdefault(name[1], Group())
        if self._open:
            self._open[-1][0].parts[group] = None
        self._open.append((group, start))

    def _links(self) -> None:
        """Read nodes and the links between them up to the end of the statement."""
        parents, place = self._nodes(), self._place
        self._take(_BLANKS)
        while not self._at_end():
            is_drawn = self._link()
            children = self._nodes()
            if is_drawn:
                self._join(parents, children, place)
            parents = children
            self._take(_BLANKS)

    def _at_end(self) -> bool:
        text, place = self._text, self._place
        return place >= len(text) or text[place] in ";\r\n" or text.startswith("%%", place)

    def _link(self) -> bool:
        """Go past a link; return whether it is more than a hint where to draw nodes."""
        if (name := self._take(_EDGE_ID)) is not None:
            self._edge_ids.add(name[1])
        is_hint = self._take(_INVISIBLE) is not None
        if not is_hint and self._take(_ARROW) is None:
            is_open = _OPEN.match(self._text, self._place) is not None
            if is_open or self._take(_TEXTED) is None:
                raise self._unexpected("an arrow with one head, such as -->")
        self._take(_LABEL)
        self._take(_BLANKS)
        return not is_hint

    def _join(
        self, parents: Sequence[int | Group], children: Sequence[int | Group], place: int
    ) -> None:
        if not parents or not children:
            raise self._found.error(place, "expected a node at each end of a link, got a link")
        [parent, *others], [child, *more] = parents, children
        if others or more or not isinstance(parent, int) or not isinstance(child, int):
            self._deferred.append(([*parents], [*children], place))
        else:
            self._found.arc(parent, child, place)

    # Nodes

    def _nodes(self) -> list[int | Group]:
        """Read a node, or several with & between them."""
        nodes = [self._node()]
        while True:
            self._take(_BLANKS)
            if not self._text.startswith("&", self._place):
                return [node for node in nodes if node is not None]
            self._place += 1
            self._skip()
            nodes.append(self._node())

    def _node(self) -> int | Group | None:
        name = self._take(_ID)
        if name is None:
            raise self._unexpected("a node")
        group = self._groups.get(name[0])
        if group is not None:
            self._take(_CLASS)
            return group
        data = self._take(_DATA)
        if data is not None and name[0] in self._edge_ids:
            return None
        task = self._found.task(name[0])
        if self._open:
            self._open[-1][0].tasks[task] = None
        label = self._label() if data is None else _DATA_LABEL.search(data[0])
        if label is not None:
            told = label if isinstance(label, str) else label[1]
            self._found.kinds[task] = _FIRST_LINE.split(told.strip(), maxsplit=1)[0].strip()
        self._take(_CLASS)
        return task

    def _label(self) -> str | None:
        """Read the shape of a node with its text; None if there is no shape."""
        start = self._place
        shape = next((s for s in _SHAPES if self._text.startswith(s[0], start)), None)
        if shape is None:
            return None
        opening, closings = shape
        self._place += len(opening)
        quoted = self._take(_QUOTED)
        if quoted is None:
            line_end = self._text.find("\n", self._place)
            stop = len(self._text) if line_end < 0 else line_end
            ends = [self._text.find(closing, self._place, stop) for closing in closings]
            is_open = self._text.startswith('"', self._place)  # a quote that does not end
            end = -1 if is_open else min((end for end in ends if end >= 0), default=-1)
        else:
            end = self._place if self._text.startswith(closings, self._place) else -1
        if end < 0:
            raise self._found.error(start, f"expected the {closings[0]} that ends this shape")
        text = quoted[1] if quoted else self._text[self._place : end]
        self._place = end + len(closings[0])
        return text
