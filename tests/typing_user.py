"""What users write, for `make types`: mypy checks the types, and that wrong lines are errors.

Nothing here runs. A comment that ignores an error is an error itself if there is nothing to ignore.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, assert_type

import networkx
import numpy as np

import icsched
from icsched import Dag, Plan, Schedule, Sorter, Workflow, families, prioritize
from icsched.plugins.engine_arguments import luigi_priorities
from icsched.sim import Ratio, Ratios, Recorded

LISTS: dict[str, list[str]] = {"a": [], "b": ["a"]}
SETS: dict[int, set[int]] = {1: set(), 2: {1}}
INTEGERS: dict[str, int] = {"a": 1, "b": 2}
FLOATS: dict[str, float] = {"a": 1.5, "b": 2.5}


def a_dag_has_the_names_of_its_mapping() -> None:
    assert_type(Dag({"a": []}), Dag[str])
    assert_type(Dag({"a": [], "b": ["a"]}), Dag[str])
    assert_type(Dag({1: [], 2: (1,), 3: {1, 2}}), Dag[int])
    assert_type(Dag(LISTS), Dag[str])
    assert_type(Dag(SETS), Dag[int])
    assert_type(Dag(LISTS).names[0], str)
    assert_type(list(Dag(SETS)), list[int])
    assert_type(Dag(SETS).ids[1], int)
    assert_type(Dag(LISTS).to_mapping(), dict[str, list[str]])
    assert_type(Dag(LISTS).residual(["a"]).induced([0]).dual(), Dag[str])
    Dag({"a": 3})  # type: ignore[dict-item]
    Dag(["a", "b"])  # type: ignore[arg-type]


def a_dag_of_arcs_has_ids_for_names_unless_names_are_given() -> None:
    assert_type(Dag.from_arcs(2, [(0, 1)]), Dag[int])
    assert_type(Dag.from_arcs(2, np.array([[0, 1]]), names=["a", "b"]), Dag[str])
    assert_type(families.mesh(3), Dag[int])
    assert_type(families.airsn(), Dag[str])
    assert_type(Dag(LISTS) + Dag(SETS), Dag[str | int])


def graphs_of_networkx_have_names_too(
    theirs: networkx.DiGraph[str],
) -> None:
    assert_type(Dag.from_networkx(theirs), Dag[Any])  # networkx ships no types
    assert_type(prioritize(theirs), Plan[Any])


def a_plan_has_the_names_of_its_graph() -> None:
    plan = prioritize(LISTS)
    assert_type(plan, Plan[str])
    assert_type(prioritize({"a": [], "b": ["a"]}).names, list[str])
    assert_type(prioritize(SETS).names, list[int])
    assert_type(plan.dag, Dag[str])
    assert_type(plan.schedule, Schedule[str])
    assert_type(plan.fifo.names, list[str])
    assert_type(plan.priorities["a"], int)
    assert_type(prioritize(plan, ["a", "b"]), Plan[str])
    assert_type(Schedule(LISTS, plan), Schedule[str])
    assert_type(icsched.order_within(LISTS, 3, sizes=INTEGERS).plan, Plan[str])
    assert_type(luigi_priorities(plan), dict[str, int])
    prioritize(3)  # type: ignore[arg-type]


def a_file_has_names_that_are_text() -> None:
    workflow = icsched.read("wf.dag")
    assert_type(workflow, Workflow[str])
    assert_type(workflow.dag, Dag[str])
    assert_type(prioritize(workflow), Plan[str])
    assert_type(Workflow(Dag(SETS)), Workflow[int])
    icsched.write("wf.dag", prioritize(workflow))


def what_is_handed_out_has_the_names_of_its_graph() -> None:
    assert_type(icsched.best_batch(LISTS, [], 1, running=("a",)).names, tuple[str, ...])
    assert_type(icsched.best_cluster(SETS, 1).names, tuple[int, ...])
    assert_type(icsched.ClusterServer(LISTS).take(2).names, tuple[str, ...])
    assert_type(icsched.BatchServer(LISTS).take(1), list[int])
    assert_type(icsched.verify(LISTS, ["a", "b"]).better_names, tuple[str, ...])


def a_sorter_has_the_names_of_its_graph() -> None:
    sorter = Sorter(LISTS)
    sorter.add("c", "a", "b")
    sorter.prepare()
    assert_type(sorter.get_ready(), tuple[str, ...])
    sorter.done(*sorter.take(1))
    assert_type(list(Sorter(prioritize(SETS)).static_order()), list[int])
    grown: Sorter[int] = Sorter()
    grown.add("wrong")  # type: ignore[arg-type]


def run_times_are_whole_numbers_too() -> None:
    prioritize(LISTS, run_times=INTEGERS)
    prioritize(Dag(LISTS), run_times=FLOATS)
    prioritize(LISTS, run_times={"a": 1, "b": 2.5})
    prioritize(LISTS, run_times=[1, 2])
    prioritize(LISTS, run_times=np.array([1, 2]))
    icsched.Times(means=INTEGERS)
    icsched.best_cluster(LISTS, 1, sizes=INTEGERS)
    icsched.RunTimeTable(list(INTEGERS), [1, 2], INTEGERS)
    icsched.Workers(2, speeds=[1, 2])
    Recorded([0, 2], [5, float("inf")])
    prioritize(LISTS, run_times={"a": "long"})  # type: ignore[dict-item]


def orders_are_compared_by_name() -> None:
    own: dict[str, list[str]] = {"mine": ["a", "b"]}
    plans: dict[str, Plan[str]] = {"prio": prioritize(LISTS, "prio")}
    assert_type(icsched.simulate(LISTS, own).ratio["mine_over_fifo"], Ratios)
    assert_type(icsched.simulate(LISTS, plans).ratio["prio_over_fifo"].time, Ratio)
    icsched.simulate(LISTS, {"batches": icsched.BatchServer, "fifo": "fifo"})
    icsched.simulate(LISTS, {"fifo": 3})  # type: ignore[dict-item]


def any_dag(dag: Dag) -> Hashable:
    return dag.names[0]


def a_function_of_any_dag_takes_every_dag() -> None:
    any_dag(Dag(LISTS))
    any_dag(Dag(SETS))
