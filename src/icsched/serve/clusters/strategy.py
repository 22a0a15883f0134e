"""What all strategies share: frontiers to grow sets from, and news of what happens to tasks."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from icsched.serve.clusters.rest import Frontier


class Strategy(ABC):
    """Propose sets to hand out; told by the server what becomes of them."""

    def __init__(self, frontiers: Sequence[Frontier]) -> None:
        self._frontiers = frontiers

    @abstractmethod
    def choose(self, size: int) -> list[int]:
        """Return the best self-contained set of *size* tasks, or the largest there is."""

    def ready(self, tasks: Sequence[int]) -> None:
        """Take note of free tasks that wait for nothing."""
        for frontier in self._frontiers:
            frontier.add(tasks)

    def settle(self) -> None:
        """Forget the sets that were not taken."""
        for frontier in self._frontiers:
            frontier.settle()

    def took(self, tasks: Iterable[int]) -> None:  # noqa: B027  most need no note
        """Take note of tasks handed out."""

    def finished(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Take note of tasks that are done."""

    def lost(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Take note of tasks that came back."""
