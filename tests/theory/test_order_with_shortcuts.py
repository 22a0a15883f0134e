"""What is proved of a dag whose shortcuts were not all removed, as a limit of work may leave it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from icsched import Dag, verify
from icsched.theory import Proof, analysis, proved_by_theorem, shortcuts
from icsched.theory.analysis import analyse_reduced
from icsched.theory.bounds import proof_of
from icsched.theory.proof import Chain, Link, Sign, Theorem
from icsched.theory.recursion import QUICK, optimal_by_parts
from tests.theory.samples import random_dags


def with_shortcuts(dag: Dag, share: float, *, seed: int) -> Dag:
    """Return *dag* with arcs to some of all descendants, each with the chance *share*.

    >>> with_shortcuts(Dag.from_arcs(3, [(0, 1), (1, 2)]), 1.0, seed=1).arcs.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    reaches = np.zeros((len(dag), len(dag)), bool)
    for task in dag.fifo_order[::-1].tolist():
        for child in dag.children(task):
            reaches[task] |= reaches[child]
            reaches[task, child] = True
    chance = np.random.default_rng(seed).random(reaches.shape) < share
    chance[tuple(dag.arcs.T)] = True
    return Dag.from_arcs(len(dag), np.argwhere(reaches & chance))


def samples() -> Iterator[Dag]:
    """Yield dags of up to nine tasks, from few shortcuts to all that there can be."""
    shares = np.random.default_rng(3).random(4_000)
    dags = random_dags(len(shares), most_tasks=9, seed=2)
    for seed, (dag, share) in enumerate(zip(dags, shares.tolist(), strict=True)):
        if len(shortcuts(made := with_shortcuts(dag, share, seed=seed))):
            yield made


def concluded(dag: Dag) -> tuple[np.ndarray, Proof] | None:
    """Order and proof of *dag* as it is, with all shortcuts left in; None if there is no proof."""
    taken_apart = analyse_reduced(dag)
    if (proved := proved_by_theorem(taken_apart)) is not None:
        return proved
    bounded = optimal_by_parts(dag, taken_apart, replace(QUICK, sets=0))
    return None if bounded is None else (np.append(bounded.order, dag.sinks), proof_of(bounded))


@pytest.mark.parametrize("exact_nonsinks", [0, 20])
def test_no_proof_is_false_where_shortcuts_were_left(exact_nonsinks, monkeypatch):
    """With and without the referee for blocks; for parts it is turned off."""
    monkeypatch.setattr(analysis, "EXACT_NONSINKS", exact_nonsinks)
    dags = list(samples())

    found = [(dag, concluded(dag)) for dag in dags]

    proved = [(dag, order_and_proof[0]) for dag, order_and_proof in found if order_and_proof]
    assert all(verify(dag, order).ic_optimal for dag, order in proved)
    assert len(dags) > 1_000
    assert len(proved) > len(dags) // 20


def test_a_shortcut_past_a_chain_keeps_blocks_together_and_the_proof_true():
    """a -> b -> c and a -> c: one block, which the referee orders."""
    triangle = Dag.from_arcs(3, [(0, 1), (0, 2), (1, 2)])

    order, proof = concluded(triangle)

    assert order.tolist() == [0, 1, 2]
    assert proof == Proof(Theorem.BLOCKS, Chain((Link("G(3)", 1, Sign.PRIORITY),)))
