"""Thinned curves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from icsched.report.curves import curve_of

LINES = st.lists(st.integers(-50, 50), min_size=1, max_size=300).map(np.array)


@given(LINES, st.integers(4, 40))
def test_a_thinned_curve_is_exact_at_its_steps_and_keeps_ends_and_extremes(line, most):
    curve = curve_of(line, most)

    assert len(curve) <= max(most, 2)
    assert curve.value.tolist() == line[curve.step].tolist()
    assert (np.diff(curve.step) > 0).all()
    assert (curve.step[0], curve.step[-1]) == (0, len(line) - 1)
    assert (curve.value.min(), curve.value.max()) == (line.min(), line.max())


@given(LINES)
def test_a_curve_with_few_bends_is_the_whole_line(line):
    curve = curve_of(line, 300)

    steps = np.arange(len(line))
    assert np.allclose(np.interp(steps, curve.step, curve.value), line)
