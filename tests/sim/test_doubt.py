"""What is not known of mean times widens intervals, and no number of runs takes that away."""

import numpy as np
import pytest

from icsched import Dag, RunTimeTable, Times, Workers, Workflow
from icsched.sim import Experiment, Paired, Played
from icsched.sim.doubt import Doubt, doubt_about, doubted
from icsched.sim.race import interval_of
from icsched.sim.sampling import SideBySide

UNEQUAL = Doubt(np.array([0, 1, 1], np.int32), np.array([0.0, 0.5]))
PAIR = {"a": [], "b": [], "c": []}


def experiment(doubt, law="constant"):
    """Tasks of mean 4, 2 and 2 on two workers."""
    return Experiment(Dag(PAIR), Workers(2), Times(law, means=[4.0, 2.0, 2.0], doubt=doubt))


def test_two_runs_one_after_another_have_the_same_means():
    """A worker runs `a`, 4 s; the other runs `b` and `c`, 4 s times their factor."""
    runs = experiment(UNEQUAL).runs(Played("fifo"), seed=1, runs=6).time
    factors = [UNEQUAL.factors(seed=1, run=run)[1] for run in range(6)]

    assert np.allclose(runs, np.maximum(4, 4 * np.array(factors)))
    assert runs.tolist() == np.repeat(runs[::2], 2).tolist()
    assert len(set(factors)) == 3


def test_a_run_does_not_depend_on_the_runs_that_are_simulated_with_it():
    whole = experiment(UNEQUAL, "lognormal").runs(Played("fifo"), seed=3, runs=9).time
    parts = [
        experiment(UNEQUAL, "lognormal").runs(Played("fifo"), seed=3, runs=count, first_run=first)
        for first, count in ((0, 3), (3, 4), (7, 2))
    ]
    traced = experiment(UNEQUAL, "lognormal").trace(Played("fifo"), seed=3, run=5).result.time

    assert np.array_equal(whole, np.concatenate([part.time for part in parts]))
    assert traced[0] == whole[5]


def test_the_means_stay_right_on_average():
    factors = [UNEQUAL.factors(seed=7, run=2 * k)[2] for k in range(4000)]

    error = np.std(factors) / np.sqrt(len(factors))
    assert abs(np.mean(factors) - 1) < 4 * error


def test_doubt_about_tasks_that_are_done_does_not_matter():
    whole = Workflow(Dag(PAIR), done=np.array([True, False, False]))
    times = Times("constant", means=[4.0, 2.0, 2.0], doubt=UNEQUAL)
    runs = Experiment(whole, Workers(1), times).runs(Played("fifo"), seed=1, runs=2).time

    assert np.allclose(runs, 4 * UNEQUAL.factors(seed=1, run=0)[1])


def test_what_pairs_have_in_common_is_told_from_the_luck_of_a_run():
    """Deviation 3 between pairs, 4 inside a pair."""
    rng = np.random.default_rng(5)
    values = np.repeat(rng.normal(0, 3, 20_000), 2) + rng.normal(0, 4, 40_000)

    assert abs(doubted(values) - 3) < 0.1


@pytest.mark.parametrize("runs", [8, 32, 256])
@pytest.mark.parametrize(("between", "inside"), [(0.05, 0.05), (0.05, 0.01), (0.01, 0.05)])
def test_the_interval_holds_the_ratio_of_other_mean_times_even_after_few_runs(
    runs, between, inside
):
    """At least 90% of 1,000 intervals hold the ratio of mean times that were not drawn for them."""
    rng, held = np.random.default_rng(9), 0
    for _ in range(1000):
        common = np.repeat(rng.normal(0, between, runs // 2), 2)
        behind = common + rng.normal(0, inside, runs)
        found = interval_of(behind.reshape(-1, 2).mean(axis=1), doubted(behind))
        held += found.low <= np.exp(rng.normal(0, between)) <= found.high

    assert held > 900


def orders(doubt, runs):
    """The ratio of `c` last to `a` last, in *runs* runs."""
    players = {"late": Played("static", [1, 2, 0]), "fifo": Played("fifo")}
    beside = SideBySide(experiment(doubt, "lognormal"), players, "fifo", seed=2)
    return beside.simulated(Paired(1e-6, runs))


def test_more_runs_do_not_take_doubt_away():
    def width(found):
        ratio = found.ratio["late_over_fifo"].time
        return ratio.high - ratio.low

    few, many = orders(UNEQUAL, 1000), orders(UNEQUAL, 8000)
    sure_few, sure_many = orders(None, 1000), orders(None, 8000)

    assert width(sure_many) < width(sure_few) / 2
    assert 0.8 < width(many) / width(few) < 1.2
    assert width(many) > 5 * width(sure_many)


def test_the_interval_of_a_ratio_holds_most_ratios_that_the_doubt_allows():
    """The ratio of mean times for each of 400 other draws of the doubt, 400 runs each."""
    found = orders(UNEQUAL, 4000).ratio["late_over_fifo"].time
    inside = 0
    for draw in range(400):
        factors = UNEQUAL.factors(seed=99, run=2 * draw)
        times = Times(means=np.array([4.0, 2.0, 2.0]) * factors)
        sure = Experiment(Dag(PAIR), Workers(2), times)
        late, first = (
            sure.runs(order, seed=draw, runs=400).time.mean()
            for order in (Played("static", [1, 2, 0]), Played("fifo"))
        )
        inside += found.low <= late / first <= found.high

    assert 0.92 < inside / 400 <= 1


def test_95_percent_of_further_runs_end_in_the_interval_of_a_run():
    end = orders(UNEQUAL, 4000).ends["fifo"]
    further = experiment(UNEQUAL, "lognormal").runs(Played("fifo"), seed=77, runs=8000).time

    assert abs(np.mean((end.low <= further) & (further <= end.high)) - 0.95) < 0.015


def test_kinds_that_a_table_does_not_know_are_in_doubt():
    """Means 1, e and e*e of three kinds: the deviation of 0, 1 and 2 is 1."""
    dag = Dag({"a1": [], "b1": [], "c1": [], "new1": [], "new2": [], "a2": []})
    table = RunTimeTable(("a1", "b1", "c1"), [1.0, np.e, np.e**2])
    doubt = doubt_about(Workflow(dag).with_run_times(table))

    assert doubt is not None
    assert np.allclose(doubt.deviations[doubt.groups], [0, 0, 0, 1, 1, 0])


def test_nothing_is_in_doubt_where_all_times_are_known():
    assert doubt_about(Workflow(Dag({"a": []}), run_times=np.array([3.0]))) is None
