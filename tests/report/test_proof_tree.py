"""The tree of a proof on the page of a report."""

import pytest

from icsched.report.proof_tree import _branch, _is_cut
from icsched.theory.proof import Chain, Link, ProofStep, Rule, Sign

LEAVES = tuple(ProofStep(Rule.PART, 1, f"W(1,{k})") for k in (2, 3, 4))


def names(node):
    return [part["name"].partition(":")[0] for part in node["parts"]]


def test_a_sum_of_sums_is_one_sum():
    inner = ProofStep(Rule.SUM, parts=LEAVES[:2])

    assert names(_branch(ProofStep(Rule.SUM, parts=(inner, LEAVES[2])))) == [
        "W(1,2)",
        "W(1,3)",
        "W(1,4)",
    ]


def test_a_sum_that_is_there_twice_or_under_another_rule_stays_apart():
    twice = ProofStep(Rule.SUM, 2, parts=LEAVES[:2])
    once = ProofStep(Rule.SUM, parts=LEAVES[:2])

    for rule, part in ((Rule.SUM, twice), (Rule.DUAL, once)):
        (only,) = _branch(ProofStep(rule, parts=(part,)))["parts"]
        assert (only["rule"], len(only["parts"])) == ("sum", 2)


FORKS = Link("W(1,2)", 2, Sign.PRIORITY)
JOIN = Link("M(1,2)", 1, Sign.PRIORITY)


@pytest.mark.parametrize("is_cut", [False, True])
def test_only_the_end_of_a_whole_chain_is_called_the_last_block(is_cut):
    step = ProofStep(Rule.BLOCKS, chain=Chain((FORKS, JOIN), is_cut=is_cut))

    words = [part["words"] for part in _branch(step)["parts"]]

    first, last = "This block has priority over the next one.", "This block is the last one."
    assert words == [first, first if is_cut else last]


@pytest.mark.parametrize(
    ("step", "is_cut"),
    [
        (LEAVES[0], False),
        (ProofStep(Rule.PART, name="..."), True),
        (ProofStep(Rule.SUM, parts=LEAVES, is_cut=True), True),
        (ProofStep(Rule.BLOCKS, chain=Chain((FORKS,))), False),
        (ProofStep(Rule.BLOCKS, chain=Chain((FORKS,), is_cut=True)), True),
    ],
)
def test_a_tree_says_that_a_part_is_left_out_wherever_it_is(step, is_cut):
    assert _is_cut(step) == is_cut
    assert _is_cut(ProofStep(Rule.DUAL, parts=(step,))) == is_cut
