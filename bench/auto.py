"""The order "auto": its time against plain prio, the runs it makes, and what more budget gains.

Run times are drawn, lognormal with sigma 1, and nothing is known of the pool. "left" is the time of
the chosen order over fifo's on draws that the choice has not seen, with its 95% interval. Budgets
are in seconds of simulation on one core; the kernel uses all cores. Times are of one call each, on
a fresh copy of the dag. "cpu" adds up all cores, and says more on a machine that does other work.
"used" is what the simulation took of the budget of 1 s, as the answer tells it.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from copy import copy

import numpy as np
from harness import show

from icsched import Dag, Plan, families, prioritize
from icsched.arrays import Floats

FULL = (1_000, 10_000, 100_000, 1_000_000)
BUDGETS = (0.1, 1.0, 10.0)


def montage(tasks: int) -> Dag:
    side = round(0.5 + (tasks / 6) ** 0.5)
    return families.montage(side, side)


FAMILIES: Mapping[str, Callable[[int], Dag]] = {
    "airsn": lambda tasks: families.airsn(tasks // 3 - 7),
    "montage": montage,
    "layered": lambda tasks: families.random_layered(tasks, tasks // 20, seed=1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=FULL[-1], help="tasks of the largest dag")
    most = parser.parse_args().most
    sizes = [tasks for tasks in FULL if tasks <= most]
    costs, gains = [], []
    for family, make in FAMILIES.items():
        for tasks in sizes:
            dag = make(tasks)
            times = np.random.default_rng(1).lognormal(0.0, 1.0, len(dag))
            costs.append([family, len(dag), *cost(dag, times)])
            gains.append([family, len(dag), *(left(dag, times, budget) for budget in BUDGETS)])
    show(
        "auto with a budget of 1 s against prio, with run times",
        [
            "dag",
            "tasks",
            "prio s",
            "auto s",
            "prio cpu s",
            "auto cpu s",
            "runs",
            "pools",
            "used s",
            "chosen",
        ],
        costs,
    )
    show("time over fifo by budget", ["dag", "tasks", *(f"{b:g} s" for b in BUDGETS)], gains)


def cost(dag: Dag, times: Floats) -> list[object]:
    prio, prio_cpu, _ = timed(dag, "prio", times, 1.0)
    auto, auto_cpu, plan = timed(dag, "auto", times, 1.0)
    choice = plan.choice
    made = choice.runs, len(choice.pools), choice.budget_used, choice.chosen
    return [prio, auto, prio_cpu, auto_cpu, *made]


def timed(dag: Dag, order: str, times: Floats, budget: float) -> tuple[float, float, Plan]:
    fresh = copy(dag)  # nothing is cached in it
    start, cpu = time.perf_counter(), time.process_time()
    plan = prioritize(fresh, order, run_times=times, budget=budget if order == "auto" else None)
    return time.perf_counter() - start, time.process_time() - cpu, plan


def left(dag: Dag, times: Floats, budget: float) -> str:
    *_, plan = timed(dag, "auto", times, budget)
    ratio = plan.choice.ratio
    return f"{ratio.mean:.4f} [{ratio.low:.4f}, {ratio.high:.4f}] {plan.choice.chosen}"


if __name__ == "__main__":
    main()
