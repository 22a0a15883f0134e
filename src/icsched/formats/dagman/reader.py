"""DAGMan files read as DAGMan reads them: includes, splices and scopes, in two passes per file."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from icsched.arrays import Ids, ids_where
from icsched.errors import FormatError
from icsched.formats.dagman.budget import MOST_JOBS, Budget
from icsched.formats.dagman.builder import ScopeBuilder, Settings
from icsched.formats.dagman.commands import (
    ALL_NODES,
    Config,
    Connect,
    Directive,
    Done,
    Include,
    MaxJobs,
    Modifier,
    Node,
    Parent,
    Pin,
    Priority,
    Reject,
    Script,
    Splice,
)
from icsched.formats.dagman.loading import Files
from icsched.formats.dagman.plain import PlainStatements
from icsched.formats.dagman.reach import Reach
from icsched.formats.dagman.scope import Arcs, Modifiers, Scope
from icsched.formats.dagman.source import (
    DONE,
    HAS_DIRECTORY,
    NOOP,
    Kind,
    Source,
    Statement,
    shortened,
)
from icsched.formats.dagman.words import upper
from icsched.workflow import Remark

_PRE_REMARK = "SCRIPT PRE: the job waits for its script before DAGMan considers its priority"
_ALL_OF_SEVERAL = (
    f"{ALL_NODES} cannot be used when several files are submitted together: name the jobs instead"
)


@dataclass
class Reader:
    """Reads the files of one workflow into its top scope."""

    lenient: bool = False  # skip unknown commands
    use_dag_directory: bool = False  # names of files are relative to the file that has them
    directory: str = ""  # otherwise to this directory
    remarks: list[Remark] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)  # files that CONFIG names
    _scopes: dict[tuple[int, str, str, str], Scope] = field(default_factory=dict)
    files: Files = field(default_factory=Files)
    budget: Budget = field(default_factory=Budget)
    _top: ScopeBuilder = field(default_factory=ScopeBuilder)

    def read(self, paths: Sequence[str]) -> None:
        """Read the files that together make a workflow."""
        sources = [self.files.load(path, named_by_user=True) for path in paths]
        for number, (path, source) in enumerate(zip(paths, sources, strict=True)):
            self._top.prefix = f"{number}." if len(paths) > 1 else ""
            directory = os.path.dirname(path) if self.use_dag_directory else self.directory
            _File(self, self._top, source, directory).read()

    def read_rescue(self, path: str) -> None:
        """Read a rescue file, whose names can refer to all jobs of the workflow."""
        self._top.prefix = ""
        try:
            source = self.files.load(path, named_by_user=False)
            _File(self, self._top, source, "").read()
        except FormatError as error:
            problem = f"{error.problem} (DAGMan refuses this file, too; --no-rescue ignores it)"
            raise FormatError(error.path, error.line, problem) from error

    def scope(self) -> Scope:
        """Return the scope of the workflow that was read."""
        return self._top.built()

    def include(
        self, statement: Statement, scope: ScopeBuilder, source: Source, directory: str
    ) -> None:
        """Read the file that a statement includes into *scope*."""
        self.budget.count_include(statement)
        self.budget.count_bytes(statement, source)
        with self.files.inside(statement.source):
            _File(self, scope, source, directory).read()

    def splice(self, statement: Statement, prefix: str, source: Source, directory: str) -> Scope:
        """Return the scope of a spliced file, read once however often it is used.

        The file is read again only if its meaning depends on the directory or on its own name.
        """
        is_local = source.names_files or self.use_dag_directory
        start = os.path.realpath(directory) if is_local else ""
        name = source.path if source.has_save_points else ""
        key = (id(source.scan), start, name, prefix)
        if key not in self._scopes:
            self.budget.count_bytes(statement, source)
            scope = ScopeBuilder(prefix=prefix)
            with self.files.inside(statement.source):
                _File(self, scope, source, directory).read()
            self._scopes[key] = scope.built()
        self.budget.count_splice(statement, self._scopes[key])
        return self._scopes[key]


class _File:
    """One file while it is read into a scope."""

    def __init__(self, reader: Reader, scope: ScopeBuilder, source: Source, directory: str) -> None:
        self._reader = reader
        self.scope = scope
        self.source = source
        self._directory = directory
        self._odd: dict[int, Statement] = {}
        self._reach = Reach(scope, source)
        self._plain_statements = PlainStatements(source, scope, self._reach)

    def read(self) -> None:
        """Read the file; DAGMan finds the nodes in a first pass, all else in a second."""
        self._reader.budget.count_statements(self.source)
        self._parse_odd()
        self._nodes()
        start = 0
        for number, statement in self._odd.items():
            if isinstance(statement.command, Include):
                self._plain(start, number)
                self._include(statement, statement.command.argument)
                start = number
            else:
                if isinstance(statement.command, Priority):
                    self._plain_statements.priorities(number)
                self._second_pass(statement)
        self._plain(start, len(self.source.scan.kind))
        self.scope.lift()

    def _parse_odd(self) -> None:
        for number in self.source.odd:
            statement = Statement(self.source, number)
            try:
                _ = statement.command
            except KeyError:
                text = shortened(self.source.text(number))
                if not self._reader.lenient:
                    raise statement.error(f"unknown command, got {text!r}") from None
                self._remark(number, f"unknown command skipped: {text}")
            else:
                self._odd[number] = statement

    def _remark(self, statement: int, text: str, count: int = 1) -> None:
        line = self.source.line(statement)
        self._reader.remarks.append(Remark(self.source.path, line, text, count))

    def _nodes(self) -> None:
        """First pass: own jobs in file order, then splices."""
        scan, scope = self.source.scan, self.scope
        odd = {n: s.command for n, s in self._odd.items() if isinstance(s.command, Node)}
        jobs = {n: node for n, node in odd.items() if node.kind in ("JOB", "SUBDAG")}
        plain = ids_where(scan.kind == Kind.JOB)
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
        for number, node in odd.items():
            if number not in jobs:
                self._special(self._odd[number], node)
        for statement in self._odd.values():
            if isinstance(statement.command, Splice):
                self._splice(statement, statement.command)
        if len(scope) > MOST_JOBS:
            raise FormatError(self.source.path, None, f"expected at most {MOST_JOBS:,} jobs")

    def _check_directories(self, nodes: list[int]) -> None:
        """Raise FormatError, as DAGMan does, if nodes have a DIR besides that of their file."""
        if nodes and self._reader.use_dag_directory:
            problem = "DIR of a job cannot be used with --usedagdir: leave out one of the two"
            raise self.source.error(min(nodes), problem)

    def _own_names(self, at: Ids, jobs: dict[int, Node]) -> list[str]:
        known, prefix = self.source.names, self.scope.prefix
        ids = self.source.scan.name[at].tolist()
        names = [known[i] if i >= 0 else "" for i in ids]
        if jobs:
            place = {int(statement): i for i, statement in enumerate(at)}
            for statement, node in jobs.items():
                names[place[statement]] = node.name
        return [prefix + name for name in names] if prefix else names

    def _special(self, statement: Statement, node: Node) -> None:
        scope, name = self.scope, self.scope.prefix + node.name
        if node.kind != "SERVICE" and node.kind in scope.special.values():
            raise statement.error(f"expected one {node.kind} node, got another: {node.name}")
        self._check_fresh(statement, name)
        scope.special[name] = node.kind
        scope.directives.append(statement)

    def _check_new(self, names: list[str], at: Ids) -> None:
        """Raise FormatError if a name is taken, by an earlier file or by this one."""
        scope = self.scope
        if len(set(names)) < len(names):
            seen: dict[str, int] = {}
            for name, statement in zip(names, at.tolist(), strict=True):
                if name in seen:
                    line = self.source.line(seen[name])
                    raise self.source.error(statement, f"job {name} is already on line {line}")
                seen[name] = statement
        if len(scope) or scope.special or scope.splices:
            for name, statement in zip(names, at.tolist(), strict=True):
                self._check_fresh(Statement(self.source, statement), name)

    def _check_fresh(self, statement: Statement, name: str) -> None:
        scope = self.scope
        taken = name in scope.special or name in scope.used_names or scope.find(name) is not None
        if taken:
            raise statement.error(f"expected a new name, got {name}, which is taken")

    def _splice(self, statement: Statement, splice: Splice) -> None:
        scope = self.scope
        name = scope.prefix + splice.name
        self._check_fresh(statement, name)
        directory = os.path.join(self._directory, splice.directory)
        source = self._reader.files.follow(statement, splice.file, directory)
        inside = os.path.dirname(source.path) if self._reader.use_dag_directory else directory
        inner = self._reader.splice(statement, scope.prefix, source, inside)
        if "FINAL" in inner.special.values():
            raise statement.error(
                f"splice {name}: FINAL of {source.path} cannot be used in a splice"
            )
        if len(scope) + len(inner) > MOST_JOBS:
            raise statement.error(f"expected at most {MOST_JOBS:,} jobs")
        self._reader.budget.count_arcs(
            self.source, np.array([statement.number]), np.array([len(inner.parents)])
        )
        scope.add_splice(name, inner, splice.directory)
        if inner.is_done.any():
            self._remark(statement.number, "DAGMan ignores DONE inside a splice")

    def _include(self, statement: Statement, file: str) -> None:
        source = self._reader.files.follow(statement, file, self._directory)
        inside = os.path.dirname(source.path) if self._reader.use_dag_directory else self._directory
        self._reader.include(statement, self.scope, source, inside)
        self._reach.forget()

    def _second_pass(self, statement: Statement) -> None:
        command = statement.command
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

    def _directive(self, statement: Statement, command: Directive) -> None:
        self.scope.directives.append(statement)
        if isinstance(command, Reject):
            raise statement.error("the file says REJECT: DAGMan will not run it")
        if isinstance(command, Config):
            self._reader.configs.append(os.path.join(self._directory, command.argument))
        if isinstance(command, MaxJobs):
            text = (
                f"MAXJOBS {command.argument} {command.limit}: a job held back by the limit lets"
                " later ones pass, and comes back out of order"
            )
            self._remark(statement.number, text)

    def _parent(self, statement: Statement, above: Sequence[str], below: Sequence[str]) -> None:
        parents = self._reach.ends(statement, above, initial=False)
        children = self._reach.ends(statement, below, initial=True)
        self.scope.joins += len(parents) > 1 and len(children) > 1
        by_splices = len(parents) * len(children) - len(above) * len(below)
        self._reader.budget.count_spliced_arcs(statement, max(0, by_splices))
        self._add_arcs(statement, parents, children)

    def _add_arcs(self, statement: Statement, parents: Ids, children: Ids) -> None:
        """Add the arcs from each of *parents* to each of *children*."""
        statements, counts = np.array([statement.number]), np.array([len(parents) * len(children)])
        self._reader.budget.count_arcs(self.source, statements, counts)
        above, below = np.repeat(parents, len(children)), np.tile(children, len(parents))
        self.scope.arcs.append(Arcs(above, below, self.source, statements, counts))

    def _connect(self, statement: Statement, command: Connect) -> None:
        parent = self._pinned(statement, command.parent, is_out=True)
        child = self._pinned(statement, command.child, is_out=False)
        if len(parent) != len(child):
            got = f"{len(parent)} of {command.parent} and {len(child)} of {command.child}"
            raise statement.error(f"expected as many pins out as in, got {got}")
        for above, below in zip(parent, child, strict=True):
            self._reader.budget.count_spliced_arcs(statement, len(above) * len(below))
            self._add_arcs(statement, above, below)
        inner = self.scope.splices[self.scope.prefix + command.child]
        loose = np.setdiff1d(inner.scope.initial + np.int32(inner.first), np.concatenate(child))
        if len(loose):
            name = self.scope.names[loose[0]]
            raise statement.error(f"expected a PIN_IN for {name}, which has no parents")

    def _pinned(self, statement: Statement, name: str, *, is_out: bool) -> list[Ids]:
        """Return the slots of a splice's pins, from pin 1 on."""
        what = "PIN_OUT" if is_out else "PIN_IN"
        instance = self.scope.splices.get(self.scope.prefix + name)
        if instance is None:
            raise statement.error(f"expected a splice, got {name}")
        pins = instance.scope.pins[is_out]
        for number in range(1, max(pins, default=1) + 1):
            if number not in pins:
                raise statement.error(f"splice {name}: expected {what} {number}, got none")
        return [np.array(pins[n], np.int32) + np.int32(instance.first) for n in sorted(pins)]

    def _modifier(self, statement: Statement, command: Modifier) -> None:
        scope = self.scope
        slots: Ids | int
        is_all = upper(command.name) == ALL_NODES and not isinstance(command, Done)
        if is_all and scope.prefix:  # DAGMan looks for a job called 0.ALL_NODES
            raise statement.error(_ALL_OF_SEVERAL)
        if is_all:
            slots = len(scope.layout)
            if isinstance(command, Priority):
                scope.priorities.clear()  # it overrides all earlier priorities
                scope.lowest = min(scope.lowest, command.value)
        else:
            slot = self._reach.modified(statement, command.name)
            slots = np.array([] if slot is None else [slot], np.int32)
            if slot is None:
                scope.directives.append(statement)
            elif isinstance(command, Done):
                scope.done.append(slots)
        scope.modifiers.append(Modifiers(self.source, np.array([statement.number]), slots))
        if isinstance(command, Priority):
            scope.priorities.append(Settings(slots, command.value))
        if isinstance(command, Script) and command.when == "PRE":
            self._remark(statement.number, _PRE_REMARK)

    def _plain(self, start: int, stop: int) -> None:
        """Process the plain statements from *start* to *stop*."""
        plain = self._plain_statements
        plain.parents(
            start, stop, partial(self._reader.budget.count_arcs, self.source), self._parent
        )
        before = plain.modifiers(start, stop)
        if len(before):
            self._remark(int(before[0]), _PRE_REMARK, len(before))
        plain.priorities(stop)


def _placed(nodes: dict[int, Node]) -> list[int]:
    return [statement for statement, node in nodes.items() if node.directory]


def _flags(node: Node) -> int:
    """Return the value that the scan would give to a plain JOB statement."""
    return NOOP * node.noop | DONE * node.done | HAS_DIRECTORY * bool(node.directory)
