"""Pools in files, with what `icsched learn` says about them."""

from dataclasses import dataclass, replace

import numpy as np

from icsched.sim import AnyPool, Pool, pool_to_dict
from icsched.sim.pools import REPLAY_ERROR, read_pool_data
from icsched.sim.usual import usual_pools
from icsched.workflow import Workflow

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


def usual_pool(workflow: Workflow) -> Pool:
    """Return the batches of requests to assume for *workflow* if nothing is known of its pool."""
    means = workflow.run_times
    known = np.ones(len(workflow.dag)) if means is None or not means.any() else means
    usual = next(pool for pool in usual_pools(workflow.dag, known) if isinstance(pool, Pool))
    return replace(usual, interval=float(f"{usual.interval:.3g}"))  # people read it


def pool_text(given: GivenPool) -> str:
    """Return the text of a file that `read_given_pool` reads."""
    import msgspec  # slow to import

    known = {} if given.replay_error is None else {REPLAY_ERROR: round(given.replay_error, 4)}
    data = {**pool_to_dict(given.pool), **known}
    return msgspec.json.format(msgspec.json.encode(data)).decode() + "\n"
