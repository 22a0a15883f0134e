"""Every rule of a certificate: accepted with the bound that it proves, refused where it is not so.

The bounds count eligible tasks after 0, 1, 2, ... steps and are worked by hand.
"""

import pytest

from icsched import Dag, families
from icsched.errors import CertificateError
from tests.audit.samples import audited, claim

EXACT = {"rule": "exact"}
CHAIN = Dag({"a": [], "b": ["a"], "c": ["b"]})
FORK_AND_CHAIN = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
JOIN = Dag({"a": [], "b": [], "c": ["a", "b"]})
SQUARE = Dag.from_arcs(4, [(0, 2), (0, 3), (1, 2), (1, 3)])
SHORTCUT = Dag({"a": [], "b": ["a"], "c": ["a", "b"]})
TRIANGLE = Dag.from_arcs(6, [(0, 3), (1, 3), (0, 4), (2, 4), (1, 5), (2, 5)])
DOUBLE_SUM = {
    "rule": "sum",
    "pieces": [
        {"runs": [[0]], "counts": [[1]], "part": {"rule": "tree"}},
        {"runs": [[2]], "counts": [[3, 4]], "part": EXACT},
    ],
}
TWO_FORKS = Dag.from_arcs(6, [(0, 2), (0, 3), (1, 4), (1, 5)])
COPIES = {
    "rule": "sum",
    "pieces": [{"runs": [[0], [1]], "counts": [[2, 3], [4, 5]], "part": {"rule": "tree"}}],
}
THREE_TO_ONE = Dag({"a": [], "b": [], "c": [], "d": ["a", "b", "c"]})
HEAVY = Dag.from_arcs(6, [(0, 3), (1, 3), (1, 4), (2, 4), (1, 5), (2, 5)])
SHARED_CHILD = Dag({"a": [], "b": [], "c": ["a", "b"], "d": ["a"]})
IDLE_RUN = {
    "rule": "sum",
    "pieces": [
        {"runs": [[0]], "counts": [[2, 3]], "part": {"rule": "tree"}},
        {"runs": [[1]], "counts": [[]], "part": EXACT},
    ],
}
# a, b and c are parents of d, and d is the parent of e and f: the example of docs/certificates.md.
HOURGLASS = Dag.from_arcs(6, [(0, 3), (1, 3), (2, 3), (3, 4), (3, 5)])
HANDED_ON = {"rule": "shares", "segments": [0, 0, 0, 0, -1, -1], "shares": [3, 3, 3, 4, 4]}
ALL_EQUAL = {"rule": "shares", "segments": [0, 0, 0, -1], "shares": [1, 1, 1]}


def part(tasks: list[int], node: object) -> dict[str, object]:
    return {"tasks": tasks, "part": node}


ACCEPTED = {
    "exact": (FORK_AND_CHAIN, EXACT, [2, 3, 3, 2, 1, 0]),
    "tree": (JOIN, {"rule": "tree"}, [2, 1, 1, 0]),
    # c and d have the same parents: one sink of weight 2, and a tree of three tasks is left.
    "tree with equal sinks": (SQUARE, {"rule": "tree"}, [2, 1, 2, 1, 0]),
    "tree with a heavy sink at its end": (HEAVY, {"rule": "tree"}, [3, 2, 3, 3, 2, 1, 0]),
    # b runs in a piece that counts none of its children: the bound goes on flat.
    "run without a count": (SHARED_CHILD, IDLE_RUN, [2, 3, 2, 1, 0]),
    "cycle": (families.cycle(3), {"rule": "cycle"}, [3, 2, 2, 3, 2, 1, 0]),
    "clique": (TRIANGLE, {"rule": "clique"}, [3, 2, 2, 3, 2, 1, 0]),
    "sum": (FORK_AND_CHAIN, DOUBLE_SUM, [2, 3, 3, 2, 1, 0]),
    "copies": (TWO_FORKS, COPIES, [2, 3, 4, 3, 2, 1, 0]),
    "series": (
        SQUARE,
        {"rule": "series", "parts": [part([0, 1], EXACT), part([2, 3], EXACT)]},
        [2, 1, 2, 1, 0],
    ),
    "series of three": (
        CHAIN,
        {"rule": "series", "parts": [part([task], EXACT) for task in range(3)]},
        [1, 1, 1, 0],
    ),
    "series of an exact part with an arc": (
        CHAIN,
        {"rule": "series", "parts": [part([0], EXACT), part([1, 2], EXACT)]},
        [1, 1, 1, 0],
    ),
    "dual": (JOIN, {"rule": "dual", "part": {"rule": "tree"}}, [2, 1, 1, 0]),
    "dual without arcs": (Dag.from_arcs(2, []), {"rule": "dual", "part": EXACT}, [2, 1, 0]),
    "without": (SHORTCUT, {"rule": "without", "arcs": [[0, 2]], "part": EXACT}, [1, 1, 1, 0]),
    "least": (JOIN, {"rule": "least", "parts": [EXACT, {"rule": "tree"}]}, [2, 1, 1, 0]),
    # Each of the three tasks keeps 1 = total, of 3 that the join hands out: 1/3 for each task.
    "shares": (THREE_TO_ONE, ALL_EQUAL, [3, 2, 1, 1, 0]),
    # Nothing is handed out: the segment jumps to all that it enables at once.
    "shares with a rest": (THREE_TO_ONE, ALL_EQUAL | {"shares": [0, 0, 0]}, [3, 3, 2, 1, 0]),
    # Two tasks have one child, three have another. Only the second child hands nothing out, so its
    # jump of 1 comes first: 1/2, 1, 4/3, 5/3 and 2, cut off, and 1, are at most 1, 2, 2, 2, 2.
    "shares with a rest in the second segment": (
        Dag.from_arcs(7, [(0, 5), (1, 5), (2, 6), (3, 6), (4, 6)]),
        {"rule": "shares", "segments": [0, 0, 1, 1, 1, -1, -1], "shares": [1, 1, 0, 0, 0]},
        [5, 5, 5, 4, 3, 2, 1, 0],
    ),
    # x of the four nonsinks enable at most 3x/4: 0, 0, 1, 2, 3.
    "shares that are handed on": (HOURGLASS, HANDED_ON, [3, 2, 2, 2, 2, 1, 0]),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_rule_proves_the_bound_that_a_pencil_gives(name):
    dag, node, bound = ACCEPTED[name]

    assert audited(dag, claim(dag, node, bound)).bound.tolist() == bound


REFUSED = {
    "cycle that is none": (TWO_FORKS, {"rule": "cycle"}, "not a cycle"),
    "two cycles": (SQUARE + SQUARE, {"rule": "cycle"}, "not a cycle"),
    "tree that is none": (TRIANGLE, {"rule": "tree"}, "not a bipartite tree"),
    "forest for a tree": (TWO_FORKS, {"rule": "tree"}, "not a bipartite tree"),
    # Seven arcs between eight tasks, as in a tree, but six of them are a cycle.
    "cycle beside an arc": (
        families.cycle(3) + families.n(1),
        {"rule": "tree"},
        "not a bipartite tree",
    ),
    "tree of three levels": (CHAIN, {"rule": "tree"}, "not a bipartite tree"),
    "clique with equal pairs": (SQUARE, {"rule": "clique"}, "the same two parents"),
    "clique with one parent": (CHAIN, {"rule": "clique"}, "but not two"),
    "series without a junction": (
        FORK_AND_CHAIN,
        {"rule": "series", "parts": [part([0, 2], EXACT), part([1, 3, 4], EXACT)]},
        "does not wait for all",
    ),
    "series backwards": (
        SQUARE,
        {"rule": "series", "parts": [part([2, 3], EXACT), part([0, 1], EXACT)]},
        "an arc leads back",
    ),
    "series that lacks a task": (
        SQUARE,
        {"rule": "series", "parts": [part([0, 1], EXACT), part([2], EXACT)]},
        "a task is in no part",
    ),
    "overlapping runs": (
        TWO_FORKS,
        {"rule": "sum", "pieces": [COPIES["pieces"][0] | {"runs": [[0], [0]]}]},
        "a task occurs twice",
    ),
    "copies with other arcs": (
        FORK_AND_CHAIN,
        {"rule": "sum", "pieces": [{"runs": [[0], [2]], "counts": [[1], [3, 4]], "part": EXACT}]},
        "copies of a piece have different arcs",
    ),
    "copies with as many other arcs": (
        # Sinks with two parents each, beside sinks with one parent and with three.
        Dag.from_arcs(10, [(0, 3), (1, 3), (1, 4), (2, 4), (5, 8), (5, 9), (6, 9), (7, 9)]),
        {
            "rule": "sum",
            "pieces": [{"runs": [[0, 1, 2], [5, 6, 7]], "counts": [[3, 4], [8, 9]], "part": EXACT}],
        },
        "copies of a piece have different arcs",
    ),
    "count far from its parents": (
        TWO_FORKS,
        {"rule": "sum", "pieces": [COPIES["pieces"][0] | {"counts": [[2, 4], [3, 5]]}]},
        "counted where none of its parents runs",
    ),
    "uncounted task": (
        TWO_FORKS,
        {"rule": "sum", "pieces": [COPIES["pieces"][0] | {"counts": [[2, 3], [4]]}]},
        "the counts are not all tasks with parents",
    ),
    "sum that lacks a run": (
        FORK_AND_CHAIN,
        {"rule": "sum", "pieces": [DOUBLE_SUM["pieces"][0]]},
        "the runs are not all tasks with children",
    ),
    "without all parents": (
        JOIN,
        {"rule": "without", "arcs": [[0, 2], [1, 2]], "part": EXACT},
        "lose all its parents",
    ),
    "without no arc": (
        JOIN,
        {"rule": "without", "arcs": [[0, 1]], "part": EXACT},
        "is not an arc",
    ),
    "overfull task": (THREE_TO_ONE, ALL_EQUAL | {"shares": [3, 0, 0]}, "keeps more than"),
    "too much handed out": (
        THREE_TO_ONE,
        ALL_EQUAL | {"shares": [1, 1, 2]},
        "hands out more than it has|keeps more than",
    ),
    # Each sink has 2 units, as many as there are sources; the first sink gives away 3.
    "more handed out than there is": (
        SQUARE,
        {"rule": "shares", "segments": [0, 0, -1, -1], "shares": [2, 0, 1, 1]},
        "hands out more than it has",
    ),
    # d gets 4 units, has 4 of its own, and gives away 9.
    "more handed on than was got": (
        HOURGLASS,
        HANDED_ON | {"shares": [3, 3, 3, 2, 2]},
        "hands out more than it has",
    ),
    # d gets 8 units and gives none away, but may keep only 3, besides its own 4.
    "units of others left over": (
        HOURGLASS,
        HANDED_ON | {"shares": [0, 0, 0, 4, 4]},
        "keeps more than",
    ),
    "negative share": (THREE_TO_ONE, ALL_EQUAL | {"shares": [-1, 1, 1]}, "a share is negative"),
    "share for another segment": (
        THREE_TO_ONE,
        ALL_EQUAL | {"segments": [0, 0, 1, -1]},
        "goes to another segment",
    ),
    "slopes that rise": (
        FORK_AND_CHAIN,
        {"rule": "shares", "segments": [0, -1, 1, -1, -1], "shares": [1, 1, 1]},
        "enables more for each task than one before",
    ),
    "segments with a gap": (THREE_TO_ONE, ALL_EQUAL | {"segments": [0, 0, 2, -1]}, "have gaps"),
    "segment of a sink": (THREE_TO_ONE, ALL_EQUAL | {"segments": [0, 0, 0, 0]}, "segment -1"),
    "unknown rule": (JOIN, {"rule": "trust"}, "unknown rule"),
    "extra key": (JOIN, {"rule": "tree", "bound": [9]}, "expected the keys rule"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_rule_is_refused_where_its_premises_fail(name):
    dag, node, problem = REFUSED[name]

    with pytest.raises(CertificateError, match=f"refused: bound.*: .*({problem})"):
        audited(dag, claim(dag, node, [9] * len(dag) + [0]))
