"""Limits on how much a workflow's files may make icsched read and hold in memory."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from icsched.formats.dagman.plain import Statements
from icsched.formats.dagman.source import Source, Statement

MOST_JOBS = 20_000_000
_MOST_ARCS = 30_000_000
_MOST_SPLICES = 100_000  # SPLICE statements that are followed
_MOST_INCLUDES = 10_000
_MOST_AGAIN = {"INCLUDE": 2**24, "SPLICE": 2**26}  # bytes of files that are read a second time
_MOST_LETTERS = 250_000_000  # in the names of spliced jobs


@dataclass
class Budget:
    """Counts what was read; raises FormatError at the statement that exceeds a limit."""

    _seen: set[int] = field(default_factory=set)  # scans that were put into a scope
    _again: Counter[str] = field(default_factory=Counter)  # bytes, by the command
    _splices: int = 0
    _includes: int = 0
    _letters: int = 0
    _arcs: int = 0

    def count_include(self, statement: Statement) -> None:
        """Count an INCLUDE."""
        self._includes += 1
        if self._includes > _MOST_INCLUDES:
            raise statement.error(f"expected at most {_MOST_INCLUDES:,} INCLUDE")

    def count_splice(self, statement: Statement, letters: int) -> None:
        """Count a SPLICE, and the letters in the names of its jobs."""
        self._splices += 1
        self._letters += letters
        if self._splices > _MOST_SPLICES:
            raise statement.error(f"expected at most {_MOST_SPLICES:,} SPLICE")
        if self._letters > _MOST_LETTERS:
            problem = f"expected at most {_MOST_LETTERS:,} letters in the names of spliced jobs"
            raise statement.error(problem)

    def count_bytes(self, statement: Statement, source: Source) -> None:
        """Count the bytes of files that are read again and again, under any names."""
        command = statement.command.command
        if id(source.scan) in self._seen:
            self._again[command] += len(source.data)
        self._seen.add(id(source.scan))
        if self._again[command] > _MOST_AGAIN[command]:
            problem = (
                f"expected at most {_MOST_AGAIN[command]:,} bytes in files that {command} reads"
                f" again and again: write fewer of these lines, or take {source.path} apart"
            )
            raise statement.error(problem)

    def count_arcs(self, source: Source, statements: Statements, counts: Statements) -> None:
        """Count the arcs that some statements of a file make; *counts* has a number for each."""
        total = self._arcs + np.cumsum(counts)
        self._arcs = int(total[-1])
        if self._arcs > _MOST_ARCS:
            at = int(statements[np.argmax(total > _MOST_ARCS)])
            product = "a PARENT line makes one for each parent and child"
            remedy = "put a NOOP job between the many parents and the many children"
            limit = f"expected at most {_MOST_ARCS:,} dependencies in all"
            raise source.error(at, f"{limit} ({product}): {remedy}")
