"""What intervals promise: the long-run value lies in 95 of 100."""

import math

import pytest

from icsched import Dag, Pool, Times, families, prioritize, simulate
from icsched.sim import METRICS, Paired, Played
from tests.sim.coverage import MODELS, REPETITIONS, all_hits
from tests.sim.models import simulate_runs

ESTIMATES = [f"{name} {metric}" for name in ("prio", "fifo", "ratio") for metric in METRICS]


@pytest.fixture(scope="module")
def counted():
    return all_hits()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_intervals_hold_the_long_run_value_19_times_in_20(counted, model, estimate):
    held, _ = counted[model]

    assert 0.93 <= held[estimate] / REPETITIONS <= 0.97


def test_one_of_the_models_needs_several_rounds(counted):
    """So that stopping at the first short interval is part of what was tested."""
    assert max(counted["batches"][1]) == 500
    assert min(counted["workers"][1]) > 500


# Means that can be worked out


def chain(length: int) -> Dag:
    return Dag.from_arcs(length, [(i, i + 1) for i in range(length - 1)])


def times_in_vain(length: int, interval: float) -> dict[int, float]:
    """Chances of 0, 1, ... batches that come while a task of the chain but the last runs.

    Those tasks run for length - 1 units of time in all, so the number is Poisson of mean
    (length - 1) / interval.
    """
    mean = (length - 1) / interval
    return {k: math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(400)}


@pytest.mark.parametrize(("length", "interval"), [(2, 1.0), (5, 0.3), (12, 3.0)])
def test_the_exact_means_of_a_chain_lie_in_19_of_20_intervals(length, interval):
    """Tasks of a chain take 1 each, batches have one request each.

    The first batch comes at 0. When a task ends, the next batch comes after an exponential
    time of mean *interval* (gaps forget when they began), for each task but the first. So the
    time is length + (length - 1) * interval on average. Of the length + k batches, k in vain
    as above, each that is not in vain takes a task: the stall probability is the mean of
    k / (length + k), the utilisation that of length / (length + k).
    """
    chances = times_in_vain(length, interval)
    exact = {
        "time": length + (length - 1) * interval,
        "stall": sum(p * k / (length + k) for k, p in chances.items()),
        "utilisation": sum(p * length / (length + k) for k, p in chances.items()),
    }
    seeds = 100
    held = dict.fromkeys(METRICS, 0)
    for seed in range(seeds):
        found = simulate(
            chain(length),
            {"fifo": "fifo"},
            pool=Pool(interval, 1, "fixed"),
            times=Times("constant"),
            seed=seed,
            sampling=Paired(most_runs=500),
            threads=1,
        )
        for metric in METRICS:
            estimate = getattr(found.orders["fifo"], metric)
            held[metric] += estimate.low <= exact[metric] <= estimate.high

    assert min(held.values()) >= 95 - 4 * 2.2, held  # binomial, of deviation 2.2
    assert max(held.values()) < seeds


def test_the_exact_means_of_a_single_task():
    """It takes 1 on average and nothing stalls. Of a first batch of b requests, one is used.

    For sizes geometric of mean 1/p, the mean of 1/b is p / (1 - p) * ln(1 / p).
    """
    batch = 4.0
    found = simulate(
        chain(1), {"fifo": "fifo"}, pool=Pool(batch=batch), seed=1, sampling=Paired(0.001, 20_000)
    ).orders["fifo"]

    assert found.time.low < 1.0 < found.time.high
    assert (found.stall.low, found.stall.high) == (0.0, 0.0)
    exact = math.log(batch) / (batch - 1)
    assert found.utilisation.low < exact < found.utilisation.high
    assert found.utilisation.mean == pytest.approx(exact, rel=0.02)


def test_where_few_runs_differ_intervals_of_ratios_hold_the_long_run_value_more_often():
    """Batches larger than the dag: one run in eighty differs, which a bootstrap may not see."""
    dag, pool = families.airsn(10), Pool(1.0, 256, "exponential")
    orders = {"prio": Played("static", prioritize(dag, "prio").order), "fifo": Played("fifo")}
    means = {
        name: simulate_runs(dag, played, pool, Times(), seed=987654321, runs=10**6).time.mean()
        for name, played in orders.items()
    }
    truth = means["prio"] / means["fifo"]
    held = 0
    for seed in range(100):
        ratio = simulate(dag, orders, pool=pool, seed=seed).ratio["prio_over_fifo"].time
        held += ratio.low <= truth <= ratio.high

    assert held >= 93
