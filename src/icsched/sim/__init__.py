"""A dag's execution by unpredictable workers, simulated as Malewicz et al. 2007 did, and more."""

from icsched.sim import plain
from icsched.sim.engine import simulate_runs, trace
from icsched.sim.model import AnyPool, Pool, Recorded, Times, Workers
from icsched.sim.played import Played, Playing
from icsched.sim.pools import pool_of, pool_to_dict, read_pool
from icsched.sim.results import Assignments, Batches, Ending, Runs, Trace
from icsched.sim.stats import Mean, Ratio

__all__ = [
    "AnyPool",
    "Assignments",
    "Batches",
    "Ending",
    "Mean",
    "Played",
    "Playing",
    "Pool",
    "Ratio",
    "Recorded",
    "Runs",
    "Times",
    "Trace",
    "Workers",
    "plain",
    "pool_of",
    "pool_to_dict",
    "read_pool",
    "simulate_runs",
    "trace",
]
