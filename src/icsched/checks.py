"""Checks of arguments: integers, numbers and choices, with one wording.

Each takes the error class to raise, so that a caller's errors stay its own. A message names the
argument, says what was expected, and says what came.
"""

import math
from collections.abc import Collection
from numbers import Real
from operator import index

from icsched.errors import IcschedError

Raises = type[IcschedError]


def whole_number(
    what: str, value: object, *, least: int, most: int | None = None, error: Raises
) -> int:
    """Return *value* as an int; raise *error* unless it is an integer from *least* to *most*.

    >>> from icsched.errors import ScheduleError
    >>> whole_number("limit", 7, least=1, error=ScheduleError)
    7
    >>> whole_number("limit", 0, least=1, error=ScheduleError)
    Traceback (most recent call last):
    icsched.errors.ScheduleError: limit: expected a whole number, 1 or more, got 0
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        bounds = f", {least:,} or more" if most is None else f" from {least:,} to {most:,}"
        raise error(f"{what}: expected a whole number{bounds}, got {value!r}")
    return number


def number_within(
    what: str, value: object, *, least: float, most: float = math.inf, error: Raises
) -> float:
    """Return *value* as a float; raise *error* unless it is a number from *least* to *most*.

    >>> from icsched.errors import SimulationError
    >>> number_within("batch", 0.5, least=1, error=SimulationError)
    Traceback (most recent call last):
    icsched.errors.SimulationError: batch: expected 1 or more, got 0.5
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        raise error(f"{what}: expected a number, got {value!r}")
    number = float(value)
    if not least <= number <= most:
        bounds = f"{least:g} or more" if most == math.inf else f"{least:g} to {most:,}"
        raise error(f"{what}: expected {bounds}, got {value}")
    return number


def one_of(what: str, value: object, choices: Collection[str], *, error: Raises) -> None:
    """Raise *error* unless *value* is one of *choices*.

    >>> from icsched.errors import ScheduleError
    >>> one_of("counting", "all", ["eligible", "nonsources"], error=ScheduleError)
    Traceback (most recent call last):
    icsched.errors.ScheduleError: counting: expected eligible or nonsources, got 'all'
    """
    if value not in choices:
        *first, last = choices
        known = f"{', '.join(first)} or {last}" if first else last
        raise error(f"{what}: expected {known}, got {value!r}")
