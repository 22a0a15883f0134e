"""A clusterer that hands out chains: a task, its only child, the only child of that, and so on."""

from icsched.serve.clusters import Clusterer, Frontier, Ground, NamedClusterer


class Chains(Clusterer):
    """Hand a worker the first ready task of the order, and the chain that follows the task.

    A cluster may have fewer tasks than the worker has room for: each cluster is one chain.
    """

    def __init__(self, ground: Ground) -> None:
        self._rest = ground.rest
        self._frontier = Frontier(ground.rest, ground.order)
        super().__init__("chains", [self._frontier])

    def choose(self, size: int) -> list[int]:
        """Return a ready task and its chain, at most *size* tasks; empty if no task is ready.

        The chain ends before a task that waits for another parent, and after a task that has no
        child or several children.
        """
        chain = self._frontier.grow(1) or []
        while chain and len(chain) < size:
            children = self._rest.children(chain[-1])
            if len(children) != 1 or self._rest.missing[children[0]] != 1:
                break
            chain += children
        return chain


CHAINS = NamedClusterer("chains", "a job and its chain of only children", Chains)
