"""Theorem 2.2 of Cordasco et al. 2011: closed forms of the priority relation, against the
definition.
"""

from itertools import product

import pytest

from icsched import families
from icsched.pebble import optimal_profile
from icsched.theory import BlockProfile, has_priority_over
from tests.theory import paper
from tests.theory.priorities import NamedBlock, has_priority_by_theorem

MAKERS = {
    "W": lambda block: families.w(block.size, block.degree),
    "M": lambda block: families.m(block.size, block.degree),
    "N": lambda block: families.n(block.size),
    "C": lambda block: families.cycle(block.size),
}
SIZES, DEGREES = range(1, 5), range(2, 5)
BLOCKS = [
    *(NamedBlock("W", s, d) for s, d in product(SIZES, DEGREES)),
    *(NamedBlock("M", s, d) for s, d in product(SIZES, DEGREES)),
    *(NamedBlock("N", s) for s in SIZES),
    *(NamedBlock("C", s) for s in range(2, 5)),
]


def referee_profile(block: NamedBlock) -> BlockProfile:
    """The block's best enabled counts, by the referee: E = eligible - sources + executed."""
    dag = MAKERS[block.family](block)
    sources = len(dag.sources)
    eligible = optimal_profile(dag).tolist()
    return BlockProfile(sources, tuple(eligible[x] - sources + x for x in range(sources + 1)))


PROFILES = {block: referee_profile(block) for block in BLOCKS}


@pytest.mark.parametrize("first", BLOCKS, ids=str)
def test_what_the_theorem_gives_the_definition_confirms(first):
    for second in BLOCKS:
        by_definition = paper.has_priority(PROFILES[first].enabled, PROFILES[second].enabled)
        assert has_priority_over(PROFILES[first], PROFILES[second]) == by_definition
        if has_priority_by_theorem(first, second):
            assert by_definition


def test_where_families_differ_only_the_theorems_pairs_have_priority():
    """The strict part: N and C are incomparable, and nothing has priority over a W but a W."""
    for first, second in product(BLOCKS, BLOCKS):
        if first.family == second.family == "W" and first.degree == second.degree:
            expected = first.size <= second.size
        elif first.family == second.family == "C":
            expected = first.size == second.size
        elif {first.family, second.family} == {"N", "C"} or (
            first.family in "NC" and second.family == "W"
        ):
            expected = False
        else:
            continue
        assert has_priority_over(PROFILES[first], PROFILES[second]) == expected, (first, second)
