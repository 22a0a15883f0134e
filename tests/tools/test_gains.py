"""What tools/gains computes from cells, and how it reads a trace."""

import json
import math

import numpy as np
import pytest

from icsched import Dag, Pool, Workers
from icsched.sim import Played
from tools.gains.cells import (
    CellFound,
    Estimate,
    cells_of,
    in_units,
    measured,
    pools_of,
    ratio_of_means,
)
from tools.gains.page import against_table, areas_table, with_tables
from tools.gains.subjects import World, mean_of_kind, read_trace, wrong_times
from tools.gains.sums import geometric, group_of, ratio, regret


def cell(workflow: str, auto: float, path: float, pool: str = "W 1/8") -> CellFound:
    made = {"auto": auto, "critical-path": path, "prio": 1.2, "critical-path-steps": 1.3}
    ratios = {"exact": {order: Estimate(value, 0.001) for order, value in made.items()}}
    return CellFound(workflow, "trace", "real", pool, 64, ratios, {"exact": "prio"}, 1.0)


def test_a_trace_gives_the_dag_the_seconds_and_the_kinds(tmp_path):
    tasks = [{"id": "a1", "parents": []}, {"id": "a2", "parents": ["a1"]}, {"id": "b"}]
    ran = [{"id": "a1", "runtimeInSeconds": 2.0}, {"id": "b", "runtimeInSeconds": 0}]
    text = {"workflow": {"specification": {"tasks": tasks}, "execution": {"tasks": ran}}}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(text))

    dag, seconds, kinds = read_trace(path)

    assert (list(dag.names), dag.arc_count) == (["a1", "a2", "b"], 1)
    assert seconds.tolist() == [2.0, 0.001, 0.001]  # nothing is shorter than the clock
    assert kinds.tolist() == [0, 0, 1]


def test_tasks_of_a_kind_get_their_mean():
    known = mean_of_kind(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1], np.int32))

    assert known.tolist() == [2, 2, 5]


def test_wrong_times_are_the_same_every_time_and_wrong_by_half():
    wrong = np.log(wrong_times(np.ones(10_000)))

    assert wrong.tolist() == np.log(wrong_times(np.ones(10_000))).tolist()
    assert wrong.std() == pytest.approx(0.5, abs=0.015)


def test_pools_are_scaled_to_width_and_mean():
    """16 tasks of 3 seconds without arcs: width 16, work 48, longest path 3."""
    pools = pools_of(Dag.from_arcs(16, []), np.full(16, 3.0))

    assert len(pools) == 14
    assert pools["W 1/8"] == Workers(2)
    assert pools["L 1/2"] == Workers(8, leave=30.0)
    assert pools["P:16 1/2"] == Pool(interval=6.0, batch=16)
    assert pools["balanced W"] == Workers(16)
    assert pools["balanced P:16"] == Pool(interval=3.0, batch=16)
    assert in_units(pools["L 1/2"], 3.0) == Workers(8, leave=10.0)
    assert in_units(pools["P:16 1/2"], 3.0) == Pool(interval=2.0, batch=16)


def test_the_ratio_of_means_has_no_error_if_all_runs_have_the_same_ratio():
    assert ratio_of_means(np.array([1.0, 2.0]), np.array([2.0, 4.0])) == Estimate(0.5, 0.0)
    found = ratio_of_means(np.array([1.0, 3.0]), np.array([2.0, 2.0]))
    assert (found.ratio, found.error) == pytest.approx((1, math.sqrt(2) / (math.sqrt(2) * 2)))


def test_equal_orders_have_equal_estimates_and_fifo_is_1():
    dag = Dag({"x": [], "y": [], "long": []})
    orders = {
        "one": Played("static", np.array([2, 0, 1], np.int32)),
        "same": Played("static", np.array([2, 0, 1], np.int32)),
        "none": Played("fifo"),
    }

    runs, found = measured(dag, orders, Workers(2), np.array([1.0, 1.0, 2.0]), most_runs=64)

    assert runs == 64
    assert found["one"] == found["same"]
    assert 2 / 3 < found["one"].ratio < 0.9  # 2 / 3 with constant times
    assert found["none"] == Estimate(1.0, 0.0)


def test_the_geometric_mean_weighs_workflows_and_its_interval_covers_them():
    cells = [cell("a", 0.5, 1.0), cell("b", 2.0, 1.0)]

    found = geometric(cells, ratio("exact", "auto"))

    assert found.mean == pytest.approx(1)
    assert (found.low, found.high) == pytest.approx((0.5, 2))


def test_the_loss_is_against_the_best_candidate_fifo_among_them():
    assert regret(cell("a", 0.99, 0.9), "exact") == pytest.approx(0.1)
    assert regret(cell("a", 1.05, 1.1), "exact") == pytest.approx(0.05)


def test_cells_are_counted_if_they_differ_by_more_than_a_hundredth():
    cells = [cell("a", 0.90, 0.95), cell("b", 1.02, 1.0), cell("c", 0.995, 1.0)]

    *_, row = against_table({"real": cells}).splitlines()

    assert row == "| real | its mean time | auto | 3 | 1 | 1 | 1.020 (b, W 1/8) | 1 | 1 |"


def untimed(workflow: str, source: str, area: float, prio: float, **other: str) -> CellFound:
    told = {"times": "unit", "pool": "balanced W", **other}
    ratios = {"nothing": {"prio": Estimate(prio, 0.001)}}
    return CellFound(workflow, source, told["times"], told["pool"], 64, ratios, {}, area)


def test_gains_are_grouped_by_area_with_unit_times_on_balanced_pools():
    """The geometric mean of 0.8 and 0.2 is 0.4; that of one workflow is what its pools give."""
    cells = [
        untimed("a", "trace", 1.29, 1.0),
        untimed("a", "trace", 1.29, 0.5, times="real"),
        untimed("a", "trace", 1.29, 0.5, pool="W 1/8"),
        untimed("b", "trace", 1.3, 0.8),
        untimed("c", "trace", 1.6, 0.2),
        untimed("d", "family", 1.61, 0.8),
        untimed("d", "family", 1.61, 0.2, pool="balanced P:16"),
    ]

    _, _, *rows = areas_table(cells).splitlines()

    assert rows == [
        "| traces | under 1.3 | 1 | 1.000 [1.000, 1.000] | 1.000 to 1.000 |",
        "| traces | 1.3 to 1.6 | 2 | 0.400 [0.200, 0.800] | 0.200 to 0.800 |",
        "| known dags | above 1.6 | 1 | 0.400 [0.400, 0.400] | 0.400 to 0.400 |",
    ]


def test_a_cell_has_the_area_of_prio_over_that_of_fifo():
    r"""
    a   b      Fifo runs a, b, c, d and has 2, 1, 2, 1, 0 eligible; prio runs b first and
       / \     has 2, 3, 2, 1, 0.
      c   d
    """
    fork = Dag({"a": [], "b": [], "c": ["b"], "d": ["b"]})
    world = World("fork", "family", "unit", fork, np.ones(4), {"nothing": None})

    areas = {cell.area_ratio for cell in cells_of(world)}

    assert areas == {8 / 6}


def test_the_kind_of_a_pool_has_no_share():
    assert [group_of(name) for name in ("P:16 1/8", "balanced W")] == ["P:16", "balanced W"]


def test_a_table_is_written_between_its_marks_and_must_have_them():
    page = "x\n<!-- a -->\nold\n<!-- end -->\ny\n"

    assert with_tables(page, {"a": "new"}) == "x\n<!-- a -->\nnew\n<!-- end -->\ny\n"
    with pytest.raises(SystemExit, match="expected the marks of b once, got 0"):
        with_tables(page, {"b": "new"})
