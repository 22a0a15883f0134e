"""Every error icsched raises on purpose.

::

    IcschedError
    ├── GraphError (ValueError)          the input is not a dag we can hold
    │   ├── CycleError (graphlib.CycleError)
    │   └── UnknownTaskError (KeyError)
    ├── ArgumentError (ValueError)       an argument is wrong, or cannot be used with another
    ├── ScheduleError (ValueError)       an order is not a legal order of its dag
    ├── GameError (ValueError)           a move breaks the rules of a game
    │   └── StateError                   tasks are listed as executed or running that cannot be
    ├── ClusterError (ValueError)        a cluster cannot be made
    ├── SimulationError (ValueError)     a simulation cannot run with its inputs
    │   └── PoolError                    a pool cannot finish a dag, or only too slowly
    ├── MemoryLimitError (ValueError)    no known order fits a limit of memory
    ├── CertificateError (ValueError)    a certificate does not prove what it claims
    ├── LimitError (RuntimeError)        an exact computation would grow too large
    ├── RunError (RuntimeError)          tasks of a run failed
    ├── EngineError (RuntimeError)       another program or library cannot be used or reached
    └── FormatError (ValueError)         a file cannot be read or written
        └── MemberError                  a job cannot be in a cluster of several

Each message says what is wrong, what was expected and what was given, in the user's names.
"""

import graphlib
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

_MOST_NAMES = 40  # names of a cycle that its message shows


class IcschedError(Exception):
    """Base of all errors that icsched raises on purpose."""


class GraphError(IcschedError, ValueError):
    """The input does not describe a dag."""


class CycleError(GraphError, graphlib.CycleError):
    """The input has a directed cycle; `cycle` names it, first == last.

    Also a `graphlib.CycleError`: ``args[1]`` is the cycle, each task a parent of the next.
    """

    def __init__(self, cycle: Sequence[Hashable]) -> None:
        super().__init__("dependency cycle", list(cycle))
        self.cycle = tuple(cycle)

    def __reduce__(self) -> tuple[type["CycleError"], tuple[tuple[Hashable, ...]]]:
        return type(self), (self.cycle,)

    def __str__(self) -> str:
        names = [str(task) for task in self.cycle]
        if len(names) > _MOST_NAMES:
            middle = f"... {len(names) - _MOST_NAMES:,} more ..."
            names = [*names[: _MOST_NAMES // 2], middle, *names[-_MOST_NAMES // 2 :]]
        return f"dependency cycle: {' -> '.join(names)}"


class UnknownTaskError(GraphError, KeyError):
    """The dag has no task of this name, or with this id; `task` is the name or the id."""

    def __init__(self, task: object) -> None:
        super().__init__(task)
        self.task = task

    def __str__(self) -> str:
        return f"unknown task: {self.task!r}"


class ArgumentError(IcschedError, ValueError):
    """An argument or option has a wrong value, or cannot be used with another one."""


class ScheduleError(IcschedError, ValueError):
    """An order is not a legal order of its dag."""


class GameError(IcschedError, ValueError):
    """A move breaks the rules of the game."""


class StateError(GameError):
    """A task cannot be in the state that the input says; `said` is "executed" or "running".

    `problem` begins with the name of the task.
    """

    def __init__(self, said: str, problem: str) -> None:
        super().__init__(said, problem)
        self.said = said
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.said}: task {self.problem}"


class ClusterError(IcschedError, ValueError):
    """No cluster can be made: the dag is empty, or the clusterer does not apply to it."""


class SimulationError(IcschedError, ValueError):
    """A pool, the task times or the number of runs cannot be simulated."""


class PoolError(SimulationError):
    """A pool cannot finish a dag at all, or not within the available time and memory."""


class MemoryLimitError(IcschedError, ValueError):
    """No known order fits `limit`; `least` is the least memory of a known order.

    No order at all needs less than `floor`. `unit` says what is counted.
    """

    def __init__(self, limit: int, least: int, floor: int, unit: str) -> None:
        super().__init__(limit, least, floor, unit)
        self.limit = limit
        self.least = least
        self.floor = floor
        self.unit = unit

    @property
    def is_proved(self) -> bool:
        """Whether it is proved that no order at all fits the limit."""
        return self.limit < self.floor

    def __str__(self) -> str:
        told = "proved impossible" if self.is_proved else "no order was found"
        is_least = self.least == self.floor
        enough = "the least possible is {:,}" if is_least else "{:,} is enough (not proved least)"
        return f"{told} within {self.limit:,} {self.unit}: {enough.format(self.least)}"


class CertificateError(IcschedError, ValueError):
    """A certificate does not prove what it claims; `place` is the part of it that is wrong."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return f"certificate refused: {self.place}: {self.problem}"


class LimitError(IcschedError, RuntimeError):
    """An exact computation would pass its stated limit."""


class EngineError(IcschedError, RuntimeError):
    """An engine is missing, does not answer, or gives an unexpected answer."""


class RunError(IcschedError, RuntimeError):
    """Tasks of a run failed; `failed` has the problem of each."""

    def __init__(self, failed: Mapping[Any, str]) -> None:
        super().__init__(failed)
        self.failed = dict(failed)

    def __str__(self) -> str:
        name, problem = next(iter(self.failed.items()))
        others = f" (and {len(self.failed) - 1:,} more)" if len(self.failed) > 1 else ""
        return f"task {name!r} failed: {problem}{others}"


def not_installed(library: str, extra: str) -> EngineError:
    """Return the error for a missing library, which *extra* of icsched installs.

    >>> not_installed("pandas", "pandas")
    EngineError("pandas is not installed: run pip install 'icsched[pandas]'")
    """
    return EngineError(f"{library} is not installed: run {pip_install(extra)}")


def pip_install(extra: str) -> str:
    """Return the command that installs an extra of icsched; the shell must see the quotes."""
    return f"pip install 'icsched[{extra}]'"


class FormatError(IcschedError, ValueError):
    """A file cannot be read or written; `path` and `line` (1-based, or None) say where."""

    def __init__(self, path: str, line: int | None, problem: str) -> None:
        super().__init__(path, line, problem)
        self.path = path
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        path = self.path or "''"
        place = path if self.line is None else f"{path}:{self.line}"
        return f"{place}: {self.problem}"


class MemberError(FormatError):
    """The job named `job` cannot be in a cluster with other jobs; it may run alone."""

    def __init__(self, path: str, line: int | None, problem: str, job: str) -> None:
        super().__init__(path, line, problem)
        self.args = path, line, problem, job  # they must rebuild the error: engines pickle it
        self.job = job
