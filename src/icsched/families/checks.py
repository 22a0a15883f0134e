"""What every family checks before it builds: ranges, choices and the size of the result."""

from collections.abc import Collection

from icsched import checks
from icsched.errors import ArgumentError

MOST_TASKS = 20_000_000
MOST_ARCS = 100_000_000
DEEPEST = 25  # 2 ** DEEPEST > MOST_TASKS, so a larger exponent need not be computed


def check_range(argument: str, value: int, least: int, most: int | None = None) -> None:
    """Raise ArgumentError unless *value* is an integer from *least* to *most*.

    >>> check_range("s", 0, 1)
    Traceback (most recent call last):
    icsched.errors.ArgumentError: argument s: expected a whole number, 1 or more, got 0
    """
    checks.whole_number(f"argument {argument}", value, least=least, most=most)


def check_choice(argument: str, value: str, choices: Collection[str]) -> None:
    """Raise ArgumentError unless *value* is one of *choices*.

    >>> check_choice("which", "up", ["left", "right"])
    Traceback (most recent call last):
    icsched.errors.ArgumentError: argument which: expected left or right, got 'up'
    """
    checks.one_of(f"argument {argument}", value, choices)


def check_size(tasks: int, arcs: int) -> None:
    """Raise ArgumentError if a dag of *tasks* and *arcs* is too large to build.

    >>> check_size(2**64, 1)
    Traceback (most recent call last):
    icsched.errors.ArgumentError: too large: expected at most 20,000,000 tasks, asked for more
    """
    for what, size, most in (("tasks", tasks, MOST_TASKS), ("arcs", arcs, MOST_ARCS)):
        if size > most:
            raise ArgumentError(f"too large: expected at most {most:,} {what}, asked for more")


def capped_power(base: int, exponent: int) -> int:
    """Return ``base ** exponent``, or some number above `MOST_TASKS` if the power is above.

    *base* must be 2 or more. The cap keeps an absurd exponent from filling memory.

    >>> capped_power(2, 10), capped_power(2, 10**9) > MOST_TASKS
    (1024, True)
    """
    return int(base ** min(exponent, DEEPEST))
