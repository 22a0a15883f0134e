"""Laws of the model, and the laws that random numbers follow."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, families, prioritize
from icsched.pebble import critical_path_order
from icsched.sim import Played, Pool, Times, Trace, Workers
from icsched.sim.draws import Draws, Stream
from tests.sim.models import pools, seeds, simulate_runs, times, trace
from tests.sim.servers import permutation
from tests.strategies import dags

FIFO = Played("fifo")
CONSTANT = Times("constant")


def chain(length: int) -> Dag:
    return Dag.from_arcs(length, [(i, i + 1) for i in range(length - 1)])


def longest_path(dag: Dag, means: list[float]) -> float:
    ends: dict[int, float] = {}
    for task in dag.fifo_order.tolist():
        ends[task] = means[task] + max((ends[p] for p in dag.parents(task).tolist()), default=0.0)
    return max(ends.values())


@given(st.data(), dags(most_tasks=10), pools(), seeds)
def test_shares_lie_between_0_and_1_and_every_task_has_one_result(data, dag, pool, seed):
    if not len(dag):
        return
    model = dag, FIFO, pool, data.draw(times(len(dag)))

    runs = simulate_runs(*model, seed=seed, runs=5)
    steps = trace(*model, seed=seed, run=4)

    assert (runs.utilisation > 0).all()
    assert (runs.utilisation <= 1 + 1e-12).all()
    assert (runs.stall >= 0).all()
    assert (runs.stall < 1).all()
    results = steps.assignments.task[steps.assignments.ending == 0]
    assert sorted(results.tolist()) == list(range(len(dag)))
    assert runs.time[4] == steps.assignments.end[steps.assignments.ending == 0].max()


@given(st.data(), dags(most_tasks=10), st.sampled_from(["fifo", "lifo", "random"]))
def test_one_worker_takes_the_sum_and_enough_workers_the_longest_path(data, dag, by):
    """Means are multiples of a half, so that sums are exact."""
    if not len(dag):
        return
    mean = st.sampled_from([0.5, 1.0, 3.5])
    means = data.draw(st.lists(mean, min_size=len(dag), max_size=len(dag)))
    model = dag, Played(by)
    exact = Times("constant", means=means)

    one = simulate_runs(*model, Workers(1), exact, seed=1, runs=2)
    assert one.time.tolist() == [sum(means)] * 2
    assert one.utilisation.tolist() == [1.0, 1.0]
    for enough in (Workers(len(dag)), Pool(1.0, 1000, "fixed", waiting=True)):
        many = simulate_runs(*model, enough, exact, seed=1, runs=2)
        assert many.time.tolist() == [longest_path(dag, means)] * 2


def test_huge_batches_that_come_all_the_time_take_little_more_than_the_longest_path():
    airsn = families.airsn(40)

    runs = simulate_runs(airsn, FIFO, Pool(1e-5, 10**9, "fixed"), CONSTANT, seed=1, runs=5)

    longest = longest_path(airsn, [1.0] * len(airsn))
    assert (runs.time >= longest).all()
    assert (runs.time < longest + 0.01).all()


@pytest.mark.parametrize("batch", [2, 9])
def test_larger_batches_neither_slow_a_chain_nor_stall_more(batch):
    """At most one task is eligible: a batch finds it or not, whatever the batch's own size."""
    one = simulate_runs(chain(20), FIFO, Pool(0.7, 1, "fixed"), Times(), seed=1, runs=20)
    several = simulate_runs(chain(20), FIFO, Pool(0.7, batch, "fixed"), Times(), seed=1, runs=20)

    assert several.time.tolist() == one.time.tolist()
    assert several.stalls.tolist() == one.stalls.tolist()
    assert one.stalls.min() > 0


@pytest.mark.parametrize("workers", [2, 7])
def test_more_workers_do_not_slow_a_chain_but_every_idle_ask_is_a_stall(workers):
    """Of one speed, that is: a task goes to the worker idle longest, not to the fastest.

    At time 0 all ask and one gets the first task. A result frees the next for an idle worker, and
    then the one that brought it asks in vain; after the last assignment, nothing is counted.
    So 20 tasks cost workers - 1 + 18 stalls, and none if the worker is alone.
    """
    alone = simulate_runs(chain(20), FIFO, Workers(1), Times(), seed=1, runs=20)
    several = simulate_runs(chain(20), FIFO, Workers(workers), Times(), seed=1, runs=20)

    assert several.time.tolist() == alone.time.tolist()
    assert set(alone.stalls.tolist()) == {0}
    assert set(several.stalls.tolist()) == {workers - 1 + 18}


@pytest.mark.parametrize("by", ["fifo", "lifo", "random"])
def test_with_large_enough_batches_no_order_matters(by):
    """Every batch takes all that is eligible, and a task's time does not depend on the order."""
    airsn = families.airsn(40)
    enough = Pool(1.0, len(airsn), "fixed")
    prio = Played("static", prioritize(airsn, "prio").order)

    good = simulate_runs(airsn, prio, enough, Times(), seed=1, runs=20)
    other = simulate_runs(airsn, Played(by), enough, Times(), seed=1, runs=20)

    assert other.time.tolist() == good.time.tolist()
    assert other.stalls.tolist() == good.stalls.tolist()


def test_with_small_batches_the_good_order_wins():
    """Malewicz et al. 2007: at (1, 16) prio needs at least 13% less time than FIFO."""
    airsn = families.airsn()
    prio = Played("static", prioritize(airsn, "prio").order)
    paper = Pool(1.0, 16, "exponential")

    ratio = [
        simulate_runs(airsn, played, paper, Times(), seed=1, runs=2000).time.mean()
        for played in (prio, FIFO)
    ]

    assert ratio[0] / ratio[1] == pytest.approx(0.84, abs=0.01)


def shortest_time(dag: Dag, workers: int) -> int:
    """Least steps of unit tasks on so many workers, by trying all; none need be idle."""
    needs = [set(dag.parents(task).tolist()) for task in range(len(dag))]
    states: set[frozenset[int]] = {frozenset()}
    steps = 0
    while not any(len(done) == len(dag) for done in states):
        following = set()
        for done in states:
            free = [t for t in range(len(dag)) if t not in done and needs[t] <= done]
            chosen = combinations(free, min(workers, len(free)))
            following.update(done | set(tasks) for tasks in chosen)
        states, steps = following, steps + 1
    return steps


@st.composite
def forests_to_roots(draw) -> Dag:
    """Dags in which no task has more than one child."""
    tasks = draw(st.integers(1, 9))
    child = [draw(st.none() | st.integers(task + 1, tasks - 1)) for task in range(tasks - 1)]
    return Dag.from_arcs(tasks, [(t, c) for t, c in enumerate(child) if c is not None])


@given(forests_to_roots(), st.integers(1, 3))
def test_critical_paths_are_best_on_trees_towards_a_root(forest, workers):
    """Unit tasks, equal workers: serving the longest way to the root first is optimal (Hu 1961)."""
    path = Played("static", critical_path_order(forest))

    runs = simulate_runs(forest, path, Workers(workers), CONSTANT, seed=1, runs=1)

    assert runs.time[0] == shortest_time(forest, workers)


def test_critical_paths_win_where_the_chain_is_named_last():
    """Tasks 0 and 1 are alone, 2 -> 3 -> 4: FIFO starts the chain at time 1, and ends at 4."""
    dag = Dag.from_arcs(5, [(2, 3), (3, 4)])
    path = Played("static", critical_path_order(dag))

    times = [
        simulate_runs(dag, played, Workers(2), CONSTANT, seed=1, runs=1).time[0]
        for played in (path, FIFO)
    ]

    assert times == [3.0, 4.0]


# Random numbers

MANY = 200_000


def within(values: np.ndarray, mean: float, deviation: float) -> None:
    """Mean and variance are right to four standard errors, the kurtosis taken as found."""
    spread = values - mean
    assert abs(spread.mean()) < 4 * deviation / math.sqrt(len(values))
    error = np.std(spread**2) / math.sqrt(len(values))
    assert abs((spread**2).mean() - deviation**2) < 4 * error


def first_times(task_times: Times, pool: Pool | None = None) -> np.ndarray:
    """Times of many independent tasks, all assigned at time 0."""
    pool = pool or Pool(1.0, 10**9, "fixed")
    return trace(Dag.from_arcs(MANY, []), FIFO, pool, task_times, seed=7, run=3).assignments.end


@pytest.mark.parametrize(
    ("law", "spread"), [("normal", 0.1), ("lognormal", 0.1), ("lognormal", 1.0), ("constant", 1.0)]
)
def test_task_times_have_their_mean_and_deviation(law, spread):
    deviation = 0.0 if law == "constant" else spread

    if law == "constant":
        assert set(first_times(Times(law, spread)).tolist()) == {1.0}
    else:
        within(first_times(Times(law, spread)), 1.0, deviation)


def test_normal_times_are_drawn_again_until_positive():
    """Normal(1, 2) given that it is positive: its mean and variance are textbook."""
    values = first_times(Times("normal", 2.0))

    alpha = -1 / 2
    density = math.exp(-alpha * alpha / 2) / math.sqrt(2 * math.pi)
    ratio = density / (0.5 * math.erfc(alpha / math.sqrt(2)))
    assert values.min() > 0
    within(values, 1 + 2 * ratio, 2 * math.sqrt(1 + alpha * ratio - ratio**2))


def test_times_scale_with_the_means_and_fall_with_the_speed():
    means = np.linspace(0.5, 2.0, MANY)
    plain_times = first_times(Times())

    assert np.array_equal(first_times(Times(means=means)), means * plain_times)
    speeds = plain_times / first_times(Times(), Pool(1.0, 10**9, "fixed", speed_spread=0.5))
    within(speeds, 1.0, 0.5)


def arrivals(pool: Pool) -> Trace:
    return trace(Dag.from_arcs(MANY, []), FIFO, pool, CONSTANT, seed=7, run=4)


def test_gaps_are_exponential():
    gaps = np.diff(arrivals(Pool(0.25, 1, "fixed")).batches.time)

    within(gaps, 0.25, 0.25)
    assert (gaps > 0.25).mean() == pytest.approx(math.exp(-1), abs=0.005)


@pytest.mark.parametrize("batch", [1.0, 1.5, 4.0])
def test_geometric_sizes_have_their_mean(batch):
    sizes = arrivals(Pool(1.0, batch)).batches.size

    assert sizes.min() == 1
    if batch > 1:
        within(sizes, batch, math.sqrt(batch * (batch - 1)))
        assert (sizes == 1).mean() == pytest.approx(1 / batch, abs=0.01)
    else:
        assert sizes.max() == 1


@pytest.mark.parametrize("batch", [1.0, 4.0])
def test_exponential_sizes_are_rounded_and_those_of_0_left_out(batch):
    """Others have P(size >= k) = exp((1 - k) / batch), and gaps grow by exp(1 / (2 batch))."""
    batches = arrivals(Pool(1.0, batch, "exponential")).batches

    left = math.exp(-1 / batch)
    within(batches.size, 1 / (1 - left), math.sqrt(left) / (1 - left))
    gaps = np.diff(batches.time)
    within(gaps, math.exp(0.5 / batch), math.exp(0.5 / batch))


def test_workers_stay_for_an_exponential_time():
    """Of tasks of time 1 the share that is not lost the first time is exp(-1 / leave)."""
    pool = Pool(1000.0, 10**9, "fixed", leave=2.0)
    steps = trace(Dag.from_arcs(MANY, []), FIFO, pool, CONSTANT, seed=7, run=3).assignments
    first = steps.end[steps.time == 0]

    assert (first == 1.0).mean() == pytest.approx(math.exp(-0.5), abs=0.005)
    lost = first[first < 1.0]
    assert lost.mean() == pytest.approx(2 - math.exp(-0.5) / (1 - math.exp(-0.5)), abs=0.005)


def test_random_orders_are_uniform():
    orders = Counter(tuple(permutation(Draws(seed=1, run=run), 4)) for run in range(24_000))

    assert len(orders) == 24
    assert sum((n - 1000) ** 2 / 1000 for n in orders.values()) < 49.7  # chi square, 0.999


@pytest.mark.parametrize("stream", list(Stream))
def test_every_index_is_as_random_as_any_other(stream):
    """Over runs and seeds each index has mean 1/2, and neighbours in each sense are unrelated."""
    draws = [Draws(seed=seed, run=run) for seed in range(20) for run in range(50)]
    values = np.array(
        [[d.uniform(stream, i, k) for i in range(12) for k in (0, 1, 2**32)] for d in draws]
    )

    assert abs(values.mean(axis=0) - 0.5).max() < 4.5 * math.sqrt(1 / 12 / len(draws))
    related = np.corrcoef(values.T) - np.eye(values.shape[1])
    assert abs(related).max() < 4.5 / math.sqrt(len(draws))
    following = np.corrcoef(values[:-1].ravel(), values[1:].ravel())[0, 1]
    assert abs(following) < 4.5 / math.sqrt(values.size)
