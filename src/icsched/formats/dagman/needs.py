"""What jobs request in their submit descriptions, with the macros that VARS and DAGMan give them.

Jobs of one description that differ in no variable of its requests are worked out once.
"""

import os
import re
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from icsched.arrays import Floats
from icsched.errors import FormatError
from icsched.formats.dagman.source import Kind, is_missing, shortened
from icsched.formats.dagman.submission import Job, Submission
from icsched.formats.dagman.submit import (
    Description,
    Descriptions,
    Setting,
    read_settings,
    variables,
)
from icsched.formats.requests import HIDDEN, amounts_by_task, asked, requested
from icsched.workflow import HiddenNeed, Remark

_NAME = re.compile(r"\$\(([A-Za-z0-9_.]+)")
_MADE_NAME = re.compile(r"\$\([A-Za-z0-9_.]*\$")  # the name of a macro that has a macro in it
_OF_JOB = frozenset({"job", "dag_node_name"})

_Hidden = tuple[str, str, str]  # resource, path and text
_Lines = dict[_Hidden, int]  # what is hidden, with its first line
_Found = tuple[dict[str, float], _Lines]
_Given = list[tuple[str, Setting]]
_ABSENT: _Found = ({}, {})  # a submit file that does not exist requests nothing


class Needs(NamedTuple):
    """What jobs request, what only HTCondor can work out, and the jobs without a submit file."""

    columns: Mapping[str, Floats]
    hidden: Sequence[HiddenNeed]
    absent: Sequence[str]


def needs_of(workflow: Submission) -> Needs:
    """Return what the jobs request; raises FormatError for a number that cannot be requested."""
    jobs = [job for job in workflow.jobs() if job.node.kind == "JOB" and not job.node.noop]
    requests = _Requests()
    _add_variables(workflow, jobs, requests.words(jobs))
    amounts: defaultdict[str, dict[int, float]] = defaultdict(dict)
    tasks: defaultdict[_Hidden, list[int]] = defaultdict(list)
    lines: _Lines = {}
    absent: list[str] = []
    ids = workflow.dag.ids
    for job in jobs:
        of_job = requests.of(job)
        if of_job is _ABSENT:
            absent.append(job.name)
        found, unknown = of_job
        for resource, amount in found.items():
            amounts[resource][ids[job.name]] = amount
        for one, line in unknown.items():
            tasks[one].append(ids[job.name])
            lines[one] = min(line, lines.get(one, line))
    columns = {name: amounts_by_task(len(ids), amounts[name]) for name in sorted(amounts)}
    remarks = {one: Remark(one[1], lines[one], one[2]) for one in sorted(tasks)}
    hidden = [
        HiddenNeed(one[0], np.array(sorted(tasks[one]), np.int32), remark)
        for one, remark in remarks.items()
    ]
    return Needs(columns, hidden, absent)


def _add_variables(workflow: Submission, jobs: Sequence[Job], words: set[str] | None) -> None:
    """Tell each job its VARS; if all have other names than *words*, they may be left out."""
    by_name = {job.name: job for job in jobs}
    names, kinds = workflow.scope.names, (int(Kind.VARS), int(Kind.OTHER))
    some = None if words is None else re.compile("|".join(map(re.escape, sorted(words))), re.I)
    for said in workflow.statements_about_jobs():
        source, number = said.statement.source, said.statement.number
        if source.scan.kind[number] not in kinds:
            continue
        if some:  # to parse only a few
            text = said.statement.text
            if not some.search(text):
                continue
            if "$(" in text:  # it may refer to any other VARS
                for job in jobs:
                    job.said.clear()
                _add_variables(workflow, jobs, None)
                return
        found = by_name.get(names[said.place.first + said.slot])
        if found and said.modifier.keyword == "VARS":
            found.said.append(said)


class _Requests:
    """The requests of jobs: the same for jobs that differ in no variable of their requests."""

    def __init__(self) -> None:
        self._descriptions = Descriptions(read_settings)
        self._read: dict[object, Description | _Found] = {}  # by place, or by job
        self._macros: dict[int, frozenset[str] | None] = {}  # by description: see `_macros_of`
        self._known: dict[object, _Found] = {}

    def words(self, jobs: Sequence[Job]) -> set[str] | None:
        """Return words, one of which any VARS has that changes what *jobs* request.

        Returns None if VARS may do so by any word.
        """
        for job in jobs:
            self._description(job)
        if None in self._macros.values():
            return None
        return {"request"}.union(*(macros for macros in self._macros.values() if macros))

    def of(self, job: Job) -> _Found:
        """Return what a job requests, and what is hidden."""
        description = self._description(job)
        if not isinstance(description, Description):
            return description
        try:
            before, after = variables(job)
        except FormatError as error:
            return _unread(error, "needs of jobs are unknown: versions of DAGMan disagree on VARS")
        key = self._key(job.name, description, before, after)
        if key not in self._known:
            self._known[key] = _requests(description.of_job(job.name, before, after))
        return self._known[key]

    def _description(self, job: Job) -> Description | _Found:
        """Return the description of a job, or what is hidden because there is none."""
        key = job.name if job.has_description else (job.directory, job.node.submit)
        if key not in self._read:
            self._read[key] = self._described(job)
        return self._read[key]

    def _described(self, job: Job) -> Description | _Found:
        if not job.has_description and is_missing(os.path.join(job.directory, job.node.submit)):
            return _ABSENT
        try:
            description = self._descriptions.plain(job)
        except FormatError as error:
            return _unread(error, f"needs of jobs are unknown: {error.problem}")
        if id(description) not in self._macros:
            self._macros[id(description)] = _macros_of(description)
        return description

    def _key(self, name: str, description: Description, before: _Given, after: _Given) -> object:
        """Return a key that two jobs share only if they request the same."""
        macros = self._macros[id(description)]
        told = _told(before, macros), _told(after, macros)
        if macros is None or any("$" in value for pairs in told for _, value in pairs):
            return id(description), name, _told(before), _told(after)
        return id(description), name if macros & _OF_JOB else None, *told


def _told(given: _Given, macros: Container[str] | None = None) -> tuple[tuple[str, str], ...]:
    """Return the variables that are requests, or that requests refer to by one of *macros*."""
    return tuple(
        (key, setting.value)
        for key, setting in given
        if macros is None or key in macros or requested(key)
    )


def _macros_of(description: Description) -> frozenset[str] | None:
    """Return the macros on which requests depend; None if the file does not say their names."""
    settings = description.settings
    waiting = [key for key in settings if requested(key)]
    found = set(waiting)
    while waiting:
        value = settings[waiting.pop()].value
        if _MADE_NAME.search(value):
            return None
        names = {name.lower() for name in _NAME.findall(value)} - found
        found |= names
        waiting += names & settings.keys()
    return frozenset(found)


def _unread(error: FormatError, text: str) -> _Found:
    return {}, {("", error.path, text): error.line or 0}


def _requests(description: Description) -> _Found:
    """Return the requests of a description of a job."""
    amounts: dict[str, float] = {}
    hidden: _Lines = {}
    for key, setting in sorted(description.settings.items(), key=lambda pair: _rank(pair[0])):
        resource = requested(key)
        if resource is None:
            continue
        amount = _amount(description, setting, resource, is_attribute=key.startswith("my."))
        text = f"{key} = {shortened(setting.value)}: {HIDDEN}"
        hidden = {one: line for one, line in hidden.items() if one[0] != resource}
        if amount is None:
            hidden[resource, setting.path, text] = setting.line
        amounts[resource] = np.nan if amount is None else amount
    return {
        name: one for name, one in amounts.items() if one == one or _is_in(name, hidden)
    }, hidden


def _is_in(resource: str, hidden: _Lines) -> bool:
    return any(one[0] == resource for one in hidden)


def _rank(key: str) -> int:
    """Return which of several requests of a resource HTCondor takes, on any line: the highest.

    >>> [_rank(key) for key in ("requestcpus", "request_cpus", "my.requestcpus")]
    [0, 1, 2]
    """
    return 2 if key.startswith("my.") else int(key.startswith("request_"))


def _amount(
    description: Description, setting: Setting, resource: str, *, is_attribute: bool
) -> float | None:
    """Return how much a setting requests, NaN for nothing; None if icsched cannot work it out."""
    try:
        words = description.expanded(setting)
    except FormatError:
        return None
    try:
        return asked(resource, words, is_attribute=is_attribute)
    except ValueError as error:
        raise setting.error(f"{resource}: expected {error}, got {shortened(words)}") from None
