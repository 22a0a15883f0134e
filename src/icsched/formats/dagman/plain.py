"""The plain statements of one file, many at a time."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from icsched.formats.dagman.builder import ScopeBuilder, Settings
from icsched.formats.dagman.reach import Reach
from icsched.formats.dagman.scope import Arcs, Modifiers
from icsched.formats.dagman.source import Kind, Source, Statement

Statements: TypeAlias = NDArray[np.int64]


class PlainStatements:
    """Puts into a scope what the plain statements of a file say, one part after another."""

    def __init__(self, source: Source, scope: ScopeBuilder, reach: Reach) -> None:
        self._source = source
        self._scope = scope
        self._reach = reach
        scan = source.scan
        self._parents = np.flatnonzero(scan.kind == Kind.PARENT)
        self._first = np.append(scan.first_parent, len(scan.refs))
        self._priorities = np.flatnonzero(scan.kind == Kind.PRIORITY)  # not yet set

    def parents(
        self,
        start: int,
        stop: int,
        check: Callable[[Statements, Statements], None],
        one_by_one: Callable[[Statement, list[str], list[str]], None],
    ) -> None:
        """Add the arcs of the PARENT statements from *start* to *stop*.

        *check* gets the statements and how many arcs each will make, before the arcs are made.
        *one_by_one* handles the statements with a name that is not a job's.
        """
        low, high = np.searchsorted(self._parents, [start, stop])
        statements, first = self._parents[low:high], self._first[low : high + 1]
        middle = self._source.scan.first_child[low:high]
        slots = self._reach.slots(self._source.scan.refs[first[0] : first[-1]])
        is_odd = np.zeros(len(statements), bool)
        if (slots < 0).any():
            owner = np.repeat(np.arange(len(statements)), np.diff(first))
            is_odd[owner[slots < 0]] = True
        for at in np.flatnonzero(is_odd).tolist():
            parents, children = first[at], middle[at]
            one_by_one(
                Statement(self._source, int(statements[at])),
                self._names(parents, children),
                self._names(children, first[at + 1]),
            )
        if not is_odd.all():
            begins = (first[:-1] - first[0])[~is_odd], (middle - first[0])[~is_odd]
            sizes = (middle - first[:-1])[~is_odd], (first[1:] - middle)[~is_odd]
            check(statements[~is_odd], sizes[0] * sizes[1])
            self._products(statements[~is_odd], slots, begins, sizes)

    def _names(self, start: int, stop: int) -> list[str]:
        return [self._source.names[i] for i in self._source.scan.refs[start:stop].tolist()]

    def _products(
        self,
        statements: Statements,
        slots: NDArray[np.int32],
        begins: tuple[Statements, Statements],
        sizes: tuple[Statements, Statements],
    ) -> None:
        """Add, for each statement, the arcs from all its parents to all its children."""
        above, below = sizes
        counts = above * below
        offsets = np.cumsum(counts) - counts
        step = np.arange(counts.sum()) - np.repeat(offsets, counts)
        width = np.repeat(below, counts)
        parents = slots[np.repeat(begins[0], counts) + step // width]
        children = slots[np.repeat(begins[1], counts) + step % width]
        self._scope.joins += int((_differ(parents, offsets) & _differ(children, offsets)).sum())
        self._scope.arcs.append(Arcs(parents, children, self._source, statements, counts))

    def modifiers(self, start: int, stop: int) -> Statements:
        """Record the statements about one job; return those that set a PRE script."""
        kinds = self._source.scan.kind[start:stop]
        named = (kinds >= Kind.DONE) & (kinds <= Kind.SAVE_POINT) & (kinds != Kind.PRIORITY)
        which, slots = self._about_jobs(np.flatnonzero(named) + start)
        kinds = self._source.scan.kind[which]
        self._scope.done.append(slots[kinds == Kind.DONE])
        before: Statements = which[kinds == Kind.PRE]
        return before

    def priorities(self, stop: int) -> None:
        """Set the priorities that statements before *stop* give, unless they are set already."""
        count = np.searchsorted(self._priorities, stop)
        if count:
            which, slots = self._about_jobs(self._priorities[:count])
            self._priorities = self._priorities[count:]
            self._scope.priorities.append(Settings(slots, self._source.scan.value[which]))

    def _about_jobs(self, which: Statements) -> tuple[Statements, NDArray[np.int32]]:
        """Return the statements that are about jobs, and the slots of these jobs."""
        names = self._source.scan.name[which]
        slots = self._reach.slots(names)
        for at in np.flatnonzero(slots < 0).tolist():
            statement = Statement(self._source, int(which[at]))
            self._reach.modified(statement, self._source.names[names[at]])
            self._scope.directives.append(statement)
        which, slots = which[slots >= 0], slots[slots >= 0]
        self._scope.modifiers.append(Modifiers(self._source, which, slots))
        return which, slots


def _differ(slots: NDArray[np.int32], offsets: Statements) -> NDArray[np.bool_]:
    """Return whether the slots from each offset to the next are not all the same."""
    differ: NDArray[np.bool_] = np.minimum.reduceat(slots, offsets) != np.maximum.reduceat(
        slots, offsets
    )
    return differ
