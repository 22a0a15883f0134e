"""DAGMan files read as DAGMan reads them: includes, splices and scopes, in two passes per file.

The plain statements of a file, which are nearly all, are put into its scope many at a time.
"""

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np

from icsched.arrays import Ids, Sizes, ids_where
from icsched.errors import FormatError
from icsched.formats.dagman.scope import Arcs, Modifiers, Scope, joined
from icsched.formats.dagman.source import (
    DONE,
    HAS_DIRECTORY,
    NOOP,
    Files,
    Kind,
    Source,
    Statement,
    shortened,
)
from icsched.formats.dagman.statements import (
    ALL_NODES,
    Connect,
    Directive,
    MaxJobs,
    Modifier,
    Node,
    Parent,
    Pin,
    Priority,
    Script,
    Splice,
    upper,
)
from icsched.workflow import Remark

_MOST_JOBS = 20_000_000
_MOST_ARCS = 30_000_000
_MOST_SPLICES = 100_000  # SPLICE statements that are followed
_MOST_INCLUDES = 10_000
_MOST_AGAIN = {"INCLUDE": 2**24, "SPLICE": 2**26}  # bytes of files that are read a second time
_MOST_LETTERS = 250_000_000  # in the names of spliced jobs
# What splices may multiply to: a number, and more for each statement read. Files of a few hundred
# bytes could otherwise make millions of jobs, or of empty splices, by splices in splices.
_SPLICED, _SPLICED_EACH = 100_000, 1_000
_SPLICED_FACTOR = {"jobs and splices": 1, "dependencies": 10}


_PRE_REMARK = "SCRIPT PRE: the job waits for its script before DAGMan considers its priority"
# Which commands each kind of special node refuses.
_REFUSES = {
    "FINAL": {"RETRY", "ABORT_DAG_ON", "PRIORITY", "CATEGORY", "DONE"},
    "SERVICE": {"RETRY", "PRIORITY", "CATEGORY", "DONE", "SAVE_POINT_FILE"},
    "PROVISIONER": {"SAVE_POINT_FILE"},
}
_ALL_OF_SEVERAL = (
    f"{ALL_NODES} cannot be used when several files are submitted together: name the jobs instead"
)


class Budget:
    """Counts what was read; raises FormatError at the statement that exceeds a limit."""

    def __init__(self) -> None:
        self._counts = Counter[str]()
        self._named = set[int]()  # scans of files that other files name

    def count(self, statement: Statement, most: int, what: str, count: int = 1) -> None:
        """Count things that a statement makes."""
        self._counts[what] += count
        if self._counts[what] > most:
            raise statement.error(f"expected at most {most:,} {what}")

    def count_splice(self, statement: Statement, scope: Scope) -> None:
        """Count a SPLICE, and what it brings along, before any of that is made."""
        self.count(statement, _MOST_SPLICES, "SPLICE")
        self.count_spliced(statement, len(scope) + scope.places + 1, "jobs and splices")
        what = "letters in the names of spliced jobs"
        self.count(statement, _MOST_LETTERS, what, scope.letters)
        self.count_spliced(statement, len(scope.parents), "dependencies")

    def count_spliced(self, statement: Statement, count: int, what: str) -> None:
        """Count what splices bring into the files around them."""
        self._counts[f"{what} of splices"] += count
        made, read = self._counts[f"{what} of splices"], self._counts["statements"]
        most = _SPLICED_FACTOR[what] * (_SPLICED + _SPLICED_EACH * read)
        if made > most:
            raise statement.error(
                f"expected splices to make at most {most:,} {what} from {read:,} statements,"
                f" got {made:,}: make some of the splices SUBDAG EXTERNAL"
            )

    def count_file(self, source: Source, by: Statement | None) -> None:
        """Count the statements of a file; the next times that statements name it, its bytes."""
        if id(source.scan) not in self._named:
            self._counts["statements"] += len(source.scan.kind)
        elif by:
            keyword = by.keyword
            self._counts[f"bytes by {keyword}"] += len(source.data)
            if self._counts[f"bytes by {keyword}"] > _MOST_AGAIN[keyword]:
                raise by.error(
                    f"expected at most {_MOST_AGAIN[keyword]:,} bytes in files that {keyword} reads"
                    f" again and again: write fewer of these lines, or take {source.path} apart"
                )
        if by:
            self._named.add(id(source.scan))

    def count_arcs(self, source: Source, statements: Sizes, counts: Sizes) -> None:
        """Count the arcs that some statements of a file make; *counts* has a number for each."""
        total = self._counts["arcs"] + np.cumsum(counts)
        self._counts["arcs"] = int(total[-1])
        if total[-1] > _MOST_ARCS:
            at = int(statements[np.argmax(total > _MOST_ARCS)])
            product = "a PARENT line makes one for each parent and child"
            remedy = "put a NOOP job between the many parents and the many children"
            limit = f"expected at most {_MOST_ARCS:,} dependencies in all"
            raise Statement(source, at).error(f"{limit} ({product}): {remedy}")


@dataclass
class Reader:
    """Reads the files of one workflow into its top scope."""

    lenient: bool = False  # skip unknown commands
    use_dag_directory: bool = False  # names of files are relative to the file that has them
    remarks: list[Remark] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)  # files that CONFIG names
    files: Files = field(default_factory=Files)
    budget: Budget = field(default_factory=Budget)
    top: Scope = field(default_factory=Scope)
    scopes: dict[tuple[int, str, str, str], Scope] = field(default_factory=dict)  # of splices

    def read_rescue(self, path: str) -> None:
        """Read a rescue file, whose names can refer to all jobs of the workflow."""
        self.top.prefix = ""
        try:
            self.read_file(self.files.load(path, named_by_user=False), self.top, "")
        except FormatError as error:
            problem = f"{error.problem} (DAGMan refuses this file, too; --no-rescue ignores it)"
            raise FormatError(error.path, error.line, problem) from error

    def read_file(
        self, source: Source, scope: Scope, directory: str, by: Statement | None = None
    ) -> None:
        """Read a file, which a statement names if not the user, into *scope*."""
        self.budget.count_file(source, by)
        with self.files.inside(by.source) if by else nullcontext():
            _File(self, scope, source, directory).read()

    def start_of(self, source: Source, directory: str) -> str:
        """Return the directory from which a file finds others, if it is read in *directory*."""
        return os.path.dirname(source.path) if self.use_dag_directory else directory

    def splice(self, statement: Statement, prefix: str, source: Source, directory: str) -> Scope:
        """Return the scope of a spliced file, read once unless its place changes its meaning."""
        is_local = source.names_files or self.use_dag_directory
        start = os.path.realpath(directory) if is_local else ""
        name = source.path if source.has_save_points else ""
        key = (id(source.scan), start, name, prefix)
        if key not in self.scopes:
            scope = Scope(prefix)
            self.read_file(source, scope, directory, statement)
            self.scopes[key] = scope
        self.budget.count_splice(statement, self.scopes[key])
        return self.scopes[key]


class _File:
    """One file while it is read into a scope."""

    def __init__(self, reader: Reader, scope: Scope, source: Source, directory: str) -> None:
        self._reader = reader
        self._budget = reader.budget
        self.scope = scope
        self.source = source
        self._directory = directory
        self._odd: dict[int, Statement] = {}
        # The slot of each name that the scan has numbered, -1 until the job is found.
        self._slots = np.full(len(source.names), -1, np.int32)
        scan = source.scan
        self._parents = np.flatnonzero(scan.kind == Kind.PARENT)
        self._first_refs = np.append(scan.first_parent, len(scan.refs))
        self._priorities = np.flatnonzero(scan.kind == Kind.PRIORITY)  # not yet set

    def read(self) -> None:
        """Read the file; DAGMan finds the nodes in a first pass, all else in a second."""
        self._parse_odd()
        self._nodes()
        start = 0
        for number, statement in self._odd.items():
            if statement.keyword == "INCLUDE":
                self._plain(start, number)
                self._include(statement)
                start = number
            else:
                if statement.keyword == "PRIORITY":
                    self._plain_priorities(number)
                self._second_pass(statement)
        self._plain(start, len(self.source.scan.kind))
        self.scope.lift()

    def _parse_odd(self) -> None:
        for number in self.source.odd:
            statement = Statement(self.source, number)
            try:
                _ = statement.command
            except KeyError:
                text = shortened(statement.text)
                if not self._reader.lenient:
                    raise statement.error(f"unknown command, got {text!r}") from None
                self._remark(statement, f"unknown command skipped: {text}")
            else:
                self._odd[number] = statement

    def _remark(self, statement: Statement, text: str, count: int = 1) -> None:
        self._reader.remarks.append(Remark(self.source.path, statement.line, text, count))

    def _include(self, statement: Statement) -> None:
        reader = self._reader
        source = reader.files.follow(statement, statement.argument, self._directory)
        self._budget.count(statement, _MOST_INCLUDES, "INCLUDE")
        start = reader.start_of(source, self._directory)
        reader.read_file(source, self.scope, start, statement)

    def _nodes(self) -> None:
        """First pass: own jobs in file order, then splices."""
        scan, scope = self.source.scan, self.scope
        odd = {n: s.command for n, s in self._odd.items() if isinstance(s.command, Node)}
        jobs = {n: node for n, node in odd.items() if node.kind in ("JOB", "SUBDAG")}
        plain = ids_where(scan.kind == Kind.JOB)
        at = np.sort(np.concatenate([plain, np.array(list(jobs), np.int32)]))
        flags = scan.value[at]
        known = self.source.names
        names = [known[name] if name >= 0 else "" for name in scan.name[at].tolist()]
        for place in np.flatnonzero(scan.kind[at] != Kind.JOB).tolist():
            node = jobs[int(at[place])]
            # The value that the scan gives to plain statements.
            flags[place] = (
                NOOP * node.noop | DONE * node.done | HAS_DIRECTORY * bool(node.directory)
            )
            names[place] = node.name
        with_directory = at[flags & HAS_DIRECTORY > 0].tolist()
        with_directory += [number for number, node in odd.items() if node.directory]
        if with_directory and self._reader.use_dag_directory:  # DAGMan refuses that, too
            problem = "DIR of a job cannot be used with --usedagdir: leave out one of the two"
            raise Statement(self.source, min(with_directory)).error(problem)
        if scope.prefix:
            names = [scope.prefix + name for name in names]
        self._check_new(names, at)
        self._slots[scan.name[plain]] = len(scope) + np.searchsorted(at, plain)
        scope.add_jobs(names, flags, self.source, at)
        for number, node in odd.items():
            if number not in jobs:
                self._special(self._odd[number], node)
        for statement in self._odd.values():
            if isinstance(statement.command, Splice):
                self._splice(statement, statement.command)
        if len(scope) > _MOST_JOBS:
            raise FormatError(self.source.path, None, f"expected at most {_MOST_JOBS:,} jobs")

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
            first: dict[str, int] = {}
            for name, number in zip(names, at.tolist(), strict=True):
                if first.setdefault(name, number) != number:
                    problem = f"job {name} is already on line {self.source.scan.line[first[name]]}"
                    raise Statement(self.source, number).error(problem)
        if len(scope) or scope.special or scope.splices:
            for name, statement in zip(names, at.tolist(), strict=True):
                self._check_fresh(Statement(self.source, statement), name)

    def _check_fresh(self, statement: Statement, name: str) -> None:
        scope = self.scope
        if name in scope.special or name in scope.used_names or scope.find(name) >= 0:
            raise statement.error(f"expected a new name, got {name}, which is taken")

    def _splice(self, statement: Statement, splice: Splice) -> None:
        reader, scope = self._reader, self.scope
        name = scope.prefix + splice.name
        self._check_fresh(statement, name)
        directory = os.path.join(self._directory, splice.directory)
        source = reader.files.follow(statement, splice.file, directory)
        inner = reader.splice(statement, scope.prefix, source, reader.start_of(source, directory))
        if "FINAL" in inner.special.values():
            problem = f"splice {name}: FINAL of {source.path} cannot be used in a splice"
            raise statement.error(problem)
        if len(scope) + len(inner) > _MOST_JOBS:
            raise statement.error(f"expected at most {_MOST_JOBS:,} jobs")
        at, count = np.array([statement.number]), np.array([len(inner.parents)])
        self._budget.count_arcs(self.source, at, count)
        scope.add_splice(name, inner, splice.directory)
        if inner.is_done.any():
            self._remark(statement, "DAGMan ignores DONE inside a splice")

    def _second_pass(self, statement: Statement) -> None:
        command = statement.command
        if isinstance(command, Parent):
            self._parent(statement, command.parents, command.children)
            if command.is_weak and not self.scope.first_weak:
                self.scope.first_weak = statement
        elif isinstance(command, Modifier):
            self._modifier(statement, command)
        elif isinstance(command, Pin):
            slot = self._job(statement, command.name)
            self.scope.pins[command.keyword][command.number].append(slot)
        elif isinstance(command, Connect):
            self._connect(statement, command)
        elif isinstance(command, Directive):
            self.scope.directives.append(statement)
            if command.keyword == "REJECT":
                raise statement.error("the file says REJECT: DAGMan will not run it")
            if command.keyword == "CONFIG":
                self._reader.configs.append(os.path.join(self._directory, command.argument))
            if isinstance(command, MaxJobs):
                text = (
                    f"MAXJOBS {command.argument} {command.limit}: a job held back by the limit lets"
                    " later ones pass, and comes back out of order"
                )
                self._remark(statement, text)

    def _parent(self, statement: Statement, above: Sequence[str], below: Sequence[str]) -> None:
        parents = self._ends(statement, above, initial=False)
        children = self._ends(statement, below, initial=True)
        self.scope.joins += len(parents) > 1 and len(children) > 1
        by_splices = len(parents) * len(children) - len(above) * len(below)
        self._budget.count_spliced(statement, max(0, by_splices), "dependencies")
        self._add_arcs(statement, parents, children)

    def _add_arcs(self, statement: Statement, parents: Ids, children: Ids) -> None:
        at, count = np.array([statement.number]), np.array([len(parents) * len(children)])
        self._budget.count_arcs(self.source, at, count)
        above, below = np.repeat(parents, len(children)), np.tile(children, len(parents))
        self.scope.arcs.append(Arcs(above, below, self.source, at, count))

    def _connect(self, statement: Statement, command: Connect) -> None:
        parent = self._pinned(statement, command.parent, "PIN_OUT")
        child = self._pinned(statement, command.child, "PIN_IN")
        if len(parent) != len(child):
            got = f"{len(parent)} of {command.parent} and {len(child)} of {command.child}"
            raise statement.error(f"expected as many pins out as in, got {got}")
        for above, below in zip(parent, child, strict=True):
            self._budget.count_spliced(statement, len(above) * len(below), "dependencies")
            self._add_arcs(statement, above, below)
        inner = self.scope.splices[self.scope.prefix + command.child]
        loose = np.setdiff1d(inner.ends(initial=True), np.concatenate(child))
        if len(loose):
            name = self.scope.names[loose[0]]
            raise statement.error(f"expected a PIN_IN for {name}, which has no parents")

    def _pinned(self, statement: Statement, name: str, what: str) -> list[Ids]:
        """Return the slots of a splice's pins, from pin 1 on."""
        instance = self.scope.splices.get(self.scope.prefix + name)
        if instance is None:
            raise statement.error(f"expected a splice, got {name}")
        pins = instance.scope.pins[what]
        for number in range(1, max(pins, default=1) + 1):
            if number not in pins:
                raise statement.error(f"splice {name}: expected {what} {number}, got none")
        return [np.array(pins[n], np.int32) + np.int32(instance.first) for n in sorted(pins)]

    def _modifier(self, statement: Statement, command: Modifier) -> None:
        scope, is_done = self.scope, command.keyword == "DONE"
        slots: Ids | int
        if upper(command.name) == ALL_NODES and not is_done:
            if scope.prefix:  # DAGMan looks for a job called 0.ALL_NODES
                raise statement.error(_ALL_OF_SEVERAL)
            slots = len(scope.layout)
            if isinstance(command, Priority):
                scope.priorities.clear()  # it overrides all earlier priorities
                scope.lowest = min(scope.lowest, command.value)
        else:
            slot = self._modified(statement, command.name)
            slots = np.array([] if slot is None else [slot], np.int32)
            if slot is None:
                scope.directives.append(statement)
            elif is_done:
                scope.done.append(slots)
        scope.modifiers.append(Modifiers(self.source, np.array([statement.number]), slots))
        if isinstance(command, Priority):
            scope.priorities.append((slots, command.value))
        if isinstance(command, Script) and command.when == "PRE":
            self._remark(statement, _PRE_REMARK)

    def _plain(self, start: int, stop: int) -> None:
        self._plain_parents(start, stop)
        kinds = self.source.scan.kind[start:stop]
        named = (kinds >= Kind.DONE) & (kinds <= Kind.SAVE_POINT) & (kinds != Kind.PRIORITY)
        which, slots = self._about_jobs(np.flatnonzero(named) + start)
        kinds = self.source.scan.kind[which]
        self.scope.done.append(slots[kinds == Kind.DONE])
        before = which[kinds == Kind.PRE]
        if len(before):
            self._remark(Statement(self.source, int(before[0])), _PRE_REMARK, len(before))
        self._plain_priorities(stop)

    def _plain_priorities(self, stop: int) -> None:
        """Set the priorities that plain statements before *stop* give, unless they are set."""
        count = np.searchsorted(self._priorities, stop)
        if count:
            which, slots = self._about_jobs(self._priorities[:count])
            self._priorities = self._priorities[count:]
            self.scope.priorities.append((slots, self.source.scan.value[which]))

    def _about_jobs(self, which: Sizes) -> tuple[Sizes, Ids]:
        """Return the statements that are about jobs, and the slots of these jobs."""
        names = self.source.scan.name[which]
        slots = self._slots_of(names)
        for at in np.flatnonzero(slots < 0).tolist():
            statement = Statement(self.source, int(which[at]))
            self._modified(statement, self.source.names[names[at]])
            self.scope.directives.append(statement)
        which, slots = which[slots >= 0], slots[slots >= 0]
        self.scope.modifiers.append(Modifiers(self.source, which, slots))
        return which, slots

    def _plain_parents(self, start: int, stop: int) -> None:
        scan = self.source.scan
        low, high = np.searchsorted(self._parents, [start, stop])
        statements, first = self._parents[low:high], self._first_refs[low : high + 1]
        middle = scan.first_child[low:high]
        slots = self._slots_of(scan.refs[first[0] : first[-1]])
        is_odd = np.logical_or.reduceat(slots < 0, first[:-1] - first[0])  # a name is not a job's
        for at in np.flatnonzero(is_odd).tolist():
            names = [self.source.names[i] for i in scan.refs[first[at] : first[at + 1]].tolist()]
            count = middle[at] - first[at]
            statement = Statement(self.source, int(statements[at]))
            self._parent(statement, names[:count], names[count:])
        if not is_odd.all():
            begins = np.stack([first[:-1], middle])[:, ~is_odd] - first[0]
            sizes = np.stack([middle - first[:-1], first[1:] - middle])[:, ~is_odd]
            self._budget.count_arcs(self.source, statements[~is_odd], sizes[0] * sizes[1])
            self._add_products(statements[~is_odd], slots, begins, sizes)

    def _add_products(self, statements: Sizes, slots: Ids, begins: Sizes, sizes: Sizes) -> None:
        """Add the arcs of each statement; *begins* and *sizes* have a row for each end of arcs."""
        counts = sizes[0] * sizes[1]
        offsets = np.cumsum(counts) - counts
        step = np.arange(counts.sum()) - np.repeat(offsets, counts)
        width = np.repeat(sizes[1], counts)
        parents = slots[np.repeat(begins[0], counts) + step // width]
        children = slots[np.repeat(begins[1], counts) + step % width]
        are_several = [  # whether a statement has several different parents, and children
            np.minimum.reduceat(ends, offsets) != np.maximum.reduceat(ends, offsets)
            for ends in (parents, children)
        ]
        self.scope.joins += int(np.logical_and(*are_several).sum())
        self.scope.arcs.append(Arcs(parents, children, self.source, statements, counts))

    def _slots_of(self, names: Ids) -> Ids:
        """Return the slots of names by the scan's numbers, -1 for those that are not jobs."""
        for name in np.unique(names[self._slots[names] < 0]).tolist():
            self._slots[name] = self.scope.find(self.scope.prefix + self.source.names[name])
        slots: Ids = self._slots[names]
        return slots

    def _job(self, statement: Statement, name: str) -> int:
        scope, full = self.scope, self.scope.prefix + name
        if (slot := scope.find(full)) >= 0:
            return slot
        if full in scope.splices or full in scope.special:
            kind = "splice" if full in scope.splices else f"{scope.special[full]} node"
            raise statement.error(f"expected a job, got {name}, a {kind}")
        if full in scope.used_names:
            raise statement.error(
                f"expected a job, got {name}, a splice that DAGMan no longer knows by name after"
                " an INCLUDE: put INCLUDE after the lines that name splices"
            )
        raise statement.error(f"unknown job {name}")

    def _modified(self, statement: Statement, name: str) -> int | None:
        """Return the slot of the job that a statement is about, None for a special node."""
        kind = self.scope.special.get(self.scope.prefix + name)
        if kind is None:
            return self._job(statement, name)
        if statement.keyword in _REFUSES[kind]:
            got = f"{name}, a {kind} node, which takes no {statement.keyword}"
            raise statement.error(f"expected a job, got {got}")
        return None

    def _ends(self, statement: Statement, names: Sequence[str], *, initial: bool) -> Ids:
        """Return the slots that PARENT means by *names*: jobs, or the ends of splices."""
        found = []
        for name in dict.fromkeys(names):  # a name that is repeated adds nothing but memory
            splice = self.scope.splices.get(self.scope.prefix + name)
            if splice is None:
                found.append(np.array([self._job(statement, name)], np.int32))
            else:
                found.append(splice.ends(initial=initial))
        slots = np.unique(joined(found))
        if not len(slots):
            raise statement.error("expected jobs, got empty splices")
        return slots
