"""Curves with as many points as a page can show: eligible tasks, and what must be held."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched.messages import counted, in_bytes
from icsched.pebble import memory_profile
from icsched.report.proofs import MOST_COMPARED, certified_sentence
from icsched.report.subject import NOW, Keys, Subject, capital, order_called
from icsched.theory.bounds import steps_of
from icsched.theory.proof import ProofStep, Rule

MOST_POINTS = 1000  # of a curve: a page cannot show more

_EXTREMES = (np.argmin, np.argmax)
Line = NDArray[np.integer[Any]] | NDArray[np.floating[Any]]


def curve_of(line: Line, most: int = MOST_POINTS) -> tuple[NDArray[np.int64], Line]:
    """Return points of *line*, which has a value for each of the steps 0, 1, ...: steps and values.

    The steps are both ends and the bends, at which the line changes its slope: between two steps
    the line is straight. If there are more than *most* (at least 4), they are cut into pieces of
    equal length, and each piece keeps its smallest and its largest value. Takes O(length of the
    line) time.

    >>> steps, values = curve_of(np.array([0, 1, 2, 3, 3]))
    >>> steps.tolist(), values.tolist()
    ([0, 3, 4], [0, 3, 3])
    """
    is_bend = np.ones(len(line), bool)
    is_bend[1:-1] = np.diff(line, n=2) != 0
    steps = np.flatnonzero(is_bend).astype(np.int64)
    if len(steps) > most:
        inner = np.array_split(steps[1:-1], max(1, most // 2 - 1))
        kept = [np.unique([part[pick(line[part])] for pick in _EXTREMES]) for part in inner]
        steps = np.concatenate([steps[:1], *kept, steps[-1:]])
    return steps, line[steps]


def curve_keys(subject: Subject) -> tuple[Keys, ProofStep | None]:
    """Return the eligible tasks of the orders under a ceiling, and why the ceiling holds."""
    ceiling, why = _ceiling(subject)
    keys = {
        "words": _curve_words(subject, has_ceiling=ceiling is not None),
        "steps": len(subject.dag),
        "orders": {
            name: _points(one.schedule.eligible, "eligible") for name, one in subject.orders.items()
        },
        "ceiling": None if ceiling is None else _points(ceiling, "eligible"),
    }
    return keys, why


def _points(line: Line, what: str) -> Keys:
    steps, values = curve_of(line)
    return {"step": steps, what: values}


def _ceiling(subject: Subject) -> tuple[Line | None, ProofStep | None]:
    """Return a bound that no order exceeds, and why it holds; no bound for a large dag.

    If an order is proved IC-optimal by a theorem, its own profile is the bound.
    """
    dag = subject.dag
    if len(dag) + dag.arc_count <= MOST_COMPARED:
        certificate = subject.plan.certificate
        return certificate.bound, steps_of(certificate.bounded)
    for order in subject.orders.values():
        proof = order.proof
        if proof is not None and proof.is_ic_optimal:
            chain = ProofStep(Rule.BLOCKS, chain=proof.chain) if proof.chain else None
            return order.schedule.eligible, proof.steps or chain
    return None, None


def _curve_words(subject: Subject, *, has_ceiling: bool) -> str:
    """Say what the curves are, and how close the chosen order comes to the ceiling."""
    asks = "after each step: a worker that asks then finds one of them."
    told = f"Eligible {subject.word}s {asks}"
    if not has_ceiling:
        return f"{told} The workflow is too large for a ceiling."
    share = ""
    if subject.certified is not None:
        share = subject.called(f" Order auto: {certified_sentence(subject.certified)}")
    return f"{told} No order has more than the ceiling.{share}"


def memory_keys(subject: Subject) -> Keys:
    """Return the results that each order must keep over its steps, or their bytes."""
    sizes, orders = subject.workflow.sizes, {}
    for name, order in subject.orders.items():
        line = order.schedule.memory
        if sizes is not None:
            line = memory_profile(subject.dag, order.schedule, sizes=sizes)
        orders[name] = {**_points(line, "held"), "peak": int(line.max())}
    unit = "results" if sizes is None else "bytes"
    peaks = {name: held["peak"] for name, held in orders.items()}
    return {"words": _memory_words(peaks, unit), "unit": unit, "orders": orders}


def _memory_words(peaks: dict[str, int], unit: str) -> str:
    """Say which orders hold the least."""
    peak = min(peaks.values())
    least = [name for name, own in peaks.items() if own == peak]
    most = counted(peak, "result") if unit == "results" else in_bytes(peak)
    kept = "Results that must be kept, because a child has not run yet."
    if len(least) == len(peaks):
        return f"{kept} All orders need the same: at most {most}."
    who = capital(_orders_called(least)) + (" needs" if len(least) == 1 else " need")
    return f"{kept} {who} the least: at most {most}."


def _orders_called(names: list[str]) -> str:
    """Name some orders in a sentence.

    >>> _orders_called(["now", "auto"])
    'the order that the file has now and the order auto'
    >>> _orders_called(["auto", "prio", "fifo"])
    'the orders auto, prio and fifo'
    """
    told = [order_called(NOW)] if NOW in names else []
    others = [name for name in names if name != NOW]
    if len(others) == 1:
        told.append(order_called(others[0]))
    elif others:
        told.append(f"the orders {', '.join(others[:-1])} and {others[-1]}")
    return " and ".join(told)
