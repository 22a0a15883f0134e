"""Sums of blocks: orders that interleave independent blocks.

Two blocks side by side may have an IC-optimal order even if neither has priority over the
other. Their profiles decide this. A share (a, b) means that a tasks of the first block and b of
the second have run. The sum has an IC-optimal order if and only if some order goes only through
shares that enable as many tasks as any share of the same a + b.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from icsched import _native


def interleaving(first: Sequence[int], second: Sequence[int]) -> NDArray[np.bool_] | None:
    """Return the steps at which an IC-optimal order of the sum runs a task of *second*.

    The arguments are enabled profiles of IC-optimal orders. Returns None if the sum has no
    IC-optimal order. Takes O(s1 * s2) time and memory.

    >>> interleaving([0, 2], [0, 3, 4]).tolist()  # three, then two, then one
    [True, False, True]
    >>> interleaving([0, 1], [0, 0, 3]) is None  # first the one, but for two the three
    True
    """
    return _native.interleaving(np.array(first, np.int32), np.array(second, np.int32))
