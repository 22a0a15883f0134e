"""Pools in files, with what `icsched learn` says about them."""

import math
import os
from dataclasses import dataclass

from icsched import files
from icsched.errors import ArgumentError, FormatError, SimulationError
from icsched.sim import AnyPool, pool_of, pool_to_dict, read_pool
from icsched.sim.pools import LARGEST_FILE

FAR_OFF = 0.2  # a pool with a larger error does not explain the run that it was learned from
REPLAY_ERROR = "replay_error"  # a key of the file beside those of the pool


@dataclass(frozen=True, eq=False)
class GivenPool:
    """A pool, and how far off the run ends by simulation that the pool was learned from.

    `replay_error` is the simulated end over the actual end, less 1; None if nobody says it.
    """

    pool: AnyPool
    replay_error: float | None = None


def read_given_pool(path: str) -> GivenPool:
    """Return the pool of a JSON file; raises FormatError in one line if there is none.

    The file is read once, because it may be a pipe.
    """
    import msgspec

    text = files.read_text(path)
    try:
        if len(text) > LARGEST_FILE:
            raise msgspec.MsgspecError("too many characters")
        data = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        if os.path.isfile(path):  # noqa: PTH113  also False for a name that no file can have
            return GivenPool(read_pool(path))  # it raises, and says what is wrong
        raise FormatError(path, None, f"expected a pool as JSON, got {error}") from error
    try:
        known = _taken_error(data)
        return GivenPool(pool_of(data), known)
    except (ArgumentError, SimulationError) as error:
        raise FormatError(path, None, str(error)) from error


def _taken_error(data: object) -> float | None:
    """Take `REPLAY_ERROR` out of *data* and return it; raises ArgumentError if it is no number."""
    if not isinstance(data, dict) or REPLAY_ERROR not in data:
        return None
    value = data.pop(REPLAY_ERROR)
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ArgumentError(f"{REPLAY_ERROR}: expected a number, got {str(value)[:60]}")
    return float(value)


def pool_text(given: GivenPool) -> str:
    """Return the text of a file that `read_given_pool` reads."""
    import msgspec  # slow to import

    known = {} if given.replay_error is None else {REPLAY_ERROR: round(given.replay_error, 4)}
    data = {**pool_to_dict(given.pool), **known}
    return msgspec.json.format(msgspec.json.encode(data)).decode() + "\n"
