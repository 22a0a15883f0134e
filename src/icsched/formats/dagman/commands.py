"""What one DAGMan statement says, by the grammar of either of DAGMan's parsers.

HTCondor 25.6 brought a new parser; the old one runs in the releases before it and behind a
setting. They cut a line into words differently (`OldWords`, `NewWords`). A statement is read
with both: what either takes is taken, and what both take with a different meaning is refused.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from icsched.formats.dagman.words import NewWords, OldWords, UnreadableError, upper

RESERVED = frozenset({"PARENT", "CHILD", "ALL_NODES"})
ALL_NODES = "ALL_NODES"

_INTEGER = re.compile(
    r"\s*([+-]?[0-9]+)", re.ASCII
)  # what follows the digits is ignored, as by strtol


@dataclass(frozen=True, slots=True)
class Node:
    """JOB, FINAL, PROVISIONER, SERVICE or SUBDAG EXTERNAL."""

    kind: str  # the command
    name: str
    submit: str  # submit file or description, DAG file of a SUBDAG, "" for an inline description
    directory: str
    noop: bool
    done: bool


@dataclass(frozen=True, slots=True)
class Splice:
    """SPLICE name file [DIR directory]."""

    name: str
    file: str
    directory: str


@dataclass(frozen=True, slots=True)
class Parent:
    """[WEAK] PARENT names CHILD names; a weak arc orders jobs as a strong one does."""

    parents: tuple[str, ...]
    children: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Modifier:
    """A command that says something about one job, or about ALL_NODES."""

    command: str
    name: str
    value: int = 0  # of PRIORITY
    detail: str = ""  # type of a SCRIPT, category of CATEGORY


@dataclass(frozen=True, slots=True)
class Pin:
    """PIN_IN or PIN_OUT."""

    name: str
    number: int
    is_out: bool


@dataclass(frozen=True, slots=True)
class Directive:
    """A command about the whole workflow; *argument* is what icsched needs of it."""

    command: str
    argument: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Connect:
    """CONNECT of two splices by their pins."""

    parent: str
    child: str


Command: TypeAlias = Node | Splice | Parent | Modifier | Pin | Connect | Directive


Words: TypeAlias = OldWords | NewWords


def parse(head: str, tail: str | None) -> Command:
    """Return what a statement says.

    *head* is its text without line ends, up to the opening of an inline description if it has
    one; *tail* is then what follows the closing, else None. Raises UnreadableError with what was
    expected, and KeyError for an unknown command.
    """
    word = re.split(r"[ \t]", head, maxsplit=1)[0]
    command = upper(word).replace("-", "_")
    if command == "WEAK":
        return _parsed("PARENT", _weak_body(head[len(word) :]), None)
    return _parsed(command, head[len(word) :], tail)


def _weak_body(rest: str) -> str:
    word, *body = re.split(r"[ \t]+", rest.lstrip(" \t"), maxsplit=1)
    if upper(word) != "PARENT":
        raise UnreadableError(f"expected WEAK {_USAGE['PARENT']}")
    return "".join(body)


def _parsed(command: str, rest: str, tail: str | None) -> Command:
    reader = _READERS[command]
    readings = []
    for words in (OldWords, NewWords):
        try:
            readings.append(reader(command, words(rest), None if tail is None else words(tail)))
        except UnreadableError as error:
            if str(error):
                raise
    if not readings:
        raise UnreadableError(f"expected {_USAGE[command]}")
    if readings[-1] != readings[0]:
        raise UnreadableError("expected quotes and = that all versions of DAGMan read alike")
    return readings[0]


def _node(command: str, words: Words, tail: Words | None) -> Node:
    if command == "SUBDAG" and upper(words.next()) != "EXTERNAL":
        raise UnreadableError
    name, submit = words.next(), words.next_path()
    if not name or not submit:
        raise UnreadableError
    check_name(name)
    if command == "JOB" and ".condor.sub" in submit:
        raise UnreadableError(
            f"expected SUBDAG EXTERNAL for a nested workflow, got JOB {name} {submit}"
        )
    directory, noop, done = _node_options(tail or words)
    return Node(command, name, "" if tail else submit, directory, noop, done)


def _node_options(words: Words) -> tuple[str, bool, bool]:
    directory, noop, done = "", False, False
    while word := upper(words.next()):
        if word == "NOOP":
            noop = True
        elif word == "DONE":
            done = True
        elif word == "DIR" and (directory := words.next_path()):
            pass
        else:
            raise UnreadableError
    return directory, noop, done


def check_name(name: str) -> None:
    """Raise UnreadableError unless DAGMan takes *name* as the name of a job."""
    if upper(name) in RESERVED:
        raise UnreadableError(f"expected a job name, got the reserved word {name}")
    if "+" in name:
        raise UnreadableError(f"expected a job name without '+', got {name}")
    if any(ord(char) < 32 or 0xDC80 <= ord(char) <= 0xDCFF or ord(char) == 127 for char in name):
        raise UnreadableError(f"expected a job name in printable UTF-8, got {name!r}")


def _submit_description(command: str, words: Words, tail: Words | None) -> Directive:
    name = words.next()
    if not name or tail is None:
        raise UnreadableError
    return Directive(command, name)


def _splice(_: str, words: Words, __: object) -> Splice:
    name, file = words.next(), words.next_dag_path()
    if not name or not file:
        raise UnreadableError
    directory = ""
    if option := words.next():
        directory = words.next_dag_path()
        if upper(option) != "DIR" or not directory:
            raise UnreadableError
    _end(words)
    return Splice(name, file, directory)


def _parent(_: str, words: Words, __: object) -> Parent:
    names = []
    while name := words.next():
        names.append(name)
    marks = [at for at, name in enumerate(names) if upper(name) == "CHILD"]
    if not marks or marks[0] == 0 or marks[-1] == len(names) - 1:
        raise UnreadableError
    if len(marks) > 1 and isinstance(words, OldWords):  # to which the second is a job's name
        raise UnreadableError
    children = (name for name in names[marks[0] :] if upper(name) != "CHILD")
    return Parent(tuple(names[: marks[0]]), tuple(children))


def _script(command: str, words: Words, _: object) -> Modifier:
    word = upper(words.next())
    while word in ("DEFER", "DEBUG"):
        if word == "DEFER":
            _at_least(1, words.next())
            _at_least(0, words.next())
        elif not words.next() or upper(words.next()) not in ("STDOUT", "STDERR", "ALL"):
            raise UnreadableError
        word = upper(words.next())
    name = words.next()
    if word not in ("PRE", "POST", "HOLD") or not name or not words.rest():
        raise UnreadableError
    return Modifier(command, name, detail=word)


def _retry(command: str, words: Words, _: object) -> Modifier:
    name = _required(words.next())
    _at_least(0, words.next())
    if option := words.next():
        if upper(option).replace("_", "-") != "UNLESS-EXIT":
            raise UnreadableError
        if isinstance(words, OldWords):  # the rest of the line is free, the number is not
            if not re.fullmatch(r"[+-]?[0-9]+", words.next()):
                raise UnreadableError
        else:
            integer(words.next())
            _end(words)
    return Modifier(command, name)


def _abort(command: str, words: Words, _: object) -> Modifier:
    name = _required(words.next())
    integer(words.next())
    if option := words.next():
        if upper(option) != "RETURN" or not 0 <= integer(words.next()) <= 255:
            raise UnreadableError
        if isinstance(words, NewWords):
            _end(words)
    return Modifier(command, name)


def _vars(command: str, words: Words, _: object) -> Modifier:
    name = _required(words.next())
    words.pairs()
    return Modifier(command, name)


def _priority(command: str, words: Words, _: object) -> Modifier:
    name, value = _required(words.next()), integer(words.next())
    _end(words)
    return Modifier(command, name, value)


def _pre_skip(command: str, words: Words, _: object) -> Modifier:
    name = _required(words.next())
    if not 0 <= integer(words.next()) <= 255:
        raise UnreadableError
    _end(words)
    return Modifier(command, name)


def _tolerance(command: str, words: Words, _: object) -> Modifier:
    name, value, mode = _required(words.next()), words.next(), words.next()
    if mode == "%":
        value, mode = value + mode, words.next()
    if not re.fullmatch(r"[0-9]{1,9}%?", value):
        raise UnreadableError
    if mode and upper(mode).replace("_", "-") not in ("FAIL-FAST", "WAIT"):
        raise UnreadableError
    _end(words)
    return Modifier(command, name)


def _category(command: str, words: Words, _: object) -> Modifier:
    name, category = _required(words.next()), _required(words.next())
    _end(words)
    return Modifier(command, name, detail=category)


def _done(command: str, words: Words, _: object) -> Modifier:
    name = _required(words.next())
    _end(words)
    return Modifier(command, name)


def _save_point(command: str, words: Words, _: object) -> Modifier:
    name = _required(words.next())
    if upper(name) == ALL_NODES:
        raise UnreadableError
    words.next_path()
    _end(words)
    return Modifier(command, name)


def _pin(command: str, words: Words, _: object) -> Pin:
    name = _required(words.next())
    number = _at_least(1, words.next())
    _end(words)
    return Pin(name, number, is_out=command == "PIN_OUT")


def _connect(_: str, words: Words, __: object) -> Connect:
    parent, child = _required(words.next()), _required(words.next())
    _end(words)
    return Connect(parent, child)


def _maxjobs(command: str, words: Words, _: object) -> Directive:
    category = _required(words.next())
    limit = _at_least(0, words.next())
    _end(words)
    return Directive(command, category, limit)


def _include(command: str, words: Words, _: object) -> Directive:
    file = _required(words.next_dag_path())
    _end(words)
    return Directive(command, file)


def _jobstate_log(command: str, words: Words, _: object) -> Directive:
    file = _required(words.next_path())
    _end(words)
    return Directive(command, file)


def _config(command: str, words: Words, _: object) -> Directive:
    return Directive(command, words.next_path())


def _dot(command: str, words: Words, _: object) -> Directive:
    file = _required(words.next_path())
    while word := upper(words.next()):
        if word == "INCLUDE":
            _required(words.next())
    return Directive(command, file)


def _node_status(command: str, words: Words, _: object) -> Directive:
    file = _required(words.next_path())
    while word := upper(words.next()).replace("_", "-"):
        if word != "ALWAYS-UPDATE":
            integer(word)
    return Directive(command, file)


def _free(command: str, words: Words, _: object) -> Directive:
    return Directive(command, words.rest())


def _reject(command: str, words: Words, _: object) -> Directive:
    _end(words)
    return Directive(command)


def _required(word: str) -> str:
    if not word:
        raise UnreadableError
    return word


def _end(words: Words) -> None:
    if words.next():
        raise UnreadableError


def integer(word: str) -> int:
    """Return the 32-bit integer that *word* begins with, or raise UnreadableError."""
    match = _INTEGER.match(word[:40])
    if not match or not -(2**31) <= int(match[1]) < 2**31:
        raise UnreadableError
    return int(match[1])


def _at_least(least: int, word: str) -> int:
    value = integer(word)
    if value < least:
        raise UnreadableError
    return value


_USAGE = {
    "JOB": "JOB name submit-file [DIR directory] [NOOP] [DONE]",
    "FINAL": "FINAL name submit-file [DIR directory] [NOOP]",
    "PROVISIONER": "PROVISIONER name submit-file [DIR directory] [NOOP]",
    "SERVICE": "SERVICE name submit-file [DIR directory] [NOOP]",
    "SUBDAG": "SUBDAG EXTERNAL name dag-file [DIR directory] [NOOP] [DONE]",
    "SUBMIT_DESCRIPTION": "SUBMIT-DESCRIPTION name { ... }",
    "SPLICE": "SPLICE name dag-file [DIR directory]",
    "INCLUDE": "INCLUDE dag-file",
    "PARENT": "PARENT names CHILD names",
    "SCRIPT": "SCRIPT [DEFER status seconds] [DEBUG file STDOUT|STDERR|ALL] PRE|POST|HOLD name "
    "executable [arguments]",
    "RETRY": "RETRY name count [UNLESS-EXIT code]",
    "ABORT_DAG_ON": "ABORT-DAG-ON name code [RETURN 0..255]",
    "VARS": 'VARS name [PREPEND|APPEND] key="value" ...',
    "PRIORITY": "PRIORITY name integer",
    "PRE_SKIP": "PRE_SKIP name 0..255",
    "TOLERANCE": "TOLERANCE name count[%] [FAIL-FAST|WAIT]",
    "CATEGORY": "CATEGORY name category",
    "MAXJOBS": "MAXJOBS category count",
    "DONE": "DONE name",
    "SAVE_POINT_FILE": "SAVE_POINT_FILE name [file]",
    "CONNECT": "CONNECT splice splice",
    "PIN_IN": "PIN_IN name number",
    "PIN_OUT": "PIN_OUT name number",
    "CONFIG": "CONFIG file",
    "DOT": "DOT file [UPDATE|DONT-UPDATE] [OVERWRITE|DONT-OVERWRITE] [INCLUDE file]",
    "NODE_STATUS_FILE": "NODE_STATUS_FILE file [seconds] [ALWAYS-UPDATE]",
    "JOBSTATE_LOG": "JOBSTATE_LOG file",
    "SET_JOB_ATTR": "SET_JOB_ATTR name = value",
    "ENV": "ENV SET|GET variables",
    "REJECT": "REJECT alone on its line",
}
_READERS: dict[str, Callable[[str, Words, Words | None], Command]] = {
    **dict.fromkeys(("JOB", "FINAL", "PROVISIONER", "SERVICE", "SUBDAG"), _node),
    "SUBMIT_DESCRIPTION": _submit_description,
    "SPLICE": _splice,
    "PARENT": _parent,
    "SCRIPT": _script,
    "RETRY": _retry,
    "ABORT_DAG_ON": _abort,
    "VARS": _vars,
    "PRIORITY": _priority,
    "PRE_SKIP": _pre_skip,
    "TOLERANCE": _tolerance,
    "CATEGORY": _category,
    "MAXJOBS": _maxjobs,
    "DONE": _done,
    "SAVE_POINT_FILE": _save_point,
    "CONNECT": _connect,
    "PIN_IN": _pin,
    "PIN_OUT": _pin,
    "CONFIG": _config,
    "DOT": _dot,
    "NODE_STATUS_FILE": _node_status,
    "SET_JOB_ATTR": _free,
    "ENV": _free,
    "REJECT": _reject,
    "INCLUDE": _include,
    "JOBSTATE_LOG": _jobstate_log,
}
