"""DAGMan files: their bytes, cut into statements; each file of a workflow is loaded once."""

import copy
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from icsched import _native
from icsched._native import DagmanScan, JobOptions, Problem
from icsched.arrays import Ids
from icsched.errors import FormatError
from icsched.files import is_special, read_bytes
from icsched.formats.dagman import section
from icsched.formats.dagman.grammar import UnreadableError, parse
from icsched.formats.dagman.statements import Command, Directive, Modifier, Node, Text

_MOST_STATEMENT_BYTES = 64 << 20
_MOST_DEPTH = 50  # files inside files
Kind = _native.StatementKind
# The value of a plain JOB or SUBDAG statement is a sum of these.
NOOP, DONE, IS_INLINE = JobOptions.NOOP, JobOptions.DONE, JobOptions.IS_INLINE
HAS_DIRECTORY, IS_SUBDAG = JobOptions.HAS_DIRECTORY, JobOptions.IS_SUBDAG
_JOB = int(Kind.JOB)  # numpy compares with an int far quicker than with an enum
_MOST_ODD_BYTES = 1 << 20  # of a statement that is not plain: these are parsed here, in Python
_INLINE_HEAD = re.compile(r"[^ \t]+[ \t]+([^ \t\n]+)[ \t]+(?:\{|@=)")
_PLAIN_WORD = re.compile(r'"[^"]*"|[^ \t]+')
_NAMES_FILE = re.compile(rb"(?:SPLICE|INCLUDE|CONFIG)[ \t]", re.IGNORECASE)
_SAVE_POINT = re.compile(rb"SAVE[-_]POINT[-_]FILE[ \t]", re.IGNORECASE)
_BROKEN = {
    Problem.GLUED: "expected a blank before the \\ that continues the line:"
    " some versions of DAGMan join the words around it, others do not",
    Problem.UNENDED: "expected another line after the \\ that continues this one",
    Problem.UNCLOSED: "expected the end of the submit description that begins here",
}


@dataclass(frozen=True)
class Source:
    """A DAGMan file as read; icsched's own section in it counts as empty lines."""

    path: str
    raw: bytes  # as in the file
    data: bytes  # as scanned
    scan: DagmanScan

    @cached_property
    def names(self) -> list[str]:
        """Names in plain statements, by the ids that the scan gives them."""
        try:
            return self.scan.names.decode().split("\n") if self.scan.names else []
        except UnicodeDecodeError as error:
            bad = self.scan.names.count(b"\n", 0, error.start)
            name = self.scan.names.split(b"\n")[bad]
            expected = f"expected a job name in UTF-8, got {name!r}"
            refs = np.flatnonzero(self.scan.refs == bad)[:1]
            parents = np.flatnonzero(self.scan.kind == Kind.PARENT)
            owners = parents[np.searchsorted(self.scan.first_parent, refs, side="right") - 1]
            first = np.concatenate([np.flatnonzero(self.scan.name == bad), owners]).min()
            raise Statement(self, int(first)).error(expected) from None

    @cached_property
    def names_files(self) -> bool:
        """Whether it names files that are relative to a directory, for example by SPLICE."""
        return any(_NAMES_FILE.match(self.data, self.scan.begin[odd]) for odd in self.odd)

    @cached_property
    def has_save_points(self) -> bool:
        """Whether it has SAVE_POINT_FILE, whose default depends on the name of the file."""
        is_plain = bool((self.scan.kind == Kind.SAVE_POINT).any())
        begins = self.scan.begin
        return is_plain or any(_SAVE_POINT.match(self.data, begins[odd]) for odd in self.odd)

    def under(self, path: str) -> "Source":
        """Return the same file under another name; what is known about it is kept."""
        _ = self.names_files, self.has_save_points  # computed now, for all names at once
        other = copy.copy(self)
        object.__setattr__(other, "path", path)  # it is new: nobody saw it under the first name
        return other

    @cached_property
    def odd(self) -> list[int]:
        """Statements that the scan left to the grammar."""
        odd: list[int] = np.flatnonzero(self.scan.kind == Kind.OTHER).tolist()
        return odd

    def descriptions(self, statements: Ids) -> Iterator[str]:
        """Yield the submit description of each job, its own name for an inline one, "" for NOOP."""
        scan, data = self.scan, self.data
        is_quick = (scan.kind[statements] == Kind.JOB) & (scan.value[statements] == 0)
        spans = scan.begin[statements].tolist(), scan.end[statements].tolist()
        for statement, is_plain, begin, end in zip(
            statements.tolist(), is_quick.tolist(), *spans, strict=True
        ):
            words = data[begin:end].split() if is_plain else ()
            if len(words) == 3 and b'"' not in words[2]:  # JOB, name, file: nearly all
                yield words[2].decode(errors="surrogateescape")
            else:
                node = Statement(self, statement).node
                yield "" if node.noop else node.submit or node.name


@dataclass(frozen=True)
class Statement:
    """One statement of a file, by its number there; it is parsed once."""

    source: Source
    number: int

    @property
    def text(self) -> str:
        """The statement as it stands in the file."""
        scan = self.source.scan
        begin, end = int(scan.begin[self.number]), int(scan.end[self.number])
        return self.source.data[begin:end].decode(errors="surrogateescape")

    @cached_property
    def command(self) -> Command:
        """What the statement says; raises FormatError, or KeyError for an unknown word."""
        scan = self.source.scan
        if scan.end[self.number] - scan.begin[self.number] > _MOST_ODD_BYTES:
            raise self.error(f"expected at most {_MOST_ODD_BYTES:,} bytes")
        text = self.text
        try:
            return parse(Text(text))
        except UnreadableError as error:
            problem = str(error)
            got = "" if ", got" in problem else f", got {shortened(text)!r}"
            raise self.error(problem + got) from None

    @property
    def keyword(self) -> str:
        """The first word, in capitals and with _ for -."""
        return self.command.keyword

    @property
    def argument(self) -> str:
        """What the statement names, if it is about the whole workflow."""
        assert isinstance(self.command, Directive)  # noqa: S101  the caller promises this
        return self.command.argument

    @property
    def modifier(self) -> Modifier:
        """What the statement says, if it is about jobs."""
        assert isinstance(self.command, Modifier)  # noqa: S101  the caller promises this
        return self.command

    @property
    def node(self) -> Node:
        """What the statement says, if it is JOB or SUBDAG; quick for plain ones, and not kept."""
        scan = self.source.scan
        if scan.kind[self.number] == _JOB:
            plain = _plain_node(Text(self.text), int(scan.value[self.number]))
            if plain:
                return plain
        assert isinstance(self.command, Node)  # noqa: S101  the caller promises this
        return self.command

    @property
    def line(self) -> int:
        """Line on which the statement begins, from 1."""
        return int(self.source.scan.line[self.number])

    def error(self, problem: str) -> FormatError:
        """Return the error that reports *problem* at this statement."""
        return FormatError(self.source.path, self.line, problem)


def _plain_node(text: Text, value: int) -> Node | None:
    """Return what a plain statement says; None if it has several lines."""
    if value & IS_INLINE:
        head = _INLINE_HEAD.match(text.raw)
        return Node(text, "JOB", head[1], "", "", noop=False, done=False) if head else None
    if "\n" in text.raw:
        return None
    kind, first = ("SUBDAG", 2) if value & IS_SUBDAG else ("JOB", 1)
    name, submit, *options = _PLAIN_WORD.findall(text.raw)[first:]
    directory = options[1].strip('"') if value & HAS_DIRECTORY else ""
    noop, done = bool(value & NOOP), bool(value & DONE)
    return Node(text, kind, name, submit.strip('"'), directory, noop, done)


def load(path: str, *, named_by_user: bool) -> Source:
    """Read and scan the file at *path*; one that the user names may be a pipe.

    Raises FormatError if the file cannot be read, is not text, or ends within a statement.
    """
    if not named_by_user and is_special(path) and os.path.realpath(path) != os.devnull:
        raise FormatError(path, None, "expected an ordinary file")
    raw = read_bytes(path)
    data = section.blanked(path, raw)
    check_text(path, data)
    if data.startswith(b"\xef\xbb\xbf"):
        problem = "expected a command, got a byte order mark, which DAGMan does not take"
        raise FormatError(path, 1, problem)
    scan = _native.scan_dagman(data)
    source = Source(path, raw, data, scan)
    if len(scan.kind) and scan.kind[-1] == Kind.BROKEN:
        raise Statement(source, len(scan.kind) - 1).error(_BROKEN[Problem(scan.value[-1])])
    if len(scan.kind) and (long := (scan.end - scan.begin) > _MOST_STATEMENT_BYTES).any():
        problem = f"expected at most {_MOST_STATEMENT_BYTES:,} bytes in a line"
        raise Statement(source, int(long.argmax())).error(problem)
    return source


class Files:
    """The files that have been loaded, whatever names statements use for them."""

    def __init__(self) -> None:
        self.loaded: dict[str, Source] = {}  # by their names
        self._known: dict[tuple[int, int], Source] = {}  # each under one of its names
        self._open: list[str] = []  # real paths of the files that are being read

    def load(self, path: str, *, named_by_user: bool) -> Source:
        """Return the file at *path*; raises FormatError if it cannot be loaded."""
        if path not in self.loaded:
            file = _identity(path)
            known = self._known.get(file) if file else None
            source = known.under(path) if known else load(path, named_by_user=named_by_user)
            self.loaded[path] = source
            if file:
                self._known[file] = source
        return self.loaded[path]

    def follow(self, statement: Statement, file: str, directory: str) -> Source:
        """Return the file that an INCLUDE or SPLICE names; raises FormatError."""
        source, path = statement.source, os.path.join(directory, file)
        real = os.path.realpath(path)
        if real in self._open or real == os.path.realpath(source.path):
            raise statement.error(f"expected a file that is not inside itself, got {file}")
        if len(self._open) >= _MOST_DEPTH:
            raise statement.error(f"expected files nested at most {_MOST_DEPTH} deep")
        try:
            return self.load(path, named_by_user=False)
        except FormatError as error:
            if error.path != path or error.line is not None:
                raise
            problem = f"{path}: {error.problem}{beside(source, path, file)}"
            raise statement.error(problem) from error

    @contextmanager
    def inside(self, source: Source) -> Iterator[None]:
        """Treat *source* as open while a file that it names is read."""
        self._open.append(os.path.realpath(source.path))
        yield
        self._open.pop()


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells the ordinary file at *path* from all others; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None  # the reader of the file says why
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def beside(source: Source, path: str, file: str) -> str:
    """Return a hint if *file* is not at *path*, but beside the file *source* that names it."""
    other = os.path.join(os.path.dirname(source.path), file)
    if os.path.isabs(file) or os.path.exists(path) or not os.path.exists(other):
        return ""
    return (
        " (DAGMan looks from the directory you submit in; the file is beside the one that names"
        " it: go there, or give --usedagdir)"
    )


def is_missing(path: str) -> bool:
    """Whether nothing is at *path*; False if that cannot be found out, and reading it says why."""
    try:
        os.stat(path)
    except OSError as error:
        return isinstance(error, FileNotFoundError | NotADirectoryError)
    return False


def check_text(path: str, data: bytes) -> None:
    """Raise FormatError if there is a NUL byte, which no text has."""
    if (at := data.find(b"\0")) >= 0:
        raise FormatError(path, data.count(b"\n", 0, at) + 1, "expected text, got a NUL byte")


def shortened(text: str, most: int = 60) -> str:
    """Return *text* on one line of at most *most* characters."""
    line = re.sub(r"[ \t\r\v\f\n]+", " ", text[: 4 * most]).strip(" ")
    return line if len(line) <= most else line[: most - 4] + " ..."
