"""A DAGMan workflow: its jobs, what each waits for, and what the files say about them."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, ranks_of
from icsched.dag import Dag
from icsched.errors import CycleError, FormatError
from icsched.formats.dagman.commands import Node
from icsched.formats.dagman.reader import Reader
from icsched.formats.dagman.scope import Scope
from icsched.formats.dagman.source import DONE, Source
from icsched.workflow import Remark

_RESCUE = re.compile(r"\.rescue([0-9]{3,})$")


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """What a JOB or SUBDAG statement says, and where."""

    name: str  # as the workflow calls the job
    node: Node
    directory: str  # in which the job runs and its files are found
    source: Source
    statement: int
    has_description: bool  # its submit description is in a DAGMan file


@dataclass(frozen=True)
class Submission:
    """One or several DAGMan files, read as DAGMan reads them together.

    Jobs stand in DAGMan's own order; a job of a splice is called ``SPLICE+JOB``, and where
    several files are read together the first file's jobs are called ``0.JOB``. FINAL,
    PROVISIONER and SERVICE nodes are not among them: DAGMan runs those on its own account.
    """

    roots: tuple[Source, ...]  # the files that the user named
    scope: Scope
    remarks: tuple[Remark, ...]  # what may disturb an order
    configs: tuple[str, ...]  # files that CONFIG names
    rescue: str | None  # the rescue file that said which jobs are done
    read: tuple[str, ...] = ()  # all files that were read
    directory: str = ""  # in which DAGMan is started
    use_dag_directory: bool = False  # as condor_submit_dag -usedagdir

    @cached_property
    def _layout(self) -> Ids:
        """Slots in DAGMan's order."""
        return self.scope.reachable()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all jobs."""
        if np.array_equal(self._layout, np.arange(len(self._layout))):
            return tuple(self.scope.names)
        return tuple(self.scope.names[slot] for slot in self._layout.tolist())

    @cached_property
    def whole(self) -> Dag:
        """All jobs, also those that are done."""
        place = ranks_of(self._layout)
        arcs = np.column_stack([place[self.scope.parents], place[self.scope.children]])
        try:
            return Dag.from_arcs(len(self.names), arcs, names=self.names)
        except CycleError as error:
            raise self._cycle_error(error) from error

    def _cycle_error(self, error: CycleError) -> FormatError:
        slots = {name: slot for slot, name in enumerate(self.scope.names)}
        cycle = [slots[str(name)] for name in error.cycle]
        source, statement = next(
            found
            for parent, child in pairwise(cycle)
            if (found := _statement_of(self.scope, parent, child))
        )
        return source.error(statement, str(error))

    @cached_property
    def done(self) -> NDArray[np.bool_]:
        """Whether each job is done, by the word of the file or of the rescue file."""
        done = (self.scope.all_flags() & DONE).astype(bool)
        for slots in self.scope.done:
            done[slots] = True
        return done[self._layout]

    @cached_property
    def dag(self) -> Dag:
        """The jobs that remain to be run."""
        return self.whole.induced(np.flatnonzero(~self.done)) if self.done.any() else self.whole

    def first_arc_said_twice(self) -> tuple[str, str, str, int] | None:
        """Return parent, child, file and line of a dependency that occurs more than once."""
        scope = self.scope
        if len(scope.parents) == self.whole.arc_count:
            return None
        keys = scope.parents.astype(np.int64) * len(scope) + scope.children
        ordered = np.sort(keys)
        parent, child = divmod(int(ordered[:-1][np.diff(ordered) == 0][0]), len(scope))
        found = _statement_of(scope, parent, child)
        assert found is not None  # noqa: S101  some statement made it
        source, statement = found
        return scope.names[parent], scope.names[child], source.path, source.line(statement)

    @property
    def priorities(self) -> NDArray[np.int32]:
        """Priority that the files give each job; 0 where they give none."""
        return self.scope.priority[self._layout]

    @property
    def has_priority(self) -> NDArray[np.bool_]:
        """Whether the files give each job a priority."""
        return self.scope.has_priority[self._layout]

    @property
    def joins(self) -> int:
        """PARENT statements for which DAGMan puts a node of its own between the jobs."""
        return self.scope.joins

    @property
    def lowest(self) -> int:
        """The lowest priority that such a node may have, 0 or less."""
        return self.scope.lowest

    @property
    def has_splices(self) -> bool:
        """Whether some jobs come from splices."""
        return bool(self.scope.instances)

    def files(self) -> Iterator[str]:
        """Yield once each file that was read, and each that the workflow's own files name."""
        yield from self._files

    @cached_property
    def _files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._every_file()))

    def _every_file(self) -> Iterator[str]:
        yield from (*self.read, *self.configs)
        for placed in self.nodes():
            yield os.path.join(placed.directory, placed.node.submit)
        for source, statement in self.scope.directives:
            command = source.command(statement)
            if isinstance(command, Node):
                yield os.path.join(self.directory, command.directory, command.submit)

    def nodes(self) -> Iterator["PlacedNode"]:
        """Yield each job's statement and place, in no particular order."""
        by_file, start = self.use_dag_directory, self.directory
        yield from _nodes(self.scope, "", start, start, by_file=by_file)


def read_submission(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    rescue: bool = True,
    lenient: bool = False,
    use_dag_directory: bool = False,
    directory: str = "",
) -> Submission:
    """Read the DAGMan file at *path*, or several files that are submitted together.

    Where a rescue file stands beside it, the newest says which jobs are done, as for
    condor_submit_dag; *rescue* false leaves it aside. *lenient* skips unknown commands.
    Names of other files are taken from *directory*, as DAGMan takes them from the one it was
    started in, or with *use_dag_directory* from that of the file that has them.

    Raises FormatError with file and line for what DAGMan would not take, and for a cycle.
    """
    several = [path] if isinstance(path, str | os.PathLike) else path
    paths = tuple(os.fspath(one) for one in several)
    reader = Reader(lenient, use_dag_directory, directory)
    scope = reader.top(paths)
    newest = newest_rescue(paths) if rescue and paths else None
    if newest:
        reader.rescue(scope, newest)
    roots = tuple(reader.source(path) for path in paths)
    return Submission(
        roots,
        scope,
        tuple(reader.remarks),
        tuple(reader.configs),
        newest,
        tuple(reader.paths),
        directory,
        use_dag_directory,
    )


def newest_rescue(paths: Sequence[str]) -> str | None:
    """Return the rescue file that DAGMan would go on from, if there is one."""
    stem = Path(paths[0] if len(paths) == 1 else f"{paths[0]}_multi")
    try:
        names = os.listdir(stem.parent)  # not glob, which takes an error for an empty directory
    except OSError as error:
        problem = f"cannot look for rescue files: {error.strerror}".lower()
        raise FormatError(os.fspath(stem.parent), None, problem) from error
    numbers = [
        (int(match[1]), os.fspath(stem.parent / name))
        for name in names
        if (match := _RESCUE.search(name)) and name[: match.start()] == stem.name
    ]
    return max(numbers)[1] if numbers else None


def _statement_of(scope: Scope, parent: int, child: int) -> tuple[Source, int] | None:
    """Return the file and statement that make the arc from slot *parent* to slot *child*."""
    for arcs in scope.arcs:
        hits = np.flatnonzero((arcs.parents == parent) & (arcs.children == child))
        if len(hits):
            at = np.searchsorted(np.cumsum(arcs.counts), hits[0], side="right")
            return arcs.source, int(arcs.statements[at])
    for instance in scope.instances:
        if parent in instance.slots and child in instance.slots:
            return _statement_of(instance.scope, parent - instance.first, child - instance.first)
    return None


def _nodes(
    scope: Scope, prefix: str, around: str, directory: str, *, by_file: bool
) -> Iterator[PlacedNode]:
    for own in scope.jobs:
        start = around if scope.is_late(own.slots.start) else directory
        start = os.path.dirname(own.source.path) if by_file else start
        for statement, slot in zip(own.statements.tolist(), own.slots, strict=True):
            node = own.source.node(statement)
            inside = os.path.join(start, node.directory)
            described = not node.submit or node.submit in scope.descriptions
            name = prefix + scope.names[slot]
            yield PlacedNode(name, node, inside, own.source, statement, described)
    for instance in scope.instances:
        start = around if scope.is_late(instance.first) else directory
        inside = os.path.join(start, instance.directory)
        inner = f"{prefix}{instance.name}+"
        yield from _nodes(instance.scope, inner, start, inside, by_file=by_file)
