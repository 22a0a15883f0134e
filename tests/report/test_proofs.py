"""Proofs in words: JSON and reports keep the strings of the first edition."""

import pytest

from icsched.report.proofs import Certified, proof_keys, proof_sentence
from icsched.theory.proof import (
    EXACT,
    LARGEST_AREA,
    NO_ORDER_IS_OPTIMAL,
    UNPROVED,
    Chain,
    Link,
    Proof,
    Sign,
    Theorem,
)

FORKS = Link("W(1,2)", 2, Sign.PRIORITY)
JOIN = Link("M(1,2)", 1, Sign.SERIES)


@pytest.mark.parametrize(
    ("proof", "status", "method"),
    [
        (UNPROVED, "unproved", None),
        (EXACT, "ic-optimal", "exact"),
        (NO_ORDER_IS_OPTIMAL, "unproved", "exact: no order is ic-optimal"),
        (LARGEST_AREA, "unproved", "exact: no order is ic-optimal, this has the largest area"),
        (Proof(Theorem.BLOCKS), "ic-optimal", "theorem 2.1"),
        (Proof(Theorem.SUM_OF_TREES), "ic-optimal", "theorem 3.2"),
        (Proof(Theorem.PARTS), "ic-optimal", "bounds of parts"),
    ],
)
def test_json_names_status_and_method(proof, status, method):
    found = proof_keys(proof)

    assert (found["status"], found["method"], found["chain"]) == (status, method, None)
    assert (found["min_ratio"], found["mean_ratio"]) == (None, None)


def test_ratios_to_a_bound_are_told_without_rounding_up():
    close = Certified(0.9319, 0.9929, 0.99)

    assert proof_sentence(UNPROVED, close) == (
        "At every step at least 93.1% of the eligible jobs that any order could have,"
        " 99.2% on average (certified)."
    )
    assert proof_keys(UNPROVED, close)["bound_area_ratio"] == 0.99


def test_an_order_that_meets_its_bound_is_ic_optimal():
    met = Certified(1.0, 1.0, 1.0)

    assert proof_keys(UNPROVED, met)["status"] == "ic-optimal"
    assert proof_sentence(UNPROVED, met) == (
        "IC-optimal, no order has more eligible jobs at any step (certified)."
    )


@pytest.mark.parametrize(
    ("chain", "text"),
    [
        (Chain((FORKS,)), "W(1,2) x 2"),
        (Chain((JOIN, FORKS)), "M(1,2) | W(1,2) x 2"),
        (Chain((FORKS, JOIN), is_cut=True), "W(1,2) x 2 > M(1,2) | ..."),
        (Chain(()), ""),
    ],
)
def test_a_chain_lists_its_blocks(chain, text):
    assert proof_keys(Proof(Theorem.BLOCKS, chain))["chain"] == text


@pytest.mark.parametrize(
    ("proof", "sentence"),
    [
        (UNPROVED, "Nothing is proved about this order."),
        (NO_ORDER_IS_OPTIMAL, "No order is IC-optimal (exact)."),
        (
            LARGEST_AREA,
            "No order is IC-optimal; this one has the most eligible jobs on average (exact).",
        ),
        (
            Proof(Theorem.BLOCKS, Chain((FORKS,))),
            "IC-optimal, no order has more eligible jobs at any step"
            " (Cordasco et al. 2011, theorem 2.1: W(1,2) x 2).",
        ),
        (
            Proof(Theorem.SUM_OF_TREES),
            "IC-optimal, no order has more eligible jobs at any step"
            " (Cordasco et al. 2007, theorem 3.2).",
        ),
        (
            Proof(Theorem.BLOCKS, Chain(())),
            "IC-optimal: all orders are alike, because no job waits for another.",
        ),
    ],
)
def test_a_sentence_says_what_is_proved(proof, sentence):
    assert proof_sentence(proof) == sentence
