"""Ctrl-C as a wish that the loop meets when it can, not as an exception in the middle of work."""

import signal
import threading
from types import FrameType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Counts Ctrl-C and SIGTERM while a context is open; `count` is how often they came.

    `first` is the number of the signal that came first. While `raises` is true, each raises
    KeyboardInterrupt with its number as well.

    In a thread that is not the main one, nothing is counted: Python gives signals to the main one.
    """

    def __init__(self, *, raises: bool = False) -> None:
        self.count = 0
        self.first: int | None = None
        self.raises = raises
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in _SIGNALS}
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.count += 1
        self.first = self.first or number
        if self.raises:
            raise KeyboardInterrupt(number)
