"""Crews: the workers of an engine, what they are asked to do, and how that ends."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from icsched import checks
from icsched.machine import usable_cores
from icsched.run.records import WorkerRecorder
from icsched.workflow import Command

_MOST_WORKERS = 1_000


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to run a task. `number` names it; numbers are never used again."""

    number: int
    task: int  # id in the workflow
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


def tell_nobody(_line: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Terms:
    """What a user says about the workers. Each engine takes what it can, and refuses the rest."""

    workers: int | None = None  # -j: how many, as the engine counts them
    address: str | None = None  # of a scheduler that runs already
    shell: bool = False  # whether commands are read by a shell
    recorder: WorkerRecorder | None = None  # for workers that share the files of this machine
    tell: Callable[[str], None] = tell_nobody  # gets one line for people about what runs where

    def count_workers(self) -> int:
        """Return how many workers to start here, by default one for each core; ArgumentError."""
        if self.workers is None:
            return usable_cores()
        return checks.whole_number("workers", self.workers, least=1, most=_MOST_WORKERS)
