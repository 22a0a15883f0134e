"""The table of engines."""

from icsched.run.crew import Engine
from icsched.run.dask_crew import DASK
from icsched.run.local_crew import LOCAL
from icsched.tables import Table

ENGINES = Table("engine", "icsched.engines", Engine, [LOCAL, DASK])
