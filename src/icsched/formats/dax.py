"""DAX files, the XML of Pegasus 2 to 4, versions 2.x and 3.x.

A job is a task, and so are a ``dag`` and a ``dax``, which are workflows of their own. Its size is
that of its output files together. A job's priority is its condor profile, which Pegasus hands to
DAGMan as well.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from urllib.parse import unquote

from icsched.commands import Command, seen_from_file
from icsched.files import Change
from icsched.formats.dax_text import NOTHING, STREAMS
from icsched.formats.entry import NoOptions
from icsched.formats.known import Number, arcs_by_files, output_sizes, size_in
from icsched.formats.markup import Opened, read_document
from icsched.formats.nodes import Nodes, places_of
from icsched.workflow import Remark, Workflow

_KNOWN = frozenset({"file", "filename", "metadata", "transformation", "invoke"})

Called = tuple[str, str, str]  # namespace, name and version of a program


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
        self.nodes = Nodes(self.document)
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
        self.nodes.remark_all(self._walk())
        if not self.has_children:
            self.nodes.add_arcs(arcs_by_files(self.inputs, self.outputs, self.nodes.remarks))
        sizes = output_sizes(self.sizes, self.nodes.remarks)
        for task, size in enumerate(() if sizes is None else sizes.tolist()):
            self.nodes.say("size", task, str(size), self.nodes.tags[task])
        has_commands = self.programs or any(job.argument is not None for job in self.jobs)
        find = self._commands if has_commands else None
        workflow = self.nodes.workflow("dax", self.nodes.places(self.root), find)
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
            task = self.nodes.add(given.get("id"), at, kind)
            called = self.called.setdefault(_called(given), _called(given))
            self.job = _Job(called, kind)
            self.jobs.append(self.job)
            for rows in (self.inputs, self.outputs, self.sizes):
                rows.append([])
            if kind != "job":
                self.nodes.remarks.add("jobs that are workflows: icsched orders each as one job")
            self.nodes.kinds[task] = intern("::".join(filter(None, called[:2])) or given["id"])
            if "runtime" in given:
                self.nodes.say("run_time", task, given["runtime"], at)

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
            self.nodes.leads[-1] = self.document.end_of(self.argument, at)

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
            self.nodes.say("priority", len(self.nodes) - 1, text, begin)
            self.nodes.starts[-1], self.nodes.stops[-1] = self.document.tag(begin).stop, at
        elif (space, key.lower()) == ("condor", "initialdir"):
            self.job.directory = text
        elif (space, key.lower()) == ("dagman", "priority"):
            self.nodes.remarks.add(
                "a dagman profile PRIORITY wins over the priority that icsched sets"
            )

    # Dependencies

    def _child(self, given: Mapping[str, str], _: int) -> None:
        self.child, self.has_children = given.get("ref"), True

    def _parent(self, given: Mapping[str, str], at: int) -> None:
        self.nodes.add_arc(given.get("ref"), self.child, at)

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
        at = self.nodes.tags[task]
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
    places = places_of(workflow)
    name = f"{places.prefix}profile"
    opening = f'<{name} namespace="condor" key="priority">'
    return [
        places.change(
            workflow,
            order,
            lambda task, value: places.document.inserted(
                places.tags[task], f"{opening}{value}</{name}>", after=places.leads[task]
            ),
        )
    ]
