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

from icsched.formats.dagman.statements import (
    ALL_NODES,
    BLANKS,
    RESERVED,
    Abort,
    Category,
    Command,
    Connect,
    Directive,
    MaxJobs,
    Modifier,
    Node,
    Parent,
    Pin,
    Priority,
    Retry,
    Script,
    Splice,
    Text,
    Variables,
    Vars,
    upper,
)

_OLD_WORD = re.compile(r"[ \t]*([^ \t]*)")
_OLD_QUOTED = re.compile(r'[ \t]*"([^"]*)"?')
_OLD_PAIR = re.compile(r'\s*(\+?[A-Za-z0-9_.]+)\s*=\s*"((?:[^"\\]|\\["\\])*)"', re.ASCII)
_QUOTED = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
# Blanks around the first = are dropped.
_NEW_WORD = re.compile(
    rf"""[ \t]*((?:[^ \t"'=]|{_QUOTED})*+)(?:[ \t]*(=)[ \t]*((?:[^ \t"']|{_QUOTED})*+))?""",
    re.DOTALL,
)
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\udc80-\udcff]")
# What follows the digits is ignored, as strtol does.
_INTEGER = re.compile(r"\s*([+-]?[0-9]+)", re.ASCII)


class UnreadableError(ValueError):
    """A statement does not fit the grammar; the message says what was expected."""


class _Cursor:
    """A place in a statement's text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rest(self) -> str:
        """Return all that is left."""
        rest, self._at = self._text[self._at :].strip(BLANKS), len(self._text)
        return rest


class OldWords(_Cursor):
    """Words end at blanks; a double quote begins only the name of a file or directory."""

    def next(self) -> str:
        """Return the next word, "" at the end."""
        return self._match(_OLD_WORD)

    def next_path(self) -> str:
        """Return the next word, or all between double quotes."""
        return self._match(_OLD_QUOTED) or self.next()

    def next_dag_path(self) -> str:
        """Return the next word; it cannot begin with a quote, which would be part of the name."""
        word = self.next()
        if word.startswith(("'", '"')):
            raise UnreadableError
        return word

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if not match:
            return ""
        self._at = match.end()
        return match[1]

    def pairs(self) -> Variables:
        """Read the rest as key="value" pairs, perhaps after PREPEND or APPEND."""
        text = self.rest()
        place = re.match("PREPEND|APPEND|", text)
        rest = text[place.end() :] if place else text
        pairs = []
        at = 0
        while match := _OLD_PAIR.match(rest, at):
            _check_key(match[1])
            pairs.append((match[1], re.sub(r"\\(.)", r"\1", match[2])))
            at = match.end()
        if not at or rest[at:].strip(BLANKS):
            raise UnreadableError
        return Variables(place[0] if place else "", tuple(pairs))


class NewWords(_Cursor):
    """A quote of either kind may begin anywhere; blanks around the first = are dropped."""

    def next_path(self) -> str:
        """Return the next word without its quotes."""
        return self.next(keep_quotes=False)

    next_dag_path = next_path

    def pairs(self) -> Variables:
        """Read the rest as key=value pairs, perhaps after PREPEND or APPEND."""
        word, place, pairs = self.next(), "", []
        if upper(word) in ("PREPEND", "APPEND"):
            word, place = self.next(), upper(word)
        if not word:
            raise UnreadableError
        while word:
            key, equals, value = word.partition("=")
            if not (key and equals and value) or "'" in key or '"' in key:
                raise UnreadableError
            _check_key(key)
            is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            pairs.append((key, value[1:-1] if is_quoted else value))
            word = self.next()
        return Variables(place, tuple(pairs))

    def next(self, *, keep_quotes: bool = True) -> str:
        """Return the next word, "" at the end."""

        def unescaped(quoted: re.Match[str]) -> str:
            quote, text = quoted[0][0], re.sub(r"\\(.)", r"\1", quoted[0][1:-1], flags=re.DOTALL)
            return f"{quote}{text}{quote}" if keep_quotes else text

        word = ""
        while not word and self._at < len(self._text):  # a path without its quotes may be empty
            match = _NEW_WORD.match(self._text, self._at)
            assert match  # noqa: S101  the pattern matches any text
            key, equals, value = match.groups()
            self._at = match.end()
            if (equals and not value) or self._text.startswith(("'", '"'), self._at):
                raise UnreadableError
            word = re.sub(_QUOTED, unescaped, key + (equals or "") + (value or ""), flags=re.DOTALL)
        return word


def _check_key(key: str) -> None:
    if key == "+" or key.lower().startswith("queue"):
        raise UnreadableError


Words: TypeAlias = OldWords | NewWords
# Reads a statement: its text, the words after its keyword, those after its inline description.
Reader: TypeAlias = Callable[[Text, Words, Words | None], Command]


def parse(text: Text) -> Command:
    """Return what a statement says.

    Raises UnreadableError that says what was expected, and KeyError for an unknown command.
    """
    keyword = text.keyword
    rest = text.head[len(keyword) :]
    if keyword == "WEAK":
        keyword, rest = "PARENT", _weak_body(rest)
    (usage, reader), tail = _GRAMMAR[keyword], text.tail
    readings = []
    for words in (OldWords, NewWords):
        try:
            readings.append(reader(text, words(rest), None if tail is None else words(tail)))
        except UnreadableError as error:
            if str(error):
                raise
    if not readings:
        raise UnreadableError(f"expected {usage}")
    old, new = readings[0], readings[-1]
    if old != new:
        raise UnreadableError("expected quotes and = that all versions of DAGMan read alike")
    if isinstance(old, Vars) and isinstance(new, Vars) and old.variables != new.variables:
        return Vars(old.text, old.name, None)  # only clusters need the variables
    return old


def _weak_body(rest: str) -> str:
    word, *body = re.split(r"[ \t]+", rest.lstrip(" \t"), maxsplit=1)
    if upper(word) != "PARENT":
        raise UnreadableError(f"expected WEAK {_PARENT_USAGE}")
    return "".join(body)


def _node(text: Text, words: Words, tail: Words | None) -> Node:
    kind = text.keyword
    if kind == "SUBDAG":
        _check(upper(words.next()) == "EXTERNAL")
    name, submit = _word(words), _path(words)
    _check_name(name)
    if kind == "JOB" and ".condor.sub" in submit:
        raise UnreadableError(
            f"expected SUBDAG EXTERNAL for a nested workflow, got JOB {name} {submit}"
        )
    words, directory, options = tail or words, "", set[str]()
    while option := upper(words.next()):
        _check(option in ("DIR", "NOOP", "DONE"))
        if option == "DIR":
            directory = _path(words)
        options.add(option)
    noop, done = "NOOP" in options, "DONE" in options
    return Node(text, kind, name, "" if tail else submit, directory, noop, done)


def _check_name(name: str) -> None:
    if upper(name) in RESERVED:
        raise UnreadableError(f"expected a job name, got the reserved word {name}")
    if "+" in name:
        raise UnreadableError(f"expected a job name without '+', got {name}")
    if _UNPRINTABLE.search(name):
        raise UnreadableError(f"expected a job name in printable UTF-8, got {name!r}")


def _submit_description(text: Text, words: Words, tail: Words | None) -> Directive:
    _check(tail is not None)
    return Directive(text, _word(words))


def _parent(text: Text, words: Words, _: object) -> Parent:
    names = []
    while name := words.next():
        names.append(name)
    marks = [at for at, name in enumerate(names) if upper(name) == "CHILD"]
    _check(len(marks) > 0 and marks[0] > 0 and marks[-1] < len(names) - 1)
    # The old parser takes the second CHILD as a job.
    _check(len(marks) == 1 or isinstance(words, NewWords))
    children = (name for name in names[marks[0] :] if upper(name) != "CHILD")
    return Parent(text, tuple(names[: marks[0]]), tuple(children))


def _with(kind: Callable[..., Command], **takes: Callable[[Words], object]) -> Reader:
    """Return the reader of statements that consist of these words, and no others.

    Each of *takes* returns the field of *kind* that it is called by. Fields that begin with _ are
    only checked.
    """

    def read(text: Text, words: Words, _: object) -> Command:
        found = {field: take(words) for field, take in takes.items()}
        _check(not words.next())
        return kind(text, **{field: found[field] for field in found if not field.startswith("_")})

    return read


def _check(is_well: bool) -> None:
    if not is_well:
        raise UnreadableError


def _required(kind: str) -> Callable[[Words], str]:
    """Return what takes a word of a kind, and raises UnreadableError if there is none."""

    def take(words: Words) -> str:
        word: str = getattr(words, kind)()
        _check(word != "")
        return word

    return take


_word, _path, _dag_path, _program = map(_required, ("next", "next_path", "next_dag_path", "rest"))


def _one_job(words: Words) -> str:
    name = _word(words)
    _check(upper(name) != ALL_NODES)
    return name


def _number(least: int = -(2**31), most: int = 2**31 - 1) -> Callable[[Words], int]:
    """Return what takes a word that begins with an integer within limits."""
    return lambda words: _integer(words.next(), least, most)


def _integer(word: str, least: int = -(2**31), most: int = 2**31 - 1) -> int:
    match = _INTEGER.match(word[:40])
    if not match or not least <= int(match[1]) <= most:
        raise UnreadableError
    return int(match[1])


def _directory(words: Words) -> str:
    option = upper(words.next())
    _check(option in ("", "DIR"))
    return _dag_path(words) if option else ""


def _script_time(words: Words) -> str:
    word = upper(words.next())
    while word in ("DEFER", "DEBUG"):
        if word == "DEFER":
            _integer(words.next(), 1)
            _integer(words.next(), 0)
        else:
            _word(words)
            _check(upper(words.next()) in ("STDOUT", "STDERR", "ALL"))
        word = upper(words.next())
    _check(word in ("PRE", "POST", "HOLD"))
    return word


def _retry_limit(words: Words) -> str:
    option = upper(words.next()).replace("_", "-")
    if not option:
        return ""
    code = words.next()
    _check(option == "UNLESS-EXIT")
    if isinstance(words, OldWords):  # the number is checked, the rest of the line is not
        _check(re.fullmatch(r"[+-]?[0-9]+", code) is not None)
        words.rest()
    else:
        _integer(code)
    return f"UNLESS-EXIT {code.upper()}"


def _abort_condition(words: Words) -> str:
    code = words.next()
    _integer(code)
    option = words.next()
    if not option:
        return code.upper()
    value = words.next()
    _integer(value, 0, 255)
    _check(upper(option) == "RETURN")
    if isinstance(words, OldWords):  # it ignores the rest of the line
        words.rest()
    return f"{code} RETURN {value}".upper()


def _failures(words: Words) -> None:
    value, mode = words.next(), words.next()
    if mode == "%":
        value, mode = value + mode, words.next()
    _check(re.fullmatch(r"[0-9]{1,9}%?", value) is not None)
    _check(upper(mode).replace("_", "-") in ("", "FAIL-FAST", "WAIT"))


def _dot_options(words: Words) -> None:
    while word := upper(words.next()):
        if word == "INCLUDE":
            _word(words)


def _status_options(words: Words) -> None:
    while word := upper(words.next()).replace("_", "-"):
        if word != "ALWAYS-UPDATE":
            _integer(word)


_REST, _OPTIONAL_PATH, _PAIRS = map(methodcaller, ("rest", "next_path", "pairs"))
_COUNT, _POSITIVE, _INT32, _BYTE = _number(0), _number(1), _number(), _number(0, 255)
_NODE = "name submit-file [DIR directory] [NOOP]"
_PARENT_USAGE = "PARENT names CHILD names"
_GRAMMAR: dict[str, tuple[str, Reader]] = {
    "JOB": (f"JOB {_NODE} [DONE]", _node),
    "FINAL": (f"FINAL {_NODE}", _node),
    "PROVISIONER": (f"PROVISIONER {_NODE}", _node),
    "SERVICE": (f"SERVICE {_NODE}", _node),
    "SUBDAG": ("SUBDAG EXTERNAL name dag-file [DIR directory] [NOOP] [DONE]", _node),
    "SUBMIT_DESCRIPTION": ("SUBMIT-DESCRIPTION name { ... }", _submit_description),
    "SPLICE": (
        "SPLICE name dag-file [DIR directory]",
        _with(Splice, name=_word, file=_dag_path, directory=_directory),
    ),
    "INCLUDE": ("INCLUDE dag-file", _with(Directive, argument=_dag_path)),
    "PARENT": (_PARENT_USAGE, _parent),
    "SCRIPT": (
        "SCRIPT [DEFER status seconds] [DEBUG file STDOUT|STDERR|ALL] PRE|POST|HOLD name "
        "executable [arguments]",
        _with(Script, when=_script_time, name=_word, _program=_program),
    ),
    "RETRY": (
        "RETRY name count [UNLESS-EXIT code]",
        _with(Retry, name=_word, count=_COUNT, limit=_retry_limit),
    ),
    "ABORT_DAG_ON": (
        "ABORT-DAG-ON name code [RETURN 0..255]",
        _with(Abort, name=_word, condition=_abort_condition),
    ),
    "VARS": (
        'VARS name [PREPEND|APPEND] key="value" ...',
        _with(Vars, name=_word, variables=_PAIRS),
    ),
    "PRIORITY": ("PRIORITY name integer", _with(Priority, name=_word, value=_INT32)),
    "PRE_SKIP": ("PRE_SKIP name 0..255", _with(Modifier, name=_word, _code=_BYTE)),
    "TOLERANCE": (
        "TOLERANCE name count[%] [FAIL-FAST|WAIT]",
        _with(Modifier, name=_word, _most=_failures),
    ),
    "CATEGORY": ("CATEGORY name category", _with(Category, name=_word, category=_word)),
    "MAXJOBS": ("MAXJOBS category count", _with(MaxJobs, argument=_word, limit=_COUNT)),
    "DONE": ("DONE name", _with(Modifier, name=_word)),
    "SAVE_POINT_FILE": (
        "SAVE_POINT_FILE name [file]",
        _with(Modifier, name=_one_job, _file=_OPTIONAL_PATH),
    ),
    "CONNECT": ("CONNECT splice splice", _with(Connect, parent=_word, child=_word)),
    "PIN_IN": ("PIN_IN name number", _with(Pin, name=_word, number=_POSITIVE)),
    "PIN_OUT": ("PIN_OUT name number", _with(Pin, name=_word, number=_POSITIVE)),
    "CONFIG": ("CONFIG file", _with(Directive, argument=_OPTIONAL_PATH, _ignored=_REST)),
    "DOT": (
        "DOT file [UPDATE|DONT-UPDATE] [OVERWRITE|DONT-OVERWRITE] [INCLUDE file]",
        _with(Directive, argument=_path, _options=_dot_options),
    ),
    "NODE_STATUS_FILE": (
        "NODE_STATUS_FILE file [seconds] [ALWAYS-UPDATE]",
        _with(Directive, argument=_path, _options=_status_options),
    ),
    "JOBSTATE_LOG": ("JOBSTATE_LOG file", _with(Directive, argument=_path)),
    "SET_JOB_ATTR": ("SET_JOB_ATTR name = value", _with(Directive, argument=_REST)),
    "ENV": ("ENV SET|GET variables", _with(Directive, argument=_REST)),
    "REJECT": ("REJECT alone on its line", _with(Directive)),
}
