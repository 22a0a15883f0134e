"""Groups of a large dag."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, families
from icsched.report.scene import dag_picture, groups_of
from icsched.run_times import stem
from tests.strategies import dags


@given(dags(most_tasks=12), st.data())
def test_groups_hold_each_task_once_and_arcs_add_up(dag, data):
    kinds = data.draw(st.lists(st.integers(0, 2), min_size=len(dag), max_size=len(dag)))
    kind = np.array(kinds, np.int32)
    picture = dag_picture(dag, kinds=(kind, ("a", "b", "c")), most_drawn=0)

    if not len(dag):
        return
    assert picture.is_grouped
    assert picture.tasks.sum() == len(dag)
    assert picture.tasks.tolist() == np.bincount(picture.node, minlength=len(picture)).tolist()
    node = picture.node.tolist()
    plain = Counter((node[p], node[c]) for p, c in dag.arcs.tolist())
    between = zip(picture.parent.tolist(), picture.child.tolist(), strict=True)
    counted = dict(zip(between, picture.count.tolist(), strict=True))
    assert counted == {pair: count for pair, count in plain.items() if pair[0] != pair[1]}


@given(dags(most_tasks=12), st.integers(1, 6))
def test_there_are_few_groups_each_of_one_kind_in_one_band_of_levels(dag, most):
    kind = np.arange(len(dag), dtype=np.int32) % 5
    group, level, _, _ = groups_of(dag, kind, tuple("abcde"), most)

    assert len(level) <= most
    assert np.unique(group).tolist() == list(range(len(level)))
    for parent, child in dag.arcs.tolist():
        assert level[group[parent]] <= level[group[child]]


def test_a_large_workflow_is_grouped_by_level_and_name_without_numbers():
    dag = families.airsn(1100)  # 3,323 tasks
    picture = dag_picture(dag)

    assert picture.is_grouped
    # Each level and kind is a group, because there are few.
    keys = {(int(dag.levels[t]), stem(str(dag.names[t]))) for t in range(len(dag))}
    assert len(picture) == len(keys)
    assert sorted(set(picture.label)) == sorted({name for _, name in keys})


def test_a_small_dag_with_very_many_arcs_is_grouped():
    assert dag_picture(families.complete_bipartite(150, 150)).is_grouped


def test_the_first_kinds_are_those_that_run_longest_in_total_then_by_name():
    # Totals are 4 (early), 10 (short), 4 (also), 9 (long).
    names = ["early", "short1", "short2", "also", "long"]
    dag = Dag({name: [] for name in names})
    times = np.array([4.0, 5.0, 5.0, 4.0, 9.0])

    for most_drawn in (len(dag), 0):  # one by one, and in groups
        picture = dag_picture(dag, run_times=times, most_drawn=most_drawn)
        assert picture.kinds == ("short#", "long", "also", "early")
        assert picture.kind[picture.node].tolist() == [3, 0, 0, 2, 1]
    *_, kinds = groups_of(dag, picture.kind[picture.node], picture.kinds, 3)
    assert kinds == ("short#", "long", "other kinds")


@pytest.mark.parametrize("values", [[1.0, 2.0, 6.0, 7.0]])
def test_numbers_of_groups_are_means_over_their_tasks(values):
    dag = Dag({"a1": [], "a2": [], "b1": ["a1"], "b2": ["a2"]})
    picture = dag_picture(dag, most_drawn=3)

    assert picture.mean_of(np.array(values)).tolist() == [1.5, 6.5]
