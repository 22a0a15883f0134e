"""Mappings of Python calls: the grammar of `icsched.engines.dask.compute`.

A task is a function, which is called without arguments, or a tuple of a function and its arguments.
An argument that is the name of a task stands for the result of that task, also inside lists,
tuples, sets, frozen sets and named tuples. A tuple that begins with a function is a call there,
too. Every other argument stands for itself: True and 1.0 do not stand for the result of a task
called 1. Graphs of Dask have the same form.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias, TypeGuard

from icsched.errors import ArgumentError

Function: TypeAlias = Callable[..., object]
Known: TypeAlias = Collection[tuple[type, Hashable]]  # the names of all tasks, with their kinds


@dataclass(frozen=True, slots=True)
class Result:
    """Stands for the result of a task."""

    name: Any  # hashable


@dataclass(frozen=True, slots=True)
class Several:
    """A list, tuple, set, frozen set or named tuple with results or calls inside."""

    make: type
    parts: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function and its arguments: results, calls, containers of these, and plain values."""

    function: Function
    arguments: tuple[object, ...] = ()

    def __call__(self, results: Mapping[Hashable, object]) -> object:
        """Call the function, with the results of tasks by name."""
        return self.function(*(_value(part, results) for part in self.arguments))

    @property
    def parents(self) -> tuple[Hashable, ...]:
        """The tasks whose results are needed, each once, as they are first named."""
        return tuple(dict.fromkeys(_names(self)))


def known_names(names: Iterable[Hashable]) -> Known:
    """Return *names* for `call_of`."""
    return frozenset((_kind(name), name) for name in names)


def _kind(name: object) -> type:
    """Return what tells an integer from a name that only equals it."""
    if isinstance(name, bool | float):
        return type(name)
    return int if isinstance(name, Integral) else object


def is_call(given: object) -> bool:
    """Whether *given* is a task of the grammar."""
    return callable(given) or _is_tuple_of_call(given)


def call_of(name: Hashable, given: object, names: Known) -> FunctionCall:
    """Return the task called *name* as a call; *names* are those of all tasks.

    Raises ArgumentError for arguments that are inside each other too deeply, or without an end.

    >>> call = call_of("c", (sum, ["a", "b", 7]), known_names("abc"))
    >>> call.parents, call({"a": 1, "b": 2})
    (('a', 'b'), 10)
    """
    try:
        return _call(given, names)
    except RecursionError:
        raise ArgumentError(f"task {name!r}: its arguments are nested too deeply") from None


def _call(given: object, names: Known) -> FunctionCall:
    first, *rest = given if isinstance(given, tuple) else (given,)
    return FunctionCall(first, tuple(_part(argument, names) for argument in rest))


def _is_tuple_of_call(given: object) -> bool:
    return type(given) is tuple and bool(given) and callable(given[0])


def _is_container(argument: object) -> TypeGuard[Collection[object]]:
    is_plain = type(argument) in (list, tuple, set, frozenset)
    return is_plain or _is_named_tuple(argument)  # another subclass may be made in another way


def _is_named_tuple(argument: object) -> bool:
    return isinstance(argument, tuple) and hasattr(argument, "_fields")


def _part(argument: object, names: Known) -> object:
    """Return what stands for an argument; the argument itself if there is nothing to fill in."""
    if _is_tuple_of_call(argument):
        return _call(argument, names)
    if _has_hash(argument) and (_kind(argument), argument) in names:
        return Result(argument)
    if not _is_container(argument):
        return argument
    parts = tuple(_part(value, names) for value in argument)
    is_plain = not any(isinstance(part, Result | FunctionCall | Several) for part in parts)
    return argument if is_plain else Several(type(argument), parts)


def _value(part: object, results: Mapping[Hashable, object]) -> object:
    if isinstance(part, Result):
        return results[part.name]
    if isinstance(part, FunctionCall):
        return part(results)
    if isinstance(part, Several):
        return made(part.make, [_value(one, results) for one in part.parts])
    return part


def made(kind: type, values: list[object]) -> object:
    """Return a container of a kind that `Several` has."""
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def _names(part: object) -> Iterator[Hashable]:
    """Yield the names of tasks inside a part."""
    if isinstance(part, Result):
        yield part.name
    elif isinstance(part, FunctionCall | Several):
        inside = part.arguments if isinstance(part, FunctionCall) else part.parts
        for one in inside:
            yield from _names(one)


def _has_hash(word: object) -> bool:
    """Whether a word has a hash: a tuple with a list inside has none."""
    try:
        hash(word)
    except TypeError:
        return False
    return True
