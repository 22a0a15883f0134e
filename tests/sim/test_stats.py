"""Intervals: the paper's against a double loop, and the laws of the bootstrap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched.sim import Mean, Ratio, stats
from icsched.sim.stats import Bootstrap, end_of_a_run, paper_mean, paper_ratio

RNG = np.random.default_rng(5)


def double_loop(above: list[float], below: list[float]) -> tuple[float, float, float]:
    """Median and ends of all ratios, the 2.5% at each end left out."""
    ratios = sorted(x / y for x in above for y in below)
    out = len(ratios) * 25 // 1000
    kept = ratios[out : len(ratios) - out]
    middle = len(ratios) // 2
    median = ratios[middle] if len(ratios) % 2 else (ratios[middle - 1] + ratios[middle]) / 2
    return median, kept[0], kept[-1]


values = st.floats(0.1, 100)


@given(
    st.lists(values, min_size=1, max_size=30),
    st.lists(values, min_size=1, max_size=30),
)
def test_the_papers_ratio_is_that_of_a_double_loop(above, below):
    found = paper_ratio(np.array(above), np.array(below))

    assert found is not None
    assert (found.median, found.low, found.high) == pytest.approx(double_loop(above, below))


def test_the_papers_ratio_of_three_hundred_samples_leaves_2250_out_at_each_end():
    above, below = RNG.uniform(1, 2, 300), RNG.uniform(1, 2, 300)
    found = paper_ratio(above, below)
    ratios = np.divide.outer(above, below)

    assert (ratios < found.low).sum() == 2250
    assert (ratios > found.high).sum() == 2250


def test_the_papers_mean_keeps_all_but_the_ends():
    """Of 80 samples two are cut at each end."""
    shuffled = RNG.permutation(np.arange(80.0))

    assert paper_mean(shuffled) == Mean(mean=39.5, low=2.0, high=77.0)


def test_there_is_no_ratio_over_what_may_be_0():
    assert paper_ratio(np.array([1.0]), np.array([1.0, 0.0])) is None
    assert paper_ratio(np.array([0.0]), np.array([1.0])) == Ratio(0.0, 0.0, 0.0, 0.0, 0.0)
    rows = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    drawn = Bootstrap.of(rows, seed=1)
    assert drawn.ratio(0, 1) is None  # run 2 is not in every resample
    assert drawn.ratio(0, 2) is None
    assert drawn.ratio(2, 0) is None  # never seen, which is not never


@given(st.lists(values, min_size=1, max_size=40), st.integers(-4, 4))
def test_rows_in_constant_ratio_have_that_ratio_for_certain(row, power):
    """Powers of two, so that products are exact."""
    rows = np.array([row, [2.0**power * value for value in row]])

    factor = 2.0**power
    assert Bootstrap.of(rows, seed=1).ratio(1, 0) == Ratio(factor, factor, factor, factor, 0.0)


def test_one_run_has_an_interval_of_length_0():
    drawn = Bootstrap.of(np.array([[3.0], [4.0]]), seed=1)

    assert drawn.mean(0) == Mean(3.0, 3.0, 3.0)
    assert drawn.ratio(1, 0).half_width == 0.0


@pytest.mark.parametrize("runs", [2, 999, 1000, 1001, 5000])
def test_the_interval_of_a_mean_is_two_standard_errors_on_each_side(runs):
    """For many runs: 1.96 times the deviation over the root of their number."""
    row = RNG.normal(10, 1, runs)
    found = Bootstrap.of(row[None], seed=1).mean(0)

    assert found.mean == row.mean()
    assert found.low <= found.mean <= found.high
    if runs > 100:
        expected = 1.96 * row.std() / np.sqrt(runs)
        assert (found.high - found.low) / 2 == pytest.approx(expected, rel=0.1)


def test_runs_that_do_not_fill_the_last_blocks_weigh_as_much_as_others():
    """1,500 runs in 1,000 blocks of one or two: the mean of resamples is that of the runs."""
    row = np.arange(1500.0)
    drawn = Bootstrap.of(row[None], seed=1)

    error = row.std() / np.sqrt(1500) / np.sqrt(stats.RESAMPLES)
    assert abs(drawn.means.mean() - row.mean()) < 4 * error


def test_the_bootstrap_depends_on_its_seed_alone():
    rows = RNG.uniform(1, 2, (2, 100))

    assert np.array_equal(Bootstrap.of(rows, seed=1).means, Bootstrap.of(rows, seed=1).means)
    assert not np.array_equal(Bootstrap.of(rows, seed=1).means, Bootstrap.of(rows, seed=2).means)


def test_the_half_width_is_relative():
    assert Ratio(0.5, 0.4, 0.6, 0.5, 0.1).half_width == pytest.approx(0.2)
    assert Mean(10.0, 9.0, 11.0).half_width == pytest.approx(0.1)
    assert Mean(0.0, 0.0, 0.0).half_width == 0.0


def test_the_mean_and_the_deviation_are_those_of_all_pairs_of_samples():
    """Malewicz et al. 2007, section 4.2: 1/1, 1/2, 4/1 and 4/2, mean 15/8, squares 85/4."""
    found = paper_ratio(np.array([1.0, 4.0]), np.array([1.0, 2.0]))

    assert found is not None
    assert found.mean == 15 / 8
    assert found.deviation == pytest.approx((85 / 16 - (15 / 8) ** 2) ** 0.5)


def test_the_deviation_of_the_bootstrap_shrinks_with_the_root_of_the_runs():
    rows = np.array([1 + RNG.random(1600), 1 + RNG.random(1600)])
    few, many = (Bootstrap.of(rows[:, :runs], seed=1).ratio(0, 1) for runs in (100, 1600))

    assert few is not None
    assert many is not None
    assert 3 < few.deviation / many.deviation < 5


@pytest.mark.parametrize(("runs", "is_doubted"), [(4, False), (20, False), (40, False), (40, True)])
def test_95_percent_of_further_runs_end_in_the_interval_however_few_runs_there_were(
    runs, is_doubted
):
    """Lognormal times; with *is_doubted* both times of each pair are nearly the same."""
    rng, shares = np.random.default_rng(4), []
    for _ in range(2000):
        drawn = rng.normal(0, 0.3, runs)
        if is_doubted:
            drawn = np.repeat(drawn[: runs // 2], 2)
        end = end_of_a_run(np.exp(drawn), is_doubted=is_doubted)
        further = np.exp(rng.normal(0, 0.3, 100))
        shares.append(np.mean((end.low <= further) & (further <= end.high)))

    assert abs(np.mean(shares) - 0.95) < 0.01
