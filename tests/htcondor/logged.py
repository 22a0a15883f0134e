"""Jobs whose logs are read, and what the logs say of them."""

from pathlib import Path

from icsched.history import Ending, PastRun
from tests.htcondor.pool import submit_file

VANILLA = ("universe = vanilla", "request_cpus = 1", "request_memory = 8", "request_disk = 8")


def job(place: Path, name: str, script: str) -> None:
    """Describe a job that runs *script*; all jobs of *place* share a log."""
    program = place / f"{name}.sh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    lines = [*VANILLA, f"executable = {name}.sh", "log = user.log"]
    submit_file(place, f"{name}.sub", lines)


def counted(past: PastRun) -> dict[str, list[str]]:
    """Return how the attempts of each job ended."""
    found: dict[str, list[str]] = {}
    for index, ending in zip(past.job, past.ending, strict=True):
        found.setdefault(past.names[index], []).append(Ending(ending).name)
    return found
