"""Kinds and names of blocks, as tests ask for them."""

import numpy as np

from icsched import Dag, _native, eligibility_profile
from icsched.pebble import optimal_profile
from icsched.theory import Decomposition, Kind, decompose, family_name
from icsched.theory.analysis import EXACT_NONSINKS, EXACT_SETS


def kinds(dag: Dag, *, exact: bool = True) -> tuple[Decomposition, _native.BlockOrders]:
    """Blocks of a dag without shortcuts with their orders; without the referee if not *exact*."""
    parts = decompose(dag)
    nonsinks = EXACT_NONSINKS if exact else 0
    ordered = _native.order_blocks(
        dag.child_rows, parts.blocks, exact_nonsinks=nonsinks, exact_sets=EXACT_SETS, all_sets=10**9
    )
    return parts, _native.BlockOrders(*ordered)


def kind_of(block: Dag) -> Kind:
    """What a dag of one block is recognised as."""
    parts, orders = kinds(block)
    assert len(parts) == 1
    return Kind(int(orders.kind[0]))


def name_of(block: Dag) -> str:
    return family_name(block, kind_of(block))


def is_ic_optimal(dag: Dag, order: object) -> bool:
    return np.array_equal(eligibility_profile(dag, order), optimal_profile(dag))
