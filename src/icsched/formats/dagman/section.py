r"""The one section of lines that icsched keeps in a file of the user's.

The section is between two comments; in a DAGMan file it is at the end. Everything outside it is
the user's, and icsched does not change a byte of it. If every line end of the file is CRLF, the
lines of the section end in CRLF, too; otherwise they end in LF.

>>> text = inserted("wf.dag", b"JOB a a.sub\n", ["PRIORITY a 1"])
>>> print(text.decode(), end="")
JOB a a.sub
# icsched: begin. Made by icsched; icsched prio --remove takes it out.
PRIORITY a 1
# icsched: end.
>>> removed("wf.dag", text)
b'JOB a a.sub\n'
"""

import os
import re
from collections.abc import Iterable

from icsched.errors import FormatError

_BEGIN = b"# icsched: begin."
_END = b"# icsched: end."
_NOTE = b" Made by icsched; icsched prio --remove takes it out."
# Every line that icsched writes between the two matches this.
_OURS = re.compile(
    rb"(?:(?:PRIORITY [^\n]+ -?[0-9]+|VARS [^\n]+ jobpriority=\"-?[0-9]+\"|INCLUDE [^\n]+\.icsched"
    rb"|priority = \$\(jobpriority\))[ \t\r]*\n)*+"
)
_PRIORITY = re.compile(
    rb'(PRIORITY|VARS) ([^ \t\n]+) (?:jobpriority=")?(-?[0-9]{1,10})"?[ \t\r]*$', re.MULTILINE
)
_COMPANION = re.compile(rb"[^\n]*\nINCLUDE ([^\n]+?)[ \t\r]*$", re.MULTILINE)  # comes first
_STAMP = re.compile(rb"[^\n]* Dependencies: ([0-9a-f]{16})\.")
_JOINED = b" (The file had no line end here.)"


def inserted(
    path: str, data: bytes, lines: Iterable[str], at: int | None = None, *, stamp: str = ""
) -> bytes:
    """Return *data* with a section of *lines*, which replaces any section in it.

    The section comes at the end, or before the line that begins at byte *at* of what `removed`
    returns. The first line of the section holds *stamp*, a digest of the dependencies.
    """
    data = removed(path, data)
    crlf = data.count(b"\r\n")
    line_end = b"\r\n" if crlf and crlf == data.count(b"\n") else b"\n"
    at = len(data) if at is None else at
    has_end = data[:at].endswith(b"\n") or at == 0
    note = _NOTE + (f" Dependencies: {stamp}.".encode() if stamp else b"")
    begin = _BEGIN + note if has_end else line_end + _BEGIN + note + _JOINED
    body = [line.encode(errors="surrogateescape") for line in lines]
    own = b"".join(line + line_end for line in (begin, *body, _END))
    return data[:at] + own + data[at:]


def removed(path: str, data: bytes) -> bytes:
    """Return *data* without the section; raises FormatError if only a part of it is there."""
    span = _span(path, data)
    return data if span is None else data[: span[0]] + data[span[1] :]


def blanked(path: str, data: bytes) -> bytes:
    """Return *data* with empty lines for the section, so that line numbers do not change."""
    span = _span(path, data)
    if span is None:
        return data
    return data[: span[0]] + b"\n" * data.count(b"\n", *span) + data[span[1] :]


def text(path: str, data: bytes) -> bytes | None:
    """Return the section from its begin line on; None if there is no section."""
    span = _span(path, data)
    return None if span is None else data[slice(*span)].lstrip(b"\r\n")


def priority_at(text: bytes, at: int) -> tuple[str, int, bool] | None:
    """Return the job and the number in the line that begins at byte *at* of a section, if it has.

    The third value is whether PRIORITY gives the number, and not a variable.
    """
    match = _PRIORITY.match(text, at)
    if not match:
        return None
    return match[2].decode(errors="surrogateescape"), int(match[3]), match[1] == b"PRIORITY"


def stamp_in(text: bytes) -> str | None:
    """Return the digest of the dependencies that a section holds."""
    match = _STAMP.match(text)
    return match[1].decode() if match else None


def companion_in(text: bytes) -> str | None:
    """Return the name of the companion file that a section includes."""
    match = _COMPANION.match(text)
    return os.fsdecode(match[1]) if match else None


def line_of(data: bytes) -> int | None:
    """Return the number of the line where a section begins, or a part of one; None without any."""
    marks = _lines_that_start(data, _BEGIN) or _lines_that_start(data, _END)
    return data.count(b"\n", 0, marks[0]) + 1 if marks else None


def is_in(data: bytes) -> bool:
    """Whether *data* has a section, or a part of one."""
    return line_of(data) is not None


def _span(path: str, data: bytes) -> tuple[int, int] | None:
    begins, ends = _lines_that_start(data, _BEGIN), _lines_that_start(data, _END)
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0]:
        line = data.count(b"\n", 0, max(begins + ends)) + 1
        problem = "expected one section of icsched's with its begin and end lines, got other marks:"
        advice = f"take them out, or go back to the newest of {path}.bak*"
        raise FormatError(path, line, f"{problem} {advice}")
    _check_ours(path, data, begins[0], ends[0])
    first_line = data[begins[0] : data.find(b"\n", begins[0])]
    stop = data.find(b"\n", ends[0]) + 1 or len(data)
    ends_file = stop == len(data)  # else what follows would join the line before
    if not first_line.rstrip(b"\r").endswith(_JOINED) or not ends_file:
        return begins[0], stop
    is_crlf = first_line.endswith(b"\r") and data.endswith(b"\r\n", 0, begins[0])
    return begins[0] - (2 if is_crlf else 1), stop


def _check_ours(path: str, data: bytes, begin: int, end: int) -> None:
    """Raise FormatError at a line between the marks that is not one of icsched's."""
    ours = _OURS.match(data, data.find(b"\n", begin) + 1, end)
    at = ours.end() if ours else end
    if at < end:
        line = data.count(b"\n", 0, at) + 1
        raise FormatError(path, line, "expected only icsched's lines in its section: move this one")


def _lines_that_start(data: bytes, mark: bytes) -> list[int]:
    found = (match.start() for match in re.finditer(re.escape(mark), data))
    return [at for at in found if data[at - 1 : at] in (b"", b"\n")]
