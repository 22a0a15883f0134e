"""The best batch as an integer program, for pieces that are neither trees nor small."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from icsched.arrays import Ids
from icsched.theory.batches.state import BatchFront
from icsched.theory.cp_sat import solved_status, usual_solver


@dataclass(frozen=True, eq=False)
class Solution:
    """Sources to take, how many sinks they enable, and a bound on what any set enables."""

    sources: Ids
    enabled: int
    bound: int


def solve(front: BatchFront, count: int, *, time_limit_s: float, start: Ids) -> Solution | None:
    """Look for *count* sources that enable the most, starting from the set *start*.

    The program has one variable for each source and one for each sink with several parents. The
    variable of a sink implies the variables of its parents. Returns None if the time was too short
    to find any set. The solver has one thread and a fixed seed, so the result is always the same
    unless time runs out.
    """
    try:
        from ortools.sat.python import cp_model  # slow to import, and seldom needed
    except ImportError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # pressed while a C++ module was loaded
            raise KeyboardInterrupt from None
        raise

    model = cp_model.CpModel()
    take = [model.new_bool_var("") for _ in range(len(front.yields))]
    enable = [model.new_bool_var("") for _ in range(len(front.weights))]
    for sink, variable in enumerate(enable):
        for source in front.sinks[sink].tolist():
            model.add_implication(variable, take[source])
    model.add(sum(take) == count)
    model.maximize(
        cp_model.LinearExpr.weighted_sum(
            [*take, *enable], [*front.yields.tolist(), *front.weights.tolist()]
        )
    )
    started = set(start.tolist())
    for source, variable in enumerate(take):
        model.add_hint(variable, source in started)
    solver = usual_solver(time_limit_s)
    status = solved_status(solver, model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    chosen = [source for source, variable in enumerate(take) if solver.boolean_value(variable)]
    bound = math.floor(solver.best_objective_bound + 1e-6)
    return Solution(np.array(chosen, np.int32), round(solver.objective_value), bound)
