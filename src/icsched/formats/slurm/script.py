r"""Scripts of sbatch lines, read without a shell.

Only lines like these are read. Everything else is refused, because a shell could do anything::

    j1=$(sbatch --parsable --job-name=prepare prepare.sh)
    sbatch -d afterok:$j1 --nice=3 --wrap='plot --all'
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from icsched.errors import FormatError
from icsched.formats.found import Found

VARIABLE = "\0"  # around the name of a variable in a word: no file has this character
_EXPECTED = "expected a line such as j1=$(sbatch --parsable ...), sbatch ..., or a comment"

_IGNORED = re.compile(
    r"(?:\#[^\n]*+|set[ \t]++[-+][^\n`$;|&<>()]*+|echo\b(?:[^\n`$;|&<>()]|\$(?!\())*+)?(?=\r?\n|\Z)"
)
_CAPTURE = re.compile(r"""([A-Za-z_]\w*)=(?:("?)\$\([ \t]*+|("?)`[ \t]*+)(?=sbatch\b)""")
_SBATCH = re.compile(r"sbatch(?=(?:\\\r?\n)*+[ \t])")  # a shell joins what no blank divides
_BLANKS = re.compile(r"(?:[ \t]|\\\r?\n)*+")
_LINE_END = re.compile(r"[ \t]*+(?:\#[^\n]*+)?(?=\r?\n|\Z)")

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


class Word(NamedTuple):
    """A word of a line: variables are between two `VARIABLE`, and `is_plain` if there is none."""

    text: str
    start: int
    end: int
    is_plain: bool = True


@dataclass(slots=True)
class Submission:
    """One sbatch line: the `variable` that gets the number of its job, and its words."""

    variable: str
    start: int
    after: int  # the end of the word sbatch
    words: list[Word] = field(default_factory=list)


def submissions(found: Found) -> list[Submission]:
    """Return the sbatch lines of a script; raises FormatError for a line that is something else."""
    text, lines, place = found.text, list[Submission](), 0
    while place < len(text):
        place = _end(_BLANKS, text, place)
        ignored = _IGNORED.match(text, place)
        if ignored is not None:
            place = ignored.end()
        else:
            line, place = _submission(found, place)
            lines.append(line)
        end = _LINE_END.match(text, place)
        if end is None:
            raise _refused(found, place)
        place = text.find("\n", end.end()) + 1 or len(text)
    return lines


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _submission(found: Found, start: int) -> tuple[Submission, int]:
    """Read an sbatch line; return it, and where it ends."""
    text = found.text
    capture = _CAPTURE.match(text, start)
    sbatch = _SBATCH.match(text, capture.end() if capture else start)
    if sbatch is None:
        raise _refused(found, start)
    closing = ""
    if capture is not None:
        closing = (")" if capture[2] is not None else "`") + (capture[2] or capture[3] or "")
    line = Submission(capture[1] if capture else "", start, sbatch.end())
    place = _end(_BLANKS, text, sbatch.end())
    while not _is_end(text, place, closing):
        word, place = _word(found, place)
        line.words.append(word)
        place = _end(_BLANKS, text, place)
    if closing and not text.startswith(closing, place):
        raise found.error(start, f"expected {closing} after the words of sbatch")
    return line, place + len(closing)


def _is_end(text: str, place: int, closing: str) -> bool:
    at_end = place >= len(text) or text[place] in "\r\n#"
    return at_end or bool(closing and text[place] == closing[0])


def _word(found: Found, start: int) -> tuple[Word, int]:
    pieces, place, is_plain = [], start, True
    while (piece := _PIECE.match(found.text, place)) is not None:
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
    if not pieces:
        raise _refused(found, start)
    text = "".join(pieces)
    return Word(text, start, place, is_plain and VARIABLE not in text), place


def _inner(match: re.Match[str]) -> str:
    if match[1] is not None:
        return "" if match[1] == "\n" else match[1]
    return f"{VARIABLE}{match[2] or match[3]}{VARIABLE}"


def _refused(found: Found, place: int) -> FormatError:
    line = found.text[place : place + 200].split("\n")[0].strip()[:60]
    return found.error(place, f"{_EXPECTED}, got {line!r}")
