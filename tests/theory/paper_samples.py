"""Dags and profiles on which the twin of Malewicz et al. 2007 is tried."""

import numpy as np
from hypothesis import strategies as st

from icsched import Dag
from tests.strategies import dags
from tests.theory import paper
from tests.theory.paper import Block

PAPER_EXAMPLE = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})


# Drawn at the test of arcs out of a component.
CROSSED = Dag.from_arcs(8, [(0, 2), (1, 3), (0, 4), (3, 4), (1, 5), (2, 5), (2, 6), (6, 7)])


def block(nonsinks, sinks) -> Block:
    return Block(frozenset(nonsinks), frozenset(sinks))


def profile(dag: Dag) -> list[int]:
    """Enabled tasks of a bipartite *dag* of one block whose sources run left to right."""
    (whole,) = paper.decompose(dag)
    return paper.enabled(dag, whole, dag.sources.tolist())


@st.composite
def tangled_dags(draw: st.DrawFn) -> Dag:
    """Dags of 14 tasks, most with components that are not bipartite, a third not closed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shuffled = rng.permutation(14)
    pairs = np.argwhere(np.triu(rng.random((14, 14)) < 0.25, k=1))
    return Dag.from_arcs(14, shuffled[pairs])


ALL_KINDS = dags() | tangled_dags()
