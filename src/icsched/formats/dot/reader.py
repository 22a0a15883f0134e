"""Workflows in Graphviz files: the words of the DOT language, and digraphs as tasks and arcs."""

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from icsched.errors import FormatError
from icsched.files import read_text
from icsched.formats.draft import FACTS, Draft
from icsched.formats.facts import MOST_READ
from icsched.formats.port import NoOptions
from icsched.workflow import Workflow

END = ""  # the kind after the last token
NAME, QUOTED, HTML = (
    "name",
    "quoted",
    "html",
)  # other kinds are the token, keywords in lower case
_KEYWORDS = frozenset({"strict", "graph", "digraph", "node", "edge", "subgraph"})
_WORDS = frozenset({NAME, QUOTED, HTML}) | _KEYWORDS

_LETTER = r"A-Za-z_\x80-\U0010ffff"  # to Graphviz every character beyond ASCII is a letter
_SKIP = r"(?:[ \t\r\n\f\v]++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|^\#[^\n]*+)*+"
_TOKEN = re.compile(
    rf"""{_SKIP}(?:
        ([{_LETTER}][{_LETTER}0-9]*+|-?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?))
      | (->|--|[{{}}\[\]=;,:+])
      | "((?:[^"\\]|\\.)*+)"
      | (<)
      | \Z
    )""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_ONLY_SKIP = re.compile(_SKIP, re.MULTILINE)
_BRACKET = re.compile(r"<!--|[<>]")
_ESCAPE = re.compile(r'\\(?:(["\\])|\r?\n)')

_OWN = frozenset({*FACTS, "label", "shape"})
_TEXTS = frozenset({"command", "directory", "stdin", "stdout", "stderr"})
_TAG = re.compile(r"<[^<>]*>")
_FIRST_LINE = re.compile(r"\\[nlr]|\n")
_MOST_GROUPED = 10_000_000  # arcs that edges between groups may stand for
_VISIT = 10  # visiting a group takes as long as this many entries
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


def read_dot(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Return the workflow in a Graphviz file: one digraph, edges from parents to children.

    An edge to or from a subgraph means edges to or from all its nodes. Attributes of nodes that are
    called as one of `FACTS` are read. The first line of a label is the kind of the task. Raises
    FormatError with file and line if Graphviz would refuse the file.
    """
    [path] = paths
    draft = Draft(path, read_text(path, MOST_READ))
    _Parser(draft).parse()
    return draft.workflow("dot")


# Words


class _Tokens:
    """A file of the DOT language and its current token: `kind`, `value` and where it is."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.text, self.error = draft, draft.text, draft.error
        self.kind, self.value = END, ""
        self.start = self.end = 1 if self.text.startswith("\ufeff") else 0
        self.advance()

    def advance(self) -> None:
        """Go to the next token; raises FormatError at the end of the file."""
        found = _TOKEN.match(self.text, self.end)
        if found is None:
            raise self._strange()
        which, self.end = found.lastindex, found.end()
        if which is None:
            self.kind, self.value, self.start = END, "", self.end
            return
        value = found[which]
        self.start = found.start(which)
        self.kind = self.value = value
        if which == 1 and value.lower() in _KEYWORDS:
            self.kind = self.value = value.lower()
        elif which == 1:
            self.kind = NAME
        elif which == 3:
            self.kind, self.value = QUOTED, _unescaped(value)
            self.start -= 1
        elif which == 4:
            self._html()

    def _html(self) -> None:
        """Read an HTML string, in which angle brackets must match."""
        depth, place = 1, self.end
        while depth:
            found = _BRACKET.search(self.text, place)
            if found is None:
                raise self.error(self.start, "expected the > that ends this HTML string")
            place = found.end()
            if found[0] == "<!--":
                place = self.text.find("-->", place) + 3
                if place < 3:
                    raise self.error(found.start(), "expected the --> that ends this comment")
            else:
                depth += 1 if found[0] == "<" else -1
        self.kind, self.value, self.end = HTML, self.text[self.start : place], place

    def _strange(self) -> FormatError:
        skipped = _ONLY_SKIP.match(self.text, self.end)
        place = skipped.end() if skipped else self.end
        if self.text.startswith('"', place):
            return self.error(place, 'expected the " that ends this string')
        if self.text.startswith("/*", place):
            return self.error(place, "expected the */ that ends this comment")
        return self.error(place, f"expected a word of the DOT language, got {self.text[place]!r}")

    def take(self, *kinds: str) -> bool:
        """Go past a token of one of these *kinds*; return whether the current token was one."""
        is_taken = self.kind in kinds
        if is_taken:
            self.advance()
        return is_taken

    def unexpected(self, expected: str) -> FormatError:
        """Return the error for the current token."""
        got = self.text[self.start : min(self.end, self.start + 40)] if self.kind else ""
        told = repr(got) if got else "the end of the file"
        return self.error(self.start, f"expected {expected}, got {told}")

    def word(self, expected: str) -> tuple[str, str]:
        """Go past an ID, or strings joined by plus signs; return the kind and the text."""
        kind, value = self.kind, self.value
        if kind not in _WORDS:
            raise self.unexpected(expected)
        self.advance()
        if kind != QUOTED or self.kind != "+":
            return kind, value
        parts = [value]
        while self.take("+"):
            parts.append(self.value)
            if not self.take(QUOTED):
                raise self.unexpected("a string in double quotes after +")
        return QUOTED, "".join(parts)


def _unescaped(raw: str) -> str:
    r"""Return the text between double quotes as Graphviz reads it.

    Only a quote and the end of a line can be escaped. All other backslashes stay, even both of two.

    >>> _unescaped(r'a\"b'), _unescaped(r"a\nb"), _unescaped("a\\\nb"), len(_unescaped(r"\\"))
    ('a"b', 'a\\nb', 'ab', 2)
    """
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda found: {'"': '"', "\\": "\\\\", None: ""}[found[1]], raw)


# Digraphs


@dataclass(slots=True, eq=False)
class _Group:
    """A subgraph: the tasks that it mentions, and the subgraphs in it.

    `known` caches its members. The parser clears this cache when it adds something to the group, or
    to one of its parts.
    """

    tasks: dict[int, None] = field(default_factory=dict)
    parts: dict["_Group", None] = field(default_factory=dict)
    named: dict[str, "_Group"] = field(default_factory=dict)
    known: list[int] | None = None

    def members(self, count: Callable[[int], None]) -> list[int]:
        """Return each task of the group and its parts once; *count* gets the entries visited."""
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


class _Parser(_Tokens):
    """Reads one digraph into a `Draft`.

    Subgraphs are a stack and not calls: a file may nest 100,000 of them.
    """

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._scopes: list[_Scope] = []
        self._are_html: dict[str, bool] = {}  # tasks named in angle brackets
        self._grouped = 0

    def parse(self) -> None:
        """Read the file; raises FormatError if it is undirected, or Graphviz would refuse it."""
        self._header()
        while self._scopes:
            self._statement()
        if self.kind != END:
            raise self.unexpected("one digraph in the file")

    def _header(self) -> None:
        self.take("strict")
        if self.kind == "graph":
            problem = "expected a digraph, got a graph: its edges have no direction"
            raise self.error(self.start, problem)
        if not self.take("digraph"):
            raise self.unexpected("digraph")
        if self.kind != "{":
            self.word("the name of the digraph or {")
        self._scopes.append(_Scope(_Group(), {}, self.start))
        if not self.take("{"):
            raise self.unexpected("{")

    def _statement(self) -> None:
        """Read a statement, or the next end of an edge."""
        scope = self._scopes[-1]
        if self.kind in ("{", "subgraph"):
            self._open()
        elif self.kind in (NAME, QUOTED, HTML):
            self._task()
        elif scope.last is not None:
            raise self.unexpected("a node or a subgraph after ->")
        elif self.kind == "}":
            self._close()
        elif self.kind in ("graph", "node", "edge"):
            self._defaults()
        elif self.kind == END:
            raise self.error(scope.start, "expected the } that ends these braces")
        elif not self.take(";"):
            raise self.unexpected("a statement")

    # Braces

    def _open(self) -> None:
        outer, name = self._scopes[-1], None
        if self.take("subgraph") and self.kind != "{":
            _, name = self.word("the name of a subgraph or {")
        group = None if name is None else outer.group.named.get(name)
        if group is None:
            group = _Group()
            outer.group.parts[group] = None
            if name is not None:
                outer.group.named[name] = group
        if self.kind == "{":
            group.known = None
            self._scopes.append(_Scope(group, outer.defaults, self.start))
            self.advance()
        else:  # a reference to an earlier subgraph
            self._end_of_edge(group, self.start)

    def _close(self) -> None:
        scope = self._scopes.pop()
        self.advance()
        if self._scopes:
            self._end_of_edge(scope.group, self.start)

    # Attributes

    def _defaults(self) -> None:
        kind, scope = self.value, self._scopes[-1]
        self.advance()
        if self.kind == "=":  # graph = "..." as an attribute of the graph
            raise self.unexpected("[")
        for key, value, start in self._attributes():
            if kind == "node" and key in _OWN:
                scope.defaults = {**scope.defaults, key: (value, start)}
            else:
                self._pass_over(key, kind, start)

    def _attributes(self) -> list[tuple[str, str, int]]:
        """Read lists of attributes; yield the name, the value and the offset of the value."""
        found = []
        while self.take("["):
            while not self.take("]"):
                _, key = self.word("the name of an attribute or ]")
                value, start = "true", self.start
                if self.take("="):
                    start = self.start
                    _, value = self.word("the value of an attribute")
                found.append((key, value, start))
                self.take(",", ";")
        return found

    # Tasks and arcs

    def _task(self) -> None:
        start = self.start
        kind, name = self.word("a node")
        if self._scopes[-1].last is None and self.take("="):  # an attribute of the whole graph
            self.word("the value of an attribute")
            return
        task = self._id_of(name, kind == HTML, start)
        while self.take(":"):
            self.word("a port")
        self._end_of_edge(task, start)

    def _id_of(self, name: str, is_html: bool, start: int) -> int:
        """Return the id of a task; a new task gets the defaults of its scope."""
        draft, scope = self.draft, self._scopes[-1]
        is_new = name not in draft.ids
        task = draft.task(name)
        if name.startswith("<") and self._are_html.setdefault(name, is_html) != is_html:
            problem = f"two nodes are called {name!r}, an HTML string and a string in quotes"
            raise self.error(start, problem)
        for key, (value, place) in scope.defaults.items() if is_new else ():
            self._say(key, task, value, place)
        if len(self._scopes) > 1:
            scope.group.tasks[task] = None
        return task

    def _end_of_edge(self, end: int | _Group, place: int) -> None:
        """Handle a task or a group, which is an end of an edge or a whole statement."""
        scope = self._scopes[-1]
        is_edge = scope.last is not None
        if scope.last is not None:
            self._join(scope.last, end, place)
        if self.take("->"):
            scope.last = end
            return
        if self.kind == "--":
            raise self.unexpected("-> in a digraph")
        scope.last = None
        for key, value, start in self._attributes():
            if isinstance(end, int) and not is_edge:
                self._say(key, end, value, start)
            else:
                self._pass_over(key, "edge", start)

    def _join(self, parent: int | _Group, child: int | _Group, place: int) -> None:
        """Add an arc from each task of *parent* to each of *child*; raises FormatError if too many.

        One short line can be an edge between two groups of 10^5 tasks, with too many arcs for
        memory.
        """
        if isinstance(parent, int) and isinstance(child, int):
            self.draft.arc(parent, child, place)
            return
        count = partial(self._count, place)
        sources, targets = (
            [end] if isinstance(end, int) else end.members(count) for end in (parent, child)
        )
        count(max(len(sources) * len(targets), len(sources) + len(targets)))
        if not sources or not targets:
            self.draft.remark("an edge to or from an empty subgraph is no dependency", place)
        above, below = np.repeat(sources, len(targets)), np.tile(targets, len(sources))
        self.draft.add(above, below, np.full(len(above), place))

    def _count(self, place: int, entries: int) -> None:
        """Count arcs of groups, and the entries visited; raises FormatError for too many."""
        self._grouped += entries
        if self._grouped > _MOST_GROUPED:
            most = f"at most {_MOST_GROUPED:,} dependencies from edges between groups"
            raise self.error(place, f"expected {most}, got more")

    def _say(self, key: str, task: int, value: str, place: int) -> None:
        if key in FACTS:
            words = value.replace("\\\\", "\\") if key in _TEXTS else value
            self.draft.say(key, task, words, place)
        elif key == "label":
            self.draft.kinds[task] = first_line(value)
        elif key == "shape" and value == "point":
            self.draft.kinds[task] = ""
        else:
            self._pass_over(key, "node", place)

    def _pass_over(self, key: str, kind: str, place: int) -> None:
        if key not in _DRAWN:
            told = f"icsched does not read the {kind} attribute {key!r}"
            self.draft.remark(told, place, rest=f"icsched does not read other {kind} attributes")


def first_line(label: str) -> str:
    r"""Return the first line of a label, without the tags of HTML; "" for an empty label.

    >>> first_line(r"map\nsample: A"), first_line("<<table><tr><td>\n<b>map</b></td></tr></table>>")
    ('map', 'map')
    """
    if label.startswith("<"):
        parts = (html.unescape(part).strip() for part in _TAG.split(label[1:-1]))
        return next((part for part in parts if part), "?")
    return _FIRST_LINE.split(label.strip(), maxsplit=1)[0].strip()
