"""Dags and certificates for the tests of the checker."""

import json
from collections.abc import Hashable, Sequence

import numpy as np

from icsched import Dag, pebble
from icsched.audit import Audited, audit, fingerprint
from icsched.theory.bounds import BoundedOrder
from icsched.theory.certificate import Bound
from icsched.theory.envelopes import envelope
from icsched.theory.recursion import FULL, bounded_order

Json = dict[str, object]


def random_dag(rng: np.random.Generator, most: int = 9) -> Dag:
    """Return a dag of at most *most* tasks, sparse or dense."""
    tasks, density = int(rng.integers(2, most + 1)), rng.random() ** 2
    upper = np.triu(rng.random((tasks, tasks)) < density, 1)
    return Dag.from_arcs(tasks, np.argwhere(upper))


def by_recursion(dag: Dag) -> Json:
    """Return the certificate of the FIFO order, with the bound of the recursion."""
    return json.loads(
        json.dumps(Bound(bounded_order(dag, FULL)).certificate(dag.fifo_order).to_dict())
    )


def by_shares(dag: Dag) -> Json:
    """Return the certificate of the FIFO order, with shares of the whole dag."""
    found = envelope(dag)
    reached = pebble.Schedule.of(dag, dag.fifo_order).enabled[: len(dag.nonsinks) + 1]
    bounded = BoundedOrder(dag, dag.nonsinks, reached, found.bound, found)
    return json.loads(json.dumps(Bound(bounded).certificate(dag.fifo_order).to_dict()))


def ratios(eligible: Sequence[int], bound: Sequence[int]) -> tuple[float, float, float]:
    """Return the three ratios by their definition."""
    parts = [e / b for e, b in zip(eligible, bound, strict=True) if b > 0]
    return min(parts), sum(parts) / len(parts), sum(eligible) / sum(bound)


def claim(dag: Dag, node: object, bound: Sequence[int]) -> Json:
    """Return a certificate of the FIFO order whose step is *node*; *bound* is worked by hand."""
    names: list[Hashable] = list(dag.names)
    least, mean, area = ratios(pebble.eligibility_profile(dag, dag.fifo_order).tolist(), bound)
    return {
        "schema": 1,
        "tasks": len(dag),
        "arcs": dag.arc_count,
        "fingerprint": fingerprint(names, dag.arcs),
        "order": dag.fifo_order.tolist(),
        "min_ratio": least,
        "mean_ratio": mean,
        "area_ratio": area,
        "bound": node,
    }


def audited(dag: Dag, certificate: object) -> Audited:
    return audit(list(dag.names), dag.arcs.astype(np.int64), certificate)
