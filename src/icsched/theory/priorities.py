"""The priority relation between blocks (papers 000 and 001; paper 004, step 4).

A block is seen through its profile: the nonsources enabled after 0, 1, ..., s executions
of its nonsinks in an optimal order. The relation says whether one block may be finished
before another is begun without ever having fewer tasks eligible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from icsched import _native

Counting = Literal["eligible", "nonsources"]


def compared_counts(
    enabled: NDArray[np.integer], sources: int, counting: Counting
) -> NDArray[np.int64]:
    """Return what priorities compare of a block: see `BlockProfile.counts`."""
    counts = enabled.astype(np.int64)
    return counts if counting == "nonsources" else counts + sources - np.arange(len(counts))


@dataclass(frozen=True)
class BlockProfile:
    """What a block's order enables: *enabled* after 0 .. s nonsinks, and its *sources*."""

    sources: int
    enabled: tuple[int, ...]

    def counts(self, counting: Counting = "eligible") -> NDArray[np.int64]:
        """Return the counts that the priority compares.

        "eligible" counts every task of the block that can run, sources included;
        "nonsources" counts the enabled nonsources only, as papers 000 and 001 do. The two
        agree on when the priority is 1, not on smaller values.

        >>> BlockProfile(2, (0, 0, 1)).counts().tolist()
        [2, 1, 1]
        """
        return compared_counts(np.array(self.enabled, np.int64), self.sources, counting)

    def dual(self) -> "BlockProfile":
        """Return the profile of the dual block's optimal order (paper 001, section 4).

        With N nonsources and s nonsinks, the dual needs N - E(s - e) executions to enable
        e or more. Only for blocks all of whose nonsinks are sources.

        >>> BlockProfile(1, (0, 3)).dual()
        BlockProfile(sources=3, enabled=(0, 0, 0, 1))
        """
        steps, nonsources = len(self.enabled) - 1, self.enabled[-1]
        needed = [nonsources - self.enabled[steps - e] for e in range(steps + 1)]
        enabled = [
            max(e for e in range(steps + 1) if needed[e] <= x) for x in range(nonsources + 1)
        ]
        return BlockProfile(nonsources, tuple(enabled))


def priority(
    first: BlockProfile, second: BlockProfile, *, counting: Counting = "eligible"
) -> Fraction:
    """Return the largest r such that *first* has r-priority over *second*.

    That is, r (p1(x) + p2(y)) <= p1(min(s1, x + y)) + p2(max(0, x + y - s1)) for all x
    and y; terms with nothing on the left impose nothing. 1 means full priority.

    >>> fork, join = BlockProfile(1, (0, 2)), BlockProfile(2, (0, 0, 1))
    >>> priority(fork, join), priority(join, fork), priority(join, fork, counting="nonsources")
    (Fraction(1, 1), Fraction(1, 2), Fraction(0, 1))
    """
    return Fraction(*_native.priority(first.counts(counting), second.counts(counting)))


def has_priority_over(first: BlockProfile, second: BlockProfile) -> bool:
    """Whether finishing *first* before beginning *second* never costs an eligible task.

    >>> has_priority_over(BlockProfile(1, (0, 2)), BlockProfile(2, (0, 0, 1)))
    True
    """
    return priority(first, second) == 1


@dataclass(frozen=True)
class NamedBlock:
    """A block of the papers by name: W(size,degree), M(size,degree), N(size) or C(size).

    Degrees are 2 or more, sizes 1 or more, 2 for C.
    """

    family: Literal["W", "M", "N", "C"]
    size: int
    degree: int = 2


def has_priority_by_theorem(first: NamedBlock, second: NamedBlock) -> bool:
    """Whether Theorem 2.2 of Cordasco et al. 2011 gives *first* priority over *second*.

    The theorem is silent on other pairs; there the definition decides. Its printed range
    of degrees includes 1, for which it fails.

    >>> has_priority_by_theorem(NamedBlock("W", 3, 4), NamedBlock("W", 1, 2))
    True
    """
    match first.family, second.family:
        case "W", "W":
            return (-first.degree, first.size) <= (-second.degree, second.size)
        case "M", "M":
            return (first.degree, -first.size) <= (second.degree, -second.size)
        case "C", "C":
            return first.size == second.size
        case ("W", _) | ("N", "N" | "M") | ("C", "M"):
            return True
    return False


def convolution(first: Sequence[int], second: Sequence[int]) -> NDArray[np.int64]:
    """Return the most that t executions shared out between two blocks can enable.

    The max-plus convolution of their profiles, in O(s1 * s2) time.

    >>> convolution([0, 2], [0, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    a, b = np.asarray(first, np.int64), np.asarray(second, np.int64)
    best = np.full(len(a) + len(b) - 1, -1, np.int64)
    for x, value in enumerate(a):
        np.maximum(best[x : x + len(b)], value + b, out=best[x : x + len(b)])
    return best
