"""Functions of blocks refuse dags, and say what makes of a dag what they take."""

import pytest

from icsched.errors import ArgumentError
from icsched.families import m, w
from icsched.theory import (
    best_profile,
    has_dual_priority_over,
    has_priority_over,
    is_reticulated,
    is_universal_donor,
    priority,
    proved_by_theorem,
)


@pytest.mark.parametrize("compare", [has_priority_over, has_dual_priority_over, priority])
def test_a_dag_is_not_the_profile_of_a_block(compare):
    expected = "expected BlockProfile, as icsched.theory.best_profile returns it, got Dag"

    with pytest.raises(ArgumentError, match=f"^first: {expected}$"):
        compare(w(2, 2), m(2, 2))
    with pytest.raises(ArgumentError, match=f"^second: {expected}$"):
        compare(best_profile(w(2, 2)), m(2, 2))


@pytest.mark.parametrize("about", [is_universal_donor, is_reticulated, proved_by_theorem])
def test_a_dag_is_not_an_analysis(about):
    expected = "expected Analysis, as icsched.theory.analyse returns it, got Dag"

    with pytest.raises(ArgumentError, match=f"^analysis: {expected}$"):
        about(w(2, 2))
