"""Workflows as DAX files of Pegasus, and orders written into files."""

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from urllib.parse import quote

from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.dax.markup import Edit, attribute, content, is_text
from icsched.formats.dax.reader import NOTHING, STREAMS, DaxSource
from icsched.formats.facts import said, written_names
from icsched.formats.port import Writing
from icsched.formats.requests import needs_by_task, needs_profiles
from icsched.workflow import Command, Workflow

_SPACE = "http://pegasus.isi.edu/schema/DAX"
_NAME = re.compile(r"[A-Za-z0-9_-]+")  # what the schema allows as an id


def workflow_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return a workflow as DAX 3.6; programs are named after their files."""
    names = written_names(workflow, path, is_name, "letters, digits, - and _")
    programs = _programs(workflow.commands or ())
    label = title if title and is_text(title) else "workflow"
    dag = workflow.dag
    text = "".join(
        [
            f'<?xml version="1.0" encoding="UTF-8"?>\n<adag xmlns="{_SPACE}" version="3.6"',
            f"{attribute('name', label)}>\n",
            *(_executable(name, program) for program, name in programs.items() if "/" in program),
            *_jobs(workflow, names, programs, path),
            *(_child(names, task, dag.parent_rows[task].tolist()) for task in range(len(dag))),
            "</adag>\n",
        ]
    )
    if not is_text(text):
        raise FormatError(path, None, "XML cannot hold a control character of a command")
    return text


def _programs(commands: Sequence[Command | None]) -> dict[str, str]:
    """Return a name for each program, different from all others."""
    found = sorted({command.program for command in commands if command})
    names = {program: program for program in found if "/" not in program}
    taken = set(names)
    for program in found:
        if "/" in program:
            base, number = program.rpartition("/")[2] or "program", 1
            name = base
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
            names[program] = name
    return names


def _executable(name: str, program: str) -> str:
    url = (
        f"file://{quote(program, safe='/', errors='surrogateescape')}"
        if program.startswith("/")
        else program
    )
    pfn = f'<pfn{attribute("url", url)} site="local"/>'
    return f'  <executable{attribute("name", name)} installed="true">{pfn}</executable>\n'


def _jobs(
    workflow: Workflow, names: Sequence[str], programs: Mapping[str, str], path: str
) -> list[str]:
    known = workflow.commands
    told = [_PLAIN] * len(names) if known is None else [_said(one, programs, path) for one in known]
    profiles = [needs_profiles(needs) for needs in needs_by_task(workflow)]
    columns = said(workflow, "run_times"), said(workflow, "priorities"), profiles, told
    return [_job(name, *row) for name, *row in zip(names, *columns, strict=True)]


# The command of a job: attributes, and elements before and after its priority.
_Said = tuple[str, Sequence[str], Sequence[str]]
_PLAIN: _Said = attribute("name", "task"), (), ()


def _said(command: Command | None, programs: Mapping[str, str], path: str) -> _Said:
    if command is None:
        space, name = NOTHING
        return f"{attribute('namespace', space)}{attribute('name', name)}", ["<argument/>"], []
    first = [f"<argument>{content(shlex.join(command.argv[1:]))}</argument>"]
    first += [_profile("env", name, value) for name, value in command.environment]
    if command.directory is not None:
        first.append(_profile("condor", "initialdir", command.directory))
    seen = partial(command.as_seen_inside, path=path)
    streams = {stream: seen(getattr(command, stream)) for stream in STREAMS}
    links = {"stdin": "input", "stdout": "output", "stderr": "output"}
    last = [
        f'<{stream}{attribute("name", file)} link="{links[stream]}"/>'
        for stream, file in streams.items()
        if file is not None
    ]
    return attribute("name", programs[command.program]), first, last


def _job(
    name: str,
    seconds: float | None,
    priority: int | None,
    profiles: Sequence[tuple[str, str, str]],
    told: _Said,
) -> str:
    called, first, last = told
    given = f"{attribute('id', name)}{called}"
    if seconds is not None:
        given += attribute("runtime", seconds)
    own = [] if priority is None else [_profile("condor", "priority", priority)]
    own += [_profile(*profile) for profile in profiles]
    inside = [*first, *own, *last]
    if not inside:
        return f"  <job{given}/>\n"
    return f"  <job{given}>\n{''.join(f'    {line}{chr(10)}' for line in inside)}  </job>\n"


def _profile(space: str, key: str, value: object) -> str:
    given = f"{attribute('namespace', space)}{attribute('key', key)}"
    return f"<profile{given}>{content(value)}</profile>"


def _child(names: Sequence[str], task: int, parents: Sequence[int]) -> str:
    if not parents:
        return ""
    refs = "".join(f"<parent{attribute('ref', names[parent])}/>" for parent in parents)
    return f"  <child{attribute('ref', names[task])}>{refs}</child>\n"


def is_name(name: str) -> bool:
    """Whether a job can have *name* as its id.

    >>> is_name("map_1"), is_name("map 1")
    (True, False)
    """
    return bool(_NAME.fullmatch(name))


def changes(workflow: Workflow, order: Sequence[int], _options: Writing) -> list[Change]:
    """Return the change that writes an order as condor profiles."""
    if not isinstance(workflow.source, DaxSource):
        raise ArgumentError(f"expected a workflow that was read from a file, got {workflow!r}")
    places = workflow.source.places
    name = f"{places.prefix}profile"
    opening = f'<{name} namespace="condor" key="priority">'
    edits: list[Edit] = []
    for step, task in enumerate(order):
        start, at, after = places.starts[task], places.tags[task], places.leads[task]
        inside = f"{opening}{len(order) - step}</{name}>"
        edits.append(
            (start, places.stops[task], str(len(order) - step))
            if start >= 0
            else places.document.inserted(at, inside, after=after)
        )
    return [places.document.changed(edits)]
