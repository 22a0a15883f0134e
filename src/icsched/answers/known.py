"""What is known of a workflow's jobs beforehand: which are done, and which have run times.

Every command tells these notes; the other notes, and all that they import, are for some.
"""

from dataclasses import dataclass

from icsched.workflow import Workflow


@dataclass(frozen=True)
class Note:
    """Something that the user should know."""


@dataclass(frozen=True)
class Resumed(Note):
    """Some jobs are done according to the rescue file, or, without one, to the files."""

    done: int
    left: int
    rescue: str | None


@dataclass(frozen=True)
class TimesKnown(Note):
    """How many jobs have run times of which origin, and how many given names fit no job.

    `is_own` is true if all run times are those of the workflow file, and means of these.
    """

    measured: int
    pattern: int
    kind: int
    all: int
    unused: int
    is_own: bool = False


def resumed(workflow: Workflow) -> Resumed | None:
    """Return how many jobs are done and left, or None if none is done."""
    done = int(workflow.done.sum())
    return Resumed(done, len(workflow.dag), workflow.done_by) if done else None
