"""The table of clusterers: every way to make clusters, by the one name it has everywhere.

A new clusterer is a `NamedClusterer` in a file of its own. It is listed here, or it is an entry
point of another package in the group ``icsched.clusterers``.
"""

from icsched.serve.clusters.clusterer import Clusterer, Ground, NamedClusterer
from icsched.serve.clusters.direct import DIRECT
from icsched.serve.clusters.lean import DONOR, LEAN
from icsched.serve.clusters.staggered import STAGGERED
from icsched.tables import Table


def _auto(ground: Ground) -> Clusterer:
    """Make the first that applies, so that an IC-optimal residual is kept if it costs nothing.

    Direct clusters keep one if the order is IC-optimal.
    """
    for entry in (DONOR, STAGGERED):
        if entry.objection(ground) is None:
            return entry.make(ground)
    return (DIRECT if ground.proved else LEAN).make(ground)


AUTO = NamedClusterer("auto", "the first that applies of donor, staggered, direct and lean", _auto)

CLUSTERERS: Table[NamedClusterer] = Table(
    "clusterer", "icsched.clusterers", NamedClusterer, [AUTO, DIRECT, STAGGERED, DONOR, LEAN]
)
