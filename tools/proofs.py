"""Check that no claim of the theory is false, on many small dags, by looking at all sets of tasks.

    python tools/proofs.py random --count 2000
    python tools/proofs.py small --tasks 6
    python tools/proofs.py aimed --count 100000
    python tools/proofs.py tampered --count 1000

`random` and `small` check bounds, envelopes, orders, proofs and certificates. `aimed` does so for
dags that come close to the premises of the rules, and meet some of them. `tampered` changes
certificates and says how many changed ones are accepted because they are still true. Each command
prints its counts. It prints the arcs of a dag of which something false was claimed, and exits
with 1.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from icsched import Dag, families, pebble, prioritize
from icsched.audit import audit
from icsched.errors import CertificateError
from icsched.theory import proved_by_theorem, without_shortcuts
from icsched.theory.analysis import analyse_reduced
from icsched.theory.bounds import BoundedOrder
from icsched.theory.certificate import Bound
from icsched.theory.envelopes import envelope
from icsched.theory.recursion import FULL, QUICK, bounded_order

MOST_NONSINKS = 13
EFFORTS = {
    "quick": QUICK,
    "quick, no referee": replace(QUICK, sets=0),
    "full": FULL,
    "full, no referee": replace(FULL, sets=0),
}
MOST_LOOKS = 50  # of as many aimed dags, one gets all efforts and the others one of the quick ones
Rng = np.random.Generator
Ints = NDArray[np.int64]


class Truth:
    """What is true of a small dag, by looking at all sets of nonsinks."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        bit = {task: place for place, task in enumerate(dag.nonsinks.tolist())}
        self.sets = np.arange(1 << len(bit))
        self.sizes = np.array([number.bit_count() for number in range(1 << len(bit))])
        self.is_legal = np.ones(len(self.sets), bool)
        self.enabled = np.zeros(len(self.sets), np.int64)
        for task in np.flatnonzero(dag.in_degrees).tolist():
            need = sum(1 << bit[parent] for parent in dag.parents(task).tolist())
            has_all = self.sets & need == need
            self.enabled += has_all
            if task in bit:
                self.is_legal &= has_all | (self.sets >> bit[task] & 1 == 0)
        self.best = np.zeros(len(bit) + 1, np.int64)
        np.maximum.at(self.best, self.sizes[self.is_legal], self.enabled[self.is_legal])

    @cached_property
    def has_ic_optimal_order(self) -> bool:
        """Whether best sets of all sizes follow one another, a task more each."""
        is_best = self.is_legal & (self.enabled == self.best[self.sizes])
        now = np.zeros(1, np.int64)
        for place in range(len(self.best) - 1):
            steps = now[:, None] | (1 << np.arange(len(self.best) - 1))
            now = np.unique(steps)
            now = now[is_best[now] & (self.sizes[now] == place + 1)]
        return len(now) > 0


class FalseClaimError(AssertionError):
    """A claim about a dag is false."""


def claim(is_true: object, dag: Dag, what: str) -> None:
    """Raise FalseClaimError, with the arcs of the dag, if a claim is not true."""
    if not is_true:
        raise FalseClaimError(f"{what}: {len(dag)} tasks, arcs {dag.arcs.tolist()}")


def check_bounded(truth: Truth, bounded: BoundedOrder, what: str) -> None:
    """Check the order, its profile and the bound."""
    dag, steps = truth.dag, len(truth.best)
    order = np.append(bounded.order, dag.sinks)
    reached = pebble.Schedule.of(dag, order).enabled[:steps]
    claim(np.array_equal(reached, bounded.reached), dag, f"{what}: wrong profile")
    claim(len(bounded.bound) == steps, dag, f"{what}: wrong length of the bound")
    claim((bounded.bound >= truth.best).all(), dag, f"{what}: bound below the best")


def check_certificate(truth: Truth, bounded: BoundedOrder, what: str) -> None:
    """Check that the checker accepts the certificate, and proves the same bound."""
    dag = truth.dag
    order = np.append(bounded.order, dag.sinks)
    made = json.loads(json.dumps(Bound(bounded).certificate(order).to_dict()))
    try:
        proved = audit(list(dag.names), dag.arcs.astype(np.int64), made)
    except CertificateError as error:
        raise FalseClaimError(f"{what}: refused, {error}: arcs {dag.arcs.tolist()}") from error
    enabled = (proved.bound + np.arange(len(dag) + 1) - len(dag.sources))[: len(truth.best)]
    claim(np.array_equal(enabled, bounded.bound), dag, f"{what}: the checker finds another bound")
    claim(proved.is_ic_optimal == bounded.is_met, dag, f"{what}: wrong verdict of the checker")


def check_envelope(truth: Truth) -> None:
    """Check that the envelope is a bound, and exact at the ends of its segments."""
    found = envelope(truth.dag)
    claim((found.bound >= truth.best).all(), truth.dag, "envelope below the best")
    ends = np.append(0, np.cumsum(found.sizes)).astype(np.int64)
    claim((found.bound[ends] == truth.best[ends]).all(), truth.dag, "vertex above the best")


def check_order(truth: Truth) -> str:
    """Check what the order "prio" says of itself; return it in a word."""
    dag = truth.dag
    plan = prioritize(dag, "prio")
    enabled = pebble.Schedule.of(dag, plan.order).enabled[: len(truth.best)]
    if plan.proof.is_ic_optimal:
        claim(np.array_equal(enabled, truth.best), dag, "not IC-optimal, but called so")
        return "optimal"
    if plan.proof.no_order_is_ic_optimal:
        claim(not truth.has_ic_optimal_order, dag, "there is an IC-optimal order")
        return "impossible"
    return "unproved"


def check_theorems(truth: Truth) -> str:
    """Check what the theorems prove without any referee."""
    dag = without_shortcuts(truth.dag)
    proved = proved_by_theorem(analyse_reduced(dag, exact_sets=0))
    if proved is None or not proved[1].is_ic_optimal:
        return "no theorem"
    enabled = pebble.Schedule.of(truth.dag, proved[0]).enabled[: len(truth.best)]
    claim(np.array_equal(enabled, truth.best), dag, "a theorem proves what is false")
    return "theorem"


def check(dag: Dag, efforts: Sequence[str] = tuple(EFFORTS)) -> list[str]:
    """Check all claims about *dag* with some *efforts*; return what was claimed."""
    truth = Truth(dag)
    claims = [check_order(truth), check_theorems(truth)]
    for name in efforts:
        bounded = bounded_order(dag, EFFORTS[name])
        check_bounded(truth, bounded, name)
        check_certificate(truth, bounded, name)
        claims += [f"{name}: tried"] + [f"{name}: met"] * bounded.is_met
    claims += ["an order is IC-optimal"] if truth.has_ic_optimal_order else []
    check_envelope(truth)
    return claims


def random_dag(rng: Rng, most: int = 12) -> Dag:
    """Return a dag of up to *most* tasks, sparse or dense, with shuffled ids."""
    tasks, density = int(rng.integers(1, most + 1)), rng.random() ** 2
    arcs = np.argwhere(np.triu(rng.random((tasks, tasks)) < density, 1))
    return Dag.from_arcs(tasks, rng.permutation(tasks)[arcs])


def small_dags(tasks: int) -> Iterator[Dag]:
    """Yield every dag of *tasks* tasks once, whatever its labels; arcs lead to larger ids."""
    pairs = np.array(list(combinations(range(tasks), 2)), np.int64).reshape(-1, 2)
    labels = np.array(list(permutations(range(tasks))), np.int64)
    value = np.full((tasks, tasks), 1 << 40, np.int64)  # of arcs that lead to smaller ids
    value[pairs[:, 0], pairs[:, 1]] = 1 << np.arange(len(pairs))
    for bits in range(1 << len(pairs)):
        arcs = pairs[bits >> np.arange(len(pairs)) & 1 == 1]
        if bits == value[labels[:, arcs[:, 0]], labels[:, arcs[:, 1]]].sum(axis=1).min():
            yield Dag.from_arcs(tasks, arcs)


def block(rng: Rng) -> Dag:
    """Return a small building block: strand, cycle, clique, junction, tree or anything."""
    size = int(rng.integers(1, 4))
    kinds: list[Callable[[], Dag]] = [
        lambda: families.w(size, int(rng.integers(2, 5))),
        lambda: families.m(size, int(rng.integers(2, 4))),
        lambda: families.cycle(size + 1),
        lambda: families.clique(size + 1),
        lambda: families.complete_bipartite(size, int(rng.integers(1, 4))),
        lambda: doubled_tree(rng),
        lambda: random_dag(rng, 5),
    ]
    made = kinds[int(rng.integers(len(kinds)))]()
    return made.dual() if rng.random() < 0.3 else made


def doubled_tree(rng: Rng) -> Dag:
    """Return a bipartite tree in which some sinks occur several times."""
    sources, rows = 1, [[0]]
    for _ in range(int(rng.integers(1, 4))):
        more = int(rng.integers(0, 3))
        old = int(rng.integers(sources))
        rows += [[old, *range(sources, sources + more)]] * int(rng.integers(1, 3))
        sources += more
    arcs = [(source, sources + sink) for sink, row in enumerate(rows) for source in row]
    return Dag.from_arcs(sources + len(rows), arcs)


def composed(rng: Rng) -> Dag:
    """Merge sinks of what there is with sources of a new block, a few times."""
    whole = block(rng)
    for _ in range(int(rng.integers(1, 4))):
        part = block(rng)
        most = min(len(whole.sinks), len(part.sources))
        merged = int(rng.integers(0, most + 1))
        into = np.full(len(part), -1)
        into[rng.permutation(part.sources)[:merged]] = rng.permutation(whole.sinks)[:merged]
        into[into < 0] = len(whole) + np.arange(len(part) - merged)
        arcs = np.vstack([whole.arcs, into[part.arcs]])
        whole = Dag.from_arcs(len(whole) + len(part) - merged, arcs)
    return whole


def in_series(rng: Rng) -> Dag:
    """Put parts in series, with a lone task between some; then spoil an arc, perhaps."""
    whole = block(rng)
    for _ in range(int(rng.integers(1, 3))):
        part = Dag.from_arcs(1, []) if rng.random() < 0.4 else block(rng)
        junction = [(a, len(whole) + b) for a in whole.sinks for b in part.sources]
        arcs = [*whole.arcs.tolist(), *(part.arcs + len(whole)).tolist(), *junction]
        whole = Dag.from_arcs(len(whole) + len(part), arcs)
    return spoiled(rng, whole)


def spoiled(rng: Rng, dag: Dag) -> Dag:
    """Drop an arc of *dag*, add one, or leave it."""
    arcs = dag.arcs.tolist()
    choice = rng.random()
    if choice < 0.4 and arcs:
        arcs.pop(int(rng.integers(len(arcs))))
    elif choice < 0.6 and len(dag) > 1:
        first, second = sorted(rng.choice(len(dag), 2, replace=False).tolist())
        order = dag.fifo_order.tolist()
        arcs.append([order[first], order[second]])
    return Dag.from_arcs(len(dag), arcs)


def side_by_side(rng: Rng) -> Dag:
    """Put copies of a block beside blocks with the same number of tasks, or beside any."""
    first = block(rng)
    whole = first
    for _ in range(int(rng.integers(1, 4))):
        whole = whole + (first if rng.random() < 0.6 else block(rng))
    return whole if rng.random() < 0.6 else spoiled(rng, whole)


AIMS: list[Callable[[Rng], Dag]] = [
    composed,
    in_series,
    side_by_side,
    doubled_tree,
    lambda rng: composed(rng).dual(),
    lambda rng: side_by_side(rng).dual(),
    lambda rng: spoiled(rng, composed(rng)),
    lambda rng: random_dag(rng, 13),
]


def aimed_dag(rng: Rng) -> Dag:
    """Return a dag near the premises of some rule, with shuffled ids."""
    while True:
        dag = AIMS[int(rng.integers(len(AIMS)))](rng)
        if len(dag.nonsinks) <= MOST_NONSINKS and len(dag) <= 2 * MOST_NONSINKS:
            return Dag.from_arcs(len(dag), rng.permutation(len(dag))[dag.arcs])


def changed(rng: Rng, made: dict[str, object]) -> dict[str, object]:
    """Return a copy of a certificate with a number, a rule or a list changed."""
    while True:
        copied = copy.deepcopy(made)
        places = _places(copied)
        within, key = places[int(rng.integers(len(places)))]
        within[key] = _other(rng, within[key])
        if json.dumps(copied) != json.dumps(made):
            return copied


def _places(value: object) -> list[tuple[object, object]]:
    if not isinstance(value, (dict, list)):
        return []
    keys = list(value) if isinstance(value, dict) else range(len(value))
    return [(value, key) for key in keys] + [p for key in keys for p in _places(value[key])]


def _other(rng: Rng, value: object) -> object:
    if isinstance(value, int):
        return value + int(rng.choice([-2, -1, 1, 2]))
    if isinstance(value, float):
        return value + float(rng.choice([-1e-6, 1e-6]))
    if isinstance(value, str):
        return str(rng.choice(["exact", "tree", "cycle", "clique", "dual", "sum"]))
    if isinstance(value, list) and len(value) > 1:
        rows = [value[place] for place in rng.permutation(len(value)).tolist()]
        return rows if rng.random() < 0.7 else rows[1:]
    return {"rule": str(rng.choice(["exact", "tree", "cycle", "clique"]))}


def check_tampered(rng: Rng) -> list[str]:
    """Change a certificate; if it is accepted, check that all it says is still true."""
    dag = random_dag(rng) if rng.random() < 0.5 else aimed_dag(rng)
    truth, bounded = Truth(dag), bounded_order(dag, EFFORTS[str(rng.choice(list(EFFORTS)))])
    order = np.append(bounded.order, dag.sinks)
    other = changed(rng, json.loads(json.dumps(Bound(bounded).certificate(order).to_dict())))
    try:
        proved = audit(list(dag.names), dag.arcs.astype(np.int64), other)
    except CertificateError:
        return ["refused"]
    enabled = proved.bound + np.arange(len(dag) + 1) - len(dag.sources)
    claim((enabled[: len(truth.best)] >= truth.best).all(), dag, f"a false bound: {other}")
    eligible = pebble.eligibility_profile(dag, np.array(other["order"], np.int32))
    counted = proved.bound > 0
    parts = eligible[counted] / proved.bound[counted]
    told = [other[key] for key in ("min_ratio", "mean_ratio", "area_ratio")]
    if counted.any():
        true = [parts.min(), parts.mean(), eligible.sum() / proved.bound.sum()]
        claim(np.allclose(told, true, rtol=0, atol=1e-11), dag, f"a false ratio: {other}")
    return ["accepted, still true"]


def checks(chosen: argparse.Namespace) -> Iterator[Callable[[], list[str]]]:
    """Yield the checks to make."""
    if chosen.kind == "small":
        for tasks in range(chosen.tasks + 1):
            yield from (partial(check, dag) for dag in small_dags(tasks))
        return
    for number in range(chosen.count):
        rng = np.random.default_rng([chosen.seed, number])
        if chosen.kind == "tampered":
            yield partial(check_tampered, rng)
        elif chosen.kind == "random":
            yield partial(check, random_dag(rng))
        else:
            names = tuple(EFFORTS)
            some = names if number % MOST_LOOKS == 0 else (names[number % 2],)
            yield partial(check, aimed_dag(rng), some)


def main() -> int:
    """Make one kind of check and print how often each claim was made."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["random", "small", "aimed", "tampered"])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--tasks", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    told: Counter[str] = Counter()
    for number, one in enumerate(checks(parser.parse_args()), 1):
        try:
            told.update(["checked", *one()])
        except FalseClaimError as error:
            told["FALSE"] += 1
            print(error, flush=True)
        if number % 1000 == 0:
            print(dict(told), flush=True)
    for what, count in told.most_common():
        print(f"{count:9,} {what}")
    return 1 if told["FALSE"] else 0


if __name__ == "__main__":
    sys.exit(main())
