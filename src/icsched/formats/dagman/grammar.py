"""The grammar of DAGMan statements, as both of DAGMan's parsers read them.

HTCondor 25.6 has a new parser. Older releases have the old one, and a setting brings it back.
The two cut a line into words differently (`OldWords`, `NewWords`). icsched reads each statement
with both. If only one parser accepts a statement, icsched reads it as that parser does. If both
accept it with different meanings, icsched refuses it.
"""

import re
from collections.abc import Callable
from operator import methodcaller
from typing import TypeAlias

from icsched.formats.dagman.commands import (
    ALL_NODES,
    RESERVED,
    Abort,
    Category,
    Command,
    Config,
    Connect,
    Directive,
    Done,
    Include,
    MaxJobs,
    Modifier,
    Node,
    Parent,
    Pin,
    Priority,
    Reject,
    Retry,
    SavePoint,
    Script,
    Splice,
    SubmitDescription,
    Text,
    Vars,
)
from icsched.formats.dagman.words import NewWords, OldWords, UnreadableError, upper

USAGE = {
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


# What follows the digits is ignored, as strtol does.
_INTEGER = re.compile(r"\s*([+-]?[0-9]+)", re.ASCII)

Words: TypeAlias = OldWords | NewWords
Reader: TypeAlias = Callable[[Text, Words, Words | None], Command]


def parse(text: Text) -> Command:
    """Return what a statement says.

    Raises UnreadableError that says what was expected, and KeyError for an unknown command.
    """
    command = text.command
    rest = text.head[len(command) :]
    if command == "WEAK":
        command, rest = "PARENT", _weak_body(rest)
    reader, tail = _READERS[command], text.tail
    readings = []
    for words in (OldWords, NewWords):
        try:
            readings.append(reader(text, words(rest), None if tail is None else words(tail)))
        except UnreadableError as error:
            if str(error):
                raise
    if not readings:
        raise UnreadableError(f"expected {USAGE[command]}")
    if readings[-1] != readings[0]:
        raise UnreadableError("expected quotes and = that all versions of DAGMan read alike")
    return _with_known_variables(readings[0], readings[-1])


def _weak_body(rest: str) -> str:
    word, *body = re.split(r"[ \t]+", rest.lstrip(" \t"), maxsplit=1)
    if upper(word) != "PARENT":
        raise UnreadableError(f"expected WEAK {USAGE['PARENT']}")
    return "".join(body)


def _with_known_variables(old: Command, new: Command) -> Command:
    """Return *old*, without variables that *new* reads differently: only clusters need them."""
    if isinstance(old, Vars) and isinstance(new, Vars) and old.variables != new.variables:
        return Vars(old.text, old.name, None)
    return old


def _node(text: Text, words: Words, tail: Words | None) -> Node:
    command = text.command
    if command == "SUBDAG" and upper(words.next()) != "EXTERNAL":
        raise UnreadableError
    name, submit = words.next(), words.next_path()
    if not name or not submit:
        raise UnreadableError
    _check_name(name)
    if command == "JOB" and ".condor.sub" in submit:
        raise UnreadableError(
            f"expected SUBDAG EXTERNAL for a nested workflow, got JOB {name} {submit}"
        )
    directory, noop, done = _node_options(tail or words)
    return Node(text, command, name, "" if tail else submit, directory, noop, done)


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


def _check_name(name: str) -> None:
    """Raise UnreadableError unless DAGMan accepts *name* as the name of a job."""
    if upper(name) in RESERVED:
        raise UnreadableError(f"expected a job name, got the reserved word {name}")
    if "+" in name:
        raise UnreadableError(f"expected a job name without '+', got {name}")
    if any(ord(char) < 32 or 0xDC80 <= ord(char) <= 0xDCFF or ord(char) == 127 for char in name):
        raise UnreadableError(f"expected a job name in printable UTF-8, got {name!r}")


def _submit_description(text: Text, words: Words, tail: Words | None) -> SubmitDescription:
    name = words.next()
    if not name or tail is None:
        raise UnreadableError
    return SubmitDescription(text, name)


def _splice(text: Text, words: Words, __: object) -> Splice:
    name, file = words.next(), words.next_dag_path()
    if not name or not file:
        raise UnreadableError
    directory = ""
    if option := words.next():
        directory = words.next_dag_path()
        if upper(option) != "DIR" or not directory:
            raise UnreadableError
    _end(words)
    return Splice(text, name, file, directory)


def _parent(text: Text, words: Words, __: object) -> Parent:
    names = []
    while name := words.next():
        names.append(name)
    marks = [at for at, name in enumerate(names) if upper(name) == "CHILD"]
    if not marks or marks[0] == 0 or marks[-1] == len(names) - 1:
        raise UnreadableError
    if len(marks) > 1 and isinstance(words, OldWords):  # the old parser takes the second as a job
        raise UnreadableError
    children = (name for name in names[marks[0] :] if upper(name) != "CHILD")
    return Parent(text, tuple(names[: marks[0]]), tuple(children))


def _script(text: Text, words: Words, _: object) -> Script:
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
    return Script(text, name, word)


def _retry(text: Text, words: Words, _: object) -> Retry:
    name, limit = _required(words.next()), ""
    count = _at_least(0, words.next())
    if option := words.next():
        code = words.next()
        if upper(option).replace("_", "-") != "UNLESS-EXIT":
            raise UnreadableError
        if isinstance(words, OldWords):  # the number is checked, the rest of the line is not
            if not re.fullmatch(r"[+-]?[0-9]+", code):
                raise UnreadableError
        else:
            _integer(code)
            _end(words)
        limit = f"UNLESS-EXIT {code.upper()}"
    return Retry(text, name, count, limit)


def _abort(text: Text, words: Words, _: object) -> Abort:
    name, condition = _required(words.next()), [words.next()]
    _integer(condition[0])
    if option := words.next():
        condition += ["RETURN", words.next()]
        if upper(option) != "RETURN" or not 0 <= _integer(condition[-1]) <= 255:
            raise UnreadableError
        if isinstance(words, NewWords):
            _end(words)
    return Abort(text, name, " ".join(condition).upper())


def _vars(text: Text, words: Words, _: object) -> Vars:
    name = _required(words.next())
    return Vars(text, name, words.pairs())


def _priority(text: Text, words: Words, _: object) -> Priority:
    name, value = _required(words.next()), _integer(words.next())
    _end(words)
    return Priority(text, name, value)


def _pre_skip(text: Text, words: Words, _: object) -> Modifier:
    name = _required(words.next())
    if not 0 <= _integer(words.next()) <= 255:
        raise UnreadableError
    _end(words)
    return Modifier(text, name)


def _tolerance(text: Text, words: Words, _: object) -> Modifier:
    name, value, mode = _required(words.next()), words.next(), words.next()
    if mode == "%":
        value, mode = value + mode, words.next()
    if not re.fullmatch(r"[0-9]{1,9}%?", value):
        raise UnreadableError
    if mode and upper(mode).replace("_", "-") not in ("FAIL-FAST", "WAIT"):
        raise UnreadableError
    _end(words)
    return Modifier(text, name)


def _save_point(text: Text, words: Words, _: object) -> SavePoint:
    name = _required(words.next())
    if upper(name) == ALL_NODES:
        raise UnreadableError
    words.next_path()
    _end(words)
    return SavePoint(text, name)


def _pin(text: Text, words: Words, _: object) -> Pin:
    name = _required(words.next())
    number = _at_least(1, words.next())
    _end(words)
    return Pin(text, name, number, is_out=text.command == "PIN_OUT")


def _maxjobs(text: Text, words: Words, _: object) -> MaxJobs:
    category = _required(words.next())
    limit = _at_least(0, words.next())
    _end(words)
    return MaxJobs(text, category, limit)


def _config(text: Text, words: Words, _: object) -> Config:
    return Config(text, words.next_path())


def _dot(text: Text, words: Words, _: object) -> Directive:
    file = _required(words.next_path())
    while word := upper(words.next()):
        if word == "INCLUDE":
            _required(words.next())
    return Directive(text, file)


def _node_status(text: Text, words: Words, _: object) -> Directive:
    file = _required(words.next_path())
    while word := upper(words.next()).replace("_", "-"):
        if word != "ALWAYS-UPDATE":
            _integer(word)
    return Directive(text, file)


def _free(text: Text, words: Words, _: object) -> Directive:
    return Directive(text, words.rest())


def _reject(text: Text, words: Words, _: object) -> Reject:
    _end(words)
    return Reject(text, "")


def _only(kind: Callable[..., Command], *takes: Callable[[Words], str]) -> Reader:
    """Return the reader of statements that have these words, and no others."""

    def read(text: Text, words: Words, _: object) -> Command:
        found = [_required(take(words)) for take in takes]
        _end(words)
        return kind(text, *found)

    return read


def _required(word: str) -> str:
    if not word:
        raise UnreadableError
    return word


def _end(words: Words) -> None:
    if words.next():
        raise UnreadableError


def _integer(word: str) -> int:
    """Return the 32-bit integer that *word* begins with, or raise UnreadableError."""
    match = _INTEGER.match(word[:40])
    if not match or not -(2**31) <= int(match[1]) < 2**31:
        raise UnreadableError
    return int(match[1])


def _at_least(least: int, word: str) -> int:
    value = _integer(word)
    if value < least:
        raise UnreadableError
    return value


_WORD, _PATH, _DAG_PATH = map(methodcaller, ("next", "next_path", "next_dag_path"))
_READERS: dict[str, Reader] = {
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
    "CATEGORY": _only(Category, _WORD, _WORD),
    "MAXJOBS": _maxjobs,
    "DONE": _only(Done, _WORD),
    "SAVE_POINT_FILE": _save_point,
    "CONNECT": _only(Connect, _WORD, _WORD),
    "PIN_IN": _pin,
    "PIN_OUT": _pin,
    "CONFIG": _config,
    "DOT": _dot,
    "NODE_STATUS_FILE": _node_status,
    "SET_JOB_ATTR": _free,
    "ENV": _free,
    "REJECT": _reject,
    "INCLUDE": _only(Include, _DAG_PATH),
    "JOBSTATE_LOG": _only(Directive, _PATH),
}
