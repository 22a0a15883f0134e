"""What a file says of its tasks, kept by task: numbers in arrays, words in lists."""

from array import array
from collections.abc import Callable, Iterator
from itertools import count
from math import nan
from typing import NamedTuple

import numpy as np

from icsched.arrays import Floats
from icsched.formats.known import priority_in, seconds_in, size_in, truth_in

STREAMS = ("directory", "stdin", "stdout", "stderr")
FACTS = ("run_time", "size", "priority", "done", "command", *STREAMS)
_PARSERS: dict[str, Callable[[str], float]] = {
    "run_time": seconds_in,
    "size": size_in,
    "priority": priority_in,
    "done": truth_in,
}


class Wrong(NamedTuple):
    """Words that are not a number, and what was expected instead."""

    expected: str
    words: str
    place: int


class Numbers:
    """A number of each task, NaN where the file says none; the last words win.

    Words that are not a number are an error only if no other words come after them.
    """

    def __init__(self, fact: str) -> None:
        self._parse = _PARSERS[fact]
        self._values = array("d")
        self.wrong: dict[int, Wrong] = {}

    def say(self, task: int, words: str, place: int) -> None:
        """Note the words of a task."""
        try:
            value = float(self._parse(words))
            if self.wrong:
                self.wrong.pop(task, None)
        except ValueError as error:
            value = nan
            self.wrong[task] = Wrong(str(error), words, place)
        missing = task - len(self._values)
        if missing >= 0:
            self._values.extend([nan] * (missing + 1) if missing else (nan,))
        self._values[task] = value

    def array(self, tasks: int) -> Floats:
        """Return the numbers of all *tasks*."""
        numbers = np.full(tasks, nan)
        numbers[: len(self._values)] = self._values
        return numbers


class Words:
    """Words of each task, and where they are; the last words win."""

    def __init__(self) -> None:
        self._words: list[str | None] = []
        self._places = array("q")

    def say(self, task: int, words: str, place: int) -> None:
        """Note the words of a task."""
        missing = task - len(self._words)
        if missing >= 0:
            self._words.extend([None] * (missing + 1))
            self._places.extend([0] * (missing + 1))
        self._words[task], self._places[task] = words, place

    def get(self, task: int) -> str | None:
        """Return the words of a task, or None."""
        return self._words[task] if task < len(self._words) else None

    def __iter__(self) -> Iterator[tuple[int, str, int]]:
        """Yield the tasks that have words, with the words and their place."""
        for task, words, place in zip(count(), self._words, self._places, strict=False):
            if words is not None:
                yield task, words, place


class Facts:
    """What a file says of its tasks: numbers and words, by the names in `FACTS`."""

    def __init__(self) -> None:
        self.numbers: dict[str, Numbers] = {}
        self.words: dict[str, Words] = {}

    def __contains__(self, fact: str) -> bool:
        return fact in self.numbers or fact in self.words

    def column(self, fact: str) -> Numbers | Words:
        """Return what is known under a name of `FACTS`."""
        if fact in _PARSERS:
            return self.numbers.get(fact) or self.numbers.setdefault(fact, Numbers(fact))
        return self.words.get(fact) or self.words.setdefault(fact, Words())
