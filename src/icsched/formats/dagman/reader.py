"""DAGMan files read as DAGMan reads them: includes, splices, scopes, in two passes a file."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from icsched.arrays import Ids
from icsched.errors import FormatError
from icsched.formats.dagman.commands import (
    ALL_NODES,
    Command,
    Connect,
    Directive,
    Modifier,
    Node,
    Parent,
    Pin,
    Splice,
)
from icsched.formats.dagman.plain import PlainStatements, Statements
from icsched.formats.dagman.reach import Reach
from icsched.formats.dagman.scope import Arcs, Said, Scope, Settings
from icsched.formats.dagman.source import (
    DONE,
    HAS_DIRECTORY,
    NOOP,
    Kind,
    Source,
    identity,
    load,
    shortened,
)
from icsched.formats.dagman.words import upper
from icsched.workflow import Remark

MOST_ARCS = 30_000_000
MOST_JOBS = 20_000_000
_MOST_DEPTH = 50  # files inside files
_MOST_SPLICES = 100_000  # statements followed
_MOST_INCLUDES = 10_000
_MOST_AGAIN = {"INCLUDE": 2**24, "SPLICE": 2**26}  # bytes of files, each time but the first
_MOST_LETTERS = 250_000_000  # in the names of spliced jobs

_PRE_REMARK = "SCRIPT PRE: the job waits for its script before DAGMan considers its priority"


@dataclass
class Reader:
    """Reads the files of one workflow into its top scope."""

    lenient: bool = False  # skip unknown commands
    use_dag_directory: bool = False  # names of files are relative to the file that says them
    directory: str = ""  # else to this one
    remarks: list[Remark] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)  # files that CONFIG names
    _scopes: dict[tuple[int, str, str, str], Scope] = field(default_factory=dict)
    _loaded: dict[str, Source] = field(default_factory=dict)
    _files: dict[object, Source] = field(default_factory=dict)  # each under one of its names
    _open: list[str] = field(default_factory=list)  # real paths of files being read
    _seen: set[int] = field(default_factory=set)  # scans that were put into a scope
    _again: Counter[str] = field(default_factory=Counter)  # bytes, by the command
    _splices: int = 0
    _includes: int = 0
    _letters: int = 0
    _arcs: int = 0

    @property
    def paths(self) -> list[str]:
        """The files that were read."""
        return list(self._loaded)

    def source(self, path: str) -> Source:
        """Return a file that was read."""
        return self._loaded[path]

    def top(self, paths: Sequence[str]) -> Scope:
        """Return the settled scope of the workflow that *paths* make together."""
        scope = Scope()
        for number, path in enumerate(paths):
            scope.prefix = f"{number}." if len(paths) > 1 else ""
            directory = os.path.dirname(path) if self.use_dag_directory else self.directory
            _File(self, scope, self._source(path, named_by_user=True), directory).read()
        scope.settle()
        return scope

    def rescue(self, scope: Scope, path: str) -> None:
        """Read a rescue file, whose names reach all jobs of the workflow."""
        scope.prefix = ""
        try:
            _File(self, scope, self._source(path, named_by_user=False), "").read()
        except FormatError as error:
            problem = f"{error.problem} (DAGMan refuses this file, too; --no-rescue ignores it)"
            raise FormatError(error.path, error.line, problem) from error
        scope.settle()

    def _source(self, path: str, *, named_by_user: bool) -> Source:
        if path not in self._loaded:
            file = identity(path)
            known = self._files.get(file) if file else None
            source = known.under(path) if known else load(path, named_by_user=named_by_user)
            self._loaded[path] = self._files[file] = source
        return self._loaded[path]

    def follow(self, source: Source, statement: int, file: str, directory: str) -> Source:
        """Return the file that an INCLUDE or SPLICE names; raises FormatError."""
        path = os.path.join(directory, file)
        real = os.path.realpath(path)
        if real in self._open or real == os.path.realpath(source.path):
            raise source.error(statement, f"expected a file that is not inside itself, got {file}")
        if len(self._open) >= _MOST_DEPTH:
            raise source.error(statement, f"expected files nested at most {_MOST_DEPTH} deep")
        try:
            return self._source(path, named_by_user=False)
        except FormatError as error:
            if error.path != path or error.line is not None:
                raise
            raise source.error(
                statement, f"{path}: {error.problem}{_hint(source, path, file)}"
            ) from error

    def include(self, file: "_File", statement: int, source: Source, directory: str) -> None:
        """Read an included file into the scope of the *file* that includes it."""
        self._includes += 1
        if self._includes > _MOST_INCLUDES:
            raise file.source.error(statement, f"expected at most {_MOST_INCLUDES:,} INCLUDE")
        self._count_bytes(file, statement, source, "INCLUDE")
        self._open.append(os.path.realpath(file.source.path))
        _File(self, file.scope, source, directory).read()
        self._open.pop()

    def splice(self, file: "_File", statement: int, source: Source, directory: str) -> Scope:
        """Return the settled scope of a spliced file, read once however often it is used.

        Only where it depends on the directory, or on its own name, is it read again for each.
        """
        prefix = file.scope.prefix
        is_local = source.names_files or self.use_dag_directory
        start = os.path.realpath(directory) if is_local else ""
        name = source.path if source.has_save_points else ""
        key = (id(source.scan), start, name, prefix)
        if key not in self._scopes:
            self._count_bytes(file, statement, source, "SPLICE")
            self._open.append(os.path.realpath(file.source.path))
            scope = Scope(prefix=prefix)
            _File(self, scope, source, directory).read()
            scope.settle()
            self._open.pop()
            self._scopes[key] = scope
        self._splices += 1
        self._letters += self._scopes[key].letters
        if self._splices > _MOST_SPLICES:
            raise file.source.error(statement, f"expected at most {_MOST_SPLICES:,} SPLICE")
        if self._letters > _MOST_LETTERS:
            problem = f"expected at most {_MOST_LETTERS:,} letters in the names of spliced jobs"
            raise file.source.error(statement, problem)
        return self._scopes[key]

    def _count_bytes(self, file: "_File", statement: int, source: Source, command: str) -> None:
        """Raise FormatError if files are read again and again, under whatever names."""
        if id(source.scan) in self._seen:
            self._again[command] += len(source.data)
        self._seen.add(id(source.scan))
        if self._again[command] > _MOST_AGAIN[command]:
            problem = (
                f"expected at most {_MOST_AGAIN[command]:,} bytes in files that {command} reads"
                f" again and again: write fewer of these lines, or take {source.path} apart"
            )
            raise file.source.error(statement, problem)

    def count_arcs(self, source: Source, statements: Statements, counts: Statements) -> None:
        """Raise FormatError at the statement with which the arcs become too many to hold."""
        total = self._arcs + np.cumsum(counts)
        self._arcs = int(total[-1])
        if self._arcs > MOST_ARCS:
            at = int(statements[np.argmax(total > MOST_ARCS)])
            raise source.error(at, f"expected at most {MOST_ARCS:,} dependencies in all")


def _hint(source: Source, path: str, file: str) -> str:
    beside = os.path.join(os.path.dirname(source.path), file)
    if os.path.isabs(file) or os.path.exists(path) or not os.path.exists(beside):
        return ""
    return (
        " (DAGMan looks from the directory you submit in; the file is beside the one that names"
        " it: go there, or give --usedagdir)"
    )


class _File:
    """One file on its way into a scope."""

    def __init__(self, reader: Reader, scope: Scope, source: Source, directory: str) -> None:
        self._reader = reader
        self.scope = scope
        self.source = source
        self._directory = directory
        self._commands: dict[int, Command] = {}
        self._reach = Reach(scope, source)
        self._plain_statements = PlainStatements(source, scope, self._reach)

    def read(self) -> None:
        """Read the file; DAGMan finds the nodes in a first pass, all else in a second."""
        self._parse_odd()
        self._nodes()
        start = 0
        for statement, command in self._commands.items():
            if isinstance(command, Directive) and command.command == "INCLUDE":
                self._plain(start, statement)
                self._include(statement, command.argument)
                start = statement
            else:
                if isinstance(command, Modifier) and command.command == "PRIORITY":
                    self._plain_statements.priorities(statement)
                self._second_pass(statement, command)
        self._plain(start, len(self.source.scan.kind))
        self.scope.lift()

    def _parse_odd(self) -> None:
        for statement in self.source.odd:
            try:
                self._commands[statement] = self.source.command(statement)
            except KeyError:
                text = shortened(self.source.text(statement))
                if not self._reader.lenient:
                    raise self._error(statement, f"unknown command, got {text!r}") from None
                self._remark(statement, f"unknown command skipped: {text}")

    def _error(self, statement: int, problem: str) -> FormatError:
        return self.source.error(statement, problem)

    def _remark(self, statement: int, text: str, count: int = 1) -> None:
        line = self.source.line(statement)
        self._reader.remarks.append(Remark(self.source.path, line, text, count))

    def _nodes(self) -> None:
        """First pass: own jobs in file order, then splices."""
        scan, scope = self.source.scan, self.scope
        odd = {s: c for s, c in self._commands.items() if isinstance(c, Node)}
        jobs = {s: c for s, c in odd.items() if c.kind in ("JOB", "SUBDAG")}
        plain = np.flatnonzero(scan.kind == Kind.JOB).astype(np.int32)
        at = np.sort(np.concatenate([plain, np.array(list(jobs), np.int32)]))
        flags = scan.value[at].astype(np.uint8)
        for place in np.flatnonzero(scan.kind[at] != Kind.JOB).tolist():
            flags[place] = _flags(jobs[int(at[place])])
        self._check_directories([*at[flags & HAS_DIRECTORY > 0].tolist(), *_placed(odd)])
        first = len(scope)
        names = self._own_names(at, jobs)
        self._check_new(names, at)
        slots = first + np.searchsorted(at, plain)
        self._reach.set(scan.name[plain], slots.astype(np.int32))
        scope.add_jobs(names, flags, self.source, at)
        for statement, node in odd.items():
            if node.kind not in ("JOB", "SUBDAG"):
                self._special(statement, node)
        for statement, command in self._commands.items():
            if isinstance(command, Splice):
                self._splice(statement, command)
        if len(scope) > MOST_JOBS:
            raise FormatError(self.source.path, None, f"expected at most {MOST_JOBS:,} jobs")

    def _check_directories(self, nodes: list[int]) -> None:
        """Raise FormatError, as DAGMan, if nodes have a DIR besides that of their file."""
        if nodes and self._reader.use_dag_directory:
            problem = "DIR of a job cannot be used with --usedagdir: leave out one of the two"
            raise self._error(min(nodes), problem)

    def _own_names(self, at: Ids, jobs: dict[int, Node]) -> list[str]:
        known, prefix = self.source.names, self.scope.prefix
        ids = self.source.scan.name[at].tolist()
        names = [known[i] if i >= 0 else "" for i in ids]
        if jobs:
            place = {int(statement): i for i, statement in enumerate(at)}
            for statement, node in jobs.items():
                names[place[statement]] = node.name
        return [prefix + name for name in names] if prefix else names

    def _special(self, statement: int, node: Node) -> None:
        scope, name = self.scope, self.scope.prefix + node.name
        if node.kind != "SERVICE" and node.kind in scope.special.values():
            raise self._error(statement, f"expected one {node.kind} node, got another: {node.name}")
        self._check_fresh(statement, name)
        scope.special[name] = node.kind
        scope.directives.append((self.source, statement))

    def _check_new(self, names: list[str], at: Ids) -> None:
        """Raise FormatError if a name is taken, by an earlier file or twice in this one."""
        scope = self.scope
        if len(set(names)) < len(names):
            seen: dict[str, int] = {}
            for name, statement in zip(names, at.tolist(), strict=True):
                if name in seen:
                    line = self.source.line(seen[name])
                    raise self._error(statement, f"job {name} is already on line {line}")
                seen[name] = statement
        if len(scope) or scope.special or scope.splices:
            for name, statement in zip(names, at.tolist(), strict=True):
                self._check_fresh(statement, name)

    def _check_fresh(self, statement: int, name: str) -> None:
        scope = self.scope
        taken = name in scope.special or name in scope.used_names or scope.find(name) is not None
        if taken:
            raise self._error(statement, f"expected a new name, got {name}, which is taken")

    def _splice(self, statement: int, splice: Splice) -> None:
        scope = self.scope
        name = scope.prefix + splice.name
        self._check_fresh(statement, name)
        directory = os.path.join(self._directory, splice.directory)
        source = self._reader.follow(self.source, statement, splice.file, directory)
        inside = os.path.dirname(source.path) if self._reader.use_dag_directory else directory
        inner = self._reader.splice(self, statement, source, inside)
        if "FINAL" in inner.special.values():
            raise self._error(statement, f"splice {name}: expected no FINAL node in {source.path}")
        if len(scope) + len(inner) > MOST_JOBS:
            raise self._error(statement, f"expected at most {MOST_JOBS:,} jobs")
        self._reader.count_arcs(self.source, np.array([statement]), np.array([len(inner.parents)]))
        scope.add_splice(name, inner, splice.directory)
        scope.joins += inner.joins
        scope.lowest = min(scope.lowest, inner.lowest)
        if (inner.all_flags() & DONE).any() or any(map(len, inner.done)):
            self._remark(statement, "DAGMan does not heed DONE inside a splice")

    def _include(self, statement: int, file: str) -> None:
        source = self._reader.follow(self.source, statement, file, self._directory)
        inside = os.path.dirname(source.path) if self._reader.use_dag_directory else self._directory
        self._reader.include(self, statement, source, inside)
        self._reach.forget()

    def _second_pass(self, statement: int, command: Command) -> None:
        if isinstance(command, Parent):
            self._parent(statement, command.parents, command.children)
        elif isinstance(command, Modifier):
            self._modifier(statement, command)
        elif isinstance(command, Pin):
            slot = self._reach.job(statement, command.name)
            self.scope.pins[command.is_out][command.number].append(slot)
        elif isinstance(command, Connect):
            self._connect(statement, command)
        elif isinstance(command, Directive):
            self._directive(statement, command)

    def _directive(self, statement: int, command: Directive) -> None:
        self.scope.directives.append((self.source, statement))
        if command.command == "REJECT":
            raise self._error(statement, "the file says REJECT: DAGMan will not run it")
        if command.command == "SUBMIT_DESCRIPTION":
            self.scope.descriptions.add(command.argument)
        if command.command == "CONFIG":
            self._reader.configs.append(os.path.join(self._directory, command.argument))
        if command.command == "MAXJOBS":
            self.scope.categories.add(command.argument)
            text = (
                f"MAXJOBS {command.argument} {command.number}: a job held back by the limit lets"
                " later ones pass, and comes back out of order"
            )
            self._remark(statement, text)

    def _parent(self, statement: int, above: Sequence[str], below: Sequence[str]) -> None:
        parents = self._reach.ends(statement, above, initial=False)
        children = self._reach.ends(statement, below, initial=True)
        self.scope.joins += len(parents) > 1 and len(children) > 1
        self._add_arcs(statement, parents, children)

    def _add_arcs(self, statement: int, parents: Ids, children: Ids) -> None:
        """Add the arcs from each of *parents* to each of *children*."""
        statements, counts = np.array([statement]), np.array([len(parents) * len(children)])
        self._reader.count_arcs(self.source, statements, counts)
        above, below = np.repeat(parents, len(children)), np.tile(children, len(parents))
        self.scope.arcs.append(Arcs(above, below, self.source, statements, counts))

    def _connect(self, statement: int, command: Connect) -> None:
        parent = self._pinned(statement, command.parent, is_out=True)
        child = self._pinned(statement, command.child, is_out=False)
        if len(parent) != len(child):
            got = f"{len(parent)} of {command.parent} and {len(child)} of {command.child}"
            raise self._error(statement, f"expected as many pins out as in, got {got}")
        for above, below in zip(parent, child, strict=True):
            self._add_arcs(statement, above, below)
        inner = self.scope.splices[self.scope.prefix + command.child]
        loose = np.setdiff1d(inner.scope.initial + np.int32(inner.first), np.concatenate(child))
        if len(loose):
            name = self.scope.names[loose[0]]
            raise self._error(statement, f"expected a PIN_IN for {name}, which has no parents")

    def _pinned(self, statement: int, name: str, *, is_out: bool) -> list[Ids]:
        """Return the slots of a splice's pins, from pin 1 on."""
        what = "PIN_OUT" if is_out else "PIN_IN"
        instance = self.scope.splices.get(self.scope.prefix + name)
        if instance is None:
            raise self._error(statement, f"expected a splice, got {name}")
        pins = instance.scope.pins[is_out]
        for number in range(1, max(pins, default=1) + 1):
            if number not in pins:
                raise self._error(statement, f"splice {name}: expected {what} {number}, got none")
        return [np.array(pins[n], np.int32) + np.int32(instance.first) for n in sorted(pins)]

    def _modifier(self, statement: int, command: Modifier) -> None:
        scope = self.scope
        slots: Ids | int
        is_all = upper(command.name) == ALL_NODES and not scope.prefix  # no word for several files
        if is_all and command.command != "DONE":
            slots = len(scope.layout)
            if command.command == "PRIORITY":
                scope.priorities.clear()  # it settles all that was said before
                scope.lowest = min(scope.lowest, command.value)
        else:
            slot = self._reach.modified(statement, command.command, command.name)
            slots = np.array([] if slot is None else [slot], np.int32)
            if slot is None:
                scope.directives.append((self.source, statement))
            elif command.command == "DONE":
                scope.done.append(slots)
        scope.said.append(Said(self.source, np.array([statement]), slots))
        if command.command == "PRIORITY":
            scope.priorities.append(Settings(slots, command.value))
        if command.detail == "PRE":
            self._remark(statement, _PRE_REMARK)

    def _plain(self, start: int, stop: int) -> None:
        """Take the plain statements from *start* to *stop*."""
        plain = self._plain_statements
        plain.parents(start, stop, partial(self._reader.count_arcs, self.source), self._parent)
        before = plain.modifiers(start, stop)
        if len(before):
            self._remark(int(before[0]), _PRE_REMARK, len(before))
        plain.priorities(stop)


def _placed(nodes: dict[int, Node]) -> list[int]:
    return [statement for statement, node in nodes.items() if node.directory]


def _flags(node: Node) -> int:
    """Return what the scan would give as the value of a plain JOB statement."""
    return NOOP * node.noop | DONE * node.done | HAS_DIRECTORY * bool(node.directory)
