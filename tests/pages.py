"""The commands of a page, and what the page says that they print.

A page is run from top to bottom in one shell, in an empty directory. Each `sh` block runs. A `text`
block is part of what the `sh` block before it prints; a line `...` in it stands for any lines. An
HTML comment right before a block says what readers need not see:

| comment | means |
| --- | --- |
| `<!-- not run: REASON -->` | the block is not run, or not compared |
| `<!-- setup` ... `-->` | these lines run first; they make the files that the page speaks of |
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

BIN = Path(sys.executable).parent
_PARTS = re.compile(
    r"^<!-- setup\n(?P<setup>.*?)^-->"
    r"|(?:^<!-- not run: (?P<reason>[^\n]+) -->\n+)?^```(?P<language>\w+)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Block:
    """A block that runs, with the texts that it must print."""

    line: int
    commands: str
    printed: list[str] = field(default_factory=list)


def runnable(page: str) -> list[Block]:
    """Return the blocks of *page* that run; raises ValueError for text that nothing prints."""
    found: list[Block] = []
    is_open = False
    for part in _PARTS.finditer(page):
        line = page.count("\n", 0, part.start()) + 1
        language, code, reason = part["language"], part["code"], part["reason"]
        if part["setup"] is not None:
            found.append(Block(line, part["setup"]))
        elif language == "sh":
            is_open = reason is None
            found += [Block(line, code)] if is_open else []
        elif language == "text" and reason is None:
            if not is_open:
                raise ValueError(f"line {line}: no block before this text is run")
            found[-1].printed.append(code)
    return found


def outputs(blocks: list[Block], folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Run all blocks in one shell in *folder*; return what each prints.

    Raises RuntimeError with the line of the block that fails, and what the block printed.
    """
    script = "".join(f"printf '\\036'\n{block.commands}\n" for block in blocks)
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    printed = done.stdout.split("\x1e")[1:]  # a character that no command prints
    if done.returncode:
        line = blocks[len(printed) - 1].line
        raise RuntimeError(f"line {line}: exit code {done.returncode}:\n{printed[-1]}")
    return printed


def holds(printed: str, expected: str) -> bool:
    """Whether *expected* is part of what was printed; `...` stands for any lines.

    >>> holds("a\\nb  \\nc\\nd\\n", "b\\n...\\nd\\n"), holds("a\\nb\\n", "b\\na\\n")
    (True, False)
    """
    pieces = [
        ".*?\n" if line == "..." else rf"{re.escape(line.rstrip())}[ ]*\n"
        for line in expected.splitlines()
    ]
    return re.search("^" + "".join(pieces), printed, re.DOTALL | re.MULTILINE) is not None
