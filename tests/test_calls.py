"""The grammar for mappings of Python calls."""

import sys
from functools import partial
from operator import add, itemgetter
from typing import NamedTuple

import dask
import pytest
from distributed import Client
from hypothesis import given
from hypothesis import strategies as st

import icsched
from icsched.calls import call_of, known_names
from icsched.engines.dask import compute
from icsched.engines.dask.graphs import tasks_of_mapping

GRAMMAR = {
    "zero": int,  # a function alone
    "three": (int, "3"),  # "3" is not the name of a task
    "nine": (pow, "three", 2),
    "list": (sum, ["three", "nine", 1]),
    "pairs": (dict, [("a", "three"), ("b", ["nine"])]),
    "set": (sorted, {"three", "nine"}),
    "call": (max, (add, "three", 1), (min, "nine", 5)),
    "inside": (itemgetter(0), [(add, "three", "nine")]),
    "plain": (itemgetter("three"), {"three": "itself"}),  # a dict is a value
    "partial": (partial(pow, exp=2), "three"),
    "empty": (list, ()),
    ("tuple", 1): (abs, "three"),
    "of tuple": (add, ("tuple", 1), 1),
}
BY_HAND = {
    "zero": 0,
    "three": 3,
    "nine": 9,
    "list": 13,
    "pairs": {"a": 3, "b": [9]},
    "set": [3, 9],
    "call": 5,
    "inside": 12,
    "plain": "itself",
    "partial": 9,
    "empty": [],
    ("tuple", 1): 3,
    "of tuple": 4,
}


def test_compute_knows_the_whole_grammar():
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with Client(processes=False, **options) as client:
        assert compute(GRAMMAR, client, order="fifo", results=GRAMMAR) == BY_HAND


class Pair(NamedTuple):
    first: object
    second: object


def collected(*arguments):
    return arguments


WORDS = st.one_of(st.integers(0, 9), st.sampled_from(["", "x", "p", "q"]))
ARGUMENTS = st.recursive(
    WORDS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(st.just(collected), inner),
        st.tuples(WORDS, inner),
        st.builds(Pair, inner, inner),
        st.frozensets(WORDS, max_size=3),
        st.sets(WORDS, max_size=3),
    ),
)


@st.composite
def mappings(draw):
    """Tasks whose arguments are names of two other tasks, other words, containers and calls."""
    given = draw(st.lists(st.lists(ARGUMENTS, max_size=3), min_size=1, max_size=4))
    tasks = {number: (collected, *each) for number, each in enumerate(given, 10)}
    return {"p": (collected,), "q": (collected, "p"), **tasks}


@given(mappings())
def test_any_mapping_means_what_a_graph_of_dask_means(tasks):
    results, names = {}, known_names(tasks)
    for name, given_task in tasks.items():  # parents come first
        results[name] = call_of(name, given_task, names)(results)

    assert tuple(results.values()) == dask.get(tasks, list(tasks))


@pytest.mark.parametrize(
    ("argument", "parents"),
    [("a", ("a",)), ([["a"], "b", "a"], ("a", "b")), ((max, "b"), ("b",)), ({"a": "b"}, ())],
)
def test_the_parents_of_a_call_are_the_tasks_that_it_names(argument, parents):
    assert call_of("c", (max, argument), known_names("abc")).parents == parents


def test_a_text_that_is_also_a_name_is_given_by_partial():
    assert call_of("b", partial(str.upper, "a"), known_names("ab"))({}) == "A"


NUMBERS = {0: (int, "10"), 1: (int, "11"), 0.5: (int, "12"), "named": (collected, 0, 1, 0.5)}
EQUAL = {**NUMBERS, "equal": (collected, False, True, 1.0, [True, 0])}


def test_numbers_that_only_equal_the_name_of_a_task_stand_for_themselves():
    results, names = {0: 10, 1: 11, 0.5: 12}, known_names(EQUAL)

    assert call_of("named", EQUAL["named"], names)(results) == (10, 11, 12)
    assert (
        repr(call_of("equal", EQUAL["equal"], names)(results)) == "(False, True, 1.0, [True, 10])"
    )


def test_compute_tells_equal_numbers_apart_as_well():
    tasks = {name: task for name, task in EQUAL.items() if name != 0.5 and name != "named"}
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with Client(processes=False, **options) as client:
        found = compute(tasks, client, order="fifo", results=["equal"])

    assert repr(found) == "{'equal': (False, True, 1.0, [True, 10])}"


def endless() -> list[object]:
    found: list[object] = []
    found.append(found)
    return found


def deep() -> list[object]:
    found: list[object] = []
    for _ in range(2 * sys.getrecursionlimit()):
        found = [found]
    return found


@pytest.mark.parametrize("make", [endless, deep])
def test_arguments_that_are_nested_too_deeply_are_refused_by_the_name_of_the_task(make):
    problem = "task 'a': its arguments are nested too deeply"
    with pytest.raises(icsched.ArgumentError, match=problem):
        tasks_of_mapping({"a": (len, make())}, None)
