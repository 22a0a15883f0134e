"""Pools in files, with what `icsched learn` says about them."""

from dataclasses import dataclass

from icsched.sim import AnyPool, pool_to_dict
from icsched.sim.pools import REPLAY_ERROR, read_pool_data

FAR_OFF = 0.2  # a pool with a larger error does not explain the run that it was learned from


@dataclass(frozen=True, eq=False)
class GivenPool:
    """A pool, and how far off the run ends by simulation that the pool was learned from.

    `replay_error` is the simulated end over the actual end, less 1; None if nobody says it.
    """

    pool: AnyPool
    replay_error: float | None = None


def read_given_pool(path: str) -> GivenPool:
    """Return the pool of a JSON file; raises FormatError in one line if there is none."""
    pool, data = read_pool_data(path)
    error = data.get(REPLAY_ERROR)
    return GivenPool(pool, error if isinstance(error, int | float) else None)


def pool_text(given: GivenPool) -> str:
    """Return the text of a file that `read_given_pool` reads."""
    import msgspec  # slow to import

    known = {} if given.replay_error is None else {REPLAY_ERROR: round(given.replay_error, 4)}
    data = {**pool_to_dict(given.pool), **known}
    return msgspec.json.format(msgspec.json.encode(data)).decode() + "\n"
