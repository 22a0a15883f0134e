"""The table of engines."""

from icsched.engines.dask.crew import DASK
from icsched.engines.entry import Engine
from icsched.engines.local import LOCAL
from icsched.tables import Table

ENGINES = Table("engine", "icsched.engines", Engine, [LOCAL, DASK])
