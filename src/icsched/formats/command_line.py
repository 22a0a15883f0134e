r"""Commands as one line of text, in words that a shell would read in the same way.

Only plain words are read: letters, digits, quotes and backslashes. icsched cannot run text that a
shell would act on, such as ``|``, ``$HOME`` or ``*``.
"""

import re
import shlex
from collections.abc import Iterable
from typing import NamedTuple

from icsched.workflow import Command

VARIABLE = "\0"  # marks the name of a variable in a word; no file has this character

# Groups: in single quotes, in double quotes, after a backslash, a variable, plain, special.
_PIECE = re.compile(
    r"""'([^']*)'
      | "((?:[^"\\$`]|\\.|\$\w|\$\{\w+\})*+)"
      | \\(.)
      | \$(?:\{(\w+)\}|([A-Za-z_]\w*|[0-9@*?#]))
      | ([\w@%+=:,./^-]+)
      | ([*?\[\]{}~!\#]+)""",
    re.DOTALL | re.VERBOSE,
)
_INNER = re.compile(r'\\([$`"\\\n])|\$\{(\w+)\}|\$([A-Za-z_]\w*|[0-9])')
_BLANKS = re.compile(r"(?:[ \t]|\\\n)*+")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Word(NamedTuple):
    """A word of a line; `VARIABLE` is before and after the name of each variable.

    `is_plain` says that a shell would not change the text.
    """

    text: str
    start: int
    end: int
    is_plain: bool = True


def word_at(text: str, start: int) -> Word | None:
    r"""Return the word that begins at *start*; None if a shell would act on the text there.

    >>> word_at(r"'1 2'a\ b | c", 0)
    Word(text='1 2a b', start=0, end=9, is_plain=True)
    """
    pieces, place, is_plain = [], start, True
    while (piece := _PIECE.match(text, place)) is not None:
        single, double, escaped, braced, variable, plain, special = piece.groups()
        if double is not None:
            plain = _INNER.sub(_inner, double)
        elif escaped is not None:
            plain = "" if escaped == "\n" else escaped
        elif braced or variable:
            plain = f"{VARIABLE}{braced or variable}{VARIABLE}"
        pieces.append(single if single is not None else plain or special or "")
        is_plain &= special is None
        place = piece.end()
    whole = "".join(pieces)
    return Word(whole, start, place, is_plain and VARIABLE not in whole) if pieces else None


def _inner(found: re.Match[str]) -> str:
    if found[1] is not None:
        return "" if found[1] == "\n" else found[1]
    return f"{VARIABLE}{found[2] or found[3]}{VARIABLE}"


def end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Return the end of a match of *pattern* at *place*; *place* if nothing matches."""
    found = pattern.match(text, place)
    return found.end() if found else place


def command_of(text: str) -> Command | None:
    """Return the command that *text* runs; None if its words are not plain.

    Assignments before the program are its environment. Text without a program has an empty `argv`.

    >>> command_of("LANG=C sort 'my file'")
    Command(argv=('sort', 'my file'), directory=None, environment=(('LANG', 'C'),), stdin=None,
            stdout=None, stderr=None)
    >>> command_of("a | b"), command_of("a $x")
    (None, None)
    """
    argv, environment = list[str](), list[tuple[str, str]]()
    place = end_of(_BLANKS, text, 0)
    while place < len(text):
        word = word_at(text, place)
        if word is None or not word.is_plain:
            return None
        is_bare = text[place] not in "'\"\\"
        assignment = _ASSIGNMENT.match(word.text) if is_bare and not argv else None
        if assignment is not None:
            environment.append((assignment[1], word.text[assignment.end() :]))
        else:
            argv.append(word.text)
        place = end_of(_BLANKS, text, word.end)
        if place == word.end < len(text):
            return None
    return Command(tuple(argv), environment=tuple(environment))


def command_text(command: Command) -> str:
    """Return the environment, the program and the arguments of *command* as text for `command_of`.

    A variable that no shell can assign is set by the program ``env``.

    >>> command_text(Command(("sort", "my file"), environment=(("LANG", "C"),)))
    "LANG=C sort 'my file'"
    """
    is_plain = {name: _NAME.fullmatch(name) is not None for name, _ in command.environment}
    strange = [f"{name}={value}" for name, value in command.environment if not is_plain[name]]
    argv = ["env", *strange, *command.argv] if strange else [*command.argv]
    set_first = [f"{n}={shlex.quote(v)}" for n, v in command.environment if is_plain[n]]
    return " ".join([*set_first, *_quoted(argv)])


def _quoted(argv: Iterable[str]) -> list[str]:
    """Return *argv* quoted; a program with an equals sign must not look like an assignment."""
    first, *others = argv
    quoted = shlex.quote(first)
    program = f"'{first}'" if quoted == first and "=" in first else quoted
    return [program, *map(shlex.quote, others)]
