"""Cells of a study: the grid, one cell, many at a time, and what tells studies apart."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import icsched
from icsched import Dag, Pool, families, prioritize, simulate
from icsched.errors import ArgumentError, ScheduleError, SimulationError
from icsched.sim import Paired, PaperSampling, Recorded, Times, Workers
from icsched.study import cells as module
from icsched.study.cells import (
    BATCHES,
    INTERVALS,
    Cell,
    Subject,
    Terms,
    fingerprint,
    grid,
    run_cell,
    run_cells,
    workers_grid,
)

AIRSN = families.airsn(10)
ORDER = prioritize(AIRSN, "prio").order
SUBJECT = Subject(AIRSN, {"prio": ORDER})
FEW = Terms(seed=3, sampling=Paired(half_width=0.05, most_runs=600))


def test_the_grid_is_the_papers():
    """Seven intervals, 10^-3 to 10^3, and seventeen batch sizes, 2^0 to 2^16."""
    cells = grid(Terms())

    assert len(cells) == 7 * 17
    assert INTERVALS == (0.001, 0.01, 0.1, 1, 10, 100, 1000)
    assert (BATCHES[0], BATCHES[4], BATCHES[-1]) == (1, 16, 65536)
    assert cells[0] == Cell(0.001, 1)
    assert cells[-1] == Cell(1000, 65536)


@pytest.mark.parametrize(
    ("intervals", "batches", "complaint"),
    [
        ([0], [1], "interval: expected a positive number, got 0.0"),
        ([-1], [1], "interval: expected a positive number, got -1.0"),
        ([float("nan")], [1], "interval: expected a positive number, got nan"),
        ([1], [0], "batch: expected 1 to 1,000,000,000, got 0.0"),
        ([1], [-2], "batch: expected 1 to 1,000,000,000, got -2.0"),
        ([], [1], "intervals: expected at least one"),
        ([1], [], "batches: expected at least one"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(intervals, batches, complaint):
    with pytest.raises(ArgumentError) as caught:
        grid(Terms(), intervals, batches)

    assert str(caught.value) == complaint


def test_a_seed_that_cannot_be_is_refused_before_anything_runs():
    with pytest.raises(ArgumentError, match="seed: expected a whole number from 0"):
        grid(Terms(seed=-1))


@pytest.mark.parametrize("sampling", [Paired(0.02, 700), PaperSampling(samples=10, runs=20)])
@pytest.mark.parametrize("sizes", ["exponential", "geometric"])
@pytest.mark.parametrize("cell", [Cell(0.1, 4), Cell(1, 16)])
def test_a_cell_is_exactly_what_simulate_finds(cell, sizes, sampling):
    found = run_cell(SUBJECT, cell, Terms(sizes, 5, sampling))
    alone = simulate(
        AIRSN,
        {"prio": prioritize(AIRSN, "prio"), "fifo": "fifo"},
        pool=Pool(interval=cell.interval, batch=cell.batch, batch_law=sizes),
        seed=5,
        sampling=sampling,
        threads=2,
    )

    assert found.ratio == alone.ratio
    assert found.orders == alone.orders
    assert (found.runs, found.precise) == (alone.runs, alone.precise)
    assert found.cell == cell


@pytest.mark.parametrize("threads", [1, 3])
def test_cells_do_not_depend_on_how_many_run_at_a_time(threads):
    cells = grid(FEW, [0.1, 1], [1, 4, 16])

    found = {result.cell: result for result in run_cells(SUBJECT, cells, FEW, threads=threads)}

    assert found == {cell: run_cell(SUBJECT, cell, FEW) for cell in cells}


def test_as_many_cells_as_asked_for_run_at_a_time(monkeypatch):
    """Each of three cells waits for the other two: with fewer threads none would get past."""
    meeting = threading.Barrier(3, timeout=20)
    monkeypatch.setattr(module, "run_cell", lambda *_, **__: meeting.wait())

    numbers = run_cells(SUBJECT, grid(FEW, [1], [1, 2, 4]), FEW, threads=3)

    assert sorted(numbers) == [0, 1, 2]


def test_closing_gives_up_the_cells_under_way(monkeypatch):
    """One cell is done, one waits for a sign of life that stops it, one never starts."""
    cells = grid(FEW, [1], [1, 2, 4])
    started, fate = [], []

    def cell_that_goes_on(_subject, cell, _terms, *, progress):
        started.append(cell)
        if cell == cells[0]:
            return cell
        try:
            while True:
                progress(0, 1)
        except BaseException as error:
            fate.append(error)
            raise

    monkeypatch.setattr(module, "run_cell", cell_that_goes_on)
    found = run_cells(SUBJECT, cells, FEW, threads=1)

    assert next(found) == cells[0]
    found.close()
    assert started in ([cells[0]], list(cells[:2]))
    assert len(fate) == len(started) - 1


@pytest.mark.parametrize("threads", [0, -1, 2000])
def test_a_number_of_threads_that_cannot_be_is_refused(threads):
    with pytest.raises(ArgumentError, match="threads: expected a whole number from 1 to 1,024"):
        next(run_cells(SUBJECT, grid(FEW), FEW, threads=threads))


def test_an_empty_dag_and_an_order_of_another_are_refused():
    cells = grid(FEW, [1], [1])
    with pytest.raises(SimulationError, match="dag: expected at least one task"):
        list(run_cells(Subject(Dag({}), {"prio": []}), cells, FEW, threads=1))
    with pytest.raises(ScheduleError, match="expected 53 tasks, got 1"):
        list(run_cells(Subject(AIRSN, {"prio": [0]}), cells, FEW, threads=1))


def test_studies_that_must_not_be_mixed_have_different_fingerprints():
    r"""
    0   1        Same sizes everywhere; arcs, order, law, seed or sampling differ.
    |\  |
    2 3 4
    """
    dag = Dag.from_arcs(5, [(0, 2), (0, 3), (1, 4)])
    other = Dag.from_arcs(5, [(0, 2), (1, 3), (1, 4)])
    order, another = [0, 1, 2, 3, 4], [1, 0, 2, 3, 4]
    subject = Subject(dag, {"prio": order})
    prints = [
        fingerprint(subject, Terms()),
        fingerprint(Subject(other, {"prio": order}), Terms()),
        fingerprint(Subject(dag, {"prio": another}), Terms()),
        fingerprint(Subject(dag, {"mine": order}), Terms()),
        fingerprint(Subject(dag, {"prio": order, "mine": another}), Terms()),
        fingerprint(Subject(dag, {"prio": order}, np.ones(5)), Terms()),
        fingerprint(Subject(dag, {"prio": order}, np.full(5, 2.0)), Terms()),
        fingerprint(subject, Terms(batch_law="fixed")),
        fingerprint(subject, Terms(seed=1)),
        fingerprint(subject, Terms(sampling=Paired(0.02))),
        fingerprint(subject, Terms(sampling=Paired(most_runs=30))),
        fingerprint(subject, Terms(sampling=PaperSampling())),
        fingerprint(subject, Terms(sampling=PaperSampling(300, 299))),
        fingerprint(subject, Terms(times=Times("normal"))),
        fingerprint(subject, Terms(times=Times(spread=0.2))),
        fingerprint(subject, Terms(delay=2.0)),
        fingerprint(subject, Terms(given=Workers(2))),
        fingerprint(subject, Terms(given=Workers(3))),
        fingerprint(subject, Terms(given=Recorded([0, 1], [9, np.inf]))),
        fingerprint(subject, Terms(given=Recorded([0, 2], [9, np.inf]))),
        fingerprint(Subject(dag, {"prio": "fifo"}), Terms()),
        fingerprint(Subject(dag, {"prio": "lifo"}), Terms()),
        fingerprint(Subject(Dag.from_arcs(6, dag.arcs), {"prio": [*order, 5]}), Terms()),
    ]

    assert len(set(prints)) == len(prints)


def test_names_and_the_type_of_the_order_do_not_change_the_fingerprint():
    dag = icsched.Dag.from_arcs(2, [(0, 1)])
    named = icsched.Dag({"a": [], "b": ["a"]})

    alike = {
        fingerprint(Subject(dag, {"prio": [0, 1]}), Terms()),
        fingerprint(Subject(named, {"prio": (0, 1)}), Terms()),
        fingerprint(Subject(dag, {"prio": prioritize(dag, "prio").order}), Terms()),
    }

    assert len(alike) == 1


def test_several_orders_run_times_and_workers_are_what_simulate_finds():
    """Every number is equal to the last bit: all orders see the same draws in both."""
    orders = {"prio": ORDER, "lifo": "lifo", "critical-path": "critical-path"}
    means = np.linspace(1, 20, len(AIRSN))
    times = Times("lognormal", 0.5)
    terms = Terms(seed=5, sampling=Paired(0.02, 700), times=times, delay=3.0)

    found = run_cell(Subject(AIRSN, orders, means), Cell(workers=4), terms)

    alone = simulate(
        AIRSN,
        {**orders, "fifo": "fifo"},
        pool=Workers(4, delay=3.0),
        times=Times("lognormal", 0.5, means),
        seed=5,
        sampling=Paired(0.02, 700),
    )
    assert (found.orders, found.ratio) == (alone.orders, alone.ratio)
    assert (found.runs, found.precise) == (alone.runs, alone.precise)
    assert found.cell == Cell(None, None, 4)


def test_a_chain_of_constant_times_takes_its_times_and_the_delays_between():
    """2 + 3 + 4 seconds of work, and 5 seconds twice before a child can be taken."""
    chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    terms = Terms(sampling=Paired(most_runs=20), times=Times("constant"), delay=5.0)

    found = run_cell(
        Subject(chain, {"mine": [0, 1, 2]}, np.array([2.0, 3, 4])), Cell(None, None, 2), terms
    )

    assert found.orders["mine"].time.mean == pytest.approx(19)
    assert found.ratios("mine").time.median == 1


def test_the_only_cell_of_a_given_pool_plays_that_pool():
    given = Recorded([0, 4], [8, np.inf], delay=1.0)
    terms = Terms(seed=2, sampling=FEW.sampling, given=given)

    found = run_cell(SUBJECT, Cell(), terms)

    orders = {"prio": ORDER, "fifo": "fifo"}
    alone = simulate(AIRSN, orders, pool=given, seed=2, sampling=FEW.sampling)
    assert found.orders == alone.orders


def test_a_grid_of_workers_has_each_number_once_in_ascending_order():
    assert workers_grid(Terms(), [32, 8, 16, 8]) == tuple(Cell(None, None, n) for n in (8, 16, 32))


@pytest.mark.parametrize(
    ("counts", "complaint"),
    [([], "workers: expected at least one"), ([8, 0], "workers: expected a whole number from 1")],
)
def test_a_grid_of_workers_that_cannot_be_is_refused(counts, complaint):
    with pytest.raises(ArgumentError) as caught:
        workers_grid(Terms(), counts)

    assert str(caught.value).startswith(complaint)


def test_a_cell_without_a_place_needs_a_pool():
    with pytest.raises(ArgumentError, match="cell: expected a place in a grid"):
        Terms().pool(Cell())


def test_giving_up_ends_a_cell_in_the_middle_of_a_run():
    """500 million batches come while the first task runs; nobody must wait for that."""
    program = """
import os, signal, threading, time
from icsched import Dag
from icsched.study.cells import Cell, Subject, Terms, run_cells
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    dag = Dag({"a": [], "b": ["a"]})
    subject = Subject(dag, {"prio": [0, 1]})
    list(run_cells(subject, [Cell(2e-9, 1.0)], Terms(batch_law="fixed"), threads=1))
except KeyboardInterrupt:
    print(time.monotonic() - began < 8)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
