"""What the files of a workflow say about its jobs, statement by statement."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from icsched.formats.dagman.commands import Modifier
from icsched.formats.dagman.place import Place
from icsched.formats.dagman.scope import Modifiers
from icsched.formats.dagman.source import Source, Statement


@dataclass(frozen=True, slots=True)
class AboutJob:
    """A statement and one of the jobs that it is about."""

    place: Place
    statement: Statement
    slot: int

    @property
    def modifier(self) -> Modifier:
        """What the statement says."""
        return self.statement.modifier


def statements_about_jobs(everywhere: Sequence[Place]) -> Iterator[AboutJob]:
    """Yield all statements about jobs. If two contradict each other, the later one counts."""
    # What a splice says about its jobs comes before what is said outside the splice.
    for place in reversed(everywhere):
        for statement, slots in statements_with_slots(place):
            yield from (AboutJob(place, statement, slot) for slot in slots)


def statements_with_slots(place: Place) -> Iterator[tuple[Statement, list[int]]]:
    """Yield statements about jobs in file order, each with the slots that it is about."""
    # Plain statements and others were recorded separately.
    for _, one_file in groupby(place.scope.modifiers, key=lambda some: id(some.source)):
        found = [one for some in one_file for one in _each(some)]
        for source, number, slot, reach in sorted(found, key=itemgetter(1)):
            slots = [slot] if reach is None else place.scope.reachable(reach).tolist()
            yield Statement(source, number), slots


def _each(some: Modifiers) -> Iterator[tuple[Source, int, int, int | None]]:
    """Yield statements, each with its slot, or with the number of slots that ALL_NODES means."""
    if isinstance(some.slots, int):
        yield some.source, int(some.statements[0]), -1, some.slots
    else:
        statements = np.broadcast_to(some.statements, len(some.slots))
        for statement, slot in zip(statements.tolist(), some.slots.tolist(), strict=True):
            yield some.source, statement, slot, None
