"""Trees, small pieces, integer programs, greedy and its bound, and the front itself."""

import subprocess
import sys
import time
from fractions import Fraction
from math import floor

import numpy as np
import pytest

import icsched
from icsched import _native, families
from icsched._native import TaskState
from icsched.arrays import Rows
from icsched.theory import integer_program
from icsched.theory.batch import EXACT, GuaranteeKind, auto, greedy, pieces
from tests.theory.batches.brute import Problem, check_guarantee, random_problem, random_tree
from tests.theory.batches.twins import greedy_twin, rows_of
from tests.twins import eligible_after

UNLIMITED = 2**62


def solved(problem: Problem, r: int, **options) -> int:
    """What the exact kernel says that r sources enable; what it takes does enable so many."""
    choice = pieces(problem.front, r, most_work=UNLIMITED, **options)
    assert len(set(choice.sources.tolist())) == len(choice.sources) == r
    assert problem.enabled(choice.sources.tolist()) == choice.enabled
    return choice.enabled


# Trees


def test_five_thousand_trees_are_solved_as_by_looking_at_every_set():
    rng = np.random.default_rng(3)
    for _ in range(5_000):
        tree = random_tree(rng, int(rng.integers(1, 15)))
        best = tree.best_enabled()
        got = [solved(tree, r, most_enumerated=0) for r in range(tree.sources + 1)]
        assert got == best


def tree_knapsack(problem: Problem) -> list[int]:
    """The recursion of Malewicz and Rosenberg 2006 in plain Python; the twin of the kernel for
    large trees.
    """

    def total(parts):
        result = [0]
        for part in parts:
            pairs = [(i + j, a + b) for i, a in enumerate(result) for j, b in enumerate(part)]
            result = [
                max((v for k, v in pairs if k == n), default=-99)
                for n in range(len(result) + len(part) - 1)
            ]
        return result

    def larger(a, b):
        width = max(len(a), len(b))
        padded = [[*x, *[-(10**9)] * (width - len(x))] for x in (a, b)]
        return [max(pair) for pair in zip(*padded, strict=True)]

    def behind(source, via):
        off, on = [], [[-(10**9), sum(row == (source,) for row in problem.sinks)]]
        for sink, row in enumerate(problem.sinks):
            if sink == via or source not in row or len(row) == 1:
                continue
            parts = [behind(other, sink) for other in row if other != source]
            free = total([larger(*part) for part in parts])
            enabled = [v + 1 for v in total([part[1] for part in parts])]
            off.append(free)
            on.append(larger(free, enabled))
        return total(off), total(on)

    return larger(*behind(0, None))


def test_the_kernel_and_its_twin_agree_on_trees_too_large_to_look_at_every_set():
    rng = np.random.default_rng(4)
    for _ in range(15):
        tree = random_tree(rng, 30)
        expected = tree_knapsack(tree)
        assert [solved(tree, r, most_enumerated=0) for r in range(31)] == expected


def test_forests_with_lone_tasks_are_put_together():
    """A sum of random trees and lone sources against every set of all sources."""
    rng = np.random.default_rng(5)
    for _ in range(150):
        sinks, sources = [], 0
        while sources < 10:
            tree = random_tree(rng, int(rng.integers(1, 5)))
            sinks += [tuple(sources + u for u in row) for row in tree.sinks]
            sources += tree.sources
        forest = Problem(sources, tuple(sinks))
        got = [solved(forest, r, most_enumerated=0) for r in range(sources + 1)]
        assert got == forest.best_enabled()


@pytest.mark.parametrize(
    ("dag", "expected"),
    [
        (families.w(40, 3), [2 * x for x in range(40)] + [81]),
        (families.m(40, 3), [0, *[(x - 1) // 2 for x in range(1, 82)]]),
        (families.n(60), list(range(61))),
    ],
)
def test_the_batches_of_blocks_are_those_of_their_optimal_orders(dag, expected):
    """Section 1 of Cordasco et al. 2011: the blocks' profiles; a block has an optimal set at every
    step.
    """
    for r in range(1, len(expected)):
        batch = icsched.best_batch(dag, [], r, method="tree")
        assert batch.eligible_after == len(dag.sources) - r + expected[r]


def test_a_star_of_many_sources_needs_them_all():
    star = families.m(1, 5_000)

    assert icsched.best_batch(star, [], 4_999, method="tree").eligible_after == 1
    assert icsched.best_batch(star, [], 5_000, method="tree").eligible_after == 1
    twins = star + star
    assert set(icsched.best_batch(twins, [], 5_000, method="tree").take) == set(range(5_000))


def test_a_long_tree_needs_little_memory():
    """All arrays of W(20000, 2) up to 5,000 executions would be 400 MB and more."""
    code = """
import resource
from icsched import best_batch, families
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
dag = families.w(20_000, 2)
best_batch(dag, [], 10, method="tree")
before = peak()
best_batch(dag, [], 5_000, method="tree")
print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 50


def test_a_kernel_that_would_work_too_long_does_not_start():
    tree = families.w(100, 2)
    front = _native.batch_front(
        tree.child_rows,
        tree.parent_rows,
        np.where(tree.in_degrees == 0, TaskState.OFFERED, TaskState.WAITING).astype(np.uint8),
        tree.sources,
    )
    assert pieces(front, 50, most_work=100) is None
    assert auto(front, 50, most_work=100, time_limit_s=0).method == "greedy"


# Small pieces


def test_small_pieces_of_any_shape_are_solved_as_by_looking_at_every_set():
    rng = np.random.default_rng(6)
    for _ in range(500):
        problem = random_problem(rng, int(rng.integers(1, 11)))
        got = [solved(problem, r, most_enumerated=12) for r in range(problem.sources + 1)]
        assert got == problem.best_enabled()


# Integer programs


def test_the_integer_program_finds_what_the_tree_knapsack_finds():
    rng = np.random.default_rng(7)
    for size in (20, 40, 80):
        tree = random_tree(rng, size)
        for r in (size // 4, size // 2):
            start = np.arange(r, dtype=np.int32)
            found = integer_program.solve(tree.front, r, time_limit_s=60, start=start)
            assert found.enabled == found.bound == solved(tree, r, most_enumerated=0)
            assert tree.enabled(found.sources.tolist()) == found.enabled


def test_the_integer_program_finds_what_looking_at_every_set_finds():
    rng = np.random.default_rng(8)
    for _ in range(25):
        problem = random_problem(rng, 9)
        best = problem.best_enabled()
        for r in (2, 4, 6):
            start = np.arange(r, dtype=np.int32)
            found = integer_program.solve(problem.front, r, time_limit_s=60, start=start)
            assert (found.enabled, found.bound) == (best[r], best[r])


def large_problem() -> Problem:
    """Two hundred sources, six hundred sinks of three parents each, far from any tree."""
    rng = np.random.default_rng(9)
    rows = [rng.choice(200, 3, replace=False) for _ in range(600)]
    return Problem(200, tuple(tuple(sorted(row.tolist())) for row in rows))


def test_without_time_the_exact_method_says_how_far_off_it_may_be():
    problem = large_problem()
    batch = icsched.best_batch(problem.dag, [], 60, method="exact", time_limit_s=0.01)

    assert batch.method == "exact"
    assert batch.guarantee.kind is GuaranteeKind.WITHIN
    assert batch.guarantee.timed_out
    by_rule = icsched.best_batch(problem.dag, [], 60, method="greedy")
    assert batch.eligible_after >= by_rule.eligible_after


@pytest.mark.parametrize("presses", [1, 3])
def test_an_interrupt_ends_the_integer_program_and_is_not_time_that_is_up(presses):
    """The program of a thousand and a half sinks is not solved in an hour."""
    code = f"""
import os, signal, threading
import numpy as np
import icsched
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(1)
sinks = [rng.choice(300, 3, replace=False).tolist() for _ in range(1500)]
arcs = [(parent, 300 + i) for i, parents in enumerate(sinks) for parent in parents]
dag = icsched.Dag.from_arcs(1800, arcs)
for press in range({presses}):
    threading.Timer(2 + press / 1000, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    print(icsched.best_batch(dag, [], 150, method="exact", time_limit_s=3600))
except KeyboardInterrupt:
    print("stopped")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )

    assert done.stdout == "stopped\n"


def test_auto_calls_the_integer_program_for_what_is_neither_tree_nor_small():
    """A grid of 5 x 5 sources, a sink between each two neighbours.

    Nine sources of a square of 3 x 3 enable its 12 sinks, and no nine enable more: the
    edges of nine cells of a grid are 2 * 9 - ceil(2 * sqrt(9)) at most.
    """
    across = [(5 * i + j, 5 * i + j + 1) for i in range(5) for j in range(4)]
    down = [(5 * i + j, 5 * i + j + 5) for i in range(4) for j in range(5)]
    grid = Problem(25, (*across, *down))

    batch = icsched.best_batch(grid.dag, [], 9)
    assert (batch.eligible_after, batch.method, batch.guarantee) == (25 - 9 + 12, "exact", EXACT)


# Greedy, and the bound


def shared_out(front: _native.BatchFront, count: int) -> int:
    """Twin of most_enabled: each sink is shared out evenly among its parents."""
    shares = [Fraction(own) for own in front.yields.tolist()]
    for row, weight in zip(rows_of(front), front.weights.tolist(), strict=True):
        for source in row:
            shares[source] += Fraction(weight, len(row))
    return floor(sum(sorted(shares, reverse=True)[:count]))


def test_the_bound_and_its_twin_agree():
    rng = np.random.default_rng(12)
    for _ in range(300):
        problem = random_problem(rng, int(rng.integers(2, 9)))
        for count in range(problem.sources + 1):
            assert _native.most_enabled(problem.front, count) == shared_out(problem.front, count)


def test_greedy_never_claims_falsely_and_mostly_comes_near():
    rng = np.random.default_rng(11)
    got, possible = 0, 0
    for _ in range(600):
        problem = random_problem(rng, int(rng.integers(2, 11)))
        for r, best in enumerate(problem.best_enabled()):
            choice = greedy(problem.front, r)
            assert problem.enabled(choice.sources.tolist()) == choice.enabled
            assert best <= _native.most_enabled(problem.front, r)
            check_guarantee(choice.guarantee, choice.enabled - r, best - r)
            got, possible = got + choice.enabled, possible + best
    assert got >= 0.95 * possible


def test_greedy_and_its_twin_agree():
    rng = np.random.default_rng(12)
    for make in (random_tree, random_problem):
        for _ in range(150):
            front = make(rng, int(rng.integers(2, 14))).front
            for count in range(len(front.yields) + 1):
                assert greedy(front, count).sources.tolist() == greedy_twin(front, count)


def test_greedy_and_its_twin_agree_where_few_sources_have_most_sinks():
    """Each sink joins one or two of three sources to some others; 3 sources in 40 to 80 arcs."""
    rng = np.random.default_rng(14)
    for _ in range(150):
        sources = int(rng.integers(5, 14))
        sinks = [
            {int(rng.integers(3)), *rng.integers(0, sources, int(rng.integers(1, 4))).tolist()}
            for _ in range(20)
        ]
        front = Problem(sources, tuple(tuple(sorted(sink)) for sink in sinks)).front
        for count in range(sources + 1):
            assert greedy(front, count).sources.tolist() == greedy_twin(front, count)


def test_a_join_of_a_million_tasks_costs_greedy_no_more_than_its_arcs():
    """Every second source has a sink of its own: these come first, and the join never."""
    sources = 1_000_000
    join = Rows(np.array([0, sources], np.int32), np.arange(sources, dtype=np.int32))
    front = _native.BatchFront(np.arange(sources, dtype=np.int32) % 2, join, np.ones(1, np.int32))
    start = time.process_time()

    choice = greedy(front, sources // 2)

    assert sorted(choice.sources.tolist()) == list(range(1, sources, 2))
    assert choice.enabled == sources // 2
    assert time.process_time() - start < 20


# The front


def test_the_front_is_what_its_definition_says():
    rng = np.random.default_rng(13)
    for _ in range(300):
        dag = families.random_layered(14, 4, seed=int(rng.integers(10**6)))
        executed = set(dag.fifo_order[: rng.integers(14)].tolist())
        offered = sorted(eligible_after(dag, executed))
        states = np.zeros(14, np.uint8)
        states[list(executed)] = TaskState.EXECUTED
        states[offered] = TaskState.OFFERED
        shuffled = rng.permutation(offered).astype(np.int32)
        front = _native.batch_front(dag.child_rows, dag.parent_rows, states, shuffled)

        missing = [set(dag.parents(t).tolist()) - executed for t in range(14) if t not in executed]
        waiting = [their for their in missing if their and their <= set(offered)]
        place = {task: number for number, task in enumerate(shuffled.tolist())}
        sinks = [tuple(sorted(place[parent] for parent in their)) for their in waiting]
        problem = Problem(len(offered), tuple(sinks))
        assert front.yields.tolist() == problem.front.yields.tolist()
        got = sorted(zip(rows_of(front), front.weights.tolist(), strict=True))
        expected = problem.front
        assert got == list(zip(rows_of(expected), expected.weights.tolist(), strict=True))
