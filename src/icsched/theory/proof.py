"""Proofs about an order, as data; `icsched.report.proofs` writes them as text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from icsched.frames import Answer, brief


class Theorem(Enum):
    """Theorems and computations that prove an order IC-optimal, or that no order is.

    Theorem 2.1 has this number in Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for
    Task-Hungry Computing Platforms". The paper quotes it from Malewicz, Rosenberg and Yurkewych
    2006, "Toward a Theory for Scheduling Dags in Internet-Based Computing". Theorem 3.2 is from
    Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory: Scheduling Expansive
    and Reductive Dags and Scheduling Dags via Duality".
    """

    BLOCKS = auto()  # theorem 2.1: each block has priority over the next
    SUM_OF_TREES = auto()  # theorem 3.2
    EXACT = auto()  # the exact referee
    PARTS = auto()  # the order meets a bound that was combined from bounds of parts


class Sign(Enum):
    """The relation of a block in a chain to the next block."""

    PRIORITY = auto()  # the block has priority over the next
    SERIES = auto()  # all tasks of the second wait for all tasks of the first


@dataclass(frozen=True)
class Link:
    """*count* equal blocks in a row, called *block*, and the sign after each of them."""

    block: str
    count: int
    sign: Sign


@dataclass(frozen=True)
class Chain:
    """The blocks in the order in which they run; `is_cut` says that more blocks follow."""

    links: tuple[Link, ...]
    is_cut: bool = False


class Rule(Enum):
    """Rules that prove the bound of a dag or of a part."""

    SERIES = auto()  # parts one after the other
    SUM = auto()  # pieces side by side
    DUAL = auto()  # the dag with all arcs reversed
    LEAST = auto()  # several bounds, at each step the least of them
    FEWER_ARCS = auto()  # the dag without some of its arcs
    BLOCKS = auto()  # blocks, each with priority over the next
    PART = auto()  # a part that was solved directly


@dataclass(frozen=True)
class ProofStep:
    """The proof of a bound for *count* equal parts.

    `name` is the name of a part that was solved directly; `chain` has the blocks of rule BLOCKS.
    `parts` has the steps of the parts; `is_cut` says that the list is incomplete.
    """

    rule: Rule
    count: int = 1
    name: str | None = None
    chain: Chain | None = None
    parts: tuple[ProofStep, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True)
class Proof(Answer):
    """Proofs about an order.

    `theorem` is None only if nothing is proved. `no_order_is_ic_optimal` says that the referee
    found no IC-optimal order of the dag. `has_largest_area` says that no order has a larger area.
    `steps` has the division of the dag into parts if the theorem is PARTS.

    >>> Proof(Theorem.SUM_OF_TREES)
    Proof(theorem='sum_of_trees', is_ic_optimal=True)
    >>> Proof()  # an order without a proof may still be IC-optimal: see Plan.certificate
    Proof(theorem=None)
    """

    theorem: Theorem | None = None
    chain: Chain | None = None
    no_order_is_ic_optimal: bool = False
    has_largest_area: bool = False
    steps: ProofStep | None = None

    def __repr__(self) -> str:
        theorem = None if self.theorem is None else self.theorem.name.lower()
        claims = ("is_ic_optimal", "no_order_is_ic_optimal", "has_largest_area")
        return brief(
            self, theorem=theorem, **{name: True for name in claims if getattr(self, name)}
        )

    @property
    def is_ic_optimal(self) -> bool:
        """Whether a theorem or an exact computation says that the order is IC-optimal.

        False also stands for "not proved"; `Plan.certificate` looks further.
        """
        return self.theorem is not None and not self.no_order_is_ic_optimal

    def to_dict(self) -> dict[str, Any]:
        """Return `is_ic_optimal` and all fields as plain data.

        >>> Proof(Theorem.SUM_OF_TREES).to_dict()["theorem"]
        'sum_of_trees'
        """
        return {"is_ic_optimal": self.is_ic_optimal, **super().to_dict()}


UNPROVED = Proof()
EXACT = Proof(Theorem.EXACT)
NO_ORDER_IS_OPTIMAL = Proof(Theorem.EXACT, no_order_is_ic_optimal=True)
LARGEST_AREA = Proof(Theorem.EXACT, no_order_is_ic_optimal=True, has_largest_area=True)
