"""Notes as sentences, by the kind of note."""

from functools import singledispatch

from icsched.answers import cautions, notes
from icsched.answers.known import Resumed, TimesKnown
from icsched.render.choice import reason
from icsched.render.known import done_sentence, times_sentence
from icsched.render.words import counted

# Sentences of notes that always read alike; the other kinds have a function below.
_SENTENCES = {
    notes.TablesWritten: "order, eligibility table and dot files are in {0.directory}",
    notes.Flattened: "one file without splices and includes; job S+p is called S-p in it",
    notes.VariablesUsed: "submit files take their priority from the variable jobpriority",
    notes.Disturbed: "icsched show {0.file} tells what may disturb this order",
    notes.NotThere: "{0.path} is not there yet and was left out (job {0.job})",
    notes.InnerThrottle: (
        "-maxjobs does not reach inner workflows: put DAGMAN_MAX_JOBS_SUBMITTED = N into a CONFIG"
        " file of each"
    ),
    notes.NotRead: "only {0.path} itself was looked at, because it cannot be read: {0.problem}",
    notes.UnreadConfig: "{0.path}: {0.problem}",
    notes.Forced: "{0.path} was changed although {0.reason}",
    notes.Removed: "removed {0.path}",
    cautions.LimitsLeftOut: "MAXJOBS limits of categories are not simulated",
}


_SECTION_ACTIONS: dict[notes.SectionAction, str] = {
    "nothing": "run prio --in-place again, or prio --remove",
    "replaced": "icsched writes it again",
    "removed": "icsched removes it",
}


@singledispatch
def sentence(note: notes.Note) -> str:
    """Return a note as a sentence without a full stop."""
    return _SENTENCES[type(note)].format(note)


@sentence.register
def _(note: Resumed) -> str:
    return done_sentence(note, "order")


@sentence.register
def _(note: TimesKnown) -> str:
    return times_sentence(note)


@sentence.register
def _(note: cautions.PoolUnexplained) -> str:
    when = f"{100 * abs(note.error):.1f}% too {'early' if note.error < 0 else 'late'}"
    return (
        f"the pool does not explain the run that it was learned from: simulated, that run ends"
        f" {when}. Do not trust the gains. Perhaps a throttle such as -maxjobs held jobs back"
    )


@sentence.register
def _(note: cautions.InnerWorkflows) -> str:
    if note.jobs == 1:
        return "1 job is an inner workflow (SUBDAG EXTERNAL): it counts as a job of ordinary length"
    jobs = f"{note.jobs:,} jobs are inner workflows (SUBDAG EXTERNAL)"
    return f"{jobs}: each counts as a job of ordinary length"


@sentence.register
def _(note: notes.StaleSection) -> str:
    what = _SECTION_ACTIONS[note.action]
    problems = "; ".join(note.problems)
    return f"{note.path}:{note.line}: icsched's section is out of date: {problems}; {what}"


@sentence.register
def _(note: notes.NotWorthIt) -> str:
    was = "was" if note.is_written else "would be"
    section = ", and icsched's section stays" if note.has_section else ""
    what = f"{note.path}: nothing {was} written{section}, because it is not worth it"
    return f"{what}: {reason(note.choice)}; --order NAME writes an order anyway"


@sentence.register
def _(note: notes.SectionRemoved) -> str:
    was = "was" if note.is_written else "would be"
    what = f"{note.path}: icsched's section {was} removed, because a new one is not worth it"
    return f"{what}: {reason(note.choice)}; --order NAME writes an order anyway"


@sentence.register
def _(note: notes.CopiedWithoutOrder) -> str:
    what = f"{note.copy}: a copy of {note.path} without an order, because it is not worth it"
    return f"{what}: {reason(note.choice)}; --order NAME writes an order anyway"


@sentence.register
def _(note: notes.OwnPriorities) -> str:
    what = "prio overrides them unless --keep-existing is given"
    return f"the files already have PRIORITY lines for {counted(note.jobs, 'job')}: {what}"


@sentence.register
def _(note: notes.OverriddenPriorities) -> str:
    what = "overridden (--keep-existing keeps them)"
    if note.are_kept:
        what = "kept, so that the run will not follow the order above where they differ"
    if note.lower:
        what += f"; {note.lower:,} of them lower than icsched's, so that these jobs run later"
    return f"priorities that the files gave {counted(note.jobs, 'job')}: {what}"


@sentence.register
def _(note: notes.Strict) -> str:
    place = note.path if note.line is None else f"{note.path}:{note.line}"
    return f"{place}: {note.refusal}"


@sentence.register
def _(note: notes.Joins) -> str:
    return (
        f"priorities count down from {note.top}: DAGMan adds join nodes of its own for"
        f" {counted(note.lines, 'PARENT line')} of several parents and children,"
        " and these join nodes must run first"
    )


@sentence.register
def _(note: notes.Spliced) -> str:
    return (
        f"the section gives jobs of splices their priorities, and includes {note.companion} first:"
        f" keep that file beside {note.path}, and the section last in {note.path}"
    )


@sentence.register
def _(note: notes.NoSubmitFile) -> str:
    return f"{counted(note.jobs, 'job')} without a submit file got PRIORITY lines"


@sentence.register
def _(note: notes.NothingToChange) -> str:
    if note.is_removal:
        return "nothing to remove: the file has no section of icsched's"
    return "nothing to change: the file has this order already"
