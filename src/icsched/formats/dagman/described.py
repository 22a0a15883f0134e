"""The jobs of a workflow with what its files say about them: programs, words and variables."""

import os
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from icsched.errors import FormatError
from icsched.formats.dagman.commands import Command, Node, Vars
from icsched.formats.dagman.modifiers import AboutJob, statements_about_jobs
from icsched.formats.dagman.place import Place
from icsched.formats.dagman.source import Statement, shortened
from icsched.formats.dagman.submit import (
    Description,
    Setting,
    arguments,
    attribute_arguments,
    canonical,
    parsed,
    read_submit_file,
)

_Reader = Callable[[Setting, str], list[str]]

UNIVERSES = ("vanilla", "local", "scheduler")


@dataclass
class Job:
    """A job with everything that the workflow's files say about it."""

    place: Place
    statement: Statement
    name: str
    by_file: bool = False  # as condor_submit_dag -usedagdir
    said: list[AboutJob] = field(default_factory=list)

    @cached_property
    def node(self) -> Node:
        """What its JOB statement says."""
        return self.statement.source.node(self.statement.number)

    @property
    def directory(self) -> str:
        """Where the job runs and its files are found, from the directory where DAGMan starts."""
        source = self.statement.source
        start = os.path.dirname(source.path) if self.by_file else self.place.directory_of(source)
        return os.path.join(start, self.node.directory)

    def error(self, problem: str) -> FormatError:
        """Return the error that reports *problem* at the job's statement."""
        return self.statement.error(f"job {self.name}: {problem}")


def jobs_called(
    everywhere: Sequence[Place], wanted: Container[str], *, by_file: bool = False
) -> dict[str, Job]:
    """Return the jobs with these names, with what is said about each.

    With *by_file* jobs run in the directories of the files that define them.
    """
    names = everywhere[0].scope.names
    jobs = {}
    for place in everywhere:
        for statement, slot in place.statements:
            name = names[place.first + slot]
            if name in wanted:
                jobs[name] = Job(place, statement, name, by_file)
    for said in statements_about_jobs(everywhere):
        name = names[said.place.first + said.slot]
        if name in jobs:
            jobs[name].said.append(said)
    return jobs


class Descriptions:
    """The submit descriptions of a workflow, each read once."""

    def __init__(self) -> None:
        self._files: dict[str, Description] = {}
        self._inline: dict[tuple[int, int], Description] = {}

    def of(self, job: Job) -> Description:
        """Return a job's description, with its variables; raises FormatError."""
        before, after = _variables(job)
        return self._plain(job).of_job(job.name, before, after)

    def _plain(self, job: Job) -> Description:
        submit, scope = job.node.submit, job.place.scope
        if not submit:
            return self._inside(job.statement, job.node)
        if submit in scope.descriptions:
            named = scope.descriptions[submit]
            return self._inside(named, named.command)
        path = os.path.join(job.directory, submit)
        if path not in self._files:
            try:
                self._files[path] = read_submit_file(path)
            except FormatError as error:
                if error.line is not None:
                    raise
                raise job.error(f"{path}: {error.problem}") from error
        return self._files[path]

    def _inside(self, statement: Statement, command: Command) -> Description:
        """Return a description that is inside a DAGMan file."""
        source, text = statement.source, command.text
        key = id(source), statement.number
        if key not in self._inline:
            first = statement.line + text.head_lines
            self._inline[key] = parsed(source.path, text.body, first)
        return self._inline[key]


def _variables(job: Job) -> tuple[list[tuple[str, Setting]], list[tuple[str, Setting]]]:
    """Return what VARS sets before the description, and after it."""
    before: list[tuple[str, Setting]] = []
    after: list[tuple[str, Setting]] = []
    for said in job.said:
        if isinstance(said.modifier, Vars):
            statement, variables = said.statement, said.modifier.variables
            if variables is None:
                problem = "expected quotes that all versions of DAGMan read alike"
                _, rest = said.modifier.around_name
                raise statement.error(f"{problem}, got {shortened(rest)!r}")
            found = (after if variables.place == "APPEND" else before).append
            for key, value in variables.pairs:
                # DAGMan itself puts the name of the job into VARS.
                found((canonical(key), Setting(value, statement.source.path, statement.line)))
    return before, after


def executable(directory: str, description: Description) -> str:
    """Return the program of a job that is submitted in *directory*; raises FormatError."""
    setting = description.setting("executable", "cmd")
    if not setting:
        raise FormatError(description.path, description.line, "expected an executable, got none")
    value = description.expanded(setting)
    transferred = description.value("transfer_executable").upper() not in ("FALSE", "NO", "0")
    if not transferred and not os.path.isabs(value):
        expected = "expected an absolute name of an executable that is not transferred"
        raise setting.error(f"{expected}, got {value}")
    return os.path.join(directory, value)


def words(description: Description, reader: _Reader, *names: str) -> list[str]:
    """Return what *reader* makes of the first of these settings that is not empty."""
    setting = description.setting(*names)
    return reader(setting, description.expanded(setting)) if setting else []


def argument_words(description: Description) -> list[str]:
    """Return the words after the program; the attribute of the job overrides `arguments`."""
    if description.setting("my.arguments"):
        return words(description, attribute_arguments, "my.arguments")
    return words(description, arguments, "arguments", "args")
