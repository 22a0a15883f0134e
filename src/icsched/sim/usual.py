"""Pools to try if nothing is known of the user's pool."""

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.pebble import remaining_paths
from icsched.sim.model import AnyPool, Pool, Workers

MANY_TASKS = 100_000  # from here on fewer pools are tried


def usual_pools(dag: Dag, times: Floats) -> list[AnyPool]:
    """Return pools scaled to the width of *dag* and to the mean of its run times.

    There are fixed workers: an eighth, a quarter and half of the width, and as many as the work
    divided by the longest path, which we call balanced. And there are requests in batches of mean
    1, 16 and 64 that are lost if no task is eligible. Large dags are tried on three of these. The
    first pools say most; a small budget is not enough for more of them.

    >>> chains = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"]})
    >>> [pool.count for pool in usual_pools(chains, np.ones(4)) if isinstance(pool, Workers)]
    [2]
    """
    width = int(np.bincount(dag.levels).max())
    mean = float(times.mean())
    balanced = max(2, round(float(times.sum() / remaining_paths(dag, times).max())))
    quarter = max(2, width // 4)
    few: list[AnyPool] = [
        Workers(balanced),
        Pool(interval=mean * 16 / balanced, batch=16),
        Workers(quarter),
    ]
    if len(dag) >= MANY_TASKS:
        return _distinct(few)
    return _distinct(
        [
            *few,
            Workers(max(2, width // 8)),
            Workers(max(2, width // 2)),
            Pool(interval=mean / balanced, batch=1),
            Pool(interval=mean * 64 / quarter, batch=64),
        ]
    )


def _distinct(pools: list[AnyPool]) -> list[AnyPool]:
    """Return *pools* without repetitions."""
    return [pool for place, pool in enumerate(pools) if pool not in pools[:place]]
