"""What the table of engines holds: programs that can run the tasks of a workflow."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from icsched.workflow import Command


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to run a task. `number` names it; numbers are never used again."""

    number: int
    task: int  # id in the whole workflow
    name: str
    work: Command
    log: Path  # gets what the command prints
    time_limit: float | None = None  # seconds


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended. It was a success if `problem` is None."""

    number: int
    seconds: float
    problem: str | None = None  # one line, such as "exit code 3" or "killed by signal 9"
    is_lost: bool = False  # the worker went away, so the task itself did nothing wrong


class Crew(Protocol):
    """The workers of an engine. Attempts run beside the caller."""

    @property
    def size(self) -> int:
        """How many attempts to keep in flight now; it may change while the run goes on."""

    @property
    def workers(self) -> int:
        """How many attempts can run at once now; the others in flight wait for a worker."""

    def start(self, attempt: Attempt, /) -> None:
        """Begin an attempt, and return at once."""

    def ended(self, timeout: float | None, /) -> Sequence[Outcome]:
        """Wait until an attempt ends, and return all that ended; none after *timeout* seconds."""

    def stop(self, number: int, /) -> None:
        """Stop an attempt. It ends as lost, or as it ended before it could be stopped."""

    def give_up(self, number: int, /) -> None:
        """End an attempt by force, if its worker does not answer any more; may be called again.

        Its worker should have stopped the attempt at its time limit. It fails for that reason.
        """


class Recorder(Protocol):
    """Notes successes where the work is done, so that they outlive the server. It must pickle.

    Workers that share the files of this machine use it; workers elsewhere leave it alone.
    """

    @property
    def run(self) -> str:
        """What names the run on all machines."""

    def is_completed(self, task: int, /) -> bool:
        """Whether a task is recorded as completed."""

    def begin(self) -> None:
        """Say that this process may be about to work; called before each attempt."""

    def end(self, number: int, task: int, seconds: float, /) -> None:
        """Record that an attempt succeeded, before the server hears of it."""


def _tell_nobody(_line: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Terms:
    """What a user says about the workers. Each engine takes what it can, and refuses the rest."""

    workers: int | None = None  # -j: how many, as the engine counts them
    address: str | None = None  # of a scheduler that runs already
    shell: bool = False  # whether commands are read by a shell
    recorder: Recorder | None = None
    tell: Callable[[str], None] = _tell_nobody  # gets one line for people about what runs where


@dataclass(frozen=True)
class Engine:
    """A program whose workers run tasks, as `ENGINES` holds it; `open` starts or finds the workers.

    `open` raises EngineError if the program cannot be used, ArgumentError for terms that make no
    sense to it.
    """

    name: str
    sentence: str
    open: Callable[[Terms], AbstractContextManager[Crew]]
    extra: str = ""  # the extra of icsched that it needs, if any
