"""Whether worker processes can find the functions of a mapping, before any of them starts."""

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from operator import attrgetter
from pathlib import Path
from socket import socket
from types import EllipsisType, FunctionType, NoneType, NotImplementedType
from typing import Any

from icsched.engines.worker import problem_of
from icsched.errors import ArgumentError

_MAIN = "__main__"
_GUARD = "if __name__ == '__main__':"
_NAMELESS = (NoneType, EllipsisType, NotImplementedType)  # pickled, although no module has them


class _Hidden(Exception):  # noqa: N818  never leaves this module
    """A function or a class that no other process can find; the argument says why."""


class _Sink:
    """A file that keeps nothing."""

    def write(self, some: Any, /) -> int:
        """Drop bytes."""
        return len(memoryview(some))


class _Prober(ForkingPickler):
    """Pickles as for a worker, and raises `_Hidden` for what a worker could not find."""

    def reducer_override(self, value: object) -> Any:
        """Look at what is pickled by its name, and let all be pickled as usual."""
        if isinstance(value, socket | Connection):
            return int, ()  # it can be sent, but a copy for nobody would stay open
        if isinstance(value, FunctionType | type):
            if value not in _NAMELESS:
                _check_found(value)
        elif getattr(value, "__module__", None) == _MAIN and _has_name(value):
            _check_main(value)
        return NotImplemented


def check_findable(tasks: Iterable[tuple[object, object]]) -> None:
    """Raise ArgumentError for the first function that does not pickle, or that workers cannot find.

    *tasks* are names and calls. A worker is a new process: it imports modules, and reads the
    script again, but knows nothing that was typed in a session.
    """
    for name, function in tasks:
        try:
            _Prober(_Sink(), 5).dump(function)
        except _Hidden as error:
            problem = f"workers cannot find {error}"
            raise ArgumentError(f"task {name!r}: {problem}, or use engine='dask'") from None
        except Exception as error:  # what the class of an argument raises cannot be foreseen
            problem = f"expected a function and arguments that pickle: {problem_of(error)}"
            raise ArgumentError(f"task {name!r}: {problem}") from error


def _has_name(value: Any) -> bool:
    """Whether something is pickled by its name, as the functions of `functools.cache` are."""
    if not hasattr(value, "__qualname__"):
        return False
    with suppress(Exception):  # what the class of a user's object raises cannot be foreseen
        return isinstance(value.__reduce_ex__(5), str)
    return False


def _check_found(value: Any) -> None:
    where, name = value.__module__, value.__qualname__
    found = None
    with suppress(Exception):  # what a module raises cannot be foreseen
        found = attrgetter(name)(sys.modules.get(where) or import_module(where))
    if found is not value:
        kind, word = ("class", "class") if isinstance(value, type) else ("function", "def")
        advice = f"write it with {word} at the top of a module"
        raise _Hidden(f"the {kind} {name!r} of {where}: {advice}")
    if where == _MAIN:
        _check_main(value)


def _check_main(value: Any) -> None:
    """Raise `_Hidden` for what a worker does not find when it reads the main module again."""
    name = value.__qualname__
    advice = "write it into a module, and import it from there"
    if not _is_in_file(value):
        raise _Hidden(f"{name!r} of {_MAIN}, which is not in a file: {advice}")
    spec = getattr(sys.modules[_MAIN], "__spec__", None)
    if spec is not None and spec.name.split(".")[-1] == _MAIN:
        raise _Hidden(f"{name!r} of {spec.name}, which workers do not read: {advice}")
    if name.split(".")[0] in _guarded(getattr(sys.modules[_MAIN], "__file__", None) or os.devnull):
        raise _Hidden(f"{name!r} of {_MAIN}: write it above {_GUARD!r}")


def _is_in_file(value: Any) -> bool:
    """Whether something of the main module comes from a file, which a worker reads again."""
    main = sys.modules[_MAIN]
    if getattr(main, "__spec__", None) is None and not hasattr(main, "__file__"):
        return False
    code = getattr(getattr(value, "__wrapped__", value), "__code__", None)
    return code is None or os.path.exists(code.co_filename)  # noqa: PTH110


@cache
def _guarded(script: str) -> frozenset[str]:
    """Return the functions and classes that a script has only below its guard."""
    try:
        lines = ast.parse(Path(script).read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    guards = [line for line in lines if isinstance(line, ast.If) and _is_guard(line)]
    below = {name for guard in guards for line in guard.body for name in _names(line)}
    above = {name for line in lines if line not in guards for name in _names(line)}
    above.update(name for guard in guards for line in guard.orelse for name in _names(line))
    return frozenset(below - above)


def _is_guard(line: ast.If) -> bool:
    return f"if {ast.unparse(line.test)}:" == _GUARD


def _names(line: ast.AST) -> Iterator[str]:
    """Yield the functions and classes that a statement makes, also in blocks."""
    if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield line.name
    else:
        for part in ast.iter_child_nodes(line):
            yield from _names(part)
