"""The table of formats: every kind of file that icsched reads or writes.

A new format is a `Format` in a file of its own. It is listed here, or it is an entry point of
another package in the group ``icsched.formats``.
"""

from icsched.formats.columns import CSV
from icsched.formats.dagman.entry import DAGMAN
from icsched.formats.dax import DAX
from icsched.formats.dot import DOT
from icsched.formats.edges import EDGES
from icsched.formats.entry import Format
from icsched.formats.gexf import GEXF
from icsched.formats.graphml import GRAPHML
from icsched.formats.mermaid import MERMAID
from icsched.formats.pegasus import PEGASUS
from icsched.formats.slurm import SLURM
from icsched.formats.wfformat import WFFORMAT
from icsched.tables import Table

FORMATS: Table[Format] = Table(
    "format",
    "icsched.formats",
    Format,
    [DAGMAN, WFFORMAT, PEGASUS, DAX, DOT, MERMAID, GRAPHML, GEXF, EDGES, CSV, SLURM],
)


def format_of(path: str, name: str | None = None) -> Format:
    """Return the format called *name*, or else the one whose suffix *path* has.

    A file with a suffix that no format has is a DAGMan file, because those may have any name.
    A format of another package that cannot be imported is passed over.
    Raises ArgumentError for an unknown name.

    >>> format_of("wf.dag").name, format_of("dag.dot").name, format_of("diamond").name
    ('dagman', 'dot', 'dagman')
    """
    if name is not None:
        return FORMATS.find(name)
    lower = path.lower()
    return next((f for f in FORMATS.usable() if lower.endswith(f.suffixes)), DAGMAN)
