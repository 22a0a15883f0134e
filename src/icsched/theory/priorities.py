"""The priority relation between blocks.

The relation uses the profile of a block: how many nonsources are enabled after 0, 1, ..., s
executions of its nonsinks in an optimal order. It says whether one block can be finished before
another is begun, without ever having fewer eligible tasks.

The relation is from Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory", and
Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry Computing Platforms".
Priorities below 1 are from Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and its
Evaluation", step 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from icsched import _native, checks
from icsched.arrays import Mask
from icsched.errors import ArgumentError

MOST_ENABLED = 2**31 - 1  # the kernels take int32


def checked_enabled(enabled: Sequence[int]) -> NDArray[np.int64]:
    """Return *enabled* as an array; raises ArgumentError unless an order can have this profile.

    >>> checked_enabled([0, 2, 1])
    Traceback (most recent call last):
    icsched.errors.ArgumentError: enabled: expected counts that start at 0 and never fall, \
got [0, 2, 1]
    """
    try:
        counts = np.asarray(enabled)
    except ValueError:  # rows of different lengths
        counts = np.empty(0)
    is_counted = counts.ndim == 1 and len(counts) > 0 and counts.dtype.kind in "iu"
    if not is_counted or counts[0] or (counts[1:] < counts[:-1]).any() or counts[-1] > MOST_ENABLED:
        expected = "counts that start at 0 and never fall"
        raise ArgumentError(f"enabled: expected {expected}, got {enabled!r:.200}")
    return counts.astype(np.int64)


@dataclass(frozen=True)
class BlockProfile:
    """The profile of a block's order: *enabled* after 0 .. s nonsinks, and the number of *sources*.

    Raises ArgumentError if no order can have these counts: *enabled* must start at 0 and never
    fall, and there must be a task to run at each of the s steps.
    """

    sources: int
    enabled: tuple[int, ...]

    def __post_init__(self) -> None:
        before = checked_enabled(self.enabled)[:-1]
        fewest = int((np.arange(1, len(before) + 1) - before).max(initial=0))
        checks.whole_number("sources", self.sources, least=fewest)

    def counts(self) -> NDArray[np.int64]:
        """Return the counts that the priority compares: all eligible tasks of the block.

        Cordasco et al. 2007 and the paper of 2011 count only enabled nonsources. Priority 1 holds
        for the same pairs; smaller values differ.

        >>> BlockProfile(2, (0, 0, 1)).counts().tolist()
        [2, 1, 1]
        """
        return np.array(self.enabled, np.int64) + self.sources - np.arange(len(self.enabled))

    def dual(self) -> "BlockProfile":
        """Return the profile of the dual block's optimal order (Cordasco et al. 2007).

        With N nonsources and s nonsinks, the dual needs N - E(s - e) executions to enable
        e or more. The sources of the dual are the sinks. Holds for any dag, bipartite or not.

        >>> BlockProfile(1, (0, 3)).dual()
        BlockProfile(sources=3, enabled=(0, 0, 0, 1))
        """
        enabled = np.array(self.enabled)
        needed = enabled[-1] - enabled[::-1]
        reached = np.searchsorted(needed, np.arange(enabled[-1] + 1), side="right") - 1
        sinks = self.sources + self.enabled[-1] - (len(self.enabled) - 1)
        return BlockProfile(sinks, tuple(reached.tolist()))

    def executions(self) -> tuple[int, ...]:
        """Return the fewest nonsinks to execute that enable 0, 1, ..., N nonsources or more.

        Cordasco, Malewicz and Rosenberg 2007, section 4.2, call this X(e).

        >>> BlockProfile(2, (0, 1, 3)).executions()
        (0, 1, 2, 2)
        """
        return tuple(np.searchsorted(self.enabled, np.arange(self.enabled[-1] + 1)).tolist())


def priority(first: BlockProfile, second: BlockProfile) -> Fraction:
    """Return the largest r such that *first* has r-priority over *second*.

    That is, r (p1(x) + p2(y)) <= p1(min(s1, x + y)) + p2(max(0, x + y - s1)) for all x and y; terms
    whose left side is 0 are ignored. 1 means full priority. `best_profile` makes a profile of a
    dag. Raises ArgumentError for arguments that are not profiles.

    >>> fork, join = BlockProfile(1, (0, 2)), BlockProfile(2, (0, 0, 1))
    >>> priority(fork, join), priority(join, fork)
    (Fraction(1, 1), Fraction(1, 2))
    """
    _check_profiles(first, second)
    return Fraction(*_native.priority(first.counts(), second.counts()))


def has_priority_over(first: BlockProfile, second: BlockProfile) -> bool:
    """Whether *first* can always be finished before *second* without losing an eligible task.

    >>> has_priority_over(BlockProfile(1, (0, 2)), BlockProfile(2, (0, 0, 1)))
    True
    """
    return priority(first, second) == 1


def has_dual_priority_over(first: BlockProfile, second: BlockProfile) -> bool:
    """Whether *first* can always be finished before *second* without more executions.

    This is inequality (6) of Cordasco, Malewicz and Rosenberg 2007: X1(e) + X2(f) >=
    X1(min(N1, e + f)) + X2(max(0, e + f - N1)) for all e and f, with X as in
    `BlockProfile.executions`. By their Lemma 4.1 it holds if and only if `has_priority_over`
    does. O(N1 * N2) time.

    >>> fork, join = BlockProfile(1, (0, 2)), BlockProfile(2, (0, 0, 1))
    >>> has_dual_priority_over(fork, join), has_dual_priority_over(join, fork)
    (True, False)
    """
    _check_profiles(first, second)
    x1, x2 = np.array(first.executions()), np.array(second.executions())
    most = len(x1) - 1
    together = np.add.outer(np.arange(len(x1)), np.arange(len(x2)))
    in_turn = x1[np.minimum(most, together)] + x2[np.maximum(0, together - most)]
    return bool((np.add.outer(x1, x2) >= in_turn).all())


def _check_profiles(first: object, second: object) -> None:
    for what, given in (("first", first), ("second", second)):
        checks.kind_of(what, given, BlockProfile, made_by="icsched.theory.best_profile")


def interleaving(first: Sequence[int], second: Sequence[int]) -> Mask | None:
    """Return the steps at which an IC-optimal order of the sum runs a task of *second*.

    Two blocks side by side may have an IC-optimal order even if neither has priority over the
    other. Their profiles decide this. A share (a, b) means that a tasks of the first block and b of
    the second have run. The sum has an IC-optimal order if and only if some order goes only through
    shares that enable as many tasks as any share of the same a + b.

    The arguments are enabled profiles of IC-optimal orders. Returns None if the sum has no
    IC-optimal order. Raises ArgumentError for impossible counts. Takes O(s1 * s2) time and memory.

    >>> interleaving([0, 2], [0, 3, 4]).tolist()  # three, then two, then one
    [True, False, True]
    >>> interleaving([0, 1], [0, 0, 3]) is None  # first the one, but for two the three
    True
    """
    profiles = [checked_enabled(enabled).astype(np.int32) for enabled in (first, second)]
    steps = _native.interleaving(*profiles)
    return steps.astype(bool) if len(steps) == sum(map(len, profiles)) - 2 else None
