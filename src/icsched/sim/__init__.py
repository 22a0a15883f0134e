"""Simulation of unpredictable workers that run a dag, after Malewicz et al. 2007."""

from icsched.sim.experiment import Experiment
from icsched.sim.machines import HTCondor, Machine, Machines
from icsched.sim.model import AnyPool, Played, Playing, Pool, Recorded, Times, Workers
from icsched.sim.pools import pool_of, pool_to_dict, read_pool
from icsched.sim.results import Assignments, Batches, Ending, Runs, Trace
from icsched.sim.sampling import METRICS, Estimates, Paired, PaperSampling, Ratios, Simulation
from icsched.sim.stats import Mean, Ratio
from icsched.sim.timelines import Timeline

__all__ = [
    "METRICS",
    "AnyPool",
    "Assignments",
    "Batches",
    "Ending",
    "Estimates",
    "Experiment",
    "HTCondor",
    "Machine",
    "Machines",
    "Mean",
    "Paired",
    "PaperSampling",
    "Played",
    "Playing",
    "Pool",
    "Ratio",
    "Ratios",
    "Recorded",
    "Runs",
    "Simulation",
    "Timeline",
    "Times",
    "Trace",
    "Workers",
    "pool_of",
    "pool_to_dict",
    "read_pool",
]
