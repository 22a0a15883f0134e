"""A DAGMan workflow: its jobs, what each waits for, and what the files say about them."""

import os
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np

from icsched.arrays import Ids, Mask, ranks_of
from icsched.dag import Dag
from icsched.errors import CycleError, FormatError
from icsched.formats.dagman.reader import Reader
from icsched.formats.dagman.scope import Scope, category_name
from icsched.formats.dagman.source import IS_SUBDAG, Kind, Source, Statement
from icsched.formats.dagman.statements import Category, Modifier, Node
from icsched.workflow import Remark


@dataclass(frozen=True)
class Place:
    """A scope in its place in the workflow."""

    scope: Scope
    prefix: str  # of the names that DAGMan gives to its jobs
    around: str  # the directory of the scope around it
    directory: str
    first: int  # slot of its first job in the outermost scope
    by_file: bool  # jobs run in the directories of the files that define them

    def directory_at(self, slot: int) -> str:
        """Return the directory from which the job or splice in *slot* of the scope starts."""
        # DAGMan puts jobs into the directory of a splice once, when it first lifts splices.
        return self.directory if slot < self.scope.placed else self.around

    def category(self, name: str) -> str:
        """Return what DAGMan calls a category of this scope."""
        return category_name(self.prefix, name)

    def statements(self, flag: int = 0) -> Iterator[tuple[Statement, int]]:
        """Yield the statements that define the scope's own jobs, each with its slot.

        With *flag* only plain statements whose value has it, and all that are not plain.
        """
        for own in self.scope.jobs:
            scan, numbers = own.source.scan, own.statements
            may_be = (scan.kind[numbers] != int(Kind.JOB)) | (scan.value[numbers] & flag == flag)
            slots = np.flatnonzero(may_be) + own.slots.start
            for number, slot in zip(numbers[may_be].tolist(), slots.tolist(), strict=True):
                yield Statement(own.source, number), slot

    def job(self, statement: Statement, slot: int) -> "Job":
        """Return the job in *slot*, which *statement* defines."""
        node, file = statement.node, statement.source.path
        start = os.path.dirname(file) if self.by_file else self.directory_at(slot)
        name, directory = self.prefix + self.scope.names[slot], os.path.join(start, node.directory)
        return Job(name, node, directory, statement, self)

    def statements_about_jobs(self) -> Iterator[tuple[Statement, list[int]]]:
        """Yield statements about jobs in file order, each with the slots that it is about."""
        # Plain statements and others were recorded separately.
        for _, group in groupby(self.scope.modifiers, key=lambda some: id(some.source)):
            one_file = list(group)
            found = [
                (number, slot, isinstance(some.slots, int))
                for some in one_file
                # One statement about a special node has no slot.
                for number, slot in zip(
                    some.statements.tolist(), np.atleast_1d(some.slots).tolist(), strict=False
                )
            ]
            for number, slot, is_about_all in sorted(found, key=itemgetter(0)):
                slots = self.scope.reachable(slot).tolist() if is_about_all else [slot]
                yield Statement(one_file[0].source, number), slots


@dataclass(frozen=True, slots=True)
class AboutJob:
    """A statement and one of the jobs that it is about."""

    place: Place
    statement: Statement
    slot: int

    @property
    def modifier(self) -> Modifier:
        """What the statement says."""
        return self.statement.modifier


@dataclass(slots=True)
class Job:
    """What a JOB or SUBDAG statement says, and where the statement is."""

    name: str  # as the workflow calls the job
    node: Node
    directory: str  # in which the job runs and its files are found
    statement: Statement
    place: Place
    said: list[AboutJob] = field(default_factory=list)  # filled in by `Submission.jobs_called`

    @property
    def has_description(self) -> bool:
        """Whether its submit description is in a DAGMan file."""
        return not self.node.submit or self.node.submit in self.place.scope.descriptions

    def error(self, problem: str) -> FormatError:
        """Return the error that reports *problem* at the job's statement."""
        return self.statement.error(f"job {self.name}: {problem}")


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
        return self.scope.reachable()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all jobs."""
        if np.array_equal(self._layout, np.arange(len(self._layout))):
            return tuple(self.scope.names)
        return tuple(self.scope.names[slot] for slot in self._layout.tolist())

    @cached_property
    def dag(self) -> Dag[str]:
        """All jobs, including those that are done."""
        place = ranks_of(self._layout)
        arcs = np.column_stack([place[self.scope.parents], place[self.scope.children]])
        try:
            return Dag.from_arcs(len(self.names), arcs, names=self.names)
        except CycleError as error:
            raise self._cycle_error(error) from error

    def _cycle_error(self, error: CycleError) -> FormatError:
        slots = {name: slot for slot, name in enumerate(self.scope.names)}
        arcs = pairwise(slots[str(name)] for name in error.cycle)
        makers = (_statement_of(self.scope, parent, child) for parent, child in arcs)
        return next(statement.error(str(error)) for statement in makers if statement)

    @cached_property
    def done(self) -> Mask:
        """Whether each job is done, according to the file or the rescue file."""
        return self.scope.is_done[self._layout]

    def first_arc_said_twice(self) -> tuple[str, str, Statement] | None:
        """Return parent, child and a statement of a dependency that occurs more than once."""
        scope = self.scope
        if len(scope.parents) == self.dag.arc_count:
            return None
        keys = scope.parents.astype(np.int64) * len(scope) + scope.children
        ordered = np.sort(keys)
        parent, child = divmod(int(ordered[:-1][np.diff(ordered) == 0][0]), len(scope))
        statement = _statement_of(scope, parent, child)
        assert statement is not None  # noqa: S101  a statement made this arc
        return scope.names[parent], scope.names[child], statement

    @property
    def priorities(self) -> Ids:
        """Priority that the files give each job; 0 if they give none."""
        return self.scope.given_priorities[0][self._layout]

    @property
    def has_priority(self) -> Mask:
        """Whether the files give each job a priority."""
        return self.scope.given_priorities[1][self._layout]

    @cached_property
    def priority_of(self) -> dict[str, int]:
        """The priorities that the files give jobs, by name, 0 included."""
        rows = zip(self.names, self.has_priority, self.priorities.tolist(), strict=True)
        return {name: value for name, has_priority, value in rows if has_priority}

    @property
    def has_splices(self) -> bool:
        """Whether some jobs come from splices."""
        return bool(self.scope.instances)

    @cached_property
    def places(self) -> list[Place]:
        """The places of the workflow's scope and of its splices, outer ones before inner ones."""
        here = self.directory
        return list(_places(Place(self.scope, "", here, here, 0, self.use_dag_directory)))

    def start_of(self, source: Source) -> str:
        """Return the directory from which one of the user's files finds others."""
        return os.path.dirname(source.path) if self.use_dag_directory else self.directory

    @property
    def special(self) -> set[str]:
        """Names of FINAL, PROVISIONER and SERVICE nodes, which are not jobs."""
        return {place.prefix + name for place in self.places for name in place.scope.special}

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Each file that was read, and each file that the workflow's own files name, once."""
        found = dict.fromkeys([*self.read, *self.configs])
        for job in self.jobs():
            found[os.path.join(job.directory, job.node.submit)] = None
        for node in (statement.command for statement in self.scope.directives):
            if isinstance(node, Node):
                found[os.path.join(self.directory, node.directory, node.submit)] = None
        return tuple(found)

    def descriptions(self) -> list[str]:
        """Return what each job is submitted by, as `Source.descriptions` says it."""
        found = [""] * len(self.scope.names)
        for place in self.places:
            for own in place.scope.jobs:
                described = own.source.descriptions(own.statements)
                start = place.first + own.slots.start
                found[start : start + len(own.slots)] = described
        return [found[slot] for slot in self._layout.tolist()]

    def jobs(self) -> Iterator[Job]:
        """Yield each job's statement and place, in no particular order."""
        for place in self.places:
            yield from (place.job(statement, slot) for statement, slot in place.statements())

    def jobs_called(self, wanted: Container[str]) -> dict[str, Job]:
        """Return the jobs with these names, with what is said about each."""
        jobs = {job.name: job for job in self.jobs() if job.name in wanted}
        for said in self.statements_about_jobs():
            name = self.scope.names[said.place.first + said.slot]
            if name in jobs:
                jobs[name].said.append(said)
        return jobs

    @cached_property
    def all_jobs(self) -> list[Job]:
        """All jobs in order, with what is said about each."""
        jobs = self.jobs_called(set(self.names))
        return [jobs[name] for name in self.names]

    def statements_about_jobs(self) -> Iterator[AboutJob]:
        """Yield all statements about jobs. If two contradict each other, the later one counts."""
        # What a splice says about its jobs comes before what is said outside the splice.
        for place in reversed(self.places):
            for statement, slots in place.statements_about_jobs():
                yield from (AboutJob(place, statement, slot) for slot in slots)


def read_submission(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    rescue: bool = True,
    lenient: bool = False,
    use_dag_directory: bool = False,
    directory: str = "",
) -> Submission:
    """Read the DAGMan file at *path*, or several files that are submitted together.

    With *rescue* the newest rescue file beside it says which jobs are done. *lenient* skips unknown
    commands. Names of files are relative to *directory*, where DAGMan is started, or with
    *use_dag_directory* to the directory of the file that has them.

    Raises FormatError with file and line for what DAGMan would not accept, and for a cycle.
    """
    several = [path] if isinstance(path, str | os.PathLike) else path
    paths = tuple(os.fspath(one) for one in several)
    reader = Reader(lenient, use_dag_directory)
    roots = tuple(reader.files.load(path, named_by_user=True) for path in paths)
    for number, root in enumerate(roots):
        reader.top.prefix = f"{number}." if len(roots) > 1 else ""
        reader.read_file(root, reader.top, reader.start_of(root, directory))
    newest = newest_rescue(paths) if rescue and paths else None
    if newest:
        reader.read_rescue(newest)
    return Submission(
        roots,
        reader.top,
        tuple(reader.remarks),
        tuple(reader.configs),
        newest,
        tuple(reader.files.loaded),
        directory,
        use_dag_directory,
    )


def newest_rescue(paths: Sequence[str]) -> str | None:
    """Return the rescue file that DAGMan would resume from, if there is one."""
    stem = Path(paths[0] if len(paths) == 1 else f"{paths[0]}_multi")
    rescue = re.compile(re.escape(stem.name) + r"\.rescue([0-9]{3,})")
    try:
        names = os.listdir(stem.parent)  # not glob, which treats an error as an empty directory
    except OSError as error:
        problem = f"cannot look for rescue files: {error.strerror}".lower()
        raise FormatError(os.fspath(stem.parent), None, problem) from error
    found = [(int(match[1]), match[0]) for match in map(rescue.fullmatch, names) if match]
    return os.fspath(stem.parent / max(found)[1]) if found else None


def _places(place: Place) -> Iterator[Place]:
    yield place
    for instance in place.scope.instances:
        around = place.directory_at(instance.first)
        inside = os.path.join(around, instance.directory)
        prefix, first = f"{place.prefix}{instance.name}+", place.first + instance.first
        yield from _places(Place(instance.scope, prefix, around, inside, first, place.by_file))


def _statement_of(scope: Scope, parent: int, child: int) -> Statement | None:
    """Return the statement that makes the arc from slot *parent* to slot *child*."""
    for arcs in scope.arcs:
        hits = np.flatnonzero((arcs.parents == parent) & (arcs.children == child))
        if len(hits):
            at = np.searchsorted(np.cumsum(arcs.counts), hits[0], side="right")
            return Statement(arcs.source, int(arcs.statements[at]))
    for instance in scope.instances:
        if parent in instance.slots and child in instance.slots:
            return _statement_of(instance.scope, parent - instance.first, child - instance.first)
    return None


def categories(workflow: Submission) -> tuple[Ids, Ids] | None:
    """Return the category of each job, -1 for none, and the MAXJOBS limit of each category.

    Returns None if no job is in a category with a limit. A limit of 0, with which no run ends, is
    left out.
    """
    limits = {name: limit for name, limit in workflow.scope.limits.items() if limit}
    numbers = {name: number for number, name in enumerate(limits)}
    found = np.full(len(workflow.names), -1, np.int32)
    ids = workflow.dag.ids if limits else {}
    for said in workflow.statements_about_jobs() if limits else ():
        source, number = said.statement.source, said.statement.number
        begin = source.scan.begin[number]
        if source.data[begin : begin + 8].upper() != b"CATEGORY":  # to parse only these
            continue
        task = ids.get(workflow.scope.names[said.place.first + said.slot])
        if task is not None and isinstance(said.modifier, Category):
            found[task] = numbers.get(said.place.category(said.modifier.category), -1)
    used = np.unique(found[found >= 0])
    if not len(used):
        return None
    of_job = np.where(found < 0, -1, np.searchsorted(used, found)).astype(np.int32)
    return of_job, np.array(list(limits.values()), np.int32)[used]


def inner_workflows(workflow: Submission) -> Iterator[Job]:
    """Yield the jobs that are workflows themselves: those of SUBDAG EXTERNAL."""
    for place in workflow.places:
        for statement, slot in place.statements(int(IS_SUBDAG)):
            job = place.job(statement, slot)
            if job.node.kind == "SUBDAG":
                yield job
