"""The tables of cases: workflows/*.txt and suites.txt, in one format.

    == NAME: SUITE SUITE     a workflow, or in suites.txt a suite
    $ show WF                a case: a command line of icsched; "&&" joins commands
    >>> icsched.bound(wf)    a case: an expression
    -- wf.dag --             a file of the workflow, up to the next such line

In a case, WF is the first file of the workflow and EXT its suffix; `wf` is what `icsched.read`
makes of it. To leave a case out, delete its line. The head of a file may end in:

| head | the file has |
| --- | --- |
| `-- NAME --` | the lines below |
| `-- NAME escaped --` | the lines below, joined, with the escapes of Python |
| `-- NAME missing --` | nothing: there is no such file |
| `-- NAME < PATH --` | what a file of the repository has |
| `-- NAME = EXPRESSION --` | the text of a function of generate.py |
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from tools.golden.generate import generated

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Subject:
    """A workflow with its cases."""

    name: str
    suites: list[str]
    lines: list[str]
    main: str | None  # the first file
    files: dict[str, bytes]


def subjects() -> list[Subject]:
    """Return all workflows, with the cases of their suites."""
    suites = {suite.name: suite for suite in _blocks(HERE / "suites.txt")}
    found = [one for path in sorted((HERE / "workflows").glob("*.txt")) for one in _blocks(path)]
    return [_with_suites(one, suites) for one in found]


def selected(found: list[Subject], only: str) -> list[Subject]:
    """Return the workflows with the cases that the glob *only* names."""
    chosen = [
        replace(one, lines=[line for line in one.lines if fnmatchcase(f"{one.name} {line}", only)])
        for one in found
    ]
    return [one for one in chosen if one.lines]


def _with_suites(one: Subject, suites: dict[str, Subject]) -> Subject:
    main = one.main or "none"
    lines = [line for name in one.suites for line in suites[name].lines] + one.lines
    named = (line.replace("WF", main).replace("EXT", Path(main).suffix[1:]) for line in lines)
    return replace(one, lines=[*dict.fromkeys(named)])


def _blocks(path: Path) -> Iterator[Subject]:
    """Yield the blocks of a table; raises ValueError for a line that is in no block."""
    for block in path.read_text().split("\n== ")[1:]:
        top, *files = re.split(r"^-- (.*) --\n", block, flags=re.MULTILINE)
        head, *lines = top.split("\n")
        name, _, suites = head.partition(":")
        if strange := [line for line in lines if line and not line.startswith(("$ ", ">>> "))]:
            raise ValueError(f"{path.name}: {name}: expected a case, got {strange[0]!r}")
        heads = [head.partition(" ") for head in files[::2]]
        contents = {
            file: content
            for (file, _, how), text in zip(heads, files[1::2], strict=True)
            if (content := _content(how, text.rstrip("\n"))) is not None
        }
        main = heads[0][0] if heads else None
        cases = [_spelled_out(line) for line in lines if line]
        yield Subject(name, suites.split(), cases, main, contents)


def _content(how: str, text: str) -> bytes | None:
    """Return the bytes of a file; None if there shall be no file."""
    kind, _, argument = how.partition(" ")
    if kind == "missing":
        return None
    if kind == "<":
        return (ROOT / argument).read_bytes()
    if kind == "=":
        return generated(argument).encode()
    if kind == "escaped":
        joined = text.replace("\n", "").encode("latin-1")
        return joined.decode("unicode_escape").encode("latin-1")
    return f"{text}\n".encode() if text else b""


def _spelled_out(line: str) -> str:
    if line.startswith(">>>"):
        return line
    return " ".join(line.replace("$ ", "$ icsched ").replace("&& ", "&& icsched ").split())
