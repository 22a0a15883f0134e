"""Tables of run times by name and by pattern, and their fit to the names of a workflow."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import translate
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icsched.arrays import Floats, Ids, expected_time, ids_where, wrong_times
from icsched.errors import ArgumentError, LimitError
from icsched.frames import Listed, brief

_NUMBER = re.compile(r"\d+")
_SPECIAL = re.compile(r"[*?\[]")
_MOST_TRIALS = 30_000_000  # matches of patterns with names: about ten seconds


@dataclass(frozen=True, eq=False)
class RunTimeTable:
    """Seconds of jobs, by name and by glob pattern; jobs may be missing.

    `seconds` has one number for each of `names`, `patterns` one for each pattern with ``*``, ``?``
    or ``[...]``. The longest pattern comes first, so the first pattern that fits a name is used. A
    job whose own name is in `names` or `patterns` gets the seconds of this name.

    Raises ArgumentError for a name given twice, a wrong number of seconds, or seconds that are
    negative, infinite or NaN, above 1e100, or below 1e-100 but not 0.

    >>> table = RunTimeTable(("a", "b"), np.array([2.0, 3.0]), {"b*": 5, "b_long*": 7})
    >>> table, list(table.patterns)
    (RunTimeTable(names=['a', 'b'], patterns=2), ['b_long*', 'b*'])
    """

    names: tuple[str, ...]
    seconds: Floats
    patterns: Mapping[str, float]

    def __init__(
        self, names: Iterable[str], seconds: ArrayLike, patterns: Mapping[str, float] | None = None
    ) -> None:
        jobs = tuple(names)
        times = np.array(seconds, np.float64)
        if times.shape != (len(jobs),):
            raise ArgumentError(f"seconds: expected {len(jobs)} numbers, got {times.size}")
        if len(set(jobs)) < len(jobs):
            twice = Counter(jobs).most_common(1)[0][0]
            raise ArgumentError(f"names: expected each name once, got {twice!r} twice")
        ranked = sorted((patterns or {}).items(), key=lambda item: (-len(item[0]), item[0]))
        _check_seconds(jobs, times)
        _check_seconds([name for name, _ in ranked], np.array([s for _, s in ranked], np.float64))
        times.setflags(write=False)
        object.__setattr__(self, "names", jobs)
        object.__setattr__(self, "seconds", times)
        by_pattern = MappingProxyType({pattern: float(s) for pattern, s in ranked})
        object.__setattr__(self, "patterns", by_pattern)

    def __repr__(self) -> str:
        return brief(self, names=Listed(self.names), patterns=len(self.patterns))

    def __len__(self) -> int:
        return len(self.names)


def _check_seconds(names: tuple[str, ...] | list[str], seconds: Floats) -> None:
    wrong = wrong_times(seconds)
    if len(wrong):
        name, value = names[wrong[0]], float(seconds[wrong[0]])
        raise ArgumentError(f"seconds of {name!r}: expected {expected_time(value)}, got {value:g}")


# Fit of a table to the names of a workflow


class Origin(IntEnum):
    """The source of a task's run time."""

    MEASURED = 0  # the task itself
    PATTERN = 1  # a pattern that fits its name
    KIND = 2  # the mean of the tasks of its kind
    ALL = 3  # the mean of all known run times


def stem(name: str) -> str:
    """Return *name* with a sign for each number in it; names of one kind have the same stem.

    >>> stem("map_17.part2")
    'map_#.part#'
    """
    return _NUMBER.sub("#", name)


def kinds_of(*columns: Iterable[str]) -> Ids:
    """Return the kind of each row: rows whose words have the same stems are of one kind.

    Kinds are numbered from 0 in the order in which they appear.

    >>> kinds_of(["a1", "b1", "a2"], ["x.sub", "x.sub", "x.sub"]).tolist()
    [0, 1, 0]
    """
    seen: dict[tuple[str, ...], int] = {}
    rows = zip(*(map(stem, column) for column in columns), strict=True)
    return np.array([seen.setdefault(row, len(seen)) for row in rows], np.int32)


def fit(
    table: RunTimeTable,
    names: Sequence[str],
    kinds: Callable[[], Ids],
    known: Floats | None = None,
) -> tuple[Floats, NDArray[np.uint8], int]:
    """Return seconds for each of *names*, their origins, and how much of the table fits no name.

    A name in the table has the table's seconds. Other names get the seconds of the first pattern
    that fits, else their *known* seconds (NaN if unknown), else the mean of their kind, else the
    mean of all. The mean of a kind is over *names* of this kind, or else over names in the table
    with the same stem. *kinds* returns the kind of each name; it is called only if a name needs a
    mean.

    Raises ArgumentError if nothing in the table fits a name or a kind; LimitError if there are too
    many patterns for so many names.
    """
    seconds, used = _exact(table, names)
    origins = np.zeros(len(names), np.uint8)
    for at, pattern in _matches(table.patterns, names, ids_where(np.isnan(seconds))):
        seconds[at], origins[at] = table.patterns[pattern], Origin.PATTERN
        used.add(pattern)
    is_fit = bool(used) or not names
    seconds = seconds if known is None else np.where(np.isnan(seconds), known, seconds)
    if np.isnan(seconds).any():
        is_fit |= _fill(table, names, kinds(), seconds, origins)
    if not is_fit:
        raise ArgumentError(
            "run times: no name fits a job of this workflow, or a kind of job, of"
            f" {len(table) + len(table.patterns):,} given: they are of another workflow"
        )
    return seconds, origins, len(table) + len(table.patterns) - len(used)


def _exact(table: RunTimeTable, names: Sequence[str]) -> tuple[Floats, set[str]]:
    """Return the seconds that the table has under each name itself, else NaN; and what it used."""
    own = {**table.patterns, **dict(zip(table.names, table.seconds.tolist(), strict=True))}
    seconds = np.array([own.get(name, np.nan) for name in names], np.float64)
    return seconds, own.keys() & set(names)


def _matches(
    patterns: Mapping[str, float], names: Sequence[str], places: Ids
) -> Iterator[tuple[int, str]]:
    """Yield each of *places* whose name a pattern fits, with the first of the patterns that do."""
    groups: dict[str, list[tuple[int, str, re.Pattern[str]]]] = defaultdict(list)
    for rank, pattern in enumerate(patterns):  # by the plain letters with which they begin
        beginning = _SPECIAL.split(pattern, maxsplit=1)[0]
        groups[beginning].append((rank, pattern, re.compile(translate(pattern))))
    lengths, trials = sorted({len(beginning) for beginning in groups}), 0
    for at in places.tolist() if groups else ():
        name = names[at]
        tried = [rule for length in lengths for rule in groups.get(name[:length], ())]
        trials += len(tried) + len(lengths)
        if trials > _MOST_TRIALS:
            raise LimitError(f"run times: too many patterns ({len(patterns):,}) for so many jobs")
        fits = [(rank, pattern) for rank, pattern, rule in tried if rule.match(name)]
        if fits:
            yield at, min(fits)[1]


def _fill(
    table: RunTimeTable,
    names: Sequence[str],
    kinds: Ids,
    seconds: Floats,
    origins: NDArray[np.uint8],
) -> bool:
    """Give means to the names without seconds; return whether the table's own kinds helped."""
    known = ~np.isnan(seconds)
    means = _means(kinds[known], seconds[known], int(kinds.max(initial=-1)) + 1)[kinds]
    strange = np.flatnonzero(~known & np.isnan(means))
    if len(strange):
        stems = dict.fromkeys(map(stem, table.names))
        of_kinds = _means(kinds_of(table.names), table.seconds, len(stems)).tolist()
        by_stem = dict(zip(stems, of_kinds, strict=True))
        means[strange] = [by_stem.get(stem(names[at]), np.nan) for at in strange.tolist()]
    of_all = seconds[known] if known.any() else table.seconds
    alone = ~known & np.isnan(means)
    origins[~known] = Origin.KIND
    origins[alone] = Origin.ALL
    seconds[~known] = means[~known]
    seconds[alone] = of_all.mean() if len(of_all) else 0.0
    return not np.isnan(means[strange]).all()


def _means(groups: Ids, values: Floats, count: int) -> Floats:
    """Return the mean of the values of each of *count* groups; NaN for an empty group."""
    sizes = np.bincount(groups, minlength=count)
    totals = np.bincount(groups, values, minlength=count)
    return np.where(sizes > 0, totals / np.maximum(sizes, 1), np.nan)
