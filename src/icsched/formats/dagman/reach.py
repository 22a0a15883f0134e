"""What the names in one file refer to, while the scope around them grows."""

from collections.abc import Iterable

import numpy as np

from icsched.arrays import Ids
from icsched.errors import FormatError
from icsched.formats.dagman.builder import ScopeBuilder
from icsched.formats.dagman.scope import Instance
from icsched.formats.dagman.source import Source, Statement

# What a name refers to if not to a job; splices are numbered downwards from the last.
_UNKNOWN, _SPECIAL, _FIRST_SPLICE = -1, -2, -3
# Which commands each kind of special node refuses.
_REFUSES = {
    "FINAL": {"RETRY", "ABORT_DAG_ON", "PRIORITY", "CATEGORY", "DONE"},
    "SERVICE": {"RETRY", "PRIORITY", "CATEGORY", "DONE", "SAVE_POINT_FILE"},
    "PROVISIONER": {"SAVE_POINT_FILE"},
}


class Reach:
    """Resolves the names of one file: one by one, or many at once by the scan's numbers."""

    def __init__(self, scope: ScopeBuilder, source: Source) -> None:
        self._scope = scope
        self._source = source
        self._slots = np.full(len(source.names), _UNKNOWN, np.int32)  # by the scan's numbers
        self._no_jobs: list[int] = []  # numbers of names that do not refer to a job so far
        self._splices: list[Instance] = []
        self._number: dict[str, int] = {}  # of each splice in that list

    def set(self, names: Ids, slots: Ids) -> None:
        """Say that these names, by the scan's numbers, are the jobs in these slots."""
        self._slots[names] = slots

    def forget(self) -> None:
        """Look up again the names that were not jobs: after an INCLUDE or a lift."""
        self._slots[self._no_jobs] = _UNKNOWN
        self._no_jobs.clear()

    def slots(self, names: Ids) -> Ids:
        """Return the slots of names by the scan's numbers; a negative number if there is no job."""
        found = self._slots[names]
        for name in np.unique(names[found == _UNKNOWN]).tolist():
            slot = self._look_up(self._source.names[name])
            self._slots[name] = slot
            if slot < 0:
                self._no_jobs.append(name)
        slots: Ids = self._slots[names]
        return slots

    def _look_up(self, name: str) -> int:
        scope, name = self._scope, self._scope.prefix + name
        if name in scope.splices:
            if name not in self._number:
                self._number[name] = len(self._splices)
                self._splices.append(scope.splices[name])
            return _FIRST_SPLICE - self._number[name]
        if name in scope.special:
            return _SPECIAL
        slot = scope.find(name)
        return _UNKNOWN if slot is None else slot

    def job(self, statement: Statement, name: str) -> int:
        """Return the slot of the job called *name*; raises FormatError."""
        slot = self._look_up(name)
        if slot < 0:
            raise self._no_job(statement, name, slot)
        return slot

    def modified(self, statement: Statement, name: str) -> int | None:
        """Return the slot of the job that a statement is about, None for a special node.

        Raises FormatError if there is no such job, or if the node does not accept the command.
        """
        slot = self._look_up(name)
        if slot != _SPECIAL:
            return self.job(statement, name)
        kind = self._scope.special[self._scope.prefix + name]
        command = statement.command.command
        if command in _REFUSES[kind]:
            problem = f"expected a job, got {name}, a {kind} node, which takes no {command}"
            raise statement.error(problem)
        return None

    def ends(self, statement: Statement, names: Iterable[str], *, initial: bool) -> Ids:
        """Return the slots that PARENT means by *names*: jobs, or the ends of splices."""
        different = dict.fromkeys(names)  # a name that is repeated adds nothing but memory
        slots = np.concatenate([self._one_end(statement, n, initial=initial) for n in different])
        if not len(slots):
            raise statement.error("expected jobs, got empty splices")
        return np.unique(slots)

    def _one_end(self, statement: Statement, name: str, *, initial: bool) -> Ids:
        slot = self._look_up(name)
        if slot > _FIRST_SPLICE:
            return np.array([self.job(statement, name)], np.int32)
        instance = self._splices[_FIRST_SPLICE - slot]
        ends = instance.scope.initial if initial else instance.scope.terminal
        return ends + np.int32(instance.first)

    def _no_job(self, statement: Statement, name: str, what: int) -> FormatError:
        if what == _UNKNOWN and self._scope.prefix + name in self._scope.used_names:
            problem = (
                f"expected a job, got {name}, a splice that DAGMan no longer knows by name after"
            )
            problem += " an INCLUDE: put INCLUDE after the lines that name splices"
            return statement.error(problem)
        if what == _UNKNOWN:
            return statement.error(f"unknown job {name}")
        kind = "splice"
        if what == _SPECIAL:
            kind = f"{self._scope.special[self._scope.prefix + name]} node"
        return statement.error(f"expected a job, got {name}, a {kind}")
