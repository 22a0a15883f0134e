"""How many tasks some sets of a given size enable at most, by an integer program."""

from __future__ import annotations

import math
import time

import numpy as np

from icsched.arrays import ids_where
from icsched.dag import Dag
from icsched.theory.cp_sat import solved_status, usual_solver
from icsched.theory.settled import Counts, Settled

LEAST_S = 0.05  # a step that gets less time is not begun
STEPS = 12  # the time is divided among at most this many steps


def solved_bound(settled: Settled, seconds: float) -> Counts:
    """Return the bound of *settled*, lowered at the worst steps by solving them.

    The worst steps are those at which the order found is the smallest part of the bound. They are
    solved one by one while *seconds* last. A solver that runs out of time still has a bound, which
    may be lower than ours. The result depends on the clock, and only the solver vouches for it.
    """
    bound = settled.bound.copy()
    end = time.monotonic() + seconds
    for step in _worst_steps(settled):
        left = end - time.monotonic()
        if left < LEAST_S:
            break
        most = most_enabled_by(settled.dag, step, min(left, max(LEAST_S, seconds / STEPS)))
        bound[step] = min(bound[step], most)
    return bound


def _worst_steps(settled: Settled) -> list[int]:
    """Return the steps at which the order misses the bound, those with the least ratio first."""
    steps = np.arange(len(settled.bound))
    sources = len(settled.dag.sources)
    ratio = (settled.reached + sources - steps) / np.maximum(settled.bound + sources - steps, 1)
    missed = np.flatnonzero(settled.reached < settled.bound)
    worst: list[int] = missed[np.argsort(ratio[missed], kind="stable")].tolist()
    return worst


def most_enabled_by(dag: Dag, count: int, time_limit_s: float) -> int:
    """Return a number that no *count* nonsinks of *dag* exceed by what they enable.

    It is the largest such number if the time is enough. A variable for each nonsink says that the
    task has run, one for each nonsource that it is enabled. An enabled task implies its parents,
    and a task that has run implies that it is enabled.

    >>> most_enabled_by(Dag({"a": [], "b": ["a"], "c": ["a"], "d": [], "e": ["d"]}), 1, 10)
    2
    """
    from ortools.sat.python import cp_model  # slow to import, and seldom needed

    model = cp_model.CpModel()
    has_run = {task: model.new_bool_var("") for task in dag.nonsinks.tolist()}
    nonsources = np.flatnonzero(dag.in_degrees).tolist()
    enabled = {task: model.new_bool_var("") for task in nonsources}
    for parent, child in dag.arcs.tolist():
        model.add_implication(enabled[child], has_run[parent])
    for task in ids_where((dag.in_degrees > 0) & (dag.out_degrees > 0)).tolist():
        model.add_implication(has_run[task], enabled[task])
    model.add(sum(has_run.values()) == count)
    model.maximize(sum(enabled.values()))
    solver = usual_solver(time_limit_s)
    if solved_status(solver, model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return len(nonsources)
    return math.floor(solver.best_objective_bound + 1e-6)
