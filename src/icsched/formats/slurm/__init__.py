"""Scripts that submit jobs to Slurm: reading and writing."""

from icsched.formats.slurm.entry import SLURM

__all__ = ["SLURM"]
