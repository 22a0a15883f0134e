"""Thinned curves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from icsched.report.curves import curve_of

LINES = st.lists(st.integers(-50, 50), min_size=1, max_size=300).map(np.array)


@given(LINES, st.integers(4, 40))
def test_a_thinned_curve_is_exact_at_its_steps_and_keeps_ends_and_extremes(line, most):
    steps, values = curve_of(line, most)

    assert len(steps) <= max(most, 2)
    assert values.tolist() == line[steps].tolist()
    assert (np.diff(steps) > 0).all()
    assert (steps[0], steps[-1]) == (0, len(line) - 1)
    assert (values.min(), values.max()) == (line.min(), line.max())


@given(LINES)
def test_a_curve_with_few_bends_is_the_whole_line(line):
    steps, values = curve_of(line, 300)

    assert np.allclose(np.interp(np.arange(len(line)), steps, values), line)
