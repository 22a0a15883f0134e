"""XML files: expat reads them in one pass, and edits replace ranges of bytes.

Nothing outside the file is read. A file that declares entities is refused, so no entity is ever
expanded. Depth of elements, number of attributes and length of tags are limited.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from icsched.errors import FormatError
from icsched.files import Change, read_bytes, text_of
from icsched.formats.facts import MOST_KINDS, MOST_READ, Remarks, edited

DEEPEST = 100  # depth of elements
MOST_ATTRIBUTES = 1000  # attributes of one element
# Bytes of one tag or comment: expat reads an unfinished one again and again.
LONGEST_TOKEN = 4 << 20
_PIECE = 1 << 20  # bytes that expat gets at once

# Receives attributes and the offset of the tag; may return a text that replaces the element.
Opened = Callable[[Mapping[str, str], int], str | None]
Closed = Callable[[str, int], None]  # takes the text inside and the offset of the end tag
Edit = tuple[int, int, str]  # the text that replaces these bytes

_DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"'>]*)[\"']")
_CODECS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "iso-8859-1": "latin-1",
    "latin-1": "latin-1",
    "latin1": "latin-1",
}
_WIDE = {  # byte order marks of UTF-16
    b"\xff\xfe": "utf-16-le",
    b"<\0": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
    b"\0<": "utf-16-be",
}
_TAG = re.compile(rb"<([^\s/>]+)((?:[^\"'>]|\"[^\"]*\"|'[^']*')*)>")
_BLANKS_BEFORE = re.compile(rb"\r?\n[ \t]*\Z")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_text(text: str) -> bool:
    r"""Whether XML can hold *text*: it has no control characters other than tab and line ends.

    >>> is_text("naïve <task> & co."), is_text("bell\a")
    (True, False)
    """
    return not _NO_XML.search(text)


def attribute(name: str, value: object) -> str:
    r"""Return an attribute with a blank before it.

    >>> attribute("label", 'say "hi" & go')
    ' label=\'say "hi" &amp; go\''
    """
    return f" {name}={quoteattr(str(value), {chr(13): '&#13;'})}"


def content(value: object) -> str:
    """Return text that stands between two tags."""
    return escape(str(value), {"\r": "&#13;"})


@dataclass(frozen=True)
class Tag:
    """A start tag in the bytes of a document: its name as it is written, and where it ends."""

    name: str
    stop: int  # behind its ">"
    is_empty: bool  # whether it also ends the element, as ``<br/>`` does


@dataclass(frozen=True)
class Document:
    """An XML file. Offsets are those of `data`, which is the file in UTF-8."""

    path: str
    raw: bytes = field(repr=False)
    data: bytes = field(repr=False)
    codec: str

    def error(self, at: int, problem: str) -> FormatError:
        """Return the error for a place, given as an offset."""
        return FormatError(self.path, self.line(at), problem)

    def line(self, at: int) -> int:
        """Return the line of an offset, from 1."""
        return self.data.count(b"\n", 0, at) + 1

    def tag(self, at: int) -> Tag:
        """Return the start tag at an offset that a `Walk` gave."""
        match = _TAG.match(self.data, at)
        if match is None:
            return Tag("", at, is_empty=False)
        return Tag(match[1].decode(), match.end(), is_empty=match[2].endswith(b"/"))

    def end_of(self, begin: int, at: int) -> int:
        """Return the end of an element with its start tag at *begin* and its end tag at *at*."""
        return at if self.tag(begin).is_empty else self.data.index(b">", at) + 1

    def inserted(self, at: int, inside: str, *, after: int) -> Edit:
        """Return the edit that inserts an element as the first child of the element at *at*.

        If *after* is not -1, the new element is inserted at that offset instead. The new element
        gets its own line if the tag has one.
        """
        tag = self.tag(at)
        match = _BLANKS_BEFORE.search(self.data, max(0, at - 200), at)
        blanks = match[0].decode() if match else ""
        indent = f"{blanks}  " if blanks else ""
        if tag.is_empty:
            return tag.stop - 2, tag.stop, f">{indent}{inside}{blanks}</{tag.name}>"
        place = tag.stop if after < 0 else after
        has_lines = self.data[place : place + 1] in (b"\n", b"\r")
        return place, place, (indent if has_lines else "") + inside

    def changed(self, edits: Iterable[Edit]) -> Change:
        """Return the change that makes *edits*, which do not overlap."""
        new = edited(self.data, [(start, stop, text.encode()) for start, stop, text in edits])
        recoded = new if self.codec == "utf-8" else new.decode().encode(self.codec)
        return Change(self.path, self.raw, recoded)


class Walk:
    """Walks through a document, and calls a function at the start and end of elements.

    Elements outside the namespace of the root are ignored. The functions of *closed* receive the
    text of the elements in *texts*. Elements in *known* get no remark.
    """

    def __init__(
        self,
        document: Document,
        root: str,
        opened: Mapping[str, Opened],
        closed: Mapping[str, Closed],
        *,
        texts: frozenset[str],
        known: frozenset[str],
    ) -> None:
        self._document, self._root, self._texts = document, root, texts
        self._opened, self._closed = opened, closed
        self._used = {*opened, *closed, *texts, *known, root}
        self._space: str | None = None  # the namespace of the root and a line end, or empty
        self._depth = 0
        self._parts: list[str] | None = None  # of the text of an element in `texts`
        self._counts: Counter[str] = Counter()
        self._first: dict[str, int] = {}
        self._parser = expat.ParserCreate("utf-8", namespace_separator="\n")
        self._parser.buffer_text = True
        self._parser.specified_attributes = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._entity
        self._parser.SkippedEntityHandler = self._skipped

    def go(self, remarks: Remarks) -> None:
        """Walk through the document; remark on each kind of element that is not used.

        Raises FormatError for a file that is not XML or passes a limit.
        """
        try:
            self._feed(self._document.data)
        except expat.ExpatError as error:
            text_of(self._document.path, self._document.data)  # a wrong byte has its own message
            got = f"{expat.ErrorString(error.code)} in column {error.offset + 1}"
            problem = f"expected well-formed XML, got {got}"
            raise FormatError(self._document.path, error.lineno, problem) from error
        names = [name for name in self._counts if self._local(name, 0) not in self._used]
        for name in names[:MOST_KINDS]:
            self._remark(f"<{name.rpartition(chr(10))[2]}>", [name], remarks)
        if rest := names[MOST_KINDS:]:
            self._remark(f"{len(rest)} other kinds of", rest, remarks)

    def _remark(self, which: str, names: Sequence[str], remarks: Remarks) -> None:
        count = sum(self._counts[name] for name in names)
        line = partial(self._document.line, self._first[names[0]])
        remarks.add(f"icsched does not use {which} elements", count, line)

    def _feed(self, data: bytes) -> None:
        for begin in range(0, len(data), _PIECE):
            self._parser.Parse(data[begin : begin + _PIECE], False)
            token = self._parser.CurrentByteIndex
            if begin + _PIECE - token > LONGEST_TOKEN and begin + _PIECE < len(data):
                most = f"less than {LONGEST_TOKEN:,} bytes"
                problem = f"expected tags and comments of {most}, got more"
                raise self._document.error(max(token, 0), problem)
        self._parser.Parse(b"", True)

    # Handlers for expat

    def _start(self, name: str, given: Mapping[str, str]) -> None:
        at = self._parser.CurrentByteIndex
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"expected at most {DEEPEST} elements inside each other, got more")
        if len(given) > MOST_ATTRIBUTES:
            most = f"{MOST_ATTRIBUTES:,} attributes of an element"
            self._refuse(f"expected at most {most}, got more")
        local = self._local(name, at)
        if local == self._root and self._depth > 1:
            self._refuse(f"expected one <{local}>, got another inside it")
        if name not in self._counts:
            self._first[name] = at
        self._counts[name] += 1
        if local in self._texts:
            self._parts = []
        function = self._opened.get(local)
        stands_for = function(given, at) if function else None
        if stands_for and self._parts is not None:
            self._parts.append(stands_for)

    def _end(self, name: str) -> None:
        self._depth -= 1
        local = self._local(name, 0)
        function = self._closed.get(local)
        if function:
            function("".join(self._parts or ()), self._parser.CurrentByteIndex)
        if local in self._texts:
            self._parts = None

    def _text(self, text: str) -> None:
        if self._parts is not None:
            self._parts.append(text)

    def _entity(self, name: str, *_: object) -> None:
        self._refuse(f"expected no entity declarations, got entity {name!r}")

    def _skipped(self, name: str, _: object) -> None:
        self._refuse(f"expected a known entity, got {name!r}")

    def _refuse(self, problem: str) -> NoReturn:
        raise self._document.error(self._parser.CurrentByteIndex, problem)

    def _local(self, name: str, at: int) -> str:
        """Return the name without its namespace; "" for an element of another namespace."""
        if self._space is None:
            space, line_end, local = name.rpartition("\n")
            self._space = space + line_end
            if local != self._root:
                raise self._document.error(at, f"expected <{self._root}>, got <{local}>")
        local = name.removeprefix(self._space)
        return local if len(local) + len(self._space) == len(name) and "\n" not in local else ""


def read_document(path: str) -> Document:
    """Return the XML file at *path*; raises FormatError for an unknown encoding."""
    raw = read_bytes(path, MOST_READ)
    codec = _WIDE.get(raw[:2]) or _declared(path, raw)
    if codec == "utf-8":
        return Document(path, raw, raw, codec)
    try:
        text = raw.decode(codec)
    except UnicodeDecodeError as error:
        raise FormatError(path, None, f"expected {codec} text: {error.reason}") from error
    return Document(path, raw, text.encode(), codec)


def _declared(path: str, raw: bytes) -> str:
    """Return the codec that the first line of the file names."""
    match = _DECLARED.match(raw.removeprefix(b"\xef\xbb\xbf"))
    name = match[1].decode(errors="replace") if match else "utf-8"
    codec = _CODECS.get(name.lower())
    if codec is None:
        expected = "expected UTF-8, UTF-16 with a byte order mark, or ISO-8859-1"
        raise FormatError(path, 1, f"{expected}, got encoding {name!r}")
    return codec
