"""DAX files, the XML of Pegasus 2 to 4, versions 2.x and 3.x.

A job is a task, and so are a ``dag`` and a ``dax``, which are workflows of their own. Its size is
that of its output files together. A job's priority is its condor profile, which Pegasus hands to
DAGMan as well.
"""

import shlex
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import intern
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from icsched.errors import ArgumentError
from icsched.files import Change
from icsched.formats.dax_text import NOTHING, STREAMS
from icsched.formats.entry import NoOptions
from icsched.formats.found import Found, priorities_of
from icsched.formats.known import Number, arcs_by_files, output_sizes, size_in
from icsched.formats.markup import Document, Edit, Opened, read_document
from icsched.workflow import Command, Remark, Workflow, seen_from_file

_KNOWN = frozenset({"file", "filename", "metadata", "transformation", "invoke"})

Called = tuple[str, str, str]  # namespace, name and version of a program


@dataclass(frozen=True)
class _Places:
    """Where the jobs of a file are: what an order is written with.

    `tags` has the offset of each job's start tag. `starts` and `stops` say where its priority is,
    -1 if it has none. A new priority comes at `leads`, or at once after the tag if that is -1.
    """

    document: Document
    tags: Sequence[int] = field(repr=False)
    starts: Sequence[int] = field(repr=False)
    stops: Sequence[int] = field(repr=False)
    leads: Sequence[int] = field(repr=False)
    prefix: str  # of the names of elements


class _Jobs(Found):
    """Collects jobs, arcs and facts, in the order of the file; places are offsets of bytes."""

    def __init__(self, document: Document) -> None:
        super().__init__(document.path, "")
        self.document = document
        self.tags, self.leads = array("q"), array("q")
        self.starts, self.stops = array("q"), array("q")
        self._early: list[tuple[str, str, int]] = []  # arcs of jobs that come later

    def __len__(self) -> int:
        return len(self.ids)

    def line(self, place: int) -> int:
        """Return the line of an offset."""
        return self.document.line(place)

    def add_job(self, name: str | None, at: int, what: str) -> int:
        """Add a job; *what* is the name of its element."""
        if not name:
            raise self.error(at, f"expected an id of the {what}, got none")
        task = self.task(name)
        if task < len(self.tags):
            raise self.error(at, f"{what} {name!r} is in line {self.line(self.tags[task])} already")
        self.tags.append(at)
        for offsets in (self.leads, self.starts, self.stops):
            offsets.append(-1)
        return task

    def add_arc(self, parent: str | None, child: str | None, at: int) -> None:
        """Add an arc between jobs that the file may name later."""
        if parent is None or child is None:
            raise self.error(at, "expected two tasks, got one")
        if parent in self.ids and child in self.ids:
            self.arc(self.ids[parent], self.ids[child], at)
        else:
            self._early.append((parent, child, at))

    def add_arcs(self, arcs: NDArray[np.int32]) -> None:
        """Add arcs that the file does not write as such; the place of each is its child's tag."""
        self.add(arcs[:, 0], arcs[:, 1], np.asarray(self.tags)[arcs[:, 1]])

    def places(self, root: int) -> _Places:
        """Return where the jobs are; the tag at *root* has the prefix of all elements."""
        prefix = self.document.tag(root).prefix
        return _Places(self.document, self.tags, self.starts, self.stops, self.leads, prefix)

    def workflow(
        self,
        name: str,
        parsed: object = None,
        find_commands: Callable[[], Sequence[Command | None]] | None = None,
    ) -> Workflow[str]:
        """Return the workflow; raises FormatError for an arc of an unknown task."""
        for parent, child, at in self._early:
            self.arc(self._known(parent, at), self._known(child, at), at)
        return super().workflow(name, parsed, find_commands)

    def _known(self, name: str, at: int) -> int:
        task = self.ids.get(name)
        if task is None:
            raise self.error(at, f"expected a task of the file, got {name!r}")
        return task


@dataclass(slots=True)
class _Job:
    """What an open job says about its command."""

    called: Called
    kind: str  # the name of its element
    argument: str | None = None
    streams: dict[str, str] | None = None
    environment: list[tuple[str, str]] | None = None
    directory: str | None = None


class _Reader:
    """Goes through a DAX file once."""

    def __init__(self, path: str) -> None:
        self.document = read_document(path)
        self.found = _Jobs(self.document)
        self.root = -1  # the offset of its tag
        self.jobs: list[_Job] = []
        self.called: dict[Called, Called] = {}  # each program once
        self.job: _Job | None = None
        self.argument = -1  # the offset of an open argument
        self.child: str | None = None
        self.has_children = False
        self.inputs: list[list[str]] = []  # names of files, by job
        self.outputs: list[list[str]] = []
        self.sizes: list[list[Number]] = []  # of outputs
        self.executable: Called | None = None
        self.programs: dict[Called, str] = {}
        self.profile: tuple[str, str, int] | None = None  # namespace, key and offset

    def read(self) -> Workflow[str]:
        for remark in self._walk():
            self.found.remarks.add(remark.text, remark.count, remark.line)
        if not self.has_children:
            self.found.add_arcs(arcs_by_files(self.inputs, self.outputs, self.found.remarks))
        sizes = output_sizes(self.sizes, self.found.remarks)
        for task, size in enumerate(() if sizes is None else sizes.tolist()):
            self.found.say("size", task, str(size), self.found.tags[task])
        has_commands = self.programs or any(job.argument is not None for job in self.jobs)
        find = self._commands if has_commands else None
        workflow = self.found.workflow("dax", self.found.places(self.root), find)
        return replace(workflow, find_outputs=lambda: self.outputs)

    def _walk(self) -> list[Remark]:
        """Go through the file; return a remark for each kind of thing that is not used."""
        opened = {
            "adag": self._root,
            **{kind: self._opener(kind) for kind in ("job", "dag", "dax")},
            **{stream: self._stream(stream) for stream in STREAMS},
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
            **dict.fromkeys(("job", "dag", "dax"), self._job_closed),
            "argument": self._argument_closed,
            "profile": self._profile_closed,
            "executable": self._executable_closed,
        }
        texts = frozenset({"argument", "profile"})
        return self.document.walk("adag", opened, closed, texts=texts, known=_KNOWN)

    # Jobs

    def _root(self, _: Mapping[str, str], at: int) -> None:
        self.root = at if self.root < 0 else self.root

    def _opener(self, kind: str) -> Opened:
        def opened(given: Mapping[str, str], at: int) -> None:
            if self.job is not None:
                raise self.document.error(at, f"expected no <{kind}> inside a job")
            task = self.found.add_job(given.get("id"), at, kind)
            called = self.called.setdefault(_called(given), _called(given))
            self.job = _Job(called, kind)
            self.jobs.append(self.job)
            for rows in (self.inputs, self.outputs, self.sizes):
                rows.append([])
            if kind != "job":
                self.found.remarks.add("jobs that are workflows: icsched orders each as one job")
            self.found.kinds[task] = intern("::".join(filter(None, called[:2])) or given["id"])
            if "runtime" in given:
                self.found.say("run_time", task, given["runtime"], at)

        return opened

    def _job_closed(self, _: str, __: int) -> None:
        self.job = None

    def _stream(self, stream: str) -> Opened:
        def opened(given: Mapping[str, str], _: int) -> None:
            if self.job is not None:
                self.job.streams = self.job.streams or {}
                self.job.streams[stream] = given.get("name", given.get("file", ""))

        return opened

    def _uses(self, given: Mapping[str, str], at: int) -> None:
        if self.job is None:
            return
        link, name = given.get("link", "").lower(), given.get("name", given.get("file", ""))
        if link in ("output", "inout"):
            self.outputs[-1].append(name)
            self.sizes[-1].append(self._size(given.get("size"), at))
        if link in ("input", "inout"):
            self.inputs[-1].append(name)

    def _size(self, words: str | None, at: int) -> int | None:
        try:
            return None if words is None else size_in(words)
        except ValueError as error:
            problem = f"size of a file: expected {error}, got {str(words)[:80]!r}"
            raise self.document.error(at, problem) from None

    def _file(self, given: Mapping[str, str], _: int) -> str:
        return shlex.quote(given.get("name", given.get("file", "")))

    def _argument(self, _: Mapping[str, str], at: int) -> None:
        self.argument = at

    def _argument_closed(self, text: str, at: int) -> None:
        if self.job is not None:
            self.job.argument = text
            self.found.leads[-1] = self.document.end_of(self.argument, at)

    def _profile(self, given: Mapping[str, str], at: int) -> None:
        self.profile = given.get("namespace", "").lower(), given.get("key", ""), at

    def _profile_closed(self, text: str, at: int) -> None:
        if self.job is None or self.profile is None:
            return
        space, key, begin = self.profile
        if space == "env":
            self.job.environment = self.job.environment or []
            self.job.environment.append((key, text))
        elif (space, key.lower()) == ("condor", "priority"):
            self.found.say("priority", len(self.found) - 1, text, begin)
            self.found.starts[-1], self.found.stops[-1] = self.document.tag(begin).stop, at
        elif (space, key.lower()) == ("condor", "initialdir"):
            self.job.directory = text
        elif (space, key.lower()) == ("dagman", "priority"):
            self.found.remarks.add(
                "a dagman profile PRIORITY wins over the priority that icsched sets"
            )

    # Dependencies

    def _child(self, given: Mapping[str, str], _: int) -> None:
        self.child, self.has_children = given.get("ref"), True

    def _parent(self, given: Mapping[str, str], at: int) -> None:
        self.found.add_arc(given.get("ref"), self.child, at)

    # Programs

    def _executable(self, given: Mapping[str, str], _: int) -> None:
        self.executable = _called(given)

    def _pfn(self, given: Mapping[str, str], _: int) -> None:
        if self.executable is not None:
            self.programs.setdefault(self.executable, _path(given.get("url", "")))

    def _executable_closed(self, _: str, __: int) -> None:
        self.executable = None

    def _commands(self) -> list[Command | None]:
        return [self._command(task, job) for task, job in enumerate(self.jobs)]

    def _command(self, task: int, job: _Job) -> Command | None:
        at = self.found.tags[task]
        if job.kind != "job":
            problem = f"icsched cannot run a <{job.kind}>, which is a workflow of its own"
            raise self.document.error(at, problem)
        if job.called[:2] == NOTHING:
            return None
        try:
            words = shlex.split(job.argument or "")
        except ValueError as error:
            problem = f"expected words as a shell reads them, got {job.argument!r}: {error}"
            raise self.document.error(at, problem) from error
        program = self.programs.get(job.called, job.called[1])
        environment = tuple(job.environment or ())
        given = (job.streams or {}).items()
        streams = {key: seen_from_file(file, job.directory) for key, file in given}
        return Command((program, *words), job.directory, environment, **streams)


def _called(given: Mapping[str, str]) -> Called:
    return given.get("namespace", ""), given.get("name", ""), given.get("version", "")


def _path(url: str) -> str:
    """Return the path that a file URL means; other text stays as it is."""
    rest = url.removeprefix("file://")
    return unquote("/" + rest.partition("/")[2], errors="surrogateescape") if rest != url else url


def read_dax(paths: Sequence[str], _: NoOptions) -> Workflow[str]:
    """Return the workflow in a DAX file; the id of a job is the name of the task."""
    return _Reader(paths[0]).read()


def changes(workflow: Workflow, order: Sequence[int]) -> list[Change]:
    """Return the change that writes an order as condor profiles."""
    places = workflow.parsed
    if not isinstance(places, _Places):
        raise ArgumentError(f"expected a workflow that was read from a file, got {workflow!r}")
    name = f"{places.prefix}profile"
    opening = f'<{name} namespace="condor" key="priority">'
    edits: list[Edit] = []
    for task, value in priorities_of(workflow, order).items():
        start, at, after = places.starts[task], places.tags[task], places.leads[task]
        inside = f"{opening}{value}</{name}>"
        edits.append(
            (start, places.stops[task], str(value))
            if start >= 0
            else places.document.inserted(at, inside, after=after)
        )
    return [places.document.changed(edits)]
