"""Whether files have what icsched would write into them now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from icsched.answers.changes import distinct
from icsched.answers.ordered import Ordered
from icsched.files import Change
from icsched.formats.dagman import section


@dataclass(frozen=True)
class Stale:
    """A file that is not as icsched would write it.

    `line` is where its section begins; None if it has none.
    """

    path: str
    line: int | None
    problem: str


def stale_files(found: Ordered, changes: Sequence[Change]) -> Iterator[Stale]:
    """Yield the files that *changes* would change, each with what is wrong with it now."""
    sections = {known.path: known for known in found.sections}
    for bad in found.sections:
        if bad.problems:
            yield Stale(bad.path, bad.line, "; ".join(bad.problems))
    for change in distinct(changes):
        known = sections.get(change.path)
        if not change.is_none and not (known and known.problems):
            yield Stale(change.path, section.line_of(change.old or b""), _problem(change))


def _problem(change: Change) -> str:
    """Say how a file differs from what it should be: a section is to come, to change or to go."""
    if change.new is None:
        return "it is no longer needed"
    had, has = (section.line_of(data or b"") is not None for data in (change.old, change.new))
    if had and not has:
        return "its section of icsched's is no longer needed"
    if had:
        return "with these options it gives another order, or in another way"
    return "it does not have this order"
