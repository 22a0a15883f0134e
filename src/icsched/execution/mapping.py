"""Running a mapping of Python functions."""

import io
import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from icsched.calls import Function, FunctionCall, Name, Several, calls_of
from icsched.dag import Dag
from icsched.engines.entry import Call, Terms
from icsched.engines.local import LOCAL
from icsched.engines.table import ENGINES
from icsched.errors import ArgumentError, RunError
from icsched.execution.commands import identity_of
from icsched.execution.findable import check_findable
from icsched.execution.journal import Journal, open_journal
from icsched.execution.loop import Happened
from icsched.execution.opening import ARGUMENTS, Opening, stopped
from icsched.execution.records import WorkerRecorder
from icsched.execution.rules import Rules
from icsched.execution.runs import Course, run_by_crew
from icsched.graph_inputs import Names
from icsched.orders import Plan, prioritize
from icsched.pebble import Order, RunTimes, check_order, checked_run_times


def run(
    tasks: Mapping[Name, object],
    *,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    order: str | Order = "auto",
    run_times: RunTimes | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
    again: bool = False,
    retries: int = 0,
    keep_going: bool = False,
    time_limit: float | None = None,
) -> dict[Name, object]:
    """Run Python functions as soon as their arguments are there, best first; return the results.

    *tasks* maps each name to a function, or to a tuple of a function and its arguments. An argument
    that is the name of a task stands for the result of that task, also inside a list. Other
    arguments stand for themselves, also True and 1.0 if a task is called 1. The functions run in
    *workers* processes of an *engine* of `ENGINES`, by default one for each core of this machine.
    So functions, arguments and results must pickle, and a script must call `run` below
    ``if __name__ == "__main__":``.
    *order* is a name of `ORDERS`, a plan, or names of all tasks; some orders use *run_times*, one
    number per task, or a mapping from names to seconds. Both are as for `prioritize`.

    With *journal*, a directory, each result is kept there as soon as it is known, with what the
    functions print. *resume* goes on with such a run, whatever ended it, and begins it if there is
    no journal yet. *again* forgets the journal, and runs all tasks. A task is tried again
    *retries* times, for *time_limit* seconds at most. After a failure, running tasks end and no
    other starts, or, to *keep_going*, all that can start without the failed task.

    Raises RunError if a task failed, from the error of the task; its `tracebacks` say where each
    task failed, and its `results` are those of the other tasks. Raises ArgumentError, before
    anything starts, for a function that the workers could not find, such as a lambda or a function
    typed in a session; workers of engine "dask" take these, too. Raises GraphError for a graph that
    is not a dag, FormatError for a journal that cannot be used, EngineError if the engine cannot be
    used. After Ctrl-C running tasks are stopped, then KeyboardInterrupt is raised.

    >>> run({"a": (int, "3"), "b": (pow, "a", 2), "c": (sum, ["a", "b"])}, workers=1)
    {'a': 3, 'b': 9, 'c': 12}
    """
    if journal is not None:  # functions may go to another directory
        journal = Path(journal).absolute()
    calls = calls_of(tasks)
    dag = Dag({name: call.parents for name, call in calls.items()})
    chosen = ENGINES.find(engine)
    if chosen.open is None:
        raise ArgumentError(f"engine {engine}: it runs commands, not Python functions")
    if chosen is LOCAL:
        check_findable(calls.items())
    opening = Opening(resume, again, ways=ARGUMENTS)
    _check_opening(opening, journal)
    keeper = None if journal is None else WorkerRecorder(str(journal), keeps_results=True)
    rules = Rules(retries=retries, keep_going=keep_going, time_limit=time_limit)
    terms = Terms(workers, address, recorder=keeper)
    course = Course(chosen, terms, rules, keeps_results=keeper is not None)
    works = [] if journal is None else _works(calls)
    with _journal(journal, dag, works, opening) as kept:
        left = _Calls(dag, calls, kept)
        if len(left.dag):
            plan = left.plan(order, run_times)
            happened, _ = run_by_crew(left, plan, kept, course)
            _check(left, happened)
    return {name: left.results[task] for task, name in enumerate(tasks)}


def _check_opening(opening: Opening, journal: object) -> None:
    for name in ("resume", "again"):
        if getattr(opening, name) and journal is None:
            raise ArgumentError(f"{name}: expected a journal")
    if opening.resume and opening.again:
        raise ArgumentError("resume cannot be used with again")


def _works(calls: Mapping[Name, FunctionCall]) -> list[object]:
    """Return what marks each task in every process; ArgumentError if a journal cannot know it."""
    found: list[object] = []
    for name, call in calls.items():
        try:
            str(name).encode()
            found.append((_label(call.function), _steady(call.arguments)))
        except UnicodeEncodeError:
            problem = "expected a name in UTF-8 for the journal"
            raise ArgumentError(f"task {name!r}: {problem}") from None
        except Exception as error:  # what the class of an argument raises cannot be foreseen
            reason = " ".join(str(error).split())
            problem = f"a journal needs arguments that pickle: {reason}"
            raise ArgumentError(f"task {name!r}: {problem}") from error
    return found


def _label(function: Function) -> tuple[object, ...]:
    """Return what marks a function: its name, its state, and the arguments of a partial."""
    if isinstance(function, partial):
        words = function.args, sorted(function.keywords.items())
        return *_label(function.func), _steady(words)
    named = getattr(function, "__qualname__", None)
    if named is None:  # an object that can be called
        return (_steady(function),)
    return f"{getattr(function, '__module__', '')}.{named}", _steady(_state(function))


def _state(function: Function) -> object:
    """Return what a function has beside its name: its object, or values of a local function."""
    if isinstance(function, FunctionType) and "<" in function.__qualname__:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        return cells, function.__defaults__, function.__kwdefaults__
    owner = getattr(function, "__self__", None)
    return None if isinstance(owner, ModuleType) else owner


def _steady(value: object) -> str:
    """Return a digest of a pickle that is the same in every process."""
    text = io.BytesIO()
    _Steady(text, protocol=5).dump(value)
    return sha256(text.getbuffer()).hexdigest()


class _Steady(pickle.Pickler):
    """Pickles sets in an order of their own, and equal texts alike, be they one object or two."""

    def persistent_id(self, value: object) -> object:
        """Return what stands for a set or a text; None for what is pickled as usual."""
        if isinstance(value, set | frozenset):
            return type(value).__name__, sorted(map(_steady, value))
        if isinstance(value, Several) and issubclass(value.make, set | frozenset):
            return f"{value.make.__name__} of parts", sorted(map(_steady, value.parts))
        if type(value) is str:
            return f"text {value}"
        return None


@contextmanager
def _journal(
    path: str | os.PathLike[str] | None, dag: Dag, works: Sequence[object], opening: Opening
) -> Iterator[Journal]:
    if path is None:
        yield Journal.in_memory()
        return
    with open_journal(Path(path), identity_of(dag, works), opening) as kept:
        yield kept


class _Calls:
    """The tasks that are left, by their ids in `dag`, and the results by ids in the whole."""

    def __init__(self, whole: Dag, calls: Mapping[Any, FunctionCall], kept: Journal) -> None:
        self.results: dict[int, object] = kept.results()
        is_left = np.ones(len(whole), bool)
        is_left[list(self.results)] = False
        self._left = np.flatnonzero(is_left)
        self.dag = whole.induced(self._left)
        self._whole, self._ids, self._calls = whole, whole.ids, calls

    @property
    def all_names(self) -> Names:
        """The names of all tasks, by their ids in the whole."""
        return self._whole.names

    def plan(self, order: str | Order, run_times: RunTimes | None) -> Plan:
        """Order the tasks that are left, by an order and run times of the whole."""
        times = None
        if run_times is not None:
            times = checked_run_times(self._whole, run_times)[self._left]
        if not isinstance(order, str):
            ids = check_order(self._whole, order)
            order = np.searchsorted(self._left, ids[np.isin(ids, self._left)]).astype(np.int32)
        return prioritize(self.dag, order, run_times=times)

    def name(self, task: int, /) -> str:
        return str(self.dag.names[task])

    def whole(self, task: int, /) -> int:
        return int(self._left[task])

    def work(self, task: int, /) -> Call:
        call = self._calls[self.dag.names[task]]
        return partial(call, {name: self.results[self._ids[name]] for name in call.parents})

    def expected(self, _task: int, /) -> float | None:
        return None

    def finished(self, task: int, value: object, /) -> None:
        self.results[self.whole(task)] = value


def _check(calls: _Calls, happened: Happened) -> None:
    if happened.signal is not None:
        raise KeyboardInterrupt
    if happened.full is not None:
        raise stopped(happened.full, ARGUMENTS)
    if happened.failed:
        names = calls.dag.names
        failed = {names[task]: problem for task, problem in happened.failed.items()}
        done = {calls.all_names[task]: value for task, value in sorted(calls.results.items())}
        texts = {names[task]: why.traceback for task, why in happened.failures.items()}
        first = happened.failures.get(next(iter(happened.failed)))
        raise RunError(failed, done, texts) from (first.cause() if first else None)
