"""A dag's execution by unpredictable workers, simulated as Malewicz et al. 2007 did, and more."""

from icsched.sim import plain
from icsched.sim.clusters import Clustered, run_clusters
from icsched.sim.engine import simulate_runs, trace
from icsched.sim.model import (
    Assignments,
    Batches,
    Ending,
    Played,
    Playing,
    Pool,
    Runs,
    Times,
    Trace,
    Workers,
)
from icsched.sim.stats import Mean, Ratio

__all__ = [
    "Assignments",
    "Batches",
    "Clustered",
    "Ending",
    "Mean",
    "Played",
    "Playing",
    "Pool",
    "Ratio",
    "Runs",
    "Times",
    "Trace",
    "Workers",
    "plain",
    "run_clusters",
    "simulate_runs",
    "trace",
]
