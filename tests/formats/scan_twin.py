"""Plain twin of the C++ scanner of DAGMan files: slow, short, and obviously right."""

import re
from dataclasses import dataclass, field

OTHER, JOB, PARENT, DONE, PRIORITY, RETRY, VARS = range(7)
PRE, SCRIPT, CATEGORY, ABORT, PRE_SKIP, SAVE_POINT, BROKEN = range(7, 14)
GLUED, UNENDED, UNCLOSED = 1, 2, 3  # values of BROKEN
NOOP, IS_DONE, HAS_DIR, IS_SUBDAG, IS_INLINE = 1, 2, 4, 8, 16  # values of JOB, added up

_BLANKS = b" \t\r\v\f"
_RESERVED = {b"PARENT", b"CHILD", b"ALL_NODES"}
_HAS_BODY = {b"JOB", b"FINAL", b"PROVISIONER", b"SERVICE", b"SUBMIT_DESCRIPTION"}
COMMANDS = _HAS_BODY | {
    *(b"ABORT_DAG_ON", b"CATEGORY", b"CONFIG", b"CONNECT", b"DONE", b"DOT", b"ENV", b"INCLUDE"),
    *(b"JOBSTATE_LOG", b"MAXJOBS", b"NODE_STATUS_FILE", b"PARENT", b"PIN_IN", b"PIN_OUT"),
    *(b"PRE_SKIP", b"PRIORITY", b"REJECT", b"RETRY", b"SAVE_POINT_FILE", b"SCRIPT"),
    *(b"SET_JOB_ATTR", b"SPLICE", b"SUBDAG", b"TOLERANCE", b"VARS", b"WEAK"),
}
_WORD = re.compile(rb"[^\x00-\x20\x7f\"'\\=]+")
_NUMBER = re.compile(rb"[+-]?[0-9]{1,9}")
_COUNT = re.compile(rb"[0-9]{1,9}")
_QUOTED = rb'"[^"\\\x00-\x1f\x7f]+"'
_PATH = re.compile(_WORD.pattern + rb"|" + _QUOTED)
_VALUE = rb'(?:"(?:[^"\\\x00-\x1f\x7f]|\\["\\])*"|' + _WORD.pattern + rb"(?![^ \t]))"
_PAIR = rb"[ \t]+\+?[A-Za-z_][A-Za-z0-9_.]*[ \t]*=[ \t]*" + _VALUE
_PAIRS = re.compile(rb"(?:[ \t]+(?:PREPEND|APPEND))?(?:" + _PAIR + rb")+")
_QUEUE = re.compile(rb"[ \t]+\+?queue", re.IGNORECASE)


@dataclass
class Scan:
    """One entry per statement; the last three describe the PARENT statements and the names."""

    kind: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    begin: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    value: list[int] = field(default_factory=list)
    refs: list[int] = field(default_factory=list)
    first_parent: list[int] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    names: list[bytes] = field(default_factory=list)

    def intern(self, name: bytes) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)


def scan(data: bytes) -> Scan:
    """Split a DAGMan file into statements and recognise the plain ones; stop at a broken one."""
    lines = _physical_lines(data)
    result = Scan()
    at = 0
    while at < len(lines):
        if _is_skipped(lines[at][2]):
            at += 1
            continue
        first, (begin, _, _) = at, lines[at]
        if lines[at][2] == b"\\" and not all(_is_skipped(line) for *_, line in lines[at + 1 :]):
            at += 1
            continue  # it continues nothing
        text, problem, at = _joined(lines, at)
        head_end = at
        if not problem:
            problem, at = _past_body(lines, text, at)
        last = lines[at - 1][2] if at > head_end else None
        kind, name, value = (BROKEN, -1, problem) if problem else _classed(text, last, result)
        result.kind.append(kind)
        result.line.append(first + 1)
        result.begin.append(begin)
        result.end.append(lines[at - 1][1])
        result.name.append(name)
        result.value.append(value)
        if problem:
            break
    return result


def _physical_lines(data: bytes) -> list[tuple[int, int, bytes]]:
    """Begin, end and trimmed bytes of each line."""
    lines = []
    offset = 0
    for raw in data.split(b"\n"):
        left = len(raw) - len(raw.lstrip(_BLANKS))
        text = raw.strip(_BLANKS)
        begin = offset + (left if text else 0)
        lines.append((begin, begin + len(text), text))
        offset += len(raw) + 1
    return lines


def _is_skipped(text: bytes) -> bool:
    return not text or text.startswith((b"#", b"//"))


def _joined(lines: list[tuple[int, int, bytes]], at: int) -> tuple[bytes, int, int]:
    """Text of the statement at line *at*, a problem or 0, and the line after it."""
    parts: list[bytes] = []
    while True:
        text = lines[at][2]
        at += 1
        if not text.endswith(b"\\"):
            return b" ".join([*parts, text]).strip(b" \t"), 0, at
        part = text[:-1]
        if part and part[-1:] not in (b" ", b"\t"):
            return b"", GLUED, at
        parts.append(part)
        blank = False
        next_at = at
        while next_at < len(lines) and _is_skipped(lines[next_at][2]):
            blank = blank or not lines[next_at][2]
            next_at += 1
        if next_at == len(lines):
            return b"", UNENDED, at
        if blank and _command(lines[next_at][2]) in COMMANDS:
            return b" ".join(parts).strip(b" \t"), 0, at
        at = next_at


def _command(text: bytes) -> bytes:
    return re.split(rb"[ \t]", text, maxsplit=1)[0].upper().replace(b"-", b"_")


def _words(text: bytes) -> list[bytes]:
    return [word for word in re.split(rb"[ \t]+", text) if word]


def _past_body(lines: list[tuple[int, int, bytes]], text: bytes, at: int) -> tuple[int, int]:
    """A problem or 0, and the line after the inline submit description, if there is one."""
    words = _words(text)
    if len(words) < 3 or _command(words[0]) not in _HAS_BODY:
        return 0, at
    if words[2].startswith(b"{"):
        ends = (b"}",)
        closing = b"}"
    elif words[2].startswith(b"@="):
        closing = b"@" + words[2][2:]
        ends = (closing + b" ", closing + b"\t")
        if closing == b"@":
            return UNCLOSED, at
    else:
        return 0, at
    for line in range(at, len(lines)):
        text = lines[line][2]
        if text == closing or text.startswith(ends):
            return 0, line + 1
    return UNCLOSED, at


def _classed(text: bytes, last: bytes | None, result: Scan) -> tuple[int, int, int]:
    """Kind, name and value of a statement; names are interned only if it is plain.

    *last* is the line that ends its inline submit description.
    """
    words = _words(text)
    command = _command(words[0])
    if last is not None:
        return _inline(command, words, last, result)
    if command in (b"JOB", b"SUBDAG", b"SAVE_POINT_FILE"):
        return _with_paths(command, text, result)
    if command == b"PARENT":
        return _parent(words, result)
    if command == b"VARS":
        return _vars(text, result)
    if command == b"SCRIPT":
        return _script(words, result)
    plain = all(_WORD.fullmatch(word) for word in words)
    rule = _RULES.get(command)
    found = rule(words) if rule and plain and len(words) > 1 else None
    if found is None:
        return OTHER, -1, 0
    kind, value = found
    return kind, result.intern(words[1]), value


def _parent(words: list[bytes], result: Scan) -> tuple[int, int, int]:
    marks = [i for i, word in enumerate(words) if word.upper() == b"CHILD"]
    plain = all(_WORD.fullmatch(word) for word in words)
    if len(marks) != 1 or not 1 < marks[0] < len(words) - 1 or not plain:
        return OTHER, -1, 0
    result.first_parent.append(len(result.refs))
    result.refs += [result.intern(word) for word in words[1 : marks[0]]]
    result.first_child.append(len(result.refs))
    result.refs += [result.intern(word) for word in words[marks[0] + 1 :]]
    return PARENT, -1, 0


def _vars(text: bytes, result: Scan) -> tuple[int, int, int]:
    match = re.match(rb"[^ \t]+[ \t]+([^ \t]+)", text)
    if not match or not _WORD.fullmatch(match[1]) or match[1].upper() in _RESERVED:
        return OTHER, -1, 0
    rest = text[match.end() :]
    if not _PAIRS.fullmatch(rest) or any(_QUEUE.match(p) for p in re.findall(_PAIR, rest)):
        return OTHER, -1, 0
    return VARS, result.intern(match[1]), 0


def _script(words: list[bytes], result: Scan) -> tuple[int, int, int]:
    types = {b"PRE": PRE, b"POST": SCRIPT, b"HOLD": SCRIPT}
    words = words[1:]
    if len(words) > 2 and words[0].upper() == b"DEFER":
        if not _COUNT.fullmatch(words[1]) or not _COUNT.fullmatch(words[2]) or not int(words[1]):
            return OTHER, -1, 0
        words = words[3:]
    if len(words) < 3 or words[0].upper() not in types or words[2].startswith(b"="):
        return OTHER, -1, 0
    if not _is_job(words[1]):
        return OTHER, -1, 0
    return types[words[0].upper()], result.intern(words[1]), 0


def _inline(command: bytes, words: list[bytes], last: bytes, result: Scan) -> tuple[int, int, int]:
    braces = words[2:] == [b"{"] and last == b"}"
    tagged = words[2:] == [b"@=" + last[1:]] and _WORD.fullmatch(last[1:])
    if command != b"JOB" or not (braces or tagged) or not _is_job(words[1]) or b"+" in words[1]:
        return OTHER, -1, 0
    return JOB, result.intern(words[1]), IS_INLINE


def _with_paths(command: bytes, text: bytes, result: Scan) -> tuple[int, int, int]:
    """What names a job and files, which may be in double quotes."""
    words = _words(text)[:2]
    rest = re.sub(rb"(?:[^ \t]+[ \t]*){,2}", b"", text, count=1)
    words += re.findall(_QUOTED + rb"(?![^ \t])|[^ \t]+", rest)
    found = {b"JOB": _job, b"SUBDAG": _subdag, b"SAVE_POINT_FILE": _save_point}[command](words)
    if found is None:
        return OTHER, -1, 0
    kind, name, value = found
    return kind, result.intern(name), value


def _job(words: list[bytes]) -> tuple[int, bytes, int] | None:
    return _node(words[1:], 0) if b".condor.sub" not in b"".join(words[2:3]) else None


def _subdag(words: list[bytes]) -> tuple[int, bytes, int] | None:
    is_external = b"".join(words[1:2]).upper() == b"EXTERNAL"
    return _node(words[2:], IS_SUBDAG) if is_external else None


def _node(words: list[bytes], value: int) -> tuple[int, bytes, int] | None:
    """A job by its name, file and options."""
    if len(words) < 2 or not _is_job(words[0]) or b"+" in words[0]:
        return None
    if not _PATH.fullmatch(words[1]) or words[1].lstrip(b'"').startswith((b"{", b"@")):
        return None
    rest = words[2:]
    if len(rest) >= 2 and rest[0].upper() == b"DIR" and _PATH.fullmatch(rest[1]):
        value, rest = value | HAS_DIR, rest[2:]
    if rest and rest[0].upper() == b"NOOP":
        value, rest = value | NOOP, rest[1:]
    if rest and rest[0].upper() == b"DONE":
        value, rest = value | IS_DONE, rest[1:]
    return None if rest else (JOB, words[0], value)


def _save_point(words: list[bytes]) -> tuple[int, bytes, int] | None:
    if (
        len(words) not in (2, 3)
        or not _is_job(words[1])
        or not all(map(_PATH.fullmatch, words[2:]))
    ):
        return None
    return SAVE_POINT, words[1], 0


def _is_job(word: bytes) -> bool:
    return bool(_WORD.fullmatch(word)) and word.upper() not in _RESERVED


def _one_job(words: list[bytes]) -> bool:
    return words[1].upper() not in _RESERVED


def _done(words: list[bytes]) -> tuple[int, int] | None:
    return (DONE, 0) if len(words) == 2 and _one_job(words) else None


def _priority(words: list[bytes]) -> tuple[int, int] | None:
    if len(words) == 3 and _one_job(words) and _NUMBER.fullmatch(words[2]):
        return PRIORITY, int(words[2])
    return None


def _retry(words: list[bytes]) -> tuple[int, int] | None:
    ok = len(words) in (3, 5) and _one_job(words) and _COUNT.fullmatch(words[2])
    if ok and len(words) == 5:
        ok = words[3].upper() == b"UNLESS-EXIT" and _NUMBER.fullmatch(words[4])
    return (RETRY, 0) if ok else None


def _category(words: list[bytes]) -> tuple[int, int] | None:
    return (CATEGORY, 0) if len(words) == 3 and _one_job(words) else None


def _abort(words: list[bytes]) -> tuple[int, int] | None:
    ok = len(words) in (3, 5) and _one_job(words) and _NUMBER.fullmatch(words[2])
    if ok and len(words) == 5:
        ok = words[3].upper() == b"RETURN" and _COUNT.fullmatch(words[4]) and int(words[4]) < 256
    return (ABORT, 0) if ok else None


def _pre_skip(words: list[bytes]) -> tuple[int, int] | None:
    ok = len(words) == 3 and _one_job(words) and _COUNT.fullmatch(words[2])
    return (PRE_SKIP, 0) if ok and int(words[2]) < 256 else None


_RULES = {
    b"DONE": _done,
    b"PRIORITY": _priority,
    b"RETRY": _retry,
    b"CATEGORY": _category,
    b"ABORT_DAG_ON": _abort,
    b"PRE_SKIP": _pre_skip,
}
