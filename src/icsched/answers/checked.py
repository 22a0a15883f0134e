"""Whether files have what icsched would write into them now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from icsched.answers.changes import distinct
from icsched.answers.ordered import Ordered
from icsched.files import Change


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
    sections = {section.path: section for section in found.sections}
    for bad in found.sections:
        if bad.problems:
            yield Stale(bad.path, bad.line, "; ".join(bad.problems))
    for change in distinct(changes):
        section = sections.get(change.path)
        if change.is_none or (section and section.problems):
            continue
        if section:
            yield Stale(change.path, section.line, "it gives another order, or in another way")
        else:
            yield Stale(change.path, None, "it has no section of icsched's")
