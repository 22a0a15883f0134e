"""What the files of a workflow say about its jobs, statement by statement."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import numpy as np

from icsched.formats.dagman.commands import Modifier
from icsched.formats.dagman.place import Place
from icsched.formats.dagman.scope import Said, Scope
from icsched.formats.dagman.source import Source, split


@dataclass(frozen=True)
class Statement:
    """A statement about one job, which may have said ALL_NODES."""

    place: Place
    source: Source
    statement: int
    slot: int

    @property
    def name(self) -> str:
        """Flat name of the job."""
        return self.place.names[self.slot]

    @cached_property
    def command(self) -> Modifier:
        """What it says."""
        command = self.source.command(self.statement)
        assert isinstance(command, Modifier)  # noqa: S101  so the reader found
        return command

    @property
    def head(self) -> str:
        """Its text on one line."""
        return split(self.source.text(self.statement))[0]


def statements_about_jobs(everywhere: Sequence[Place]) -> Iterator[Statement]:
    """Yield all that is said about jobs, so that of two words the last counts."""
    # What a splice says of its jobs comes before what is said around it.
    for place in reversed(everywhere):
        # What is plain and what is not was noted apart.
        for _, one_file in groupby(place.scope.said, key=lambda said: id(said.source)):
            said = [about for part in one_file for about in _about(place.scope, part)]
            for source, statement, slot in sorted(said, key=itemgetter(1)):
                yield Statement(place, source, statement, slot)


def _about(scope: Scope, said: Said) -> Iterator[tuple[Source, int, int]]:
    """Yield statements about jobs, each with the slot it is about."""
    slots = scope.reachable(said.slots)
    statements = np.broadcast_to(said.statements, len(slots))
    for statement, slot in zip(statements.tolist(), slots.tolist(), strict=True):
        yield said.source, statement, slot
