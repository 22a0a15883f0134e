"""Checking a certificate against a dag."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from icsched.audit.graph import Budget, Graph, Ints, fields, ids, sorted_graph
from icsched.audit.rules import bound_of
from icsched.errors import CertificateError

SCHEMA = 1
_KEYS = ("schema", "tasks", "arcs", "fingerprint", "order", "bound")
_RATIOS = ("min_ratio", "mean_ratio", "area_ratio")
_CLOSE = 1e-12  # the two programs may round sums of ratios differently


@dataclass(frozen=True, eq=False)
class Audited:
    """The facts that an accepted certificate proves.

    `eligible` counts the eligible tasks of the order at every step. No order has more than
    `bound` at any step. The ratios are over the steps at which the bound is not 0.
    """

    order: Ints
    eligible: Ints
    bound: Ints
    min_ratio: float
    mean_ratio: float
    area_ratio: float

    @property
    def is_ic_optimal(self) -> bool:
        """Whether the order meets the bound at every step."""
        return bool(np.array_equal(self.eligible, self.bound))


def audit(names: Sequence[Hashable], arcs: ArrayLike, certificate: object) -> Audited:
    """Check *certificate* against the dag that *names* and *arcs* describe.

    *arcs* has rows of parent id and child id. Nothing in *certificate* is trusted. Raises
    CertificateError for the first problem.
    """
    graph = sorted_graph(len(names), np.asarray(arcs, np.int64).reshape(-1, 2))
    found = fields(certificate, (*_KEYS, *_RATIOS), "certificate")
    _check_head(found, names, graph)
    order = ids(found["order"], graph.tasks, "order")
    eligible = _eligible(graph, order)
    enabled = bound_of(graph, found["bound"], "bound", 0, Budget())  # then come the sinks
    whole = np.append(enabled, np.full(graph.tasks - graph.nonsinks, enabled[-1]))
    sources = graph.tasks - graph.nonsources
    bound = np.minimum(whole, graph.nonsources) + sources - np.arange(graph.tasks + 1)
    ratios = _ratios(eligible, bound)
    for name, ratio in zip(_RATIOS, ratios, strict=True):
        claimed: Any = found[name]
        is_number = isinstance(claimed, (int, float)) and not isinstance(claimed, bool)
        if not is_number or not 0 <= claimed <= 1 or abs(claimed - ratio) > _CLOSE:
            raise CertificateError(name, f"the order and the bound give {ratio!r}")
    return Audited(order, eligible, bound, *ratios)


def _check_head(found: dict[str, object], names: Sequence[Hashable], graph: Graph) -> None:
    if type(found["schema"]) is not int or found["schema"] != SCHEMA:
        raise CertificateError("schema", f"expected {SCHEMA}")
    for key, value in {"tasks": graph.tasks, "arcs": len(graph.arcs)}.items():
        if type(found[key]) is not int or found[key] != value:
            problem = f"the certificate is for another dag, the workflow has {value:,} {key}"
            raise CertificateError(key, problem)
    if found["fingerprint"] != fingerprint(names, graph.arcs):
        raise CertificateError("fingerprint", "the certificate is for another dag")


def fingerprint(names: Sequence[Hashable], arcs: ArrayLike) -> str:
    """Return the SHA-256 of the names in order, each after its length, and the sorted arcs."""
    digest = hashlib.sha256()
    for name in names:
        text = str(name).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(text) + text)
    rows = np.asarray(arcs, "<i8").reshape(-1, 2)
    digest.update(b"|" + rows[np.lexsort((rows[:, 1], rows[:, 0]))].tobytes())
    return digest.hexdigest()


def _eligible(graph: Graph, order: Ints) -> Ints:
    """Return the eligible tasks after each step of a legal order."""
    if len(order) != graph.tasks:
        raise CertificateError("order", f"expected all {graph.tasks:,} tasks")
    step = np.empty(graph.tasks, np.int64)
    step[order] = np.arange(1, graph.tasks + 1)
    parent, child = graph.arcs.T
    if bool(np.any(step[parent] >= step[child])):
        raise CertificateError("order", "a task runs before one of its parents")
    enabled_at = np.zeros(graph.tasks, np.int64)
    np.maximum.at(enabled_at, child, step[parent])
    enabled = np.cumsum(np.bincount(enabled_at, minlength=graph.tasks + 1))
    return (enabled - np.arange(graph.tasks + 1)).astype(np.int64)


def _ratios(eligible: Ints, bound: Ints) -> tuple[float, float, float]:
    counted = bound > 0
    if not counted.any():
        return 1.0, 1.0, 1.0
    parts = eligible[counted] / bound[counted]
    return float(parts.min()), float(parts.mean()), int(eligible.sum()) / int(bound.sum())
