"""What is proved about an order."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Proof:
    """What is proved about an order.

    `status` is "ic-optimal" only if a theorem or an exact computation says so; `method`
    names it. An unproved order has a method only if the referee found that no order is
    IC-optimal. `chain` lists the blocks in the order of Theorem 2.1: > stands where a block
    has priority over the next, | where a bottleneck lies between. The ratios to a certified
    bound are not computed yet.
    """

    status: Literal["ic-optimal", "unproved"]
    method: str | None = None
    chain: str | None = None
    min_ratio: float | None = None
    mean_ratio: float | None = None


UNPROVED = Proof("unproved")
EXACT = Proof("ic-optimal", "exact")
NONE_IS_OPTIMAL = Proof("unproved", "exact: no order is ic-optimal, this has the largest area")
