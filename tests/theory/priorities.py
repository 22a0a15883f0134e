"""What the papers say of priorities between blocks, in readable form for tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray


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
