"""Counts and numbers in words."""

_HUGE = 1e9  # larger numbers get six digits: nobody reads more


def size(jobs: int, arcs: int) -> str:
    """Say how large a workflow is."""
    dependencies = counted(arcs, "dependency", "dependencies")
    return f"{counted(jobs, 'job')}, {dependencies}"


def counted(count: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun in singular or plural.

    >>> counted(1, "job"), counted(1200, "job"), counted(2, "dependency", "dependencies")
    ('1 job', '1,200 jobs', '2 dependencies')
    """
    digits = f"{count:,}" if isinstance(count, int) else number(count)
    return f"{digits} {one if count == 1 else many or one + 's'}"


def number(value: float, decimals: int | None = None) -> str:
    """Return a number with this many decimals, or all it has; a huge one with six digits.

    >>> number(1.0), number(1234567.5), number(1234.5678, 1), number(1e30, 8)
    ('1', '1,234,567.5', '1,234.6', '1e+30')
    """
    if abs(value) >= _HUGE:
        return f"{value:g}"
    return f"{value:,.10g}" if decimals is None else f"{value:,.{decimals}f}"
