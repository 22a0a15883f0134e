"""Every rule inside every other rule, two deep: the true step is accepted, a false one refused.

All samples have exact bounds, and every rule then gives the exact bound of the larger dag without
the arcs that `without` leaves out. The referee computes that bound anew.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from icsched import Dag, families, pebble
from icsched.errors import CertificateError
from tests.audit.samples import Json, audited, claim

EXACT = {"rule": "exact"}
TREE = {"rule": "tree"}
CYCLE = {"rule": "cycle"}


class Step(NamedTuple):
    """A step of *dag* that proves the exact bound of *loose*, which may lack arcs of *dag*.

    No step of *wrong* proves anything. Both dags have the same sources and sinks.
    """

    dag: Dag
    loose: Dag
    node: Json
    wrong: list[Json]


def sample(arcs: list[tuple[int, int]], node: Json, *wrong: Json) -> Step:
    dag = Dag.from_arcs(1 + max(map(max, arcs)), arcs)
    left_out = node.get("arcs", [])
    loose = dag.with_arcs(np.array([arc not in left_out for arc in dag.arcs.tolist()]))
    return Step(dag, loose, node, list(wrong))


def part(tasks: Sequence[int], node: Json) -> Json:
    return {"tasks": list(tasks), "part": node}


def piece(runs: list[int], counts: list[int], node: Json) -> Json:
    return {"runs": [runs], "counts": [counts], "part": node}


TWO_FORKS = [(0, 2), (0, 3), (1, 4)]  # a is the parent of two, b of one
SUM = [piece([0], [2, 3], TREE), piece([1], [4], TREE)]

SAMPLES = {
    "exact": sample([(0, 2), (1, 2), (2, 3), (1, 4)], EXACT, TREE, EXACT | {"part": EXACT}),
    "tree": sample([(0, 3), (1, 3), (1, 4), (2, 4)], TREE, CYCLE),
    "cycle": sample(families.cycle(4).arcs.tolist(), CYCLE, TREE),
    "clique": sample(families.clique(4).arcs.tolist(), {"rule": "clique"}, CYCLE),
    # Segments of one task each hand out all that they have.
    "shares": sample(
        TWO_FORKS,
        {"rule": "shares", "segments": [0, 1, -1, -1, -1], "shares": [1, 1, 1]},
        {"rule": "shares", "segments": [0, 1, -1, -1, -1], "shares": [1, 2, 1]},
        {"rule": "shares", "segments": [1, 0, -1, -1, -1], "shares": [1, 1, 1]},
    ),
    # The arc from a to c is a shortcut; d and e have b as their only parent.
    "without": sample(
        [(0, 1), (0, 2), (1, 2), (1, 3), (1, 4)],
        {"rule": "without", "arcs": [[0, 2]], "part": EXACT},
        {"rule": "without", "arcs": [[1, 3]], "part": EXACT},
        {"rule": "without", "arcs": [[0, 3]], "part": EXACT},
    ),
    # a is the parent of b and c; c is the parent of d and e.
    "series": sample(
        [(0, 1), (0, 2), (2, 3), (2, 4)],
        {"rule": "series", "parts": [part([0], EXACT), part([1, 2, 3, 4], EXACT)]},
        {"rule": "series", "parts": [part([0, 2], EXACT), part([1, 3, 4], EXACT)]},
        {"rule": "series", "parts": [part([1, 2, 3, 4], EXACT), part([0], EXACT)]},
        {"rule": "series", "parts": [part([0], TREE), part([1, 2, 3, 4], EXACT)]},
    ),
    "sum": sample(
        TWO_FORKS,
        {"rule": "sum", "pieces": SUM},
        {"rule": "sum", "pieces": SUM[:1]},
        {"rule": "sum", "pieces": [piece([0], [4], TREE), piece([1], [2, 3], TREE)]},
    ),
    "dual": sample(
        [(0, 3), (1, 3), (1, 4), (2, 4)],
        {"rule": "dual", "part": TREE},
        {"rule": "dual", "part": CYCLE},
    ),
    "least": sample(
        TWO_FORKS,
        {"rule": "least", "parts": [EXACT, {"rule": "sum", "pieces": SUM}]},
        {"rule": "least", "parts": [EXACT, TREE]},
        {"rule": "least", "parts": [CYCLE, EXACT]},
    ),
}


def renamed(node: Json, dag: Dag, new: list[int]) -> Json:
    """Return a step of *dag* for the dag in which task t is called new[t]."""
    match node["rule"]:
        case "series":
            parts = [p | {"tasks": [new[task] for task in p["tasks"]]} for p in node["parts"]]
            return node | {"parts": parts}
        case "sum":
            pieces = [
                p
                | {
                    key: [[new[task] for task in row] for row in p[key]]
                    for key in ("runs", "counts")
                }
                for p in node["pieces"]
            ]
            return node | {"pieces": pieces}
        case "without":
            rest = dag.with_arcs(np.array([arc not in node["arcs"] for arc in dag.arcs.tolist()]))
            arcs = [[new[a], new[b]] for a, b in node["arcs"]]
            return node | {"arcs": arcs, "part": renamed(node["part"], rest, new)}
        case "dual":
            return node | {"part": renamed(node["part"], dag.dual(), new)}
        case "least":
            return node | {"parts": [renamed(part, dag, new) for part in node["parts"]]}
        case "shares":
            segments = [segment for _, segment in sorted(zip(new, node["segments"], strict=True))]
            arcs = [(new[a], new[b]) for a, b in sorted(dag.arcs.tolist())]
            amounts = [amount for _, amount in sorted(zip(arcs, node["shares"], strict=True))]
            return node | {"segments": segments, "shares": amounts}
        case _:
            return node


def in_without(step: Step) -> Step:
    """Add an arc that the step leaves out; sources and sinks stay what they are."""
    dag, loose, node, wrong = step
    place = np.argsort(dag.fifo_order)
    arcs = dag.arcs.tolist()
    u, v = next(
        (u, v)
        for u in loose.nonsinks.tolist()
        for v in np.flatnonzero(loose.in_degrees).tolist()
        if place[u] < place[v] and [u, v] not in arcs
    )

    def outer(inner: Json, times: int = 1) -> Json:
        return {"rule": "without", "arcs": [[u, v]] * times, "part": inner}

    larger = Dag.from_arcs(len(dag), [*arcs, [u, v]])
    return Step(larger, loose, outer(node), [outer(node, 2), *map(outer, wrong)])


def in_series(step: Step) -> Step:
    """Put one task before the dag, and a fork of two behind it."""
    dag, loose, node, wrong = step
    tasks = len(dag)
    top, root, leaf = range(tasks, tasks + 3)

    def larger(inner: Dag) -> Dag:
        ends = [(top, source) for source in inner.sources] + [(sink, root) for sink in inner.sinks]
        return Dag.from_arcs(tasks + 3, [*inner.arcs.tolist(), *ends, (root, leaf)])

    def outer(inner: Json, first: int = top, second: int = root) -> Json:
        ends = part([first], EXACT), part([second, leaf], EXACT)
        return {"rule": "series", "parts": [ends[0], part(range(tasks), inner), ends[1]]}

    return Step(
        larger(dag), larger(loose), outer(node), [outer(node, root, top), *map(outer, wrong)]
    )


def in_sum(step: Step) -> Step:
    """Put a fork beside the dag. The pieces number tasks with children first."""
    dag, loose, node, wrong = step
    fork = Dag.from_arcs(3, [(0, 1), (0, 2)])
    local = [*dag.nonsinks.tolist(), *dag.sinks.tolist()]
    new = np.argsort(local).tolist()
    runs = dag.nonsinks.tolist(), [len(dag)]
    counts = [task for task in local if dag.in_degrees[task]], [len(dag) + 1, len(dag) + 2]

    def outer(inner: Json, counts: tuple[list[int], list[int]] = counts) -> Json:
        first = piece(runs[0], counts[0], renamed(inner, dag, new))
        return {"rule": "sum", "pieces": [first, piece(runs[1], counts[1], TREE)]}

    wrong = [outer(node, counts[::-1]), *map(outer, wrong)]
    return Step(dag + fork, loose + fork, outer(node), wrong)


def in_dual(step: Step) -> Step:
    dag, loose, *nodes = step

    def outer(inner: Json) -> Json:
        return {"rule": "dual", "part": inner}

    return Step(dag.dual(), loose.dual(), outer(nodes[0]), list(map(outer, nodes[1])))


def in_least(step: Step) -> Step:
    """Take the least of the step and of one that lets the first task enable everything."""
    dag, loose, node, wrong = step
    segments = np.where(dag.out_degrees > 0, 0, -1).tolist()
    high = {"rule": "shares", "segments": segments, "shares": [0] * dag.arc_count}

    def outer(inner: Json) -> Json:
        return {"rule": "least", "parts": [high, inner]}

    return Step(dag, loose, outer(node), list(map(outer, wrong)))


RULES = {
    "without": in_without,
    "series": in_series,
    "sum": in_sum,
    "dual": in_dual,
    "least": in_least,
}


@pytest.mark.parametrize("inner", SAMPLES)
@pytest.mark.parametrize("outer", RULES)
def test_a_rule_inside_each_other_rule_proves_what_is_true_and_nothing_else(outer, inner):
    once = RULES[outer](SAMPLES[inner])

    for step in (once, *(around(once) for around in RULES.values())):
        bound = pebble.optimal_profile(step.loose).tolist()
        assert audited(step.dag, claim(step.dag, step.node, bound)).bound.tolist() == bound
        for node in step.wrong:
            with pytest.raises(CertificateError, match="refused: bound"):
                audited(step.dag, claim(step.dag, node, bound))
