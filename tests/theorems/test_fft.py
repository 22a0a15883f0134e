"""FFT dags: Rosenberg and Yurkewych 2005, section 5.

Task (l, x) of F_d is on level l, from d (the sources) to 0 (the sinks), at position x. Its
children are (l-1, x) and (l-1, x with bit d-l flipped), which it shares with its *butterfly
partner* (l, x with bit d-l flipped).
"""

from itertools import product

import pytest

from icsched import Schedule, eligibility_profile, verify
from icsched.families import fft
from icsched.pebble import optimal_profile
from tests.theorems.known import lean_fft_order
from tests.theorems.search import Bits, ideals, is_best, least_peak_memory, orders, prefixes


def task(d: int, level: int, x: int) -> int:
    return (d - level) * 2**d + x


def steady_profile(d: int) -> list[int]:
    """2^d eligible at even t and 2^d - 1 at odd t; once the nonsinks have run, sinks drain."""
    return [2**d - t % 2 for t in range(d * 2**d)] + list(range(2**d + 1))[::-1]


def partners(d: int) -> list[tuple[int, int]]:
    """All pairs of butterfly partners."""
    return [
        (task(d, level, x), task(d, level, x | 1 << d - level))
        for level, x in product(range(1, d + 1), range(2**d))
        if not x >> d - level & 1
    ]


def sinks_run(d: int, ideal: int) -> int:
    return (ideal >> d * 2**d).bit_count()


def nonsinks_run(d: int, ideal: int) -> int:
    return ideal.bit_count() - sinks_run(d, ideal)


def unpaired(d: int, ideal: int) -> list[int]:
    """Executed tasks whose butterfly partner has not run."""
    return [
        a if ideal >> a & 1 else b for a, b in partners(d) if (ideal >> a & 1) != (ideal >> b & 1)
    ]


def levels_in_groups(d: int, group: list[tuple[bool, bool]]) -> list[int]:
    """Level by level, each by ascending x in groups of tasks that differ in two bits.

    *group* says in which order to flip (the bit shared with the parents, the bit shared
    with the children). The sources share no bit with parents, the sinks none with children.
    """
    order: list[int] = []
    for level in range(d + 1)[::-1]:
        into = 1 << d - level - 1 if level < d else 0
        out = 1 << d - level if level > 0 else 0
        for x in range(2**d):
            flips = [flip_in * into | flip_out * out for flip_in, flip_out in group]
            order += [task(d, level, x ^ flip) for flip in flips]
    return list(dict.fromkeys(order))


def pair_after_pair(d: int) -> list[int]:
    """Level by level, butterfly partners together, pairs by their smaller position."""
    return levels_in_groups(d, [(False, False), (False, True)])


def four_after_four(d: int) -> list[int]:
    """Level by level: x, its partner, then the two that share parents with them."""
    return levels_in_groups(d, [(False, False), (False, True), (True, False), (True, True)])


@pytest.mark.parametrize("d", range(4))
def test_an_fft_dag_keeps_2_to_the_d_tasks_eligible_at_every_second_step(d):
    """Theorem 5.1: 2^d at even t, 2^d - 1 at odd t, until the nonsinks run out."""
    assert optimal_profile(fft(d)).tolist() == steady_profile(d)


@pytest.mark.parametrize("d", range(4))
def test_with_partners_paired_a_task_is_lost_per_executed_sink_and_per_odd_level(d):
    """Lemma 5.1.2: E = 2^d - X_0 - sum of X_l mod 2 for l >= 1.

    Every ideal in which each level above the sinks has at most one executed task without
    its butterfly partner.
    """
    bits = Bits.of(fft(d))
    for ideal in ideals(bits):
        levels_of_unpaired = [a // 2**d for a in unpaired(d, ideal)]
        if len(set(levels_of_unpaired)) < len(levels_of_unpaired):
            continue
        lost = sinks_run(d, ideal) + len(levels_of_unpaired)
        assert len(bits.eligible(ideal)) == 2**d - lost


@pytest.mark.parametrize("d", [1, 2])
def test_a_nonsink_order_is_ic_optimal_iff_partners_are_consecutive(d):
    """Theorem 5.1, on all 2 and 1,120 orders of the nonsinks of F_1 and F_2."""
    dag = fft(d)
    nonsinks = Bits.of(dag.induced(dag.nonsinks))
    best = is_best(Bits.of(dag))
    for order in orders(nonsinks):
        consecutive = all(abs(order.index(a) - order.index(b)) == 1 for a, b in partners(d))
        assert consecutive == all(map(best, prefixes([*order, *dag.sinks.tolist()])))


@pytest.mark.parametrize("d", range(4))
def test_ic_optimal_orders_are_exactly_those_with_partners_together_and_sinks_last(d):
    """Theorem 5.1, which does not say "sinks last": the same prefixes of orders."""
    bits = Bits.of(fft(d))

    def together_and_sinks_last(ideal):
        sinks_wait = sinks_run(d, ideal) == 0 or nonsinks_run(d, ideal) == d * 2**d
        return sinks_wait and len(unpaired(d, ideal)) <= 1

    assert ideals(bits, is_best(bits)) == ideals(bits, together_and_sinks_last)


def test_partners_together_are_not_enough_if_a_sink_runs_early():
    """Theorem 5.1 as printed lets F_2 run like this: the partners 4 and 6, their sinks, the rest.

    Running the sink 8 at step 7 leaves 10, 5 and 7 eligible, which is as good as any. But by
    Lemma 5.1.2 an executed sink is lost for good: the best at step 8 is 4, without a sink.
    """
    dag = fft(2)
    early_sinks = [0, 1, 2, 3, 4, 6, 8, 10, 5, 7, 9, 11]
    verdict = verify(dag, early_sinks)

    assert not verdict.ic_optimal
    assert (verdict.step, verdict.eligible, verdict.best_eligible) == (8, 2, 4)


@pytest.mark.parametrize(("d", "least"), [(1, 2), (2, 5), (3, 9)])
def test_every_order_of_an_fft_dag_needs_memory_for_2_to_the_d_plus_1_results(d, least):
    """Lemma 5.2, sharpened: 2^d + 1 is the least over all orders of F_2 and F_3.

    The printed bound 2^d is attained by F_1 alone.
    """
    assert least_peak_memory(Bits.of(fft(d))) == least


@pytest.mark.parametrize(("d", "least"), [(1, 2), (2, 6), (3, 10)])
def test_every_ic_optimal_order_needs_memory_for_2_to_the_d_plus_2_results(d, least):
    """Theorem 5.2, corrected: it promises 2^d + 1 to every pairwise level order.

    With all 2^d tasks of a level open, IC-optimality runs two partners next. They share
    children, but close a task above only with a task they share parents with: 2^d + 2.
    In F_1 they are sinks, which are never open.
    """
    bits = Bits.of(fft(d))

    assert least_peak_memory(bits, is_best(bits)) == least


@pytest.mark.parametrize("d", range(7))
def test_the_lean_order_runs_fours_that_share_parents(d):
    assert lean_fft_order(d).tolist() == four_after_four(d)


@pytest.mark.parametrize("d", range(2, 11))
def test_running_fours_that_share_parents_is_ic_optimal_and_needs_2_to_the_d_plus_2(d):
    """Within a level x, x^out, x^in, x^in^out: the first two add, the others close four."""
    dag, order = fft(d), lean_fft_order(d)

    assert eligibility_profile(dag, order).tolist() == steady_profile(d)
    assert Schedule(dag, order).peak_memory == 2**d + 2


@pytest.mark.parametrize("d", range(2, 10))
def test_running_pairs_by_position_is_ic_optimal_and_needs_half_as_much_again(d):
    """A level order with partners together, as Theorem 5.2 asks, costs 1.5 * 2^d, not 2^d + 1.

    On level 1 partners differ in bit d-1 and tasks that share parents in bit d-2. So 2^(d-2)
    pairs run before the first task above closes: 2^d + 2^(d-1).
    """
    dag, order = fft(d), pair_after_pair(d)

    assert eligibility_profile(dag, order).tolist() == steady_profile(d)
    assert Schedule(dag, order).peak_memory == 2**d + 2 ** (d - 1)


@pytest.mark.parametrize("d", range(2, 10))
def test_a_sweep_by_position_alone_is_not_ic_optimal_and_needs_a_quarter_more(d):
    """Running by id separates partners from the second level on.

    On level 1 the 2^(d-2) tasks that come before the first one that shares parents with a
    predecessor close nothing: 2^d + 2^(d-2).
    """
    dag = fft(d)

    assert eligibility_profile(dag, range(len(dag))).tolist() != steady_profile(d)
    assert Schedule(dag, range(len(dag))).peak_memory == 2**d + 2 ** (d - 2)
