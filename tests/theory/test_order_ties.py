"""Ties in the order of a whole dag: numbering and hash seeds."""

import os
import subprocess
import sys
from math import factorial

import numpy as np
import pytest

from icsched import Dag
from icsched.families import (
    n,
    tree_of,
    w,
    w_strand,
)
from icsched.orders import prioritize
from tests.theorems.search import Bits, is_best, order_count
from tests.theory.paper_samples import PAPER_EXAMPLE
from tests.theory.samples import chain, renumbered

# Ties and numbering

# Each has just one IC-optimal order of its nonsinks, so that ids have nothing to decide.
WITHOUT_TIES = {
    "the example of Malewicz et al. 2007": PAPER_EXAMPLE,
    "forks of different widths": w(1, 5) + w(1, 3) + w(1, 4) + w(1, 2) + n(1),
    "an N-dag": n(6),
    "a chain": chain(7),
    "a strand": w_strand("6,2,5,3"),
    "joins after forks": (w(1, 4) + w(1, 3)).compose(n(2), [(1, 0), (6, 1)]),
    "a tree that only grows on one side": tree_of("0,1,00,01,000,001").dual(),
}


def best_nonsink_orders(dag: Dag) -> int:
    """Count the IC-optimal orders that run all nonsinks before the sinks."""
    bits = Bits.of(dag)
    best = is_best(bits)
    sinks = sum(1 << task for task in dag.sinks.tolist())
    nonsinks = 2 ** len(dag) - 1 - sinks

    def allowed(ideal: int) -> bool:
        return best(ideal) and (not ideal & sinks or ideal & nonsinks == nonsinks)

    return order_count(bits, allowed) // factorial(len(dag.sinks))


@pytest.mark.parametrize("what", WITHOUT_TIES)
def test_where_structure_breaks_all_ties_numbering_does_not_matter(what):
    dag = Dag.from_arcs(len(WITHOUT_TIES[what]), WITHOUT_TIES[what].arcs)
    nonsinks = prioritize(dag, "prio").order[: len(dag.nonsinks)]
    reversed_ids = np.arange(len(dag))[::-1].copy()
    permutations = [np.random.default_rng(seed).permutation(len(dag)) for seed in range(20)]

    assert best_nonsink_orders(dag) == 1
    for new_id in [reversed_ids, *permutations]:
        other = renumbered(dag, new_id)
        expected = [*new_id[nonsinks].tolist(), *other.sinks.tolist()]
        assert prioritize(other, "prio").order.tolist() == expected


def test_ties_go_to_the_smaller_id():
    """Three arcs side by side, numbered 4 -> 0, 1 -> 5, 3 -> 2."""
    dag = Dag.from_arcs(6, [(4, 0), (1, 5), (3, 2)])

    assert prioritize(dag, "prio").order.tolist() == [1, 3, 4, 0, 2, 5]


SCRIPT = """
from icsched.families import airsn, inspiral, montage, cordasco2011_fig6, random_layered
from icsched.orders import prio_order
from icsched.theory import analyse

dags = airsn(20), inspiral(4), montage(3, 3), cordasco2011_fig6(), random_layered(300, 9, seed=5)
for dag in dags:
    plan = prio_order(dag)
    print(plan.order.tolist(), plan.proof, analyse(dag).blocks)
"""


def test_the_output_does_not_depend_on_the_hash_seed():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1")
    ]

    assert outputs[0] == outputs[1]
    assert outputs[0].count(b"Proof(theorem=") == 5
