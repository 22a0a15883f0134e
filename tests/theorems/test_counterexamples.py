"""Where a paper's words, taken literally, go wrong: small dags that show it."""

import pytest

from icsched import Dag, eligibility_profile, verify
from icsched.families import cycle, fft, m, mesh, n
from icsched.pebble import ic_optimal_order
from tests.theorems.profiles import has_priority_over, most_enabled
from tests.theorems.search import Bits, layers, order_count


def orders_best_by_unexecuted_nonsources(dag: Dag) -> int:
    """Count the orders that keep most *unexecuted* eligible nonsources at every step."""
    bits = Bits.of(dag)

    def count(ideal):
        return sum(bits.parents[task] != 0 for task in bits.eligible(ideal))

    most = [max(map(count, layer)) for layer in layers(bits)]
    return order_count(bits, lambda ideal: count(ideal) == most[ideal.bit_count()])


def test_counting_unexecuted_eligible_nonsources_differs_from_counting_all_eligible_tasks():
    r"""Cordasco et al. 2007, section 2.2.2: "the number of ELIGIBLE pebbles on nonsource nodes".

      0
     / \
    1   4   3
    |   |\ /|
    |   | X |
    |   |/ \|
    2   5   6

    Two steps have most eligible tasks by {0, 1}: 2, 3 and 4. Three by {0, 3, 4}: 1, 5 and 6.
    No order passes through both. Literally, {0, 3} is as good as {0, 1} at step two, since
    executing the source 3 costs nothing there, so that reading sees an optimal order. It
    sees none on the dual, so duality would fail. Hence we count enabled nonsources, executed
    or not, which is the same as counting all eligible tasks.
    """
    dag = Dag.from_arcs(7, [(0, 1), (0, 4), (1, 2), (3, 5), (3, 6), (4, 5), (4, 6)])

    assert orders_best_by_unexecuted_nonsources(dag) > 0
    assert orders_best_by_unexecuted_nonsources(dag.dual()) == 0
    assert ic_optimal_order(dag) is None
    assert ic_optimal_order(dag.dual()) is None


def cycle_and_m() -> tuple[Dag, list[int]]:
    """C_3 + M(2,2), a linear composition since C_3 |> M(2,2), and the sources of M(2,2)."""
    assert has_priority_over(cycle(3), m(2, 2))
    dag = cycle(3) + m(2, 2)
    assert ic_optimal_order(dag) is not None
    return dag, [len(cycle(3)) + source for source in m(2, 2).sources.tolist()]


def test_a_staggered_cluster_may_not_end_with_some_sources_of_a_block_after_a_skip():
    """Cordasco et al. 2011, Lemma 3.1, "ending with some sources of some G_i".

    Skip C_3 and take the first source of M(2,2): C_3 + N_2 is left. Their profiles are
    (0, 0, 1, 3) and (0, 1, 2). Two steps enable most, 2, only if both are in N_2; three
    enable most, 3, only if all are in C_3.
    """
    dag, sources_of_m = cycle_and_m()
    residual = dag.residual(sources_of_m[:1])

    assert residual.arc_count == (cycle(3) + n(2)).arc_count
    assert most_enabled(residual) == most_enabled(cycle(3) + n(2)) == [0, 1, 2, 3, 4, 5]
    assert ic_optimal_order(residual) is None


def test_comparable_pieces_within_each_block_do_not_make_a_residual_schedulable():
    """Cordasco et al. 2011, Theorem 3.2: conditions 1 to 3 do not compare pieces of different
    blocks.

    Take the middle source of M(2,2): of it N_1 + N_1 remains. N_1 |> N_1 and N_1 |> M(2,2)
    hold, but neither of N_1 and C_3 has priority over the other. As N_1 + N_1 has the profile
    (0, 1, 2) of N_2, the residual fails just as above.
    """
    dag, sources_of_m = cycle_and_m()
    residual = dag.residual(sources_of_m[1:2])

    assert has_priority_over(n(1), n(1))
    assert has_priority_over(n(1), m(2, 2))
    assert not has_priority_over(n(1), cycle(3))
    assert not has_priority_over(cycle(3), n(1))
    assert most_enabled(residual) == [0, 1, 2, 3, 4, 5]
    assert ic_optimal_order(residual) is None


def test_an_ic_optimal_order_of_a_mesh_need_not_run_all_parents_of_a_task_in_a_row():
    r"""Rosenberg and Yurkewych 2005, section 2.3 and Theorem 3.1: "parent-oriented" is not
    necessary.

    0   1   2     Growing the top level at both ends, 1, 2, 0, keeps it consecutive and so
      3   4       is IC-optimal, but step 2 comes between the parents 1 and 0 of task 3.
        5
    """
    assert verify(mesh(3), [1, 2, 0, 3, 4, 5]).ic_optimal


@pytest.mark.parametrize("d", range(1, 8))
def test_an_eager_fft_schedule_is_less_bad_than_printed(d):
    """Rosenberg and Yurkewych 2005, section 5.4: after (k-1)2^k + 1 steps 2^d - 2^k + 1 are
    eligible.

    Printed is 2^d - 2^(k+1) + 1, negative for k = d. By then the eager schedule has run, for
    i = 1 .. k, an i-level FFT dag on 2^(i-1) sources of their own; each needs a neighbour to
    go on, so only the 2^d - (2^k - 1) other sources are eligible.
    """
    dag = fft(d)
    for k in range(1, d + 1):
        executed = [
            level * 2**d + x
            for i in range(1, k + 1)
            for level in range(i)
            for x in range(2 ** (i - 1), 2**i)
        ]
        rest = [task for task in range(len(dag)) if task not in executed]
        eligible = eligibility_profile(dag, [*sorted(executed), *rest])

        assert len(executed) == (k - 1) * 2**k + 1
        assert eligible[len(executed)] == 2**d - 2**k + 1
