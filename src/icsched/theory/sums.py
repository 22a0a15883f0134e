"""Sums of blocks: orders that interleave independent blocks.

Two blocks side by side may have an IC-optimal order even if neither has priority over the
other. Their profiles decide this. A share (a, b) means that a tasks of the first block and b of
the second have run. The sum has an IC-optimal order if and only if some order goes only through
shares that enable as many tasks as any share of the same a + b.
"""

from collections.abc import Sequence

import numpy as np

from icsched import _native
from icsched.arrays import Mask
from icsched.theory.priorities import checked_enabled


def interleaving(first: Sequence[int], second: Sequence[int]) -> Mask | None:
    """Return the steps at which an IC-optimal order of the sum runs a task of *second*.

    The arguments are enabled profiles of IC-optimal orders. Returns None if the sum has no
    IC-optimal order. Raises ArgumentError for counts that no order enables. Takes O(s1 * s2) time
    and memory.

    >>> interleaving([0, 2], [0, 3, 4]).tolist()  # three, then two, then one
    [True, False, True]
    >>> interleaving([0, 1], [0, 0, 3]) is None  # first the one, but for two the three
    True
    """
    profiles = (checked_enabled(enabled).astype(np.int32) for enabled in (first, second))
    return _native.interleaving(*profiles)
