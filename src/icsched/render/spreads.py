"""How run times vary, in words; not in `known`, which serves commands without a simulator."""

from icsched.sim import Times


def variation(times: Times) -> str:
    """Say how much run times vary around their means.

    >>> variation(Times(spread=0.25)), variation(Times("constant"))
    ('run times vary by 25%', 'run times do not vary')
    """
    if times.law == "constant":
        return "run times do not vary"
    return f"run times vary by {100 * times.spread:.3g}%"


ASSUMED = variation(Times())  # by every command, unless the user or the logs say otherwise
