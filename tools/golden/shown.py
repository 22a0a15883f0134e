"""Answers as text that a reader of a difference understands: steady, short, line by line."""

import hashlib
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import icsched

ROOT = Path(__file__).parents[2]
MOST = 4_000  # characters of one text that are kept whole
HEAD, TAIL = 20, 5  # lines of a longer one
MOST_LINES = 400  # of all files that one command changes
MOST_ITEMS, FIRST = 24, 3  # of a list in JSON, and what is kept of a longer one
MOST_KEYS = 40
WIDTH = 100

# What no two runs have alike. The rest of an answer must be the same, or is a finding.
UNSTEADY = [
    (re.compile(r"(ordered by \S+|of \d+ bytes|finished|ended) in [\d.,]+ s"), r"\1 in TIME s"),
    (re.compile(r'("study":|study )"?[0-9a-f]{32}"?'), r"\1 DIGEST"),
    (re.compile(r'("seconds":\{)[^{}]*\}'), r"\1}"),
]
UNSTEADY_FILES = ("*.sqlite*", "*.lock", "*/reserve")  # only their names are kept


def steady(text: str, folder: str) -> str:
    """Return *text* without what differs from run to run and from machine to machine."""
    places = {folder: "DIR", str(ROOT): "ROOT", sys.prefix: "PREFIX"}
    for place, name in places.items():
        text = text.replace(place, name)
    text = text.replace(icsched.__version__, "VERSION")
    for pattern, name in UNSTEADY:
        text = pattern.sub(name, text)
    return text


def text_lines(text: str) -> list[str]:
    """Return the lines to show of *text*: all, or the first, a digest and the last."""
    if text.startswith("{"):
        try:
            return json_lines(json.loads(text))
        except ValueError:
            pass
    lines = [_visible(line) for line in text.split("\n")]
    lines = [*lines[:-1]] if not lines[-1] else [*lines[:-1], f"{lines[-1]} (no line end)"]
    return _bounded(lines, text)


def bytes_lines(data: bytes, folder: str) -> list[str]:
    """Return the lines to show of a file: its text, or its size and digest."""
    try:
        text = steady(data.decode(), folder)
    except UnicodeDecodeError:
        return [f"{len(data):,} bytes, {_digest(data)}"]
    return text_lines(text)


def many_lines(lines: list[str]) -> list[str]:
    """Return the lines about all changed files: all, or the first and a digest of the others."""
    rest = "\n".join(lines[MOST_LINES:])
    return [*lines[:MOST_LINES], f"... {_digest(rest.encode())}"] if rest else lines


def is_unsteady(name: str) -> bool:
    """Whether the content of a file is never the same."""
    return any(fnmatch(name, pattern) for pattern in UNSTEADY_FILES)


def json_lines(value: object) -> list[str]:
    """Return *value* as JSON in lines, with long lists as their beginning and a digest."""
    return _bounded(list(_json(value, "", "")), json.dumps(value))


def _json(value: object, indent: str, key: str) -> Iterator[str]:
    value = _shortened(value)
    compact = f"{indent}{key}{json.dumps(value, ensure_ascii=False)}"
    if len(compact) <= WIDTH or not isinstance(value, dict | list):
        yield _visible(compact)
    elif isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
        yield from textwrap.wrap(
            _visible(compact),
            WIDTH,
            subsequent_indent=f"{indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    else:
        opens, closes = "{}" if isinstance(value, dict) else "[]"
        yield f"{indent}{key}{opens}"
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            label = f"{json.dumps(name)}: " if isinstance(value, dict) else ""
            yield from _json(item, f"{indent}  ", label)
        yield f"{indent}{closes}"


def _shortened(value: object) -> object:
    """Return the beginning and the digest of a long list or mapping."""
    if isinstance(value, list) and len(value) > MOST_ITEMS:
        return [*value[:FIRST], f"... {len(value):,} items, {_digest(json.dumps(value).encode())}"]
    if isinstance(value, dict) and len(value) > MOST_KEYS:
        digest = _digest(json.dumps(value).encode())
        return {**dict(list(value.items())[:FIRST]), "...": f"{len(value):,} keys, {digest}"}
    return value


def _bounded(lines: list[str], whole: str) -> list[str]:
    if sum(map(len, lines)) <= MOST:
        return lines
    middle = f"... {len(lines):,} lines, {len(whole):,} characters, {_digest(whole.encode())}"
    head = [line[:WIDTH] for line in lines[:HEAD]]
    return [*head, middle, *(line[:WIDTH] for line in lines[HEAD:][-TAIL:])]


def _visible(line: str) -> str:
    """Return *line* with control characters, and blanks at its end, as escapes."""
    shown = "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
    return f"{shown[:-1]}\\x20" if shown.endswith(" ") else shown


def _digest(data: bytes) -> str:
    return f"sha256 {hashlib.sha256(data).hexdigest()[:16]}"
