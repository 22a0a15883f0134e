"""Bounds on the eligible tasks of any order, and certificates, which compare an order with a bound.

`docs/certificates.md` describes the file and proves the rules. `icsched.audit` checks it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids
from icsched.dag import Dag, Graph
from icsched.frames import Shown
from icsched.pebble import Order, Schedule
from icsched.pebble.residual import Residual
from icsched.theory.analysis import Analysis
from icsched.theory.blocks import Kind
from icsched.theory.bounds import BoundedOrder, Dual, Least, Series, Sum, Without
from icsched.theory.envelopes import Envelope
from icsched.theory.pieces import counting_groups
from icsched.theory.profiles import Counts
from icsched.theory.recursion import FULL, bounded_order

SCHEMA = 1
Node = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Certificate(Shown):
    """An order and a bound: `eligible` tasks of the order, and at most `bound` of any order.

    Both have an entry for each of 0, 1, ... executed tasks. `to_dict` is the certificate itself,
    which `icsched.audit` can check.
    """

    bounded: BoundedOrder
    schedule: Schedule

    def __repr__(self) -> str:
        ratios = f"min_ratio={self.min_ratio:.4f}, mean_ratio={self.mean_ratio:.4f}"
        return f"Certificate({ratios}, area_ratio={self.area_ratio:.4f})"

    def to_dict(self) -> Node:
        """Return the order, its ratios and the proof of the bound, as plain data.

        >>> from icsched import bound
        >>> made = bound({"a": [], "b": ["a"], "c": ["a"]}).certificate(["a", "b", "c"]).to_dict()
        >>> made["min_ratio"], made["bound"]["pieces"][0]["part"]
        (1.0, {'rule': 'tree'})
        """
        dag = self.bounded.dag
        return {
            "schema": SCHEMA,
            "tasks": len(dag),
            "arcs": dag.arc_count,
            "fingerprint": fingerprint(dag),
            "order": self.schedule.order.tolist(),
            "min_ratio": self.min_ratio,
            "mean_ratio": self.mean_ratio,
            "area_ratio": self.area_ratio,
            "bound": _node(self.bounded, {}),
        }

    @cached_property
    def eligible(self) -> Counts:
        """The eligible tasks of the order after each step."""
        return self.schedule.eligible.astype(np.int64)

    @cached_property
    def bound(self) -> Counts:
        """An upper bound of the eligible tasks of any order after each step."""
        return Bound(self.bounded).eligible

    @cached_property
    def ratios(self) -> Floats:
        """Eligible tasks over the bound after each step; NaN where the bound is 0."""
        whole = np.full(len(self.bound), np.nan)
        np.divide(self.eligible, self.bound, out=whole, where=self.bound > 0)
        return whole

    @property
    def min_ratio(self) -> float:
        """The least ratio; 1 if there is none."""
        return float(np.nanmin(self.ratios)) if (self.bound > 0).any() else 1.0

    @property
    def mean_ratio(self) -> float:
        """The mean ratio; 1 if there is none."""
        return float(np.nanmean(self.ratios)) if (self.bound > 0).any() else 1.0

    @property
    def area_ratio(self) -> float:
        """The eligible tasks of all steps over the bounds of all steps; 1 if these are 0."""
        most = int(self.bound.sum())
        return int(self.eligible.sum()) / most if most else 1.0

    @property
    def is_ic_optimal(self) -> bool:
        """Whether the order meets the bound at every step."""
        return bool(np.array_equal(self.eligible, self.bound))


def fingerprint(dag: Dag) -> str:
    """Return the SHA-256 of the names in id order, each after its length, and of the arcs."""
    whole = hashlib.sha256()
    for name in map(str, dag.names):
        data = name.encode("utf-8", "surrogatepass")
        whole.update(str(len(data)).encode() + b":" + data)
    whole.update(b"|")
    whole.update(np.ascontiguousarray(dag.arcs, "<i8").tobytes())
    return whole.hexdigest()


def _node(bounded: BoundedOrder, known: dict[int, Node]) -> Node:
    """Return the step of *bounded* as JSON; repeated steps are made once."""
    if id(bounded) not in known:
        known[id(bounded)] = _made(bounded, known)
    return known[id(bounded)]


def _made(bounded: BoundedOrder, known: dict[int, Node]) -> Node:
    if not bounded.dag.arc_count:
        return {"rule": "exact"}
    match bounded.step:
        case "exact" | "tree" as rule:
            return {"rule": rule}
        case Envelope(segment, shares):
            return {"rule": "shares", "segments": segment.tolist(), "shares": shares.tolist()}
        case Without(arcs, part):
            return {"rule": "without", "arcs": arcs.tolist(), "part": _node(part, known)}
        case Dual(part):
            return {"rule": "dual", "part": _node(part, known)}
        case Least(bounds):
            return {"rule": "least", "parts": [_node(part, known) for part in bounds]}
        case Series(parts):
            nodes = [{"tasks": ids.tolist(), "part": _node(part, known)} for ids, part in parts]
            return {"rule": "series", "parts": nodes}
        case Analysis() as analysis:
            return {"rule": "sum", "pieces": _block_pieces(analysis)}
        case Sum(pieces):
            nodes = [
                {
                    "runs": copies.tasks[:, : copies.runs].tolist(),
                    "counts": copies.tasks[:, copies.dag.in_degrees > 0].tolist(),
                    "part": _node(part, known),
                }
                for copies, part in pieces
            ]
            return {"rule": "sum", "pieces": nodes}


def _block_pieces(analysis: Analysis) -> list[Node]:
    """Return the blocks as pieces; blocks of one kind with the same arcs are copies.

    All arcs lie inside blocks, so each task is counted in the block that owns its parents.
    """
    parts = analysis.parts
    arcs, owner = parts.dag.arcs, parts.owner
    counts = _rows_of(counting_groups(parts.dag, owner), len(parts))
    arcs_of = _rows_of(owner[arcs[:, 0]], len(parts))
    local = np.empty(len(parts.dag), np.int32)
    pieces: dict[tuple[int, int, bytes], tuple[list[list[int]], list[list[int]], Node]] = {}
    for block, kind in enumerate(analysis.orders.kind.tolist()):
        runs = parts.nonsinks(block)
        only = counts[block][owner[counts[block]] != block]
        local[runs] = np.arange(len(runs))
        local[only] = len(runs) + np.arange(len(only))
        inside = local[arcs[arcs_of[block]]]
        key = kind, len(runs), inside.tobytes()
        if key not in pieces:
            pieces[key] = [], [], _leaf(Kind(kind), len(runs), len(only))
        pieces[key][0].append(runs.tolist())
        pieces[key][1].append(counts[block].tolist())
    return [{"runs": runs, "counts": count, "part": leaf} for runs, count, leaf in pieces.values()]


def _rows_of(label: Ids, count: int) -> list[NDArray[np.intp]]:
    """Return for each label from 0 the indices that have it, ascending."""
    order = np.argsort(label, kind="stable")
    ends = np.searchsorted(label[order], np.arange(count + 1))
    return np.split(order, ends)[1:-1]


_LEAVES = {Kind.TREE: "tree", Kind.FOREST: "tree", Kind.CYCLE: "cycle", Kind.CLIQUE: "clique"}


def _leaf(kind: Kind, runs: int, only: int) -> Node:
    """Return the step that bounds a block of this kind."""
    if kind == Kind.COMPLETE:
        halves = range(runs), range(runs, runs + only)
        parts = [{"tasks": list(half), "part": {"rule": "exact"}} for half in halves]
        return {"rule": "series", "parts": parts}
    if kind == Kind.COCLIQUE:
        return {"rule": "dual", "part": {"rule": "clique"}}
    return {"rule": _LEAVES.get(kind, "exact")}


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound that no order of a dag exceeds; `bounded` has the reasons.

    `residual` is what is left of the graph; None if nothing was done.
    """

    bounded: BoundedOrder
    residual: Residual | None = None

    def __repr__(self) -> str:
        return f"Bound(eligible={np.array2string(self.eligible, threshold=12, edgeitems=4)})"

    @cached_property
    def eligible(self) -> Counts:
        """An upper bound of the eligible tasks after 0, 1, 2, ... executed tasks."""
        dag = self.bounded.dag
        enabled = np.full(len(dag) + 1, np.count_nonzero(dag.in_degrees))
        enabled[: len(self.bounded.bound)] = np.minimum(self.bounded.bound, enabled[0])
        return enabled + len(dag.sources) - np.arange(len(dag) + 1)

    def certificate(self, order: Order) -> Certificate:
        """Compare *order* with the bound; raises ScheduleError if it is not legal."""
        return Certificate(self.bounded, Schedule.of(self.residual or self.bounded.dag, order))


def bound(graph: Graph) -> Bound:
    """Return a bound on the eligible tasks of any order of *graph*.

    Counts limit the work, so large dags get weaker bounds, but the same graph always gets the same
    bound. Raises GraphError for a graph that is not a dag.

    >>> found = bound({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> found.eligible.tolist(), found.certificate([0, 2, 1, 3, 4]).area_ratio
    ([2, 3, 3, 2, 1, 0], 0.9090909090909091)
    """
    left = Residual.of(graph)
    return Bound(bounded_order(left.dag, FULL), left)
