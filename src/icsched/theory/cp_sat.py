"""CP-SAT of OR-tools: one thread, a fixed seed, and Ctrl-C at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver, CpSolverStatus

_STOP_S = 0.02  # between two requests to stop


def usual_solver(time_limit_s: float) -> CpSolver:
    """Return a solver that always finds the same, unless its time runs out."""
    from ortools.sat.python import cp_model  # slow to import, and seldom needed

    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit_s
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.linearization_level = 2  # the relaxation needs the implications
    solver.parameters.catch_sigint_signal = False  # the solver would stop as if time were up
    return solver


def solved_status(solver: CpSolver, model: CpModel) -> CpSolverStatus:
    """Run *solver* on another thread, because Python tells this one of Ctrl-C.

    Ctrl-C stops the solver. The thread ends before KeyboardInterrupt is raised, however often
    the user presses Ctrl-C.
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
