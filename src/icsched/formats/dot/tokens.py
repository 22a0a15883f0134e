"""The words of the DOT language, one after the other."""

import re
from collections.abc import Callable

from icsched.errors import FormatError

END = ""  # the kind of what follows the last token
NAME, QUOTED, HTML, KEYWORD = "name", "quoted", "html", "keyword"  # other kinds are the token
KEYWORDS = frozenset({"strict", "graph", "digraph", "node", "edge", "subgraph"})

_LETTER = r"A-Za-z_\x80-\U0010ffff"  # Graphviz takes every character beyond ASCII for a letter
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


class Tokens:
    """A text of the DOT language and its current token: `kind`, `value` and where it is.

    `error(place, problem)` makes the error for a place in the text.
    """

    def __init__(self, text: str, error: Callable[[int, str], FormatError]) -> None:
        self.text = text
        self.error = error
        self.kind, self.value = END, ""
        self.start = self.end = 1 if text.startswith("\ufeff") else 0
        self.advance()

    def advance(self) -> None:
        """Go to the next token; raises FormatError if there is none."""
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
        if which == 1:
            self.kind = NAME
            if value.lower() in KEYWORDS:
                self.kind, self.value = KEYWORD, value.lower()
        elif which == 3:
            self.kind, self.value = QUOTED, unescaped(value)
            self.start -= 1
        elif which == 4:
            self._html()

    def _html(self) -> None:
        """Read an HTML string, in which angle brackets are in pairs."""
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

    def expect(self, kind: str) -> None:
        """Go past a token of this *kind*; raises FormatError if the current token is another."""
        if self.kind != kind:
            raise self.unexpected(kind)
        self.advance()

    def unexpected(self, expected: str) -> FormatError:
        """Return the error for the current token."""
        got = self.text[self.start : min(self.end, self.start + 40)] if self.kind else ""
        told = repr(got) if got else "the end of the file"
        return self.error(self.start, f"expected {expected}, got {told}")

    def word(self, expected: str) -> tuple[str, str]:
        """Go past an ID, of several strings if there is a plus; return its kind and its text."""
        kind, value = self.kind, self.value
        if kind not in (NAME, QUOTED, HTML, KEYWORD):
            raise self.unexpected(expected)
        self.advance()
        if kind != QUOTED or self.kind != "+":
            return kind, value
        parts = [value]
        while self.kind == "+":
            self.advance()
            if self.kind != QUOTED:
                raise self.unexpected("a string in double quotes after +")
            parts.append(self.value)
            self.advance()
        return QUOTED, "".join(parts)


def unescaped(raw: str) -> str:
    r"""Return what stands between double quotes as Graphviz takes it.

    Only a quote and the end of a line can be escaped. All other backslashes stay, even both of two.

    >>> unescaped(r'a\"b'), unescaped(r"a\nb"), unescaped("a\\\nb"), len(unescaped(r"\\"))
    ('a"b', 'a\\nb', 'ab', 2)
    """
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda found: {'"': '"', "\\": "\\\\", None: ""}[found[1]], raw)
