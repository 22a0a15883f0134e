"""Run times by name and by pattern, before they meet a workflow."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from icsched.arrays import Floats
from icsched.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class RunTimeTable:
    """Seconds of jobs, by name and by glob pattern; jobs may be missing.

    `seconds` has one number for each of `names`. `patterns` gives seconds to patterns with
    ``*``, ``?`` or ``[...]``. The longest pattern comes first, then the order of text, so the first
    pattern that fits a name is the one to use. A name of `names` wins over every pattern, and so
    does a job whose own name is the text of a pattern. Zero seconds means an instant job.

    Raises ArgumentError for a name given twice, a wrong number of seconds, or seconds that are
    negative, infinite or NaN.

    >>> table = RunTimeTable(("a", "b"), np.array([2.0, 3.0]), {"b*": 5, "b_long*": 7})
    >>> len(table), list(table.patterns)
    (2, ['b_long*', 'b*'])
    """

    names: tuple[str, ...]
    seconds: Floats = field(repr=False)
    patterns: Mapping[str, float] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        seconds = np.array(self.seconds, np.float64)
        if seconds.shape != (len(names),):
            raise ArgumentError(f"seconds: expected {len(names)} numbers, got {seconds.size}")
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise ArgumentError(f"names: expected each name once, got {twice!r} twice")
        ranked = sorted(self.patterns.items(), key=lambda item: (-len(item[0]), item[0]))
        _check_seconds(names, seconds)
        _check_seconds([name for name, _ in ranked], np.array([s for _, s in ranked], np.float64))
        seconds.setflags(write=False)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "seconds", seconds)
        patterns = MappingProxyType({pattern: float(s) for pattern, s in ranked})
        object.__setattr__(self, "patterns", patterns)

    def __len__(self) -> int:
        return len(self.names)


def _check_seconds(names: tuple[str, ...] | list[str], seconds: Floats) -> None:
    wrong = np.flatnonzero(~(np.isfinite(seconds) & (seconds >= 0)))
    if len(wrong):
        name, value = names[wrong[0]], seconds[wrong[0]]
        raise ArgumentError(f"seconds of {name!r}: expected 0 or more, got {value:g}")
