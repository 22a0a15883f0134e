"""Direct clusters: the first tasks of an order (section 3.2.1 of the paper on clusters)."""

from icsched.serve.clusters.clusterer import Clusterer, Ground, NamedClusterer
from icsched.serve.clusters.rest import Frontier


class Direct(Clusterer):
    """Take the tasks that come first in an order.

    If the order is IC-optimal, so is its tail for the residual, and the cluster is
    productive (Theorem 3.1). The order of a linear composition runs through the blocks of
    its chain, so that Corollary 3.1 is the same thing.
    """

    def __init__(self, ground: Ground) -> None:
        super().__init__("direct", [Frontier(ground.rest, ground.order)])

    def choose(self, size: int) -> list[int]:
        """Return the *size* tasks that come first, or as many as can be taken."""
        return self._frontiers[0].grow(size) or []


DIRECT = NamedClusterer("direct", "the first tasks of the order", Direct)
