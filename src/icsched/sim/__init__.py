"""Simulation of a dag's execution by unpredictable workers (paper 004, section 4, and beyond)."""

from icsched.sim import plain
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

__all__ = [
    "Allocator",
    "Assignments",
    "Batches",
    "Ending",
    "Policy",
    "Pool",
    "Runs",
    "Times",
    "Trace",
    "Workers",
    "plain",
    "simulate_runs",
    "trace",
]
