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
from icsched.formats.dagman.scope import OwnJobs, Scope, Spot, spots
from icsched.formats.dagman.source import Source
from icsched.workflow import Remark

_RESCUE = re.compile(r"\.rescue([0-9]{3,})$")


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """What a JOB or SUBDAG statement says, and where the statement is."""

    name: str  # as the workflow calls the job
    node: Node
    directory: str  # in which the job runs and its files are found
    source: Source
    statement: int
    has_description: bool  # its submit description is in a DAGMan file


@dataclass(frozen=True)
class Submission:
    """One or several DAGMan files, read as DAGMan reads them together.

    Jobs are in DAGMan's own order. A job of a splice is called ``SPLICE+JOB``. If several files are
    read together, the jobs of the first file are called ``0.JOB``. FINAL, PROVISIONER and SERVICE
    nodes are not jobs: DAGMan runs them by itself.
    """

    roots: tuple[Source, ...]  # the files that the user named
    scope: Scope
    remarks: tuple[Remark, ...]  # what may disturb an order
    configs: tuple[str, ...]  # files that CONFIG names
    rescue: str | None  # the rescue file that said which jobs are done
    read: tuple[str, ...] = ()  # all files that were read
    directory: str = ""  # where DAGMan is started
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
    def whole(self) -> Dag[str]:
        """All jobs, including those that are done."""
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
        """Whether each job is done, according to the file or the rescue file."""
        return self.scope.is_done[self._layout]

    @cached_property
    def dag(self) -> Dag[str]:
        """The jobs that are left to run."""
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
        assert found is not None  # noqa: S101  a statement made this arc
        source, statement = found
        return scope.names[parent], scope.names[child], source.path, source.line(statement)

    @property
    def priorities(self) -> NDArray[np.int32]:
        """Priority that the files give each job; 0 if they give none."""
        return self.scope.priority[self._layout]

    @property
    def has_priority(self) -> NDArray[np.bool_]:
        """Whether the files give each job a priority."""
        return self.scope.has_priority[self._layout]

    @property
    def joins(self) -> int:
        """PARENT statements for which DAGMan puts a join node between the jobs."""
        return self.scope.joins

    @property
    def lowest(self) -> int:
        """The lowest priority that a join node may have, 0 or less."""
        return self.scope.lowest

    @property
    def has_splices(self) -> bool:
        """Whether some jobs come from splices."""
        return bool(self.scope.instances)

    @property
    def special(self) -> set[str]:
        """Names of FINAL, PROVISIONER and SERVICE nodes, which are not jobs."""
        return {spot.prefix + name for spot in spots(self.scope, "") for name in spot.scope.special}

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Each file that was read, and each file that the workflow's own files name, once."""
        return tuple(dict.fromkeys(self._every_file()))

    def _every_file(self) -> Iterator[str]:
        yield from (*self.read, *self.configs)
        for placed in self.nodes():
            yield os.path.join(placed.directory, placed.node.submit)
        for statement in self.scope.directives:
            command = statement.command
            if isinstance(command, Node):
                yield os.path.join(self.directory, command.directory, command.submit)

    def descriptions(self) -> list[str]:
        """Return what each job is submitted by: a submit file, a DAG file; "" for a NOOP job.

        A job with a description of its own, inside the braces of its statement, has its own name.
        """
        found = [""] * len(self.scope.names)
        for spot in spots(self.scope, self.directory):
            for own in spot.scope.jobs:
                described = own.source.descriptions(own.statements)
                for slot, word in zip(own.slots, described, strict=True):
                    found[spot.first + slot] = word
        return [found[slot] for slot in self._layout.tolist()]

    def nodes(self) -> Iterator["PlacedNode"]:
        """Yield each job's statement and place, in no particular order."""
        for spot in spots(self.scope, self.directory):
            for own in spot.scope.jobs:
                yield from self._placed_nodes(spot, own)

    def _placed_nodes(self, spot: Spot, own: OwnJobs) -> Iterator["PlacedNode"]:
        by_file = self.use_dag_directory
        start = os.path.dirname(own.source.path) if by_file else spot.directory_at(own.slots.start)
        for statement, slot in zip(own.statements.tolist(), own.slots, strict=True):
            node = own.source.node(statement)
            inside = os.path.join(start, node.directory)
            described = not node.submit or node.submit in spot.scope.descriptions
            name = spot.prefix + spot.scope.names[slot]
            yield PlacedNode(name, node, inside, own.source, statement, described)


def read_submission(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    rescue: bool = True,
    lenient: bool = False,
    use_dag_directory: bool = False,
    directory: str = "",
) -> Submission:
    """Read the DAGMan file at *path*, or several files that are submitted together.

    If there are rescue files beside it, the newest one says which jobs are done, as for
    condor_submit_dag. If *rescue* is false, they are ignored. *lenient* skips unknown commands.
    Names of other files are relative to *directory*, as for DAGMan they are relative to the
    directory in which it is started. With *use_dag_directory* they are relative to the directory
    of the file that has them.

    Raises FormatError with file and line for what DAGMan would not accept, and for a cycle.
    """
    several = [path] if isinstance(path, str | os.PathLike) else path
    paths = tuple(os.fspath(one) for one in several)
    reader = Reader(lenient, use_dag_directory, directory)
    reader.read(paths)
    newest = newest_rescue(paths) if rescue and paths else None
    if newest:
        reader.read_rescue(newest)
    roots = tuple(reader.files.load(path, named_by_user=True) for path in paths)
    return Submission(
        roots,
        reader.scope(),
        tuple(reader.remarks),
        tuple(reader.configs),
        newest,
        tuple(reader.files.paths),
        directory,
        use_dag_directory,
    )


def newest_rescue(paths: Sequence[str]) -> str | None:
    """Return the rescue file that DAGMan would resume from, if there is one."""
    stem = Path(paths[0] if len(paths) == 1 else f"{paths[0]}_multi")
    try:
        names = os.listdir(stem.parent)  # not glob, which treats an error as an empty directory
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
