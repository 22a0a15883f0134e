"""Scripts that submit jobs to Slurm: reading and writing."""
