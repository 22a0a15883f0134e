"""Signs of life: how an answer that takes long says what it is doing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Tell = Callable[[int, int], None]  # how much is done, of how much


class Signs:
    """Shows nothing; a command line has its own class, which shows progress on a terminal.

    *doing* says what is being done, *jobs* to how many jobs.
    """

    def working(self, doing: str, jobs: int | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        """Enter while work goes on whose end is not known."""
        return nullcontext()

    def progress(self, doing: str, jobs: int | None = None) -> AbstractContextManager[Tell]:  # noqa: ARG002
        """Enter while work goes on, and get a function to say how much of it is done."""
        return nullcontext(_silent)


def _silent(_done: int, _expected: int) -> None:
    """Say nothing."""


QUIET = Signs()
