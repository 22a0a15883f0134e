"""A dag's execution by unpredictable workers, simulated as Malewicz et al. 2007 did, and more."""

from icsched.sim import plain
from icsched.sim.clusters import Clustered, run_clusters
from icsched.sim.compare import (
    METRICS,
    Estimates,
    Paired,
    PaperSampling,
    Ratios,
    Simulation,
    simulate,
)
from icsched.sim.engine import simulate_runs, trace
from icsched.sim.model import (
    Assignments,
    Batches,
    Ending,
    Played,
    Pool,
    Runs,
    Times,
    Trace,
    Workers,
)
from icsched.sim.stats import Mean, Ratio
from icsched.sim.timeline import Timeline

__all__ = [
    "METRICS",
    "Assignments",
    "Batches",
    "Clustered",
    "Ending",
    "Estimates",
    "Mean",
    "Paired",
    "PaperSampling",
    "Played",
    "Pool",
    "Ratio",
    "Ratios",
    "Runs",
    "Simulation",
    "Timeline",
    "Times",
    "Trace",
    "Workers",
    "plain",
    "run_clusters",
    "simulate",
    "simulate_runs",
    "trace",
]
