"""The order "prio": as many eligible tasks as possible at every step.

It follows Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for Prioritizing DAGMan Jobs and its
Evaluation".
"""

from typing import get_args

from icsched import checks
from icsched.dag import Dag
from icsched.orders.entry import Made, NamedOrder
from icsched.theory import analyse, conclude
from icsched.theory.clock import Clock
from icsched.theory.priorities import Counting


def prio_order(dag: Dag, *, counting: Counting = "eligible") -> Made:
    """Order *dag* by the six steps of Malewicz et al. 2007, and say what is proved.

    *counting* says what block priorities below 1 compare (see
    `icsched.theory.priorities.BlockProfile.counts`). Ties go to the smaller task id. If no
    theorem proves the order of a small dag, the referee's order replaces it. Near
    O(tasks + arcs) on workflow-shaped dags. Raises ArgumentError for an unknown counting.

    >>> made = prio_order(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}))
    >>> made.order.tolist(), [link.block for link in made.proof.chain.links]
    ([2, 0, 1, 3, 4], ['W(1,2)', 'N(1)'])
    """
    checks.one_of("counting", counting, get_args(Counting))
    clock = Clock()
    analysis = analyse(dag, counting=counting, clock=clock)
    with clock.step("prove"):
        order, proof = conclude(analysis)
    return Made(order, proof, analysis, clock.seconds)


PRIO = NamedOrder(
    "prio", "as many eligible jobs as possible at every step, with proofs", prio_order
)
