"""How long the steps of an analysis take."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Collects the wall time of named steps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what happens inside, under *name*."""
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start
