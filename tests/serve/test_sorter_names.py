"""The names of tasks in Sorter: equal ones, odd ones, and their types."""

from itertools import pairwise

import pytest

from tests.serve.sorters import prepared

# Names


def test_names_of_mixed_types_are_kept_apart(sorter_class):
    names = [1, "1", (1,), None, 2.5, frozenset({1}), b"1"]
    chain = {after: [before] for before, after in pairwise(names)}

    assert list(sorter_class(chain).static_order()) == names


def test_equal_names_are_one_task(sorter_class):
    sorter = prepared(sorter_class({"b": [1], "c": [1.0, True]}))

    assert sorter.get_ready() == (1,)
    sorter.done(1)
    assert set(sorter.get_ready()) == {"b", "c"}


def test_done_takes_names_that_are_equal_but_not_identical(sorter_class):
    sorter = prepared(sorter_class({"c": [(1, 2), 3]}))
    assert set(sorter.get_ready()) == {(1, 2), 3}

    sorter.done(tuple(range(1, 3)), 3.0)

    assert sorter.get_ready() == ("c",)


class Expression:
    """Hashable by identity; == builds an expression that is neither true nor false.

    Names like this are common: delayed computations, columns, symbolic terms.
    """

    def __eq__(self, other: object) -> "Expression":  # type: ignore[override]
        return Expression()

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("an expression has no truth")


def test_names_are_looked_up_and_never_asked_whether_they_are_equal(sorter_class):
    first, second, last = Expression(), Expression(), Expression()
    sorter = prepared(sorter_class({last: [first, second]}))
    assert len(sorter.get_ready()) == 2

    sorter.done(second)
    sorter.done(first)

    assert sorter.get_ready()[0] is last


TYPED = """
from icsched import Dag, Sorter

def names(graph: dict[str, list[str]]) -> list[str]:
    sorter = Sorter(graph)
    sorter.add("a", "b")
    sorter.prepare()
    first: tuple[str, ...] = sorter.get_ready()
    sorter.done(*first)
    sorter.lost(*sorter.take(1))
    return list(sorter.static_order())

def grown() -> Sorter[int]:
    sorter: Sorter[int] = Sorter()
    sorter.add("wrong")
    return sorter

def of_a_dag(dag: Dag) -> Sorter[str]:
    return Sorter(dag, order=dag.fifo_order)
"""


def test_names_keep_their_type(tmp_path):
    mypy = pytest.importorskip("mypy.api")
    program = tmp_path / "typed.py"
    program.write_text(TYPED)

    report, _, _ = mypy.run(["--strict", "--no-error-summary", str(program)])

    wrong = 'Argument 1 to "add" of "Sorter" has incompatible type "str"; expected "int"'
    assert report.endswith(f"typed.py:15: error: {wrong}  [arg-type]\n")  # mypy may cache the path
    assert report.count("\n") == 1
