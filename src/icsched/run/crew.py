"""Crews: the workers of an engine, their attempts at tasks, and the outcomes."""

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
    """One attempt to run a task. `number` is never used for another attempt."""

    number: int
    task: int  # id in the workflow
    name: str
    work: Command
    log: Path  # file for the output of the command
    time_limit: float | None = None  # seconds


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of an attempt, which succeeded if `problem` is None."""

    number: int
    seconds: float
    problem: str | None = None  # one line, such as "exit code 3" or "killed by signal 9"
    is_lost: bool = False  # the worker was lost, which is not the fault of the task


class Crew(Protocol):
    """The workers of an engine. Attempts run in the background."""

    @property
    def size(self) -> int:
        """Number of attempts to keep in flight now; it may change during the run."""

    @property
    def workers(self) -> int:
        """Number of attempts that can run at once now; others in flight wait for a worker."""

    def start(self, attempt: Attempt, /) -> None:
        """Begin an attempt, and return at once."""

    def ended(self, timeout: float | None, /) -> Sequence[Outcome]:
        """Wait until an attempt ends, and return all that ended; none after *timeout* seconds."""

    def stop(self, number: int, /) -> None:
        """Stop an attempt, which then ends as lost, unless it has ended already."""

    def give_up(self, number: int, /) -> None:
        """End an attempt by force, if its worker does not answer; may be called again.

        The attempt then counts as failed at its time limit.
        """


def tell_nobody(_line: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Terms:
    """The user's options for workers. An engine refuses options that it does not support."""

    workers: int | None = None  # -j: how many, as the engine counts them
    address: str | None = None  # address of a running scheduler
    shell: bool = False  # whether commands are read by a shell
    recorder: WorkerRecorder | None = None  # for workers that share the files of this machine
    tell: Callable[[str], None] = tell_nobody  # receives one line for users about the workers

    def count_workers(self) -> int:
        """Return how many workers to start here, by default one for each core; ArgumentError."""
        if self.workers is None:
            return usable_cores()
        return checks.whole_number("workers", self.workers, least=1, most=_MOST_WORKERS)
