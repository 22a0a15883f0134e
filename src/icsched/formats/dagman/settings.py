"""Settings of HTCondor that matter to an order: in the workflow's CONFIG file, and around it."""

import os
import re
from collections.abc import Iterator

from icsched.errors import FormatError
from icsched.files import read_bytes
from icsched.formats.dagman.commands import Config
from icsched.formats.dagman.submission import Submission
from icsched.formats.port import Setting, Settings
from icsched.workflow import Remark

DEFAULT_PRIORITY = "DAGMAN_DEFAULT_PRIORITY"
USE_STRICT = "DAGMAN_USE_STRICT"
_MOST_BYTES = 1 << 24  # of a CONFIG file: a larger file was not written by hand
_MOST_LENIENT = 1  # with 2 or more, DAGMan refuses a file that changes a job's priority
_SHIFT = "shifts the whole workflow against your others; its own order stays"
_ASSIGNMENT = re.compile(r"(\w+)\s*[=:]\s*(.*)", re.DOTALL)  # HTCondor warns of a colon


def strictness(workflow: Submission, around: Settings | None = None) -> Remark | None:
    """Return the DAGMAN_USE_STRICT setting that makes DAGMan refuse a second priority for a job.

    Looks at the CONFIG file of the workflow, which wins, then at the settings *around* the
    workflow. If nobody knows these, looks at the environment.
    """
    found = _counting(workflow, USE_STRICT, around)
    value = found.value if found else ""
    if not found or not re.fullmatch(r"[0-9]{1,9}", value) or int(value) <= _MOST_LENIENT:
        return None
    return Remark(found.path, found.line, found.text)


def refusal(setting: str, *, otherwise: str = "") -> str:
    """Return what a strict *setting* does, and what to do about it."""
    what = f"{otherwise}take the PRIORITY lines out of the files"
    return f"'{setting}' makes DAGMan refuse a second priority for a job: {what}"


def default_priority(workflow: Submission, around: Settings | None = None) -> Iterator[Remark]:
    """Yield a remark about a setting that gives each job a priority; as `strictness` finds it."""
    found = _counting(workflow, DEFAULT_PRIORITY, around)
    if found and found.value != "0":
        text = f"'{found.text}'" if found.line else found.text
        yield Remark(found.path, found.line, f"{text} {_SHIFT}")


def configs(workflow: Submission) -> Iterator[str]:
    """Yield the files of CONFIG that count: condor_submit_dag does not read included files."""
    roots = {id(root) for root in workflow.roots}
    for statement in workflow.scope.directives:
        source, command = statement.source, statement.command
        if id(source) in roots and isinstance(command, Config):
            by_file, start = workflow.use_dag_directory, workflow.directory
            start = os.path.dirname(source.path) if by_file else start
            yield os.path.join(start, command.argument)


def in_environment(name: str) -> Setting | None:
    """Return what the environment says about a setting."""
    variable = f"_CONDOR_{name}"
    value = os.environ.get(variable, "").strip()
    return Setting("environment", 0, f"{variable}={value}", value) if value else None


def _counting(workflow: Submission, name: str, around: Settings | None) -> Setting | None:
    """Return the setting of this name that DAGMan will follow."""
    outside = in_environment(name) if around is None else around.get(name)
    return _in_configs(workflow, name) or outside


def _in_configs(workflow: Submission, name: str) -> Setting | None:
    """Return the last setting of this name in CONFIG files, which is the one that counts."""
    last = None
    for path in configs(workflow):
        for line, text in statements(_read(path)[0]):
            match = _ASSIGNMENT.fullmatch(text)
            if match and match[1].upper() == name:
                last = Setting(path, line, text, match[2])
    return last


def unread_configs(workflow: Submission) -> Iterator[Remark]:
    """Yield a remark about each CONFIG file whose settings icsched cannot know."""
    for path in configs(workflow):
        if not os.path.exists(path):
            yield Remark(path, 0, "the CONFIG file does not exist: DAGMan will not start")
        elif problem := _read(path)[1]:
            yield Remark(path, 0, f"the CONFIG file {problem}: icsched does not know its settings")


def _read(path: str) -> tuple[str, str]:
    """Return what a CONFIG file has, and why that is not known."""
    try:
        if not os.path.isfile(path):
            return "", "is not an ordinary file"
        if os.path.getsize(path) > _MOST_BYTES:
            return "", f"has more than {_MOST_BYTES:,} bytes"
        return read_bytes(path).decode(errors="replace"), ""
    except FormatError as error:
        return "", f"cannot be read ({error.problem})"


def statements(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the statements of a configuration, each with the number of its first line.

    A backslash at the end of a line continues the line, also within a word. A comment ends with
    its line, unless the comment is itself inside a continued line.

    >>> list(statements("# x \\\nA = \\\n  3\nB = 4\n"))
    [(2, 'A = 3'), (4, 'B = 4')]
    """
    lines = enumerate(text.split("\n"), 1)
    for number, line in lines:
        part = line.strip()
        if not part or part.startswith("#"):
            continue
        parts = []
        while part.endswith("\\"):
            parts.append(part[:-1])
            part = next(lines, (0, ""))[1].strip()
        yield number, "".join([*parts, part]).strip()
