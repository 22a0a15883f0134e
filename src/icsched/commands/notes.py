"""What is worth knowing about a workflow beside an order, as data and as sentences."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Literal

import numpy as np

from icsched.commands.comparison import reason
from icsched.commands.inputs import Note as Note
from icsched.commands.inputs import Resumed, TimesKnown, done_sentence, times_sentence
from icsched.formats import dagman
from icsched.orders import Choice
from icsched.run_times import Origin
from icsched.sim.pools import FAR_OFF
from icsched.words import counted
from icsched.workflow import Remark, Workflow

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


@dataclass(frozen=True)
class PoolUnexplained(Note):
    """The pool does not explain the run that it was learned from.

    `error` is the simulated end of that run over its actual end, less 1.
    """

    error: float


@dataclass(frozen=True)
class LimitsLeftOut(Note):
    """Some jobs are in categories with MAXJOBS limits."""


@dataclass(frozen=True)
class InnerWorkflows(Note):
    """Some jobs are workflows themselves, and nobody says how long they take."""

    jobs: int


def cautions_about(workflow: Workflow, replay_error: float | None = None) -> tuple[Note, ...]:
    """Return what a simulation of *workflow* leaves out.

    *replay_error* is how far off the run ends by simulation that the pool was learned from.
    """
    return (*about_pool(replay_error), *about_limits(workflow), *about_inner(workflow))


def about_pool(replay_error: float | None) -> tuple[Note, ...]:
    """Return the note about a pool that does not explain the run that it was learned from."""
    is_far_off = replay_error is not None and abs(replay_error) > FAR_OFF
    return (PoolUnexplained(replay_error),) if is_far_off and replay_error is not None else ()


def about_limits(workflow: Workflow) -> tuple[Note, ...]:
    """Return the note about limits on categories of DAGMan."""
    submission = dagman.submission_in(workflow)
    is_limited = submission is not None and dagman.are_jobs_limited(submission)
    return (LimitsLeftOut(),) if is_limited else ()


def about_inner(workflow: Workflow) -> tuple[Note, ...]:
    """Return the note about inner workflows that are left to run, and have no time of their own."""
    submission = dagman.submission_in(workflow)
    names = dagman.inner_workflows(submission) if submission is not None else []
    tasks = [workflow.dag.ids[name] for name in names if name in workflow.dag.ids]
    if workflow.run_time_origins is not None:
        tasks = np.array(tasks, np.int64)[workflow.run_time_origins[tasks] >= Origin.KIND].tolist()
    return (InnerWorkflows(len(tasks)),) if tasks else ()


# Sentences of notes that always read alike; the other kinds have a function below.
_SENTENCES = {
    TablesWritten: "order, eligibility table and dot files are in {0.directory}",
    Flattened: "one file without splices and includes; job S+p is called S-p in it",
    VariablesUsed: "submit files take their priority from the variable jobpriority",
    Disturbed: "icsched show {0.file} tells what may disturb this order",
    NotThere: "{0.path} is not there yet and was left out (job {0.job})",
    InnerThrottle: (
        "-maxjobs does not reach inner workflows: put DAGMAN_MAX_JOBS_SUBMITTED = N into a CONFIG"
        " file of each"
    ),
    NotRead: "only {0.path} itself was looked at, because it cannot be read: {0.problem}",
    UnreadConfig: "{0.path}: {0.problem}",
    Forced: "{0.path} was changed although {0.reason}",
    Removed: "removed {0.path}",
    LimitsLeftOut: "MAXJOBS limits of categories are not simulated",
}


_SECTION_ACTIONS: dict[SectionAction, str] = {
    "nothing": "run prio --in-place again, or prio --remove",
    "replaced": "icsched writes it again",
    "removed": "icsched removes it",
}


@singledispatch
def sentence(note: Note) -> str:
    """Return a note as a sentence without a full stop."""
    return _SENTENCES[type(note)].format(note)


@sentence.register
def _(note: Resumed) -> str:
    return done_sentence(note, "order")


@sentence.register
def _(note: TimesKnown) -> str:
    return times_sentence(note)


@sentence.register
def _(note: PoolUnexplained) -> str:
    when = f"{100 * abs(note.error):.1f}% too {'early' if note.error < 0 else 'late'}"
    return (
        f"the pool does not explain the run that it was learned from: simulated, that run ends"
        f" {when}. Do not trust the gains. Perhaps a throttle such as -maxjobs held jobs back"
    )


@sentence.register
def _(note: InnerWorkflows) -> str:
    if note.jobs == 1:
        return "1 job is an inner workflow (SUBDAG EXTERNAL): it counts as a job of ordinary length"
    jobs = f"{note.jobs:,} jobs are inner workflows (SUBDAG EXTERNAL)"
    return f"{jobs}: each counts as a job of ordinary length"


@sentence.register
def _(note: StaleSection) -> str:
    what = _SECTION_ACTIONS[note.action]
    problems = "; ".join(note.problems)
    return f"{note.path}:{note.line}: icsched's section is out of date: {problems}; {what}"


@sentence.register
def _(note: NotWorthIt) -> str:
    was = "was" if note.is_written else "would be"
    section = ", and icsched's section stays" if note.has_section else ""
    what = f"{note.path}: nothing {was} written{section}, because it is not worth it"
    return f"{what}: {reason(note.choice)}; --order NAME writes an order anyway"


@sentence.register
def _(note: SectionRemoved) -> str:
    was = "was" if note.is_written else "would be"
    what = f"{note.path}: icsched's section {was} removed, because a new one is not worth it"
    return f"{what}: {reason(note.choice)}; --order NAME writes an order anyway"


@sentence.register
def _(note: CopiedWithoutOrder) -> str:
    what = f"{note.copy}: a copy of {note.path} without an order, because it is not worth it"
    return f"{what}: {reason(note.choice)}; --order NAME writes an order anyway"


@sentence.register
def _(note: OwnPriorities) -> str:
    what = "prio overrides them unless --keep-existing is given"
    return f"the files already have PRIORITY lines for {counted(note.jobs, 'job')}: {what}"


@sentence.register
def _(note: OverriddenPriorities) -> str:
    what = "overridden (--keep-existing keeps them)"
    if note.are_kept:
        what = "kept, so that the run will not follow the order above where they differ"
    if note.lower:
        what += f"; {note.lower:,} of them lower than icsched's, so that these jobs run later"
    return f"priorities that the files gave {counted(note.jobs, 'job')}: {what}"


@sentence.register
def _(note: Strict) -> str:
    place = note.path if note.line is None else f"{note.path}:{note.line}"
    return f"{place}: {note.refusal}"


@sentence.register
def _(note: Joins) -> str:
    return (
        f"priorities count down from {note.top}: DAGMan adds join nodes of its own for"
        f" {counted(note.lines, 'PARENT line')} of several parents and children,"
        " and these join nodes must run first"
    )


@sentence.register
def _(note: Spliced) -> str:
    return (
        f"the section gives jobs of splices their priorities, and includes {note.companion} first:"
        f" keep that file beside {note.path}, and the section last in {note.path}"
    )


@sentence.register
def _(note: NoSubmitFile) -> str:
    return f"{counted(note.jobs, 'job')} without a submit file got PRIORITY lines"


@sentence.register
def _(note: NothingToChange) -> str:
    if note.is_removal:
        return "nothing to remove: the file has no section of icsched's"
    return "nothing to change: the file has this order already"


def caution_lines(found: Iterable[Note]) -> list[str]:
    """Return each of the notes as a whole sentence."""
    return [f"{told[:1].upper()}{told[1:]}." for told in map(sentence, found)]


def caution_text(found: Iterable[Note]) -> str:
    """Return the notes as text, one on each line; "" without any."""
    return "".join(f"{line}\n" for line in caution_lines(found))
