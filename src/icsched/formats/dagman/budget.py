"""Limits on how much a workflow's files may make icsched read and hold in memory."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from icsched.formats.dagman.plain import Statements
from icsched.formats.dagman.scope import Scope
from icsched.formats.dagman.source import Source, Statement

MOST_JOBS = 20_000_000
_MOST_ARCS = 30_000_000
_MOST_SPLICES = 100_000  # SPLICE statements that are followed
_MOST_INCLUDES = 10_000
_MOST_AGAIN = {"INCLUDE": 2**24, "SPLICE": 2**26}  # bytes of files that are read a second time
_MOST_LETTERS = 250_000_000  # in the names of spliced jobs
# What splices may multiply to: a number, and more for each statement read. Files of a few hundred
# bytes could otherwise make millions of jobs, or of empty splices, by splices in splices.
_SPLICED, _SPLICED_EACH = 100_000, 1_000  # jobs and splices
_ARCS_A_JOB = 10  # so many times as many dependencies


@dataclass
class Budget:
    """Counts what was read; raises FormatError at the statement that exceeds a limit."""

    _seen: set[int] = field(default_factory=set)  # scans that were put into a scope
    _again: Counter[str] = field(default_factory=Counter)  # bytes, by the command
    _read: set[int] = field(default_factory=set)  # scans of which the statements are counted
    _statements: int = 0
    _splices: int = 0
    _spliced: int = 0  # jobs and splices that splices have brought into the files around them
    _spliced_arcs: int = 0
    _includes: int = 0
    _letters: int = 0
    _arcs: int = 0

    def count_include(self, statement: Statement) -> None:
        """Count an INCLUDE."""
        self._includes += 1
        if self._includes > _MOST_INCLUDES:
            raise statement.error(f"expected at most {_MOST_INCLUDES:,} INCLUDE")

    def count_statements(self, source: Source) -> None:
        """Count the statements of a file, once however often the file is used."""
        if id(source.scan) not in self._read:
            self._read.add(id(source.scan))
            self._statements += len(source.scan.kind)

    def count_splice(self, statement: Statement, scope: Scope) -> None:
        """Count a SPLICE, and what it brings along, before any of that is made."""
        self._splices += 1
        self._letters += scope.letters
        self._spliced += len(scope) + scope.places + 1
        if self._splices > _MOST_SPLICES:
            raise statement.error(f"expected at most {_MOST_SPLICES:,} SPLICE")
        self._check_spliced(statement, self._spliced, 1, "jobs and splices")
        if self._letters > _MOST_LETTERS:
            problem = f"expected at most {_MOST_LETTERS:,} letters in the names of spliced jobs"
            raise statement.error(problem)
        self.count_spliced_arcs(statement, len(scope.parents))

    def count_spliced_arcs(self, statement: Statement, count: int) -> None:
        """Count the dependencies that a statement makes by splices, before they are made."""
        self._spliced_arcs += count
        self._check_spliced(statement, self._spliced_arcs, _ARCS_A_JOB, "dependencies")

    def _check_spliced(self, statement: Statement, count: int, factor: int, what: str) -> None:
        read = self._statements
        most = factor * (_SPLICED + _SPLICED_EACH * read)
        if count > most:
            raise statement.error(
                f"expected splices to make at most {most:,} {what} from {read:,} statements,"
                f" got {count:,}: make some of the splices SUBDAG EXTERNAL"
            )

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
