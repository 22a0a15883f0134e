"""What is known of a workflow's jobs beforehand, as sentences and keys."""

from dataclasses import asdict

from icsched.answers.known import Resumed, TimesKnown
from icsched.render.words import counted


def done_sentence(note: Resumed, aim: str) -> str:
    """Say how many jobs are done, according to which file, and how many are left to *aim*."""
    by = f" by {note.rescue}" if note.rescue else " by DONE in the files"
    return f"{counted(note.done, 'job')} done{by}; {counted(note.left, 'job')} left to {aim}"


def done_line(note: Resumed | None, aim: str) -> str:
    """Return a line for a report, with the option that ignores the rescue file; "" for None."""
    if note is None:
        return ""
    option = " (--no-rescue ignores that file)" if note.rescue else ""
    return f"{done_sentence(note, aim)}{option}\n"


def rescue_sentence(note: Resumed) -> str:
    """Say which rescue file DAGMan will resume from, or how many jobs are marked DONE."""
    if not note.rescue:
        return done_sentence(note, "order")
    return f"DAGMan will resume from {note.rescue}: {counted(note.done, 'job')} done"


def times_sentence(note: TimesKnown) -> str:
    """Say how many jobs have run times of which origin, or how many lack one in their own file."""
    return _gaps(note) if note.is_own else f"run times: {times_counts(note)}"


def _gaps(note: TimesKnown) -> str:
    lacking = counted(note.kind + note.all, "job")
    return f"{lacking} without a run time in the file: icsched takes the mean of other jobs"


def times_counts(note: TimesKnown) -> str:
    """Return how many jobs have run times of which origin."""
    counts = {
        "measured": note.measured,
        "given by pattern": note.pattern,
        "mean of their kind": note.kind,
        "mean of all": note.all,
    }
    told = ", ".join(f"{count:,} {words}" for words, count in counts.items() if count)
    unused = counted(note.unused, "name fits", "names fit") + " no job"
    return told + (f"; {unused}" if note.unused else "")


def times_keys(note: TimesKnown | None) -> dict[str, object] | None:
    """Return the counts as JSON shows them; None for None."""
    if note is None:
        return None
    return {name: count for name, count in asdict(note).items() if name != "is_own"}


def times_line(note: TimesKnown | None) -> str:
    """Return a line for a report; "" for None."""
    return "" if note is None else f"{times_sentence(note)}\n"
