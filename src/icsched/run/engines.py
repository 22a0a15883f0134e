"""Engines: programs whose workers run the tasks of a workflow, by name."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from icsched.run.crew import Crew, Terms
from icsched.run.dask_crew import dask_workers
from icsched.run.local_crew import local_workers
from icsched.tables import Table


@dataclass(frozen=True)
class Engine:
    """A program whose workers run tasks, as `ENGINES` holds it; `open` starts or finds the workers.

    `open` raises EngineError if the program cannot be used, ArgumentError for terms that it does
    not support.
    """

    name: str
    sentence: str
    open: Callable[[Terms], AbstractContextManager[Crew]]


LOCAL = Engine("local", "worker processes of this machine", local_workers)
DASK = Engine("dask", "the workers of a Dask cluster", dask_workers)
ENGINES = Table("engine", "icsched.engines", Engine, [LOCAL, DASK])
