"""On real workflows the order "auto" gains what docs/gains.md says.

The traces are not part of the repository; without them these tests are skipped. Orders are chosen
on one seed, and judged on another. Balanced pools have as many workers as work / longest path.
"""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from icsched import prioritize
from icsched.sim import Played
from tools.gains.cells import ORDERS, Estimate, chosen_for, measured, played, pools_of
from tools.gains.subjects import TRACES, World, trace_worlds

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason="the traces are not here")

BALANCED = ("balanced W", "balanced P:16")
RISKY = ("W 1/4", "P:16 1/8", "P:64 1/8")  # where critical path is slower than fifo on some traces
RUNS = 128

Cell = tuple[str, str, dict[str, Estimate]]  # trace, pool, and the time of each order over fifo's


def cells_of(world: World, known: str, pools: tuple[str, ...]) -> Iterator[Cell]:
    times = world.known[known]
    orders = {
        order: Played("static", prioritize(world.dag, order, run_times=times).order)
        for order in ORDERS
    }
    made = pools_of(world.dag, world.means)
    for pool in pools:
        orders["auto"] = played(chosen_for(made[pool], world, times))
        _, found = measured(world.dag, orders, made[pool], world.means, most_runs=RUNS)
        yield world.workflow, pool, found


def cells_of_traces(known: str, pools: tuple[str, ...]) -> list[Cell]:
    real = [world for world in trace_worlds(TRACES) if world.times == "real"]
    assert len(real) == 22
    return [cell for world in real for cell in cells_of(world, known, pools)]


def geometric_mean(cells: list[Cell]) -> float:
    return math.exp(np.mean([math.log(found["auto"].ratio) for _, _, found in cells]))


def clearly_slower(cells: list[Cell]) -> list[Cell]:
    """Cells where auto is more than 1% slower than fifo, beyond the interval."""
    return [cell for cell in cells if cell[2]["auto"].ratio - 1.96 * cell[2]["auto"].error > 1.01]


def mean_loss(cells: list[Cell]) -> float:
    """How much longer auto's order takes than the best candidate, on average."""
    best = [min(1.0, *(found[order].ratio for order in ORDERS)) for _, _, found in cells]
    return (
        np.mean([cell[2]["auto"].ratio / least for cell, least in zip(cells, best, strict=True)])
        - 1
    )


def test_with_run_times_auto_saves_6_percent_and_is_slower_than_fifo_nowhere():
    cells = cells_of_traces("exact", BALANCED + RISKY)

    assert geometric_mean([cell for cell in cells if cell[1] in BALANCED]) <= 0.94
    assert clearly_slower(cells) == []
    assert mean_loss(cells) <= 0.003


def test_with_the_mean_of_each_kind_auto_saves_2_percent():
    cells = cells_of_traces("kinds", BALANCED)

    assert geometric_mean(cells) <= 0.98
    assert clearly_slower(cells) == []
    assert mean_loss(cells) <= 0.003
