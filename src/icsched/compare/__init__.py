"""Orders side by side on the same simulated pool, and what requests find over time."""

from icsched.compare.simulation import (
    METRICS,
    Estimates,
    Paired,
    PaperSampling,
    Ratios,
    Simulation,
    simulate,
)
from icsched.compare.timelines import Timeline

__all__ = [
    "METRICS",
    "Estimates",
    "Paired",
    "PaperSampling",
    "Ratios",
    "Simulation",
    "Timeline",
    "simulate",
]
