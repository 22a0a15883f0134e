r"""Commands as one line of text, in words that a shell would read in the same way.

Only plain words are read: letters, digits, quotes and backslashes. What a shell would act on,
such as ``|``, ``$HOME`` or ``*``, is not a command that icsched can run.
"""

import re
import shlex
from collections.abc import Iterable

from icsched.workflow import Command

# Groups: in single quotes, in double quotes, after a backslash, bare.
_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\$`]|\\.)*+)"|\\(.)|([^\W]+|[@%+=:,./^-]+)""", re.DOTALL)
_ESCAPED = re.compile(r'\\([$`"\\\n])')  # what a backslash quotes between double quotes
_BLANKS = re.compile(r"(?:[ \t]|\\\n)*+")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def words_in(text: str) -> list[tuple[str, bool]] | None:
    r"""Return the words of *text*, each with whether its start is unquoted; None if not plain.

    >>> words_in(r"sort -k '1 2' a\ b"), words_in("a | b"), words_in("a $x")
    ([('sort', True), ('-k', True), ('1 2', False), ('a b', True)], None, None)
    """
    words: list[tuple[str, bool]] = []
    place = _end_of_blanks(text, 0)
    while place < len(text):
        pieces, start = [], place
        while (piece := _PIECE.match(text, place)) is not None:
            pieces.append(_unquoted(piece))
            place = piece.end()
        if not pieces:
            return None
        words.append(("".join(pieces), text[start] not in "'\"\\"))
        after = _end_of_blanks(text, place)
        if after == place < len(text):
            return None
        place = after
    return words


def _end_of_blanks(text: str, place: int) -> int:
    blanks = _BLANKS.match(text, place)
    return blanks.end() if blanks else place


def _unquoted(piece: re.Match[str]) -> str:
    single, double, escaped, bare = piece.groups()
    if double is not None:
        return _ESCAPED.sub(lambda found: found[1].replace("\n", ""), double)
    if escaped is not None:
        return "" if escaped == "\n" else escaped
    return single if single is not None else bare


def command_of(text: str) -> Command | None:
    """Return the command that *text* runs; None if its words are not plain.

    Assignments before the program are its environment. Text without a program has an empty `argv`.

    >>> command_of("LANG=C sort 'my file'")
    Command(argv=('sort', 'my file'), directory=None, environment=(('LANG', 'C'),), stdin=None,
            stdout=None, stderr=None)
    """
    words = words_in(text)
    if words is None:
        return None
    environment = []
    for word, is_bare in words:
        assignment = _ASSIGNMENT.match(word) if is_bare else None
        if assignment is None:
            break
        environment.append((assignment[1], word[assignment.end() :]))
    argv = tuple(word for word, _ in words[len(environment) :])
    return Command(argv, environment=tuple(environment))


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
