"""Certificates that icsched makes are accepted; changed ones only if what they say stays true."""

import copy
import json

import numpy as np
import pytest

from icsched import Dag, families, pebble
from icsched.audit import fingerprint
from icsched.errors import CertificateError
from icsched.theory.certificate import Bound
from icsched.theory.recursion import FULL, bounded_order
from tests.audit.samples import audited, by_recursion, by_shares, random_dag, ratios

FAMILIES = {
    "mesh": families.mesh(6),
    "fft": families.fft(3),
    "clique": families.clique(5),
    "dual of a clique": families.clique(5).dual(),
    "complete": families.complete_bipartite(3, 4),
    "airsn": families.airsn(20),
    "montage": families.montage(4, 5),
    "sdss": families.sdss(12),
    "layers": families.random_layered(60, 8, seed=1),
    "one task": Dag({"a": []}),
    "no tasks": Dag({}),
    "isolated tasks": Dag.from_arcs(1000, []),
    "separate pairs": Dag.from_arcs(20_000, [(task, 10_000 + task) for task in range(10_000)]),
    "chain": Dag.from_arcs(10_000, [(task, task + 1) for task in range(9_999)]),
    "tree with equal sinks": Dag.from_arcs(6, [(0, 3), (1, 3), (1, 4), (2, 4), (1, 5), (2, 5)]),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_certificates_of_families_are_accepted(name):
    dag = FAMILIES[name]

    proved = audited(dag, by_recursion(dag))

    assert (proved.bound >= proved.eligible).all()


@pytest.mark.parametrize("make", [by_recursion, by_shares])
@pytest.mark.parametrize("seed", range(100))
def test_certificates_of_random_dags_are_accepted_and_true(make, seed):
    dag = random_dag(np.random.default_rng(seed))

    proved = audited(dag, make(dag))

    assert (proved.bound >= pebble.optimal_profile(dag)).all()
    assert proved.eligible.tolist() == pebble.eligibility_profile(dag, dag.fifo_order).tolist()


def test_ratios_compare_the_order_with_the_bound():
    r"""
    a    c
    |   / \      First a: 2 of 3 eligible after one step, all that can be at the others.
    b  d   e
    """
    dag = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    made = Bound(bounded_order(dag, FULL)).certificate(dag.fifo_order)

    assert made.bound.tolist() == [2, 3, 3, 2, 1, 0]
    assert made.eligible.tolist() == [2, 2, 3, 2, 1, 0]
    assert made.min_ratio == pytest.approx(2 / 3)
    assert made.mean_ratio == pytest.approx((4 + 2 / 3) / 5)
    assert made.area_ratio == pytest.approx(10 / 11)
    assert not made.is_ic_optimal
    assert Bound(bounded_order(dag, FULL)).certificate([2, 0, 1, 3, 4]).is_ic_optimal


HEAD = {
    "schema": 2,
    "tasks": 4,
    "arcs": 3,
    "fingerprint": "0" * 64,
    "order": [1, 0, 2],
    "min_ratio": 0.5,
    "mean_ratio": float("nan"),
    "area_ratio": 1 + 1e-9,
}


@pytest.mark.parametrize("key", HEAD)
def test_a_changed_claim_is_refused(key):
    dag = Dag({"a": [], "b": ["a"], "c": ["b"]})
    made = by_recursion(dag)

    with pytest.raises(CertificateError, match=key):
        audited(dag, made | {key: HEAD[key]})


@pytest.mark.parametrize(("key", "value"), [("schema", True), ("schema", 1.0), ("tasks", 3.0)])
def test_a_number_of_another_type_is_refused_though_it_is_equal(key, value):
    dag = Dag({"a": [], "b": ["a"], "c": ["b"]})
    made = by_recursion(dag)
    assert made[key] == value

    with pytest.raises(CertificateError, match=f"refused: {key}"):
        audited(dag, made | {key: value})


def test_a_certificate_of_another_dag_is_refused():
    made = by_recursion(Dag({"a": [], "b": ["a"], "c": ["a"]}))

    for other in (
        Dag({"a": [], "b": ["a"], "d": ["a"]}),  # another name
        Dag({"a": [], "b": ["a"], "c": ["b"]}),  # another arc
    ):
        with pytest.raises(CertificateError, match="for another dag"):
            audited(other, made)


@pytest.mark.parametrize("first", range(0, 1600, 32))
def test_changed_certificates_are_refused_unless_they_stay_true(first):
    """A changed certificate that is accepted must still be true, by the referee's computation."""
    for seed in range(first, first + 32):
        rng = np.random.default_rng(seed)
        dag = random_dag(rng, 10)
        made = (by_recursion, by_shares)[seed % 2](dag)
        changed = copy.deepcopy(made)
        _CHANGES[seed % len(_CHANGES)](changed, rng)
        if json.dumps(changed) == json.dumps(made):
            continue
        try:
            proved = audited(dag, changed)
        except CertificateError:
            continue
        assert (proved.bound >= pebble.optimal_profile(dag)).all()
        order = np.array(changed["order"], np.int32)
        eligible = pebble.eligibility_profile(dag, order).tolist()  # raises if not legal
        told = [changed[key] for key in ("min_ratio", "mean_ratio", "area_ratio")]
        assert told == pytest.approx(list(ratios(eligible, proved.bound.tolist())), abs=1e-12)


@pytest.mark.parametrize("seed", range(300))
def test_steps_forged_for_a_changed_dag_are_refused_unless_true(seed):
    """Whoever forges can compute fingerprints: the steps themselves must not fit another dag."""
    rng = np.random.default_rng(seed)
    dag = random_dag(rng)
    made = (by_recursion, by_shares)[seed % 2](dag)
    pairs = np.argwhere(np.triu(np.ones((len(dag), len(dag))), 1))
    extra = pairs[rng.integers(len(pairs))]
    keep = rng.random(dag.arc_count) < 0.9
    other = Dag.from_arcs(len(dag), np.vstack([dag.arcs[keep], extra]))
    made |= {"arcs": other.arc_count, "fingerprint": fingerprint(range(len(dag)), other.arcs)}
    made["order"] = other.fifo_order.tolist()
    try:
        proved = audited(other, made)
    except CertificateError:
        return
    assert (proved.bound >= pebble.optimal_profile(other)).all()


def _places(value: object) -> list[tuple[object, object]]:
    """Return all (container, key) of a JSON value."""
    if not isinstance(value, (dict, list)):
        return []
    keys = list(value) if isinstance(value, dict) else range(len(value))
    return [(value, key) for key in keys] + [p for key in keys for p in _places(value[key])]


def _some(changed, rng, kinds):
    places = [(c, k) for c, k in _places(changed) if isinstance(c[k], kinds)]
    return places[rng.integers(len(places))]


def _step_number(changed, rng):
    within, key = _some(changed["bound"], rng, object)
    value = within[key]
    within[key] = value + int(rng.choice([-1, 1])) if isinstance(value, int) else None


def _any_number(changed, rng):
    within, key = _some(changed, rng, int)
    within[key] += int(rng.choice([-1, 1, 2, -2]))


def _swap(changed, rng):
    within, key = _some(changed, rng, list)
    row = within[key]
    if len(row) > 1:
        a, b = rng.choice(len(row), 2, replace=False).tolist()
        row[a], row[b] = row[b], row[a]


def _drop(changed, rng):
    within, key = _some(changed, rng, object)
    del within[key]


def _rule(changed, rng):
    rules = [
        "exact",
        "tree",
        "cycle",
        "clique",
        "shares",
        "series",
        "sum",
        "dual",
        "least",
        "without",
    ]
    nodes = [node for node, key in _places(changed) if key == "rule"]
    node = nodes[rng.integers(len(nodes))]
    node["rule"] = str(rng.choice(rules))


def _leaf(changed, rng):
    within, key = _some(changed, rng, dict)
    within[key] = {"rule": str(rng.choice(["exact", "tree", "cycle", "clique"]))}


def _ratio(changed, rng):
    key = str(rng.choice(["min_ratio", "mean_ratio", "area_ratio"]))
    changed[key] = min(1.0, changed[key] + 1e-6) if rng.random() < 0.5 else changed[key] - 1e-6


def _better(changed, rng):
    """Claim to be optimal, with steps that are changed at random."""
    changed |= {"min_ratio": 1.0, "mean_ratio": 1.0, "area_ratio": 1.0}
    _any_number(changed["bound"], rng) if any(
        isinstance(c[k], int) for c, k in _places(changed["bound"])
    ) else _rule(changed, rng)


_CHANGES = [_step_number, _any_number, _swap, _drop, _rule, _leaf, _ratio, _better]


def test_a_certificate_is_the_same_each_time():
    dag = families.montage(4, 4)

    assert by_recursion(dag) == by_recursion(dag)
    made = Bound(bounded_order(dag, FULL)).certificate(dag.fifo_order)
    assert made.to_dict()["tasks"] == len(dag)
