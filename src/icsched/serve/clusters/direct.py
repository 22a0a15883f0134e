"""Direct clusters: the first tasks of an order (paper 000, section 3.2.1)."""

from collections.abc import Sequence

from icsched.serve.clusters.rest import Frontier, Rest
from icsched.serve.clusters.strategy import Strategy


class Direct(Strategy):
    """Take the tasks that come first in an order.

    If the order is IC-optimal, so is its tail for the residual, and the cluster is
    productive (Theorem 3.1). The order of a linear composition runs through the blocks of
    its chain, so that Corollary 3.1 is the same thing.
    """

    def __init__(self, rest: Rest, order: Sequence[int]) -> None:
        super().__init__([Frontier(rest, order)])

    def choose(self, size: int) -> list[int]:
        """Return the *size* tasks that come first, or as many as can be taken."""
        return self._frontiers[0].grow(size) or []
