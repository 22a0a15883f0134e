"""Whether worker processes can find the functions of a mapping, before any of them starts."""

import os
import pickle
import sys
from collections.abc import Iterable
from operator import attrgetter
from types import FunctionType
from typing import Any

from icsched.errors import ArgumentError

_MAIN = "__main__"


class _Hidden(Exception):  # noqa: N818  never leaves this module
    """A function or a class that no other process can find; the argument says why."""


class _Sink:
    """A file that keeps nothing."""

    def write(self, some: Any, /) -> int:
        """Drop bytes."""
        return len(memoryview(some))


class _Prober(pickle.Pickler):
    """Pickles as for a worker, and raises `_Hidden` for what a worker could not find."""

    def reducer_override(self, value: object) -> Any:
        """Look at a function or a class, and let all be pickled as usual."""
        if isinstance(value, FunctionType | type):
            _check_found(value)
        return NotImplemented


def check_findable(tasks: Iterable[tuple[object, object]]) -> None:
    """Raise ArgumentError for the first function that does not pickle, or that workers cannot find.

    *tasks* are names and functions. A worker is a new process: it imports modules, and reads the
    script again, but knows nothing that was typed in a session.
    """
    for name, function in tasks:
        try:
            _Prober(_Sink(), protocol=5).dump(function)
        except _Hidden as error:
            problem = f"workers cannot find {error}"
            raise ArgumentError(f"task {name!r}: {problem}, or use engine='dask'") from None
        except Exception as error:  # what the class of an argument raises cannot be foreseen
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            problem = f"expected a function and arguments that pickle: {reason}"
            raise ArgumentError(f"task {name!r}: {problem}") from error


def _check_found(value: Any) -> None:
    where, name = value.__module__, value.__qualname__
    try:
        found = attrgetter(name)(sys.modules[where])
    except (KeyError, AttributeError):
        found = None
    if found is not value:
        advice = "write it with def at the top of a module"
        raise _Hidden(f"the function {name!r} of {where}: {advice}")
    if where == _MAIN and not _is_in_file(value):
        advice = "write it into a module, and import it from there"
        raise _Hidden(f"{name!r} of {_MAIN}, which is not in a file: {advice}")


def _is_in_file(value: Any) -> bool:
    """Whether something of the main module comes from a file, which a worker reads again."""
    main = sys.modules[_MAIN]
    if getattr(main, "__spec__", None) is None and not hasattr(main, "__file__"):
        return False
    code = getattr(value, "__code__", None)
    return code is None or os.path.exists(code.co_filename)  # noqa: PTH110
