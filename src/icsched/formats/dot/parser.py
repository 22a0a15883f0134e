"""Digraphs of the DOT language as tasks and arcs."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from icsched.formats.dot.tokens import END, HTML, KEYWORD, NAME, QUOTED, Tokens
from icsched.formats.facts import FACTS
from icsched.formats.found import Found

_OWN = frozenset({*FACTS, "label", "shape"})
_TEXTS = frozenset({"command", "directory", "stdin", "stdout", "stderr"})
_TAG = re.compile(r"<[^<>]*>")
_FIRST_LINE = re.compile(r"\\[nlr]|\n")
_MOST_GROUPED = 10_000_000  # arcs that edges between groups may stand for
_VISIT = 10  # entries that take as long as to go to a group
# The attributes that Graphviz knows: they say how a graph is drawn.
_DRAWING = """
_background area arrowhead arrowsize arrowtail bb beautify bgcolor center charset class cluster
clusterrank color colorscheme comment compound concentrate constraint Damping decorate
defaultdist dim dimen dir diredgeconstraints distortion dpi edgehref edgetarget edgetooltip
edgeURL epsilon esep fillcolor fixedsize fontcolor fontname fontnames fontpath fontsize
forcelabels gradientangle group head_lp headclip headhref headlabel headport headtarget
headtooltip headURL height href id image imagepath imagepos imagescale inputscale K label
label_scheme labelangle labeldistance labelfloat labelfontcolor labelfontname labelfontsize
labelhref labeljust labelloc labeltarget labeltooltip labelURL landscape layer layerlistsep
layers layerselect layersep layout len levels levelsgap lhead lheight linelength lp ltail lwidth
margin maxiter mclimit mindist minlen mode model newrank nodesep nojustify normalize notranslate
nslimit nslimit1 oneblock ordering orientation outputorder overlap overlap_scaling
overlap_shrink pack packmode pad page pagedir pencolor penwidth peripheries pin pos quadtree
quantum radius rank rankdir ranksep ratio rects regular remincross repulsiveforce resolution
root rotate rotation samehead sametail samplepoints scale searchsize sep shape shapefile
showboxes sides skew smoothing sortv splines start style stylesheet tail_lp tailclip tailhref
taillabel tailport tailtarget tailtooltip tailURL target TBbalance tooltip truecolor URL
vertices viewport voro_margin weight width xdotversion xlabel xlp z
"""
_DRAWN = frozenset(_DRAWING.split())


@dataclass(slots=True, eq=False)
class _Group:
    """A subgraph: the tasks that it mentions, and the subgraphs in it.

    `known` has its members once they were looked for. The parser forgets them when it adds
    something to the group, or to one of its parts.
    """

    tasks: dict[int, None] = field(default_factory=dict)
    parts: dict["_Group", None] = field(default_factory=dict)
    named: dict[str, "_Group"] = field(default_factory=dict)
    known: list[int] | None = None

    def members(self, count: Callable[[int], None]) -> list[int]:
        """Return each task of the group and of its parts once; *count* gets what is walked."""
        if self.known is not None:
            return self.known
        found: dict[int, None] = {}
        waiting, seen = [self], {self}
        while waiting:
            group = waiting.pop()
            count(_VISIT + len(group.tasks) + len(group.parts))
            found.update(group.tasks)
            parts = [part for part in group.parts if part not in seen]
            seen.update(parts)
            waiting += parts
        self.known = list(found)
        return self.known


@dataclass(slots=True)
class _Scope:
    """A pair of braces that is open; `last` is the end of the edge that is being read."""

    group: _Group
    defaults: dict[str, tuple[str, int]]
    start: int
    last: int | _Group | None = None


class Parser:
    """Reads one digraph into a `Found`.

    Subgraphs are a stack and not calls: a file may nest 100,000 of them.
    """

    def __init__(self, found: Found) -> None:
        self.found = found
        self._tokens = Tokens(found.text, found.error)
        self._scopes: list[_Scope] = []
        self._html_names: set[str] = set()
        self._other_names: set[str] = set()
        self._grouped = 0

    def parse(self) -> None:
        """Read the file; raises FormatError for what Graphviz would refuse, and for a graph."""
        self._header()
        while self._scopes:
            self._statement()
        if self._tokens.kind != END:
            raise self._tokens.unexpected("one digraph in the file")

    def _header(self) -> None:
        tokens = self._tokens
        if (tokens.kind, tokens.value) == (KEYWORD, "strict"):
            tokens.advance()
        if (tokens.kind, tokens.value) == (KEYWORD, "graph"):
            problem = "expected a digraph, got a graph: its edges have no direction"
            raise self.found.error(tokens.start, problem)
        if (tokens.kind, tokens.value) != (KEYWORD, "digraph"):
            raise tokens.unexpected("digraph")
        tokens.advance()
        if tokens.kind != "{":
            tokens.word("the name of the digraph or {")
        start = tokens.start
        tokens.expect("{")
        self._scopes.append(_Scope(_Group(), {}, start))

    def _statement(self) -> None:
        """Read a statement, or of an edge the next end."""
        tokens, scope = self._tokens, self._scopes[-1]
        if tokens.kind == "{" or (tokens.kind, tokens.value) == (KEYWORD, "subgraph"):
            self._open()
        elif tokens.kind in (NAME, QUOTED, HTML):
            self._task()
        elif scope.last is not None:
            raise tokens.unexpected("a node or a subgraph after ->")
        elif tokens.kind == "}":
            self._close()
        elif tokens.kind == KEYWORD and tokens.value in ("graph", "node", "edge"):
            self._defaults()
        elif tokens.kind == ";":
            tokens.advance()
        elif tokens.kind == END:
            raise self.found.error(scope.start, "expected the } that ends these braces")
        else:
            raise tokens.unexpected("a statement")

    # Braces

    def _open(self) -> None:
        tokens, outer = self._tokens, self._scopes[-1]
        name = None
        if tokens.kind == KEYWORD:
            tokens.advance()
            if tokens.kind != "{":
                _, name = tokens.word("the name of a subgraph or {")
        group = _Group() if name is None else outer.group.named.get(name)
        if group is None or name is None:
            group = group or _Group()
            outer.group.parts[group] = None
            if name is not None:
                outer.group.named[name] = group
        if tokens.kind == "{":
            group.known = None
            self._scopes.append(_Scope(group, outer.defaults, tokens.start))
            tokens.advance()
        elif name is not None:  # a subgraph that was written before
            self._end_of_edge(group, None)

    def _close(self) -> None:
        scope = self._scopes.pop()
        self._tokens.advance()
        if self._scopes:
            self._end_of_edge(scope.group, None)

    # Attributes

    def _defaults(self) -> None:
        kind, scope = self._tokens.value, self._scopes[-1]
        self._tokens.advance()
        if self._tokens.kind == "=":  # graph = "..." as an attribute of the graph
            raise self._tokens.unexpected("[")
        for key, value, start in self._attributes():
            if kind == "node" and key in _OWN:
                scope.defaults = {**scope.defaults, key: (value, start)}
            else:
                self._pass_over(key, kind, start)

    def _attributes(self) -> list[tuple[str, str, int]]:
        """Read lists of attributes: for each its name, its value, and where the value begins."""
        tokens, found = self._tokens, []
        while tokens.kind == "[":
            tokens.advance()
            while tokens.kind != "]":
                _, key = tokens.word("the name of an attribute or ]")
                value, start = "true", tokens.start
                if tokens.kind == "=":
                    tokens.advance()
                    start = tokens.start
                    _, value = tokens.word("the value of an attribute")
                found.append((key, value, start))
                if tokens.kind in (",", ";"):
                    tokens.advance()
            tokens.advance()
        return found

    # Tasks and arcs

    def _task(self) -> None:
        tokens, scope = self._tokens, self._scopes[-1]
        start = tokens.start
        kind, name = tokens.word("a node")
        if tokens.kind == "=" and scope.last is None:  # an attribute of the graph
            tokens.advance()
            tokens.word("the value of an attribute")
            return
        task = self._id_of(name, kind == HTML, start)
        while tokens.kind == ":":  # a port
            tokens.advance()
            tokens.word("a port")
        self._end_of_edge(task, start)

    def _id_of(self, name: str, is_html: bool, start: int) -> int:
        """Return the id of a task; a new task gets the defaults of its scope."""
        found, scope = self.found, self._scopes[-1]
        is_new = name not in found.ids
        task = found.task(name)
        if name.startswith("<"):
            (self._html_names if is_html else self._other_names).add(name)
            if name in self._html_names and name in self._other_names:
                problem = f"two nodes are called {name!r}, an HTML string and a string in quotes"
                raise found.error(start, problem)
        if is_new and scope.defaults:
            for key, (value, place) in scope.defaults.items():
                self._say(key, task, value, place)
        if len(self._scopes) > 1:
            scope.group.tasks[task] = None
        return task

    def _end_of_edge(self, end: int | _Group, place: int | None) -> None:
        """Take a task or a group: the end of an edge, or a statement on its own."""
        tokens, scope = self._tokens, self._scopes[-1]
        is_edge = scope.last is not None
        if scope.last is not None:
            self._join(scope.last, end, tokens.start if place is None else place)
        if tokens.kind == "->":
            tokens.advance()
            scope.last = end
            return
        if tokens.kind == "--":
            raise tokens.unexpected("-> in a digraph")
        scope.last = None
        for key, value, start in self._attributes():
            if isinstance(end, int) and not is_edge:
                self._say(key, end, value, start)
            else:
                self._pass_over(key, "edge", start)

    def _join(self, parent: int | _Group, child: int | _Group, place: int) -> None:
        """Add an arc from each task of *parent* to each of *child*; raises FormatError if too many.

        An edge between two groups of 10^5 tasks is a short line, and more arcs than memory holds.
        """
        if isinstance(parent, int) and isinstance(child, int):
            self.found.arc(parent, child, place)
            return
        count = partial(self._count, place)
        sources, targets = (
            [end] if isinstance(end, int) else end.members(count) for end in (parent, child)
        )
        count(max(len(sources) * len(targets), len(sources) + len(targets)))
        if not sources or not targets:
            self.found.remark("an edge to or from an empty subgraph is no dependency", place)
        above, below = np.repeat(sources, len(targets)), np.tile(targets, len(sources))
        self.found.add(above, below, np.full(len(above), place))

    def _count(self, place: int, entries: int) -> None:
        """Count arcs of groups, and the entries of groups that are walked to find them."""
        self._grouped += entries
        if self._grouped > _MOST_GROUPED:
            most = f"at most {_MOST_GROUPED:,} dependencies from edges between groups"
            raise self.found.error(place, f"expected {most}, got more")

    def _say(self, key: str, task: int, value: str, place: int) -> None:
        if key in FACTS:
            words = value.replace("\\\\", "\\") if key in _TEXTS else value
            self.found.say(key, task, words, place)
        elif key == "label":
            self.found.kinds[task] = first_line(value)
        elif key == "shape" and value == "point":
            self.found.kinds[task] = ""
        else:
            self._pass_over(key, "node", place)

    def _pass_over(self, key: str, kind: str, place: int) -> None:
        if key not in _DRAWN:
            told = f"icsched does not read the {kind} attribute {key!r}"
            self.found.remark(told, place, rest=f"icsched does not read other {kind} attributes")


def first_line(label: str) -> str:
    r"""Return the first line of a label, without the tags of HTML; "" for an empty label.

    >>> first_line(r"map\nsample: A"), first_line("<<table><tr><td>\n<b>map</b></td></tr></table>>")
    ('map', 'map')
    """
    if label.startswith("<"):
        parts = (html.unescape(part).strip() for part in _TAG.split(label[1:-1]))
        return next((part for part in parts if part), "?")
    return _FIRST_LINE.split(label.strip(), maxsplit=1)[0].strip()
