"""Direct clusters: the first tasks of an order (Cordasco, Rosenberg and Sims 2011, 3.2.1)."""

from icsched.serve.clusters.clusterer import Clusterer, Ground, NamedClusterer
from icsched.serve.clusters.rest import Frontier


class Direct(Clusterer):
    """Take the tasks that come first in an order.

    If the order is IC-optimal, the cluster is productive, and the rest of the order is IC-optimal
    for the residual (Theorem 3.1). The order of a linear composition runs through the blocks of
    its chain, so Corollary 3.1 says the same.
    """

    def __init__(self, ground: Ground) -> None:
        super().__init__("direct", [Frontier(ground.rest, ground.order)])

    def choose(self, size: int) -> list[int]:
        """Return the *size* tasks that come first, or as many as can be taken."""
        return self._frontiers[0].grow(size) or []


DIRECT = NamedClusterer("direct", "the first tasks of the order", Direct)
