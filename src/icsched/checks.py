"""Checks of arguments: integers, numbers and choices, with one wording.

Each function raises ArgumentError. The message names the argument, says what was expected, and
says what was given.
"""

import math
from collections.abc import Collection, Sized
from numbers import Real
from operator import index

from icsched.errors import ArgumentError


def whole_number(
    what: str, value: object, *, least: int | None = None, most: int | None = None
) -> int:
    """Return *value*; raises ArgumentError unless it is an integer from *least* to *most*.

    Without *least* every integer is returned.

    >>> whole_number("limit", 7, least=1)
    7
    >>> whole_number("limit", 0, least=1)
    Traceback (most recent call last):
    icsched.errors.ArgumentError: limit: expected a whole number, 1 or more, got 0
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    low, high = -math.inf if least is None else least, math.inf if most is None else most
    if number is None or not low <= number <= high:
        least_only = "" if least is None else f", {least:,} or more"
        bounds = least_only if most is None else f" from {least:,} to {most:,}"
        raise ArgumentError(f"{what}: expected a whole number{bounds}, got {value!r}")
    return number


def number_within(what: str, value: object, *, least: float, most: float = math.inf) -> float:
    """Return *value*; raises ArgumentError unless it is a number from *least* to *most*.

    >>> number_within("batch", 0.5, least=1)
    Traceback (most recent call last):
    icsched.errors.ArgumentError: batch: expected 1 or more, got 0.5
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ArgumentError(f"{what}: expected a number, got {value!r}")
    number = float(value)
    if not least <= number <= most:
        bounds = f"{least:g} or more" if most == math.inf else f"{least:g} to {most:,}"
        raise ArgumentError(f"{what}: expected {bounds}, got {value}")
    return number


def one_of(what: str, value: object, choices: Collection[str]) -> None:
    """Raise ArgumentError unless *value* is one of *choices*.

    >>> one_of("law", "all", ["normal", "constant"])
    Traceback (most recent call last):
    icsched.errors.ArgumentError: law: expected normal or constant, got 'all'
    """
    if value not in choices:
        *first, last = choices
        known = f"{', '.join(first)} or {last}" if first else last
        raise ArgumentError(f"{what}: expected {known}, got {value!r}")


def one_per_task(what: str, values: object, tasks: int) -> None:
    """Raise ArgumentError unless *values* has one value for each of *tasks* tasks.

    >>> one_per_task("sizes", [5, 7], 3)
    Traceback (most recent call last):
    icsched.errors.ArgumentError: sizes: expected 3 values, one for each task, got 2
    """
    if not isinstance(values, Sized):
        raise ArgumentError(f"{what}: expected one for each task, got {values!r}")
    if len(values) != tasks:
        counts = f"expected {tasks:,} values, one for each task, got {len(values):,}"
        raise ArgumentError(f"{what}: {counts}")


def kind_of(what: str, value: object, kind: type, *, made_by: str) -> None:
    """Raise ArgumentError unless *value* is a *kind*; the message says what makes one.

    >>> kind_of("count", "7", int, made_by="int()")
    Traceback (most recent call last):
    icsched.errors.ArgumentError: count: expected int, as int() returns it, got str
    """
    if not isinstance(value, kind):
        expected = f"{kind.__name__}, as {made_by} returns it"
        raise ArgumentError(f"{what}: expected {expected}, got {type(value).__name__}")
