"""Models to simulate, and when two traces are the same."""

import math
from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
from hypothesis import strategies as st

from icsched import Dag
from icsched.arrays import Floats
from icsched.ready import Readiness
from icsched.sim import (
    AnyPool,
    Experiment,
    Machine,
    Machines,
    Played,
    Pool,
    Recorded,
    Runs,
    Times,
    Trace,
    Workers,
)
from tests.sim.servers import plain_run

PLAYED_BY = ["static", "fifo", "lifo", "random"]  # with an order alone


def simulate_runs(dag: Dag, played: Played, pool: AnyPool, times: Times, **options: int) -> Runs:
    """The runs of one order."""
    return Experiment(dag, pool, times).runs(played, **options)


def trace(dag: Dag, played: Played, pool: AnyPool, times: Times, **options: int) -> Trace:
    """One run of one order, step by step."""
    return Experiment(dag, pool, times).trace(played, **options)


def on_machines(dag: Dag, pool: Machines, times: Times, needs: Mapping[str, Floats]) -> Experiment:
    """The tasks of a dag that hold *needs*."""
    experiment = Experiment(dag, Machines([Machine({"cores": 1})]), times)
    experiment._needs = needs
    return experiment.on(pool)


def assert_same(first: Trace, second: Trace) -> None:
    """Every array of the one is that of the other, to the last bit."""
    for part in ("assignments", "batches", "result"):
        ours, theirs = getattr(first, part), getattr(second, part)
        for field in ours.__dataclass_fields__:
            a, b = getattr(ours, field), getattr(theirs, field)
            assert np.array_equal(a, b), (part, field, a, b)


def assert_engines_agree(
    dag: Dag, played: Played, pool: AnyPool, times: Times, *, seed: int, run: int
) -> None:
    """The plain engine, the kernel's for events and its best give the same trace."""
    model = dag, played, pool, times
    expected = plain_run(*model, seed=seed, run=run)
    assert_same(trace(*model, seed=seed, run=run), expected)
    assert_same(trace(*model, seed=seed, run=run, by_events=True), expected)


def ways_to_play(dag: Dag) -> list[Played]:
    """Every way to play, with an order that is not that of the ids; two priorities in turn."""
    backwards = dag.dual().fifo_order[::-1]
    priorities = np.arange(len(dag)) % 2
    return [*(Played(by, backwards) for by in PLAYED_BY), Played("priority", backwards, priorities)]


def small_pools() -> Iterator[AnyPool]:
    """Pools with fixed batches, fixed sets of workers and recorded visits, with all options."""
    terms = [
        {"leave": leave, "deadline": deadline, "replicas": replicas, "overhead": replicas - 1}
        for leave, deadline, replicas in product([math.inf, 2.0], [math.inf, 0.5, 1.0], [1, 2])
    ]
    for term, batch, waiting in product(terms, [1, 3], [False, True]):
        yield Pool(0.5, batch, "fixed", waiting, **term)
    for term, count in product(terms, [2, 3]):
        yield Workers(count, [1.0, 0.5, 1.0][:count], **term)
    for delay, overhead in product([0.0, 0.5], [0.0, 0.25]):
        yield Pool(0.5, 3, "fixed", waiting=True, deadline=0.5, replicas=2, delay=delay)
        yield Workers(2, leave=2.0, deadline=0.5, delay=delay, overhead=overhead)
        yield Recorded([0, 0, 1, 2, 2], [1, 2.5, math.inf, 3, 2.25], delay, overhead)


TERMS = {
    "leave": st.sampled_from([math.inf, 1.0, 3.0]),
    "deadline": st.sampled_from([math.inf, 0.3, 1.0]),
    "replicas": st.integers(1, 3),
    "overhead": st.sampled_from([0.0, 0.25]),
    "delay": st.sampled_from([0.0, 0.1, 1.0]),
}


@st.composite
def pools(draw: st.DrawFn) -> Pool | Workers:
    """Any pool: half of them without leaving, deadlines and replicas."""
    terms = {k: draw(v) for k, v in TERMS.items()} if draw(st.booleans()) else {}
    terms["overhead"] = draw(TERMS["overhead"])
    terms["delay"] = draw(TERMS["delay"])
    if draw(st.booleans()):
        return Pool(
            draw(st.sampled_from([0.01, 0.2, 1.0, 10.0])),
            draw(st.sampled_from([1, 2, 7])),
            draw(st.sampled_from(["geometric", "exponential", "fixed"])),
            draw(st.booleans()),
            draw(st.sampled_from([0.0, 0.5])),
            **terms,
        )
    count = draw(st.integers(3, 5))
    speed = st.sampled_from([0.5, 1.0, 1.1])
    return Workers(
        count, draw(st.none() | st.lists(speed, min_size=count, max_size=count)), **terms
    )


@st.composite
def recorded(draw: st.DrawFn) -> Recorded:
    """Visits that often begin and end at the same moments; one of them does not end."""
    moment = st.integers(0, 12).map(lambda quarters: quarters / 4)
    visits = draw(st.lists(st.tuples(moment, moment | st.just(math.inf)), max_size=8))
    visits.insert(draw(st.integers(0, len(visits))), (draw(moment), math.inf))
    starts = [start for start, _ in visits]
    ends = [start + length + 0.25 for start, length in visits]
    return Recorded(starts, ends, draw(TERMS["delay"]), draw(TERMS["overhead"]))


AMOUNTS = {
    "cores": st.sampled_from([1.0, 2.0, 3.5, 8.0]),
    "memory_bytes": st.sampled_from([1.0, 4.0, 7.0, 10.0]),
    "gpus": st.sampled_from([1.0, 2.0]),
}


@st.composite
def machines(draw: st.DrawFn) -> Machines:
    """A few machines of up to three kinds, with limits of the queue and without."""
    more = st.fixed_dictionaries({}, optional={k: v for k, v in AMOUNTS.items() if k != "cores"})
    kind = st.tuples(AMOUNTS["cores"], more, st.integers(1, 3))
    kinds = draw(st.lists(kind, min_size=1, max_size=3))
    few = st.none() | st.integers(1, 6)
    return Machines(
        [Machine({"cores": cores, **others}, count) for cores, others, count in kinds],
        draw(few),
        draw(few),
        leave=draw(TERMS["leave"]),
        overhead=draw(TERMS["overhead"]),
        delay=draw(TERMS["delay"]),
    )


@st.composite
def times(draw: st.DrawFn, tasks: int) -> Times:
    """Any times, with ties and without."""
    mean = st.sampled_from([0.5, 1.0, 2.0])
    return Times(
        draw(st.sampled_from(["normal", "lognormal", "constant"])),
        draw(st.sampled_from([0.0, 0.1, 2.0])),
        draw(st.none() | st.lists(mean, min_size=tasks, max_size=tasks)),
    )


seeds = st.integers(0, 2**64 - 1)
runs = st.integers(0, 2**62 - 1)


class OldestFirst:
    """First come, first served, written in Python."""

    def __init__(self, dag: Dag) -> None:
        self.readiness = Readiness(dag)
        self.line = self.readiness.ready()

    def take(self, count: int) -> list[int]:
        taken, self.line = self.line[:count], self.line[count:]
        self.readiness.take(taken)
        return taken

    def done(self, task: int) -> None:
        if task in self.line:
            self.line.remove(task)
        self.line += self.readiness.finish([task])

    def lost(self, task: int) -> None:
        self.line += self.readiness.give_back([task])
