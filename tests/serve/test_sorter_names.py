"""The names of tasks in Sorter: equal ones and odd ones."""

from itertools import pairwise

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
