"""What the files of a workflow say about its jobs, statement by statement."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import numpy as np

from icsched.errors import FormatError
from icsched.formats.dagman.commands import Modifier
from icsched.formats.dagman.place import Place
from icsched.formats.dagman.scope import Said
from icsched.formats.dagman.source import Source, split


@dataclass(frozen=True)
class Sentence:
    """A statement about one job, or about ALL_NODES."""

    source: Source
    statement: int

    @cached_property
    def command(self) -> Modifier:
        """What it says."""
        command = self.source.command(self.statement)
        assert isinstance(command, Modifier)  # noqa: S101  so the reader found
        return command

    @cached_property
    def head(self) -> str:
        """Its text on one line."""
        return split(self.source.text(self.statement))[0]

    def error(self, problem: str) -> FormatError:
        """Return an error at its line."""
        return self.source.error(self.statement, problem)


@dataclass(frozen=True, slots=True)
class Statement:
    """What a sentence says of one job."""

    place: Place
    sentence: Sentence
    slot: int

    @property
    def source(self) -> Source:
        """The file."""
        return self.sentence.source

    @property
    def statement(self) -> int:
        """Number in the file."""
        return self.sentence.statement

    @property
    def command(self) -> Modifier:
        """What it says."""
        return self.sentence.command

    @property
    def head(self) -> str:
        """Its text on one line."""
        return self.sentence.head


def statements_about_jobs(everywhere: Sequence[Place]) -> Iterator[Statement]:
    """Yield all statements about jobs. If two contradict each other, the later one counts."""
    # What a splice says of its jobs comes before what is said around it.
    for place in reversed(everywhere):
        for sentence, slots in sentences(place):
            yield from (Statement(place, sentence, slot) for slot in slots)


def sentences(place: Place) -> Iterator[tuple[Sentence, list[int]]]:
    """Yield statements about jobs in their order, each with the slots it is about."""
    # What is plain and what is not was noted apart.
    for _, one_file in groupby(place.scope.said, key=lambda said: id(said.source)):
        found = [about for said in one_file for about in _about(said)]
        for source, statement, slot, reach in sorted(found, key=itemgetter(1)):
            slots = [slot] if reach is None else place.scope.reachable(reach).tolist()
            yield Sentence(source, statement), slots


def _about(said: Said) -> Iterator[tuple[Source, int, int, int | None]]:
    """Yield statements, each with the slot it is about, or how far ALL_NODES reaches."""
    if isinstance(said.slots, int):
        yield said.source, int(said.statements[0]), -1, said.slots
    else:
        statements = np.broadcast_to(said.statements, len(said.slots))
        for statement, slot in zip(statements.tolist(), said.slots.tolist(), strict=True):
            yield said.source, statement, slot, None
