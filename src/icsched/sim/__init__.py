"""A dag's execution by unpredictable workers, simulated as Malewicz et al. 2007 did, and more."""

from icsched.sim import plain
from icsched.sim.clusters import Clustered, Dispatcher, run_clusters
from icsched.sim.compare import (
    METRICS,
    POLICIES,
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
    Policy,
    Pool,
    Runs,
    Times,
    Trace,
    Workers,
)
from icsched.sim.plain import Allocator
from icsched.sim.stats import Mean, Ratio
from icsched.sim.timeline import Timeline

__all__ = [
    "METRICS",
    "POLICIES",
    "Allocator",
    "Assignments",
    "Batches",
    "Clustered",
    "Dispatcher",
    "Ending",
    "Estimates",
    "Mean",
    "Paired",
    "PaperSampling",
    "Policy",
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
