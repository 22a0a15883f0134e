"""Certificates made to hurt: one clear line each, and little work."""

from itertools import pairwise

import numpy as np
import pytest

from icsched import Dag, families
from icsched.audit import audit, fingerprint, graph, leaves
from icsched.audit.rules import bound_of
from icsched.errors import CertificateError
from tests.audit.samples import audited, by_recursion, claim

JOIN = Dag({"a": [], "b": [], "c": ["a", "b"]})
EXACT = {"rule": "exact"}


def nested(depth: int) -> dict[str, object]:
    node: dict[str, object] = EXACT
    for _ in range(depth):
        node = {"rule": "dual", "part": node}
    return node


def doubled(depth: int) -> dict[str, object]:
    """Return a node with 2**depth leaves, which share memory."""
    node: dict[str, object] = EXACT
    for _ in range(depth):
        node = {"rule": "least", "parts": [node, node]}
    return node


NODES = {
    "deep": (nested(100_000), "nested more than 200 deep"),
    "exponential": (doubled(150), "more work than the checker may do"),
    "null": (None, "expected an object with a rule"),
    "list": ([], "expected an object with a rule"),
    "rule that is a list": ({"rule": []}, "expected an object with a rule"),
    "number": ({"rule": "dual", "part": 1e400}, "expected an object with a rule"),
    "long least": ({"rule": "least", "parts": [EXACT] * 100_000}, "a list of 1 to 1,000"),
    "empty least": ({"rule": "least", "parts": []}, "a list of 1 to 1,000"),
    "many parts": ({"rule": "series", "parts": [1] * 1_000_000}, "a list of 1 to 3"),
    "parts of text": ({"rule": "series", "parts": "abc"}, "a list of 1 to 3"),
    "runs of text": (
        {"rule": "sum", "pieces": [{"runs": ["a"], "counts": ["b"], "part": EXACT}]},
        "lists",
    ),
    "huge rows": (
        {"rule": "sum", "pieces": [{"runs": [[0] * 10**6], "counts": [[2]], "part": EXACT}]},
        "a task occurs twice",
    ),
    "past int64": (
        {"rule": "shares", "segments": [0, 0, -1], "shares": [10**30, 1]},
        "integers from -1 to",
    ),
    "sums past int64": (
        {"rule": "shares", "segments": [0, 0, -1], "shares": [1 << 62, 1 << 62]},
        "too large",
    ),
    "segment past int64": (
        {"rule": "shares", "segments": [0, 1 << 62, -1], "shares": [1, 1]},
        "have gaps",
    ),
    "NaN": ({"rule": "shares", "segments": [0, 0, -1], "shares": [float("nan"), 1]}, "integers"),
    "truth values": ({"rule": "shares", "segments": [0, 0, -1], "shares": [True, 1]}, "integers"),
    "arcs of text": ({"rule": "without", "arcs": ["ab"], "part": EXACT}, "each a parent"),
    "arcs with one end and three": (
        {"rule": "without", "arcs": [[0], [2, 1, 2]], "part": EXACT},
        "each a parent",
    ),
    "arcs out of range": ({"rule": "without", "arcs": [[0, 99]], "part": EXACT}, "each a parent"),
}


@pytest.mark.parametrize("name", NODES)
def test_a_hostile_step_is_refused_in_one_line(name):
    node, problem = NODES[name]

    with pytest.raises(CertificateError, match=f"refused: bound.*: .*{problem}") as caught:
        audited(JOIN, claim(JOIN, node, [2, 1, 1, 0]))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [None, [], "text", 1, {}, {"schema": 1}, {1: 2}])
def test_what_is_no_certificate_is_refused(value):
    with pytest.raises(CertificateError, match="certificate"):
        audited(JOIN, value)


@pytest.mark.parametrize("ratio", [None, "1", [1], True, 10**400, float("inf"), -0.0, 2])
def test_a_ratio_that_is_no_ratio_is_refused(ratio):
    made = claim(JOIN, EXACT, [2, 1, 1, 0]) | {"mean_ratio": ratio}

    with pytest.raises(CertificateError, match="mean_ratio"):
        audited(JOIN, made)


@pytest.mark.parametrize("order", [None, [0, 1], [0, 1, 3], [0, 1, 1], [2, 0, 1], [0, 1, 2.0]])
def test_an_order_that_is_not_legal_is_refused(order):
    made = claim(JOIN, EXACT, [2, 1, 1, 0]) | {"order": order}

    with pytest.raises(CertificateError, match="refused: order: "):
        audited(JOIN, made)


def test_an_exact_step_stops_at_its_limit_of_sets():
    many = Dag.from_arcs(120, [(task, 60 + task) for task in range(60)])

    with pytest.raises(
        CertificateError, match=f"bound.*: (more than {leaves.MOST_SETS:,} sets|.*more work)"
    ):
        audited(many, claim(many, EXACT, [60] * 121))


def test_an_exact_step_of_a_wide_dag_stops_at_its_limit():
    wide = Dag.from_arcs(4000, [(task, 2000 + task) for task in range(2000)])

    with pytest.raises(
        CertificateError, match=r"bound\.exact: more than 1,024 tasks have children"
    ):
        audited(wide, claim(wide, EXACT, [2000] * 4001))


@pytest.mark.parametrize("nonsinks", [63, 64, 65, leaves.MOST_NONSINKS])
def test_more_than_64_nonsinks_are_looked_at_too(nonsinks):
    chain = families.random_layered(nonsinks + 1, 1, 1, 1, seed=1)

    assert audited(chain, claim(chain, EXACT, [1] * (nonsinks + 1) + [0])).is_ic_optimal


def test_up_to_63_nonsinks_take_a_hundredth_of_the_work_of_more():
    """A chain has one set of each size: n steps of n sets to grow and n goals, and 100 times so."""
    for nonsinks, work in ((63, 2 * 63**2), (64, 100 * 2 * 64**2)):
        chain = graph.sorted_graph(nonsinks + 1, np.array([(t, t + 1) for t in range(nonsinks)]))
        budget = graph.Budget()
        leaves.exact(chain, "here", budget)
        assert graph.MOST_WORK - budget.left == work


def test_no_tasks_have_shares_too():
    nothing = graph.sorted_graph(0, np.empty((0, 2), np.int64))
    node = {"rule": "shares", "segments": [], "shares": []}

    assert bound_of(nothing, node, "bound", 0, graph.Budget()).tolist() == [0]


@pytest.mark.parametrize("rule", ["exact", "tree"])
def test_an_equal_leaf_is_looked_at_once(rule):
    strand = families.w(10, 2)
    checked = graph.sorted_graph(len(strand), strand.arcs.astype(np.int64))
    budget = graph.Budget()
    spent = [budget.left]
    for _ in range(3):
        assert bound_of(checked, {"rule": rule}, "bound", 0, budget).tolist() == [*range(10), 11]
        spent.append(budget.left)

    first, second, third = (before - after for before, after in pairwise(spent))
    assert second == third < first


def test_the_budget_stops_a_large_convolution():
    """It fills 101 times 101 cells, which is more than the 10,000 that are left."""
    steps = np.arange(101)

    assert len(leaves.convolved(steps, steps, "here", graph.Budget(20_000))) == 201
    with pytest.raises(CertificateError, match="here: checking it takes more work"):
        leaves.convolved(steps, steps, "here", graph.Budget(10_000))


SERIES_OF_1000 = {"rule": "series", "parts": [{"tasks": [t], "part": EXACT} for t in range(1000)]}
PAIRS = {"runs": [[t] for t in range(1000)], "counts": [[1000 + t] for t in range(1000)]}


@pytest.mark.parametrize(
    ("arcs", "node", "work"),
    [
        ([(t, t + 1) for t in range(999)], SERIES_OF_1000, 2_000_000),
        (
            [(t, 1000 + t) for t in range(1000)],
            {"rule": "sum", "pieces": [PAIRS | {"part": EXACT}]},
            500_000,
        ),
    ],
)
def test_small_parts_take_work_too(arcs, node, work):
    """A part without arcs takes 2,000, and a piece 500, besides what their steps take."""
    checked = graph.sorted_graph(max(map(max, arcs)) + 1, np.array(arcs))

    with pytest.raises(CertificateError, match="more work than the checker may do"):
        bound_of(checked, node, "bound", 0, graph.Budget(work))
    assert (
        len(bound_of(checked, node, "bound", 0, graph.Budget(work + 150_000)))
        == checked.nonsinks + 1
    )


def test_a_task_that_is_its_own_parent_is_refused():
    arcs = np.array([[1, 1]])
    made = by_recursion(Dag({"a": [], "b": ["a"]}))
    made["fingerprint"] = fingerprint(["a", "b"], arcs)

    with pytest.raises(CertificateError, match="order: a task runs before one of its parents"):
        audit(["a", "b"], arcs, made)
