"""What is worth knowing about a workflow's files beside an order: one class per kind of note."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from icsched.answers.known import Note as Note
from icsched.formats import dagman
from icsched.orders import Choice
from icsched.workflow import Remark

SectionAction = Literal["nothing", "replaced", "removed"]


@dataclass(frozen=True)
class StaleSection(Note):
    """A section of icsched's that is out of date, and what icsched does about it now."""

    path: str
    line: int
    problems: tuple[str, ...]
    action: SectionAction


@dataclass(frozen=True)
class NotWorthIt(Note):
    """The files stay as they are, because the order that "auto" chose gains too little.

    `is_written` is false if nothing was to be written anyway: icsched only looked.
    """

    path: str
    choice: Choice
    has_section: bool
    is_written: bool


@dataclass(frozen=True)
class SectionRemoved(Note):
    """A section goes: one is out of date, and the order that "auto" chose gains too little."""

    path: str
    choice: Choice
    is_written: bool


@dataclass(frozen=True)
class CopiedWithoutOrder(Note):
    """The copy at `copy` has no section of icsched's, because an order is not worth it."""

    path: str
    copy: str
    choice: Choice


@dataclass(frozen=True)
class OwnPriorities(Note):
    """The files themselves give priorities to this many jobs."""

    jobs: int


@dataclass(frozen=True)
class OverriddenPriorities(Note):
    """What happens to the files' own priorities when an order is written.

    `lower` counts those that are kept and lower than the number that icsched has for the job.
    """

    jobs: int
    are_kept: bool
    lower: int = 0


@dataclass(frozen=True)
class Strict(Note):
    """A setting that makes DAGMan refuse a second priority for a job."""

    path: str
    line: int | None
    text: str

    @property
    def refusal(self) -> str:
        """What the setting does, and what to do about it."""
        return dagman.refusal(self.text, otherwise="give --keep-existing, or ")


@dataclass(frozen=True)
class UnreadConfig(Note):
    """A CONFIG file of the workflow whose settings icsched cannot know."""

    path: str
    problem: str


@dataclass(frozen=True)
class Joins(Note):
    """DAGMan adds a join node for this many PARENT lines; priorities count down from `top`."""

    lines: int
    top: int


@dataclass(frozen=True)
class Spliced(Note):
    """The file at `path` has jobs of splices, and includes `companion`."""

    path: str
    companion: str


@dataclass(frozen=True)
class Flattened(Note):
    """The file written has no splices any more."""


@dataclass(frozen=True)
class VariablesUsed(Note):
    """Submit files take priorities from a variable."""


@dataclass(frozen=True)
class NoSubmitFile(Note):
    """Some jobs have no submit file that could take a priority from a variable."""

    jobs: int


@dataclass(frozen=True)
class Disturbed(Note):
    """`icsched show` has remarks about this file."""

    file: str


@dataclass(frozen=True)
class TablesWritten(Note):
    """Where tables and dot files are."""

    directory: str


@dataclass(frozen=True)
class NotThere(Note):
    """A file of SUBDAG EXTERNAL that does not exist yet."""

    path: str
    job: str


@dataclass(frozen=True)
class InnerThrottle(Note):
    """Orders of inner workflows were written, each of which needs a throttle of its own."""


@dataclass(frozen=True)
class NotRead(Note):
    """A file whose section was removed although the workflow in it cannot be read."""

    path: str
    problem: str


@dataclass(frozen=True)
class Forced(Note):
    """A file that was changed by --force."""

    path: str
    reason: str


@dataclass(frozen=True)
class Removed(Note):
    """A file of icsched's that was removed."""

    path: str


@dataclass(frozen=True)
class NothingToChange(Note):
    """The files have the wanted content already."""

    is_removal: bool


def stale_sections(
    sections: Iterable[dagman.Section], action: SectionAction = "nothing"
) -> Iterator[StaleSection]:
    """Yield those of *sections* that are out of date."""
    for section in sections:
        if section.problems:
            problems = tuple(section.problems)
            yield StaleSection(section.path, section.line, problems, action)


def own_priorities(submission: dagman.Submission) -> int:
    """Return how many jobs have a priority that the user's own lines give."""
    return int(submission.has_priority.sum())


def overridden_priorities(
    submission: dagman.Submission, priorities: dict[str, int], *, are_kept: bool
) -> OverriddenPriorities | None:
    """Return what happens to the user's own priorities beside icsched's; None without any."""
    rows = zip(submission.names, submission.has_priority, submission.priorities, strict=True)
    own = {str(name): int(number) for name, is_own, number in rows if is_own}
    lower = sum(number < priorities.get(name, number) for name, number in own.items())
    return OverriddenPriorities(len(own), are_kept, lower if are_kept else 0) if own else None


def strict(submission: dagman.Submission, setting: Remark | None) -> Strict | None:
    """Return a strict *setting* as a note, if the files have priorities for DAGMan to refuse."""
    if setting is None or not submission.priorities.any():  # DAGMan allows overriding a 0
        return None
    return Strict(setting.path, setting.line or None, setting.text)
