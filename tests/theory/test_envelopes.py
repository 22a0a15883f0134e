"""The concave envelope: it bounds what any order enables, and its shares are valid."""

import numpy as np
import pytest

from icsched import ArgumentError, Dag, pebble
from icsched.theory.envelopes import Envelope, envelope
from icsched.theory.profiles import Allowance


def random_dag(rng: np.random.Generator, most: int) -> Dag:
    tasks = int(rng.integers(most + 1))
    upper = np.triu(rng.random((tasks, tasks)) < rng.random(), 1)
    return Dag.from_arcs(tasks, np.argwhere(upper))


def best_enabled(dag: Dag) -> list[int]:
    """Return the most nonsources that any t nonsinks enable, by the referee."""
    eligible = pebble.optimal_profile(dag).tolist()
    return [e - len(dag.sources) + t for t, e in enumerate(eligible)][: len(dag.nonsinks) + 1]


def check_shares(dag: Dag, found: Envelope, gains: list[int]) -> None:
    """Check what docs/certificates.md demands of shares, task by task."""
    segment, sizes, totals = found.segment.tolist(), found.sizes.tolist(), found.totals.tolist()
    last = [max((segment[p] for p in dag.parents(v)), default=-1) for v in range(len(dag))]
    got, gave = [0] * len(dag), [0] * len(dag)
    for (parent, child), share in zip(dag.arcs.tolist(), found.shares.tolist(), strict=True):
        assert share == 0 or (share > 0 and segment[parent] == last[child])
        got[parent] += share
        gave[child] += share
    rest, enabled = [0] * len(sizes), [0] * len(sizes)
    for task in range(len(dag)):
        own = gains[task] * sizes[last[task]] if last[task] >= 0 else 0
        inside = last[task] >= 0 and last[task] == segment[task]
        short = max(0, own - gave[task])
        if inside:
            short = max(short, got[task] + own - gave[task] - totals[last[task]])
        assert short <= own
        if last[task] >= 0:
            rest[last[task]] += short
            enabled[last[task]] += gains[task]
        keeps = got[task] + own - short - gave[task] if inside else got[task]
        assert segment[task] < 0 or 0 <= keeps <= totals[segment[task]]
        assert inside or gave[task] <= own
    assert rest == found.rest.tolist()
    assert enabled == totals


def test_the_envelope_of_a_fork_and_a_chain_runs_the_fork_first() -> None:
    r"""
      a    d
     / \   |
    b   c  e     `a` enables two tasks and `d` one: two segments.
    """
    found = envelope(Dag({"a": [], "b": ["a"], "c": ["a"], "d": [], "e": ["d"]}))

    assert found.segment.tolist() == [0, -1, -1, 1, -1]
    assert found.bound.tolist() == [0, 2, 3]


def test_fractions_are_cut_off() -> None:
    r"""
    a   b   c
     \  |  /
        d        Three tasks enable one: 1/3 each.
    """
    found = envelope(Dag({"d": ["a", "b", "c"]}))

    assert found.sizes.tolist() == [3]
    assert found.bound.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("seed", range(300))
def test_the_bound_holds_and_is_exact_at_the_ends_of_segments(seed: int) -> None:
    dag = random_dag(np.random.default_rng(seed), 10)
    found, best = envelope(dag), best_enabled(dag)

    assert len(found.bound) == len(best)
    assert all(bound >= most for bound, most in zip(found.bound.tolist(), best, strict=True))
    for end in np.cumsum(found.sizes).tolist():
        assert found.bound[end] == best[end]
    assert not found.rest.any()
    check_shares(dag, found, [1] * len(dag))


@pytest.mark.parametrize("seed", range(100))
def test_less_work_gives_a_weaker_bound_that_still_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 10)
    full, found = envelope(dag), envelope(dag, arcs=Allowance(int(rng.integers(100))))

    assert (found.bound >= full.bound).all()
    check_shares(dag, found, [1] * len(dag))


@pytest.mark.parametrize("seed", range(100))
def test_gains_weigh_the_enabled_tasks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 8)
    gains = rng.integers(10, size=len(dag)).tolist()

    check_shares(dag, envelope(dag, gains=np.array(gains, np.int64)), gains)


def test_a_dag_without_arcs_enables_nothing() -> None:
    assert envelope(Dag.from_arcs(3, [])).bound.tolist() == [0]
    assert envelope(Dag({})).sizes.tolist() == []


@pytest.mark.parametrize(
    ("gains", "problem"),
    [
        (np.array([1]), "expected 2 whole numbers"),
        (np.array([0.5, 1.5]), "expected 2 whole numbers"),
        (np.array([1, -1]), "expected 0 or more, got -1"),
        (np.array([0, 1 << 62]) * 1, None),
        (np.array([0, (1 << 63) - 1]), "passes 2\\*\\*62"),
    ],
)
def test_gains_that_the_flow_cannot_hold_are_refused(
    gains: np.ndarray, problem: str | None
) -> None:
    dag = Dag({"b": ["a"], "a": []})
    gains = gains[::-1] if len(gains) == 2 else gains
    if problem is None:
        assert envelope(dag, gains=gains).bound.tolist() == [0, 1 << 62]
    else:
        with pytest.raises(ArgumentError, match=problem):
            envelope(dag, gains=gains)
