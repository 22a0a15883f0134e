"""DAX files, the XML of Pegasus 2 to 4, versions 2.x and 3.x.

Each ``job`` is a task, and so are ``dag`` and ``dax``, which stand for whole workflows. The size of
a job is the sum of its output files. The priority of a job is its condor profile, which Pegasus
passes to DAGMan.
"""

import shlex
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from sys import intern
from urllib.parse import unquote

import numpy as np

from icsched.formats.dax.markup import Document, Opened, Walk, read_document
from icsched.formats.draft import Draft, arcs_by_files
from icsched.formats.facts import INNER, Number, output_sizes, size_in
from icsched.formats.port import NoOptions
from icsched.formats.requests import HIDDEN, profile_amount, profiles_of_needs
from icsched.workflow import Command, Workflow, seen_from_file

STREAMS = ("stdin", "stdout", "stderr")
NOTHING = "icsched", "nothing"  # namespace and name of a job that runs nothing
_KINDS = ("job", "dag", "dax")  # elements that are tasks
_KNOWN = frozenset({"file", "filename", "metadata", "transformation", "invoke"})

Called = tuple[str, str, str]  # namespace, name and version of a program
Profiles = dict[tuple[str, str], tuple[str, int]]  # text and offset by namespace and key


@dataclass(frozen=True)
class Places:
    """Offsets of the jobs in a file, for writing an order.

    `tags` has the offset of each job's start tag. `starts` and `stops` have the range of its
    priority, -1 if it has none. A new priority is inserted at `leads`, or after the tag if that is
    -1.
    """

    document: Document
    prefix: str  # of the names of elements
    tags: "array[int]" = field(default_factory=lambda: array("q"), repr=False)
    starts: "array[int]" = field(default_factory=lambda: array("q"), repr=False)
    stops: "array[int]" = field(default_factory=lambda: array("q"), repr=False)
    leads: "array[int]" = field(default_factory=lambda: array("q"), repr=False)


@dataclass(slots=True)
class _Job:
    """The command of a job that is being read."""

    called: Called
    kind: str  # the name of its element
    argument: str | None = None
    streams: dict[str, str] | None = None
    environment: list[tuple[str, str]] | None = None
    directory: str | None = None
    profiles: Profiles | None = None  # of what the job needs


def read_dax(paths: Sequence[str], _: NoOptions) -> Workflow[str]:
    """Return the workflow in a DAX file; the id of a job is the name of the task."""
    return DaxSource(read_document(paths[0])).read()


class DaxSource(Draft):
    """Goes through a DAX file once; places are offsets of bytes."""

    def __init__(self, document: Document) -> None:
        super().__init__(document.path, "")
        self.document = document
        self.places = Places(document, "")
        self.jobs: list[_Job] = []
        self.early: list[tuple[str, str, int]] = []  # arcs to jobs that are not read yet
        self.called: dict[Called, Called] = {}  # each program once
        self.job: _Job | None = None
        self.argument = -1  # the offset of the argument that is being read
        self.child: str | None = None
        self.has_children = False
        self.inputs: list[list[str]] = []  # names of files, by job
        self.written: list[list[str]] = []
        self.sizes: list[list[Number]] = []  # sizes of outputs
        self.executable: Called | None = None
        self.programs: dict[Called, str] = {}
        self.of_programs: dict[Called, Profiles] = {}
        self.profile = "", "", -1  # namespace, key and offset

    def line(self, place: int) -> int:
        """Return the line of an offset."""
        return self.document.line(place)

    def read(self) -> Workflow[str]:
        """Return the workflow; raises FormatError if the file is not DAX."""
        self._walk().go(self.remarks)
        tags = self.places.tags
        if not self.has_children:
            arcs = arcs_by_files(self.inputs, self.written, self.remarks)
            self.add(arcs[:, 0], arcs[:, 1], np.asarray(tags)[arcs[:, 1]])
        for parent, child, at in self.early:
            self.arc(self._known(parent, at), self._known(child, at), at)
        sizes = output_sizes(self.sizes, self.remarks)
        for task, size in enumerate(() if sizes is None else sizes.tolist()):
            self.say("size", task, str(size), tags[task])
        for task, job in enumerate(self.jobs):
            self._say_needs(task, job)
        return self.workflow("dax")

    def _say_needs(self, task: int, job: _Job) -> None:
        """Note what a job needs; the profiles of its program win."""
        profiles = (job.profiles or {}) | self.of_programs.get(job.called, {})
        for resource, (space, key) in profiles_of_needs(profiles).items():
            text, at = profiles[space, key]
            try:
                amount = profile_amount(resource, space, text)
            except ValueError as error:
                problem = f"{space} profile {key}: expected {error}, got {text[:80]!r}"
                raise self.error(at, problem) from None
            if amount is None:
                told = f"condor profile {key} of {self.kinds[task]}: {HIDDEN}"
                self.hide(resource, task, told, at)
            elif not isnan(amount):
                self.need(resource, task, amount)

    def _walk(self) -> Walk:
        opened: dict[str, Opened] = {
            "adag": self._root,
            **{kind: partial(self._opened, kind) for kind in _KINDS},
            **{stream: partial(self._stream, stream) for stream in STREAMS},
            "uses": self._uses,
            "file": self._file,
            "filename": self._file,
            "argument": self._argument,
            "profile": self._profile,
            "child": self._child,
            "parent": self._parent,
            "executable": self._executable,
            "pfn": self._pfn,
        }
        closed = {
            **dict.fromkeys(_KINDS, self._job_closed),
            "argument": self._argument_closed,
            "profile": self._profile_closed,
            "executable": self._executable_closed,
        }
        texts = frozenset({"argument", "profile"})
        return Walk(self.document, "adag", opened, closed, texts=texts, known=_KNOWN)

    # Jobs

    def _root(self, _: Mapping[str, str], at: int) -> None:
        before, colon, _name = self.document.tag(at).name.rpartition(":")
        self.places = Places(self.document, before + colon)

    def _opened(self, kind: str, given: Mapping[str, str], at: int) -> None:
        if self.job is not None:
            raise self.error(at, f"expected no <{kind}> inside a job")
        name, tags = given.get("id"), self.places.tags
        if not name:
            raise self.error(at, f"expected an id of the {kind}, got none")
        task = self.task(name)
        if task < len(tags):
            raise self.error(at, f"{kind} {name!r} is in line {self.line(tags[task])} already")
        tags.append(at)
        for offsets in (self.places.leads, self.places.starts, self.places.stops):
            offsets.append(-1)
        called = _called(given)
        self.job = _Job(self.called.setdefault(called, called), kind)
        self.jobs.append(self.job)
        for rows in (self.inputs, self.written, self.sizes):
            rows.append([])
        if kind != "job":
            self.remarks.add(INNER)
        self.kinds[task] = intern("::".join(filter(None, called[:2])) or name)
        if "runtime" in given:
            self.say("run_time", task, given["runtime"], at)

    def _job_closed(self, _: str, __: int) -> None:
        self.job = None

    def _stream(self, stream: str, given: Mapping[str, str], _: int) -> None:
        if self.job is not None:
            self.job.streams = self.job.streams or {}
            self.job.streams[stream] = _file_name(given)

    def _uses(self, given: Mapping[str, str], at: int) -> None:
        if self.job is None:
            return
        link, name = given.get("link", "").lower(), _file_name(given)
        if link in ("output", "inout"):
            self.written[-1].append(name)
            self.sizes[-1].append(self._size(given.get("size"), at))
        if link in ("input", "inout"):
            self.inputs[-1].append(name)

    def _size(self, words: str | None, at: int) -> int | None:
        try:
            return None if words is None else size_in(words)
        except ValueError as error:
            problem = f"size of a file: expected {error}, got {str(words)[:80]!r}"
            raise self.error(at, problem) from None

    def _file(self, given: Mapping[str, str], _: int) -> str:
        return shlex.quote(_file_name(given))

    def _argument(self, _: Mapping[str, str], at: int) -> None:
        self.argument = at

    def _argument_closed(self, text: str, at: int) -> None:
        if self.job is not None:
            self.job.argument = text
            self.places.leads[-1] = self.document.end_of(self.argument, at)

    def _profile(self, given: Mapping[str, str], at: int) -> None:
        self.profile = given.get("namespace", "").lower(), given.get("key", ""), at

    def _profile_closed(self, text: str, at: int) -> None:
        space, key, begin = self.profile
        if profiles_of_needs([(space, key)]):
            self._need(space, key, text, begin)
        if self.job is None:
            return
        if space == "env":
            self.job.environment = self.job.environment or []
            self.job.environment.append((key, text))
        elif (space, key.lower()) == ("condor", "priority"):
            self.say("priority", len(self.ids) - 1, text, begin)
            self.places.starts[-1], self.places.stops[-1] = self.document.tag(begin).stop, at
        elif (space, key.lower()) == ("condor", "initialdir"):
            self.job.directory = text
        elif (space, key.lower()) == ("dagman", "priority"):
            self.remarks.add("a dagman profile PRIORITY wins over the priority that icsched sets")

    def _need(self, space: str, key: str, text: str, begin: int) -> None:
        """Keep a profile of what a job or a program needs."""
        if self.job is not None:
            self.job.profiles = self.job.profiles or {}
            self.job.profiles[space, key] = text, begin
        elif self.executable is not None:
            self.of_programs.setdefault(self.executable, {})[space, key] = text, begin

    # Dependencies

    def _child(self, given: Mapping[str, str], _: int) -> None:
        self.child, self.has_children = given.get("ref"), True

    def _parent(self, given: Mapping[str, str], at: int) -> None:
        parent, child = given.get("ref"), self.child
        if parent is None or child is None:
            raise self.error(at, "expected two tasks, got one")
        if parent in self.ids and child in self.ids:
            self.arc(self.ids[parent], self.ids[child], at)
        else:
            self.early.append((parent, child, at))

    def _known(self, name: str, at: int) -> int:
        if name not in self.ids:
            raise self.error(at, f"expected a task of the file, got {name!r}")
        return self.ids[name]

    # Programs

    def _executable(self, given: Mapping[str, str], _: int) -> None:
        self.executable = _called(given)

    def _pfn(self, given: Mapping[str, str], _: int) -> None:
        if self.executable is not None:
            self.programs.setdefault(self.executable, _path(given.get("url", "")))

    def _executable_closed(self, _: str, __: int) -> None:
        self.executable = None

    @property
    def has_commands(self) -> bool:  # type: ignore[override]
        """Whether the file says what tasks run."""
        return bool(self.programs) or any(job.argument is not None for job in self.jobs)

    def commands(self) -> list[Command | None]:
        """Return what each task runs."""
        return [self._command(task, job) for task, job in enumerate(self.jobs)]

    def lines(self) -> list[Command | None]:
        """Return the commands: the file has no line for a shell."""
        return self.commands()

    def outputs(self) -> list[list[str]]:
        """Return the files that each task writes."""
        return self.written

    def _command(self, task: int, job: _Job) -> Command | None:
        at = self.places.tags[task]
        if job.kind != "job":
            problem = f"icsched cannot run a <{job.kind}>, which is a workflow of its own"
            raise self.error(at, problem)
        if job.called[:2] == NOTHING:
            return None
        try:
            words = shlex.split(job.argument or "")
        except ValueError as error:
            problem = f"expected words as a shell reads them, got {job.argument!r}: {error}"
            raise self.error(at, problem) from error
        program = self.programs.get(job.called, job.called[1])
        environment = tuple(job.environment or ())
        given = (job.streams or {}).items()
        streams = {key: seen_from_file(file, job.directory) for key, file in given}
        return Command((program, *words), job.directory, environment, **streams)


def _called(given: Mapping[str, str]) -> Called:
    return given.get("namespace", ""), given.get("name", ""), given.get("version", "")


def _file_name(given: Mapping[str, str]) -> str:
    return given.get("name", given.get("file", ""))


def _path(url: str) -> str:
    """Return the path in a file URL; other text is returned unchanged."""
    rest = url.removeprefix("file://")
    return unquote("/" + rest.partition("/")[2], errors="surrogateescape") if rest != url else url
