"""The best batch as an integer program of CP-SAT, for pieces that are neither trees nor small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from icsched._native import BatchFront
from icsched.arrays import Ids

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverStatus

_STOP_S = 0.02  # seconds between two requests to stop


@dataclass(frozen=True, eq=False)
class Solution:
    """Sources to take, the count of sinks they enable, and a bound for every set."""

    sources: Ids
    enabled: int
    bound: int


def solve(front: BatchFront, count: int, *, time_limit_s: float, start: Ids) -> Solution | None:
    """Search for *count* sources that enable the most, starting from the set *start*.

    The program has one variable for each source and one for each sink with several parents. The
    variable of a sink implies the variables of its parents. Returns None if the time was too short
    to find any set. The solver has one thread and a fixed seed, so the result is always the same
    unless time runs out.
    """
    try:
        from ortools.sat.python import cp_model  # slow to import, and seldom needed
    except ImportError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Ctrl-C while a C++ module was loaded
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
    solver = _solver_for(time_limit_s)
    status = _status_of(solver, model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    chosen = [source for source, variable in enumerate(take) if solver.boolean_value(variable)]
    bound = math.floor(solver.best_objective_bound + 1e-6)
    return Solution(np.array(chosen, np.int32), round(solver.objective_value), bound)


def _solver_for(time_limit_s: float) -> CpSolver:
    """Return a solver with deterministic results, unless its time runs out."""
    from ortools.sat.python import cp_model  # slow to import, and seldom needed

    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit_s
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.linearization_level = 2  # the relaxation needs the implications
    solver.parameters.catch_sigint_signal = False  # otherwise the solver would stop early
    return solver


def _status_of(solver: CpSolver, model: CpModel) -> CpSolverStatus:
    """Run *solver* on another thread, because this thread receives Ctrl-C.

    Ctrl-C stops the solver. The thread ends before KeyboardInterrupt is raised, even if the user
    presses Ctrl-C again.
    """
    from concurrent.futures import ThreadPoolExecutor, wait  # slow to import

    interrupt = None
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(solver.solve, model)
        while not running.done():
            try:
                if interrupt is not None:
                    solver.stop_search()  # does nothing before the search has begun
                wait([running], timeout=_STOP_S)
            except KeyboardInterrupt as error:
                interrupt = error
    if interrupt is not None:
        raise interrupt
    return running.result()
