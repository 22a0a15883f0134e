"""Whether files have what icsched would write into them now."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from icsched.answers.changes import distinct
from icsched.answers.ordered import Ordered
from icsched.files import Change
from icsched.formats.dagman import section


class Lack(Enum):
    """How a file differs from what icsched would write.

    OUT_OF_DATE: its section does not fit the workflow any more. OTHER_LINES: its section would get
    other lines, perhaps because other options wrote it, which a section does not say. NO_ORDER: it
    has no section yet. NEEDLESS_SECTION and NEEDLESS_FILE: icsched would remove these.
    """

    OUT_OF_DATE = auto()
    OTHER_LINES = auto()
    NO_ORDER = auto()
    NEEDLESS_SECTION = auto()
    NEEDLESS_FILE = auto()


@dataclass(frozen=True)
class Stale:
    """A file that is not as icsched would write it.

    `line` is where its section begins; None if it has none. `problems` say why a section is out of
    date.
    """

    path: str
    line: int | None
    lack: Lack
    problems: tuple[str, ...] = ()


def stale_files(found: Ordered, changes: Sequence[Change]) -> Iterator[Stale]:
    """Yield the files that *changes* would change, each with what is wrong with it now."""
    sections = {known.path: known for known in found.sections}
    for bad in found.sections:
        if bad.problems:
            yield Stale(bad.path, bad.line, Lack.OUT_OF_DATE, bad.problems)
    for change in distinct(changes):
        known = sections.get(change.path)
        if not change.is_none and not (known and known.problems):
            yield Stale(change.path, section.line_of(change.old or b""), _lack(change))


def _lack(change: Change) -> Lack:
    """Return how a file differs from what it should be: a section comes, changes or goes."""
    if change.new is None:
        return Lack.NEEDLESS_FILE
    had, has = (section.line_of(data or b"") is not None for data in (change.old, change.new))
    if had:
        return Lack.OTHER_LINES if has else Lack.NEEDLESS_SECTION
    return Lack.NO_ORDER
