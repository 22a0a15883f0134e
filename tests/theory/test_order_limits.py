"""Dags that are hard on the kernels: work is bounded, and what is cut short proves nothing."""

import resource
import subprocess
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from hypothesis import given

from icsched import Dag, _native, eligibility_profile
from icsched.families import m_strand, pbt, random_tree_sum, w, w_strand
from icsched.orders import prioritize
from icsched.theory import analysis, decompose, settled_by_referee
from icsched.theory.analysis import USUAL_LOOKS, VERIFY_SETS, _affordable_sets
from icsched.theory.blocks import Kind, block_names, family_name
from tests.strategies import dags
from tests.theory.samples import renumbered

GENERATORS = Path(__file__).parents[2] / "bench/harness/adversarial_order.py"


def generators():
    spec = spec_from_file_location("adversarial_order", GENERATORS)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hard = generators()


def run(program: str, *, cpu_s: int) -> str:
    """What *program* prints; it is killed after so many processor seconds."""
    start = f"""
import sys
sys.path.insert(0, {str(GENERATORS.parent)!r})
import adversarial_order as hard
from icsched.orders import prioritize
"""
    done = subprocess.run(
        [sys.executable, "-c", start + program],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s)),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Bounded work. Docstrings have the processor seconds of the whole process, with and without the
# bounds; the limit lies between, at ten times the first or more.


def test_twenty_sources_with_very_many_sinks_are_ordered_without_a_proof():
    """A set costs 150,000 looks at sets of parents: the referee is not asked for 200,000 sets.

    1 second; 35 if the referee is asked.
    """
    printed = run(
        "print(prioritize(hard.few_sources(300_000), 'prio').proof.is_ic_optimal)", cpu_s=15
    )

    assert printed == "False\n"


def test_a_comb_is_ordered_without_surveying_it_for_every_tooth():
    """2.6 seconds; more than 95 with a survey for every second tooth."""
    printed = run("print(prioritize(hard.comb(2_000_000), 'prio').proof.is_ic_optimal)", cpu_s=30)

    assert printed == "True\n"


def test_a_source_with_half_a_million_shortcuts_loses_them_in_linear_time():
    """Less than 2 processor seconds; removed one by one from a row of all others, 27 more."""
    printed = run(
        """
import adversarial_theory
dag = adversarial_theory.star_with_shortcuts(1_000_001)
print(dag.arc_count - prioritize(dag, "prio").analysis.parts.dag.arc_count)
""",
        cpu_s=20,
    )

    assert printed == "500000\n"


def dags_made(act: Callable[[], object]) -> int:
    """How many dags *act* builds."""
    made = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal made
        made += event == "call" and frame.f_code is Dag.from_arcs.__func__.__code__

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return made


def test_very_many_different_strands_are_grouped_without_a_dag_for_each():
    """2,000 strands, and the two arcs of the chain below them."""
    analysis = prioritize(hard.small_strands(20_000), "prio").analysis

    assert dags_made(lambda: analysis.parts.shape(0)) == 1
    assert dags_made(lambda: analysis.blocks) == 0
    assert sum(group.count for group in analysis.blocks) == 2_002


# The referee's limit is work


def test_the_referee_gets_all_its_sets_where_sinks_share_their_parents():
    """Three sources with 10,000 sinks each: many arcs, but three different sets of parents."""
    dag = Dag.from_arcs(30_003, [(i % 3, i) for i in range(3, 30_003)])

    assert _affordable_sets(dag) == VERIFY_SETS


def test_the_referee_gets_fewer_sets_the_more_sets_of_parents_it_looks_at():
    """Of 20 sources some half are parents of a sink: s sinks cost some s / 2 looks a set."""
    few, many, too_many = (hard.few_sources(20 + sinks) for sinks in (900, 8000, 250_000))

    assert _affordable_sets(few) == VERIFY_SETS
    assert VERIFY_SETS * USUAL_LOOKS // 4500 < _affordable_sets(many) < VERIFY_SETS // 7
    assert _affordable_sets(too_many) == 0


# Names in bulk


def named_one_by_one(dag: Dag) -> dict[tuple[str, int, int], int]:
    """The blocks by name, sources and sinks, each block named on its own."""
    analysis = prioritize(dag, "prio").analysis
    counts: dict[tuple[str, int, int], int] = {}
    parts, kinds = analysis.parts, map(Kind, analysis.orders.kind.tolist())
    names = [family_name(parts.shape(block), kind) for block, kind in enumerate(kinds)]
    assert names == block_names(parts, analysis.orders, np.arange(len(parts)))
    for block, name in enumerate(names):
        key = name, int(analysis.orders.sources[block]), len(analysis.parts.sinks(block))
        counts[key] = counts.get(key, 0) + 1
    return counts


def named_in_bulk(dag: Dag) -> dict[tuple[str, int, int], int]:
    return {
        (g.family, g.sources, g.sinks): g.count for g in prioritize(dag, "prio").analysis.blocks
    }


@given(dags())
def test_blocks_have_the_same_names_in_bulk_and_one_by_one(dag):
    assert named_in_bulk(dag) == named_one_by_one(dag)


@pytest.mark.parametrize("seed", range(20))
def test_strands_have_the_same_names_in_bulk_and_one_by_one_whatever_their_ids(seed):
    dag = random_tree_sum(20, seed=seed)
    new_id = np.random.default_rng(seed).permutation(len(dag))

    assert named_in_bulk(renumbered(dag, new_id)) == named_one_by_one(renumbered(dag, new_id))


def test_groups_of_equal_size_come_by_family_and_then_by_sources():
    """Two of W(1,3), and one each of M[2,3], P[3,1/3,2], W[2,3]: 4, 4 and 2 sources."""
    dag = w(1, 3) + w_strand("2,3") + m_strand("2,3") + pbt("3,1/3,2") + w(1, 3)

    families = [(g.count, g.family) for g in prioritize(dag, "prio").analysis.blocks]

    assert families == [(2, "W(1,3)"), (1, "M[3,2]"), (1, "P[3,1/3,2]"), (1, "W[3,2]")]


# Orders that limits touch stay legal, and strands that contenders decide stay exact


@pytest.mark.parametrize("name", ["falling_strands", "chain_beside_joins", "small_blocks"])
def test_an_order_of_very_many_profiles_is_legal(name):
    dag = getattr(hard, name)(5_000)

    assert eligibility_profile(dag, prioritize(dag, "prio").order)[-1] == 0


@pytest.mark.parametrize("tasks", [300, 3_000, 30_000])
def test_a_comb_has_the_same_profile_either_way_round(tasks):
    """Theorem 3.2: both are IC-optimal."""
    comb = hard.comb(tasks)
    mirrored = renumbered(comb, np.arange(len(comb))[::-1].copy())

    profiles = []
    for dag in (comb, mirrored):
        sources = _native.tree_sum_order(dag.child_rows, decompose(dag).blocks)
        profiles.append(eligibility_profile(dag, np.concatenate([sources, dag.sinks])).tolist())
    assert profiles[0] == profiles[1]


# Ctrl-C


def test_an_interrupt_ends_the_comparison_of_two_profiles_of_many_bends():
    """Some ten billion pairs of places, half a minute; the interrupt comes after 0.3 seconds."""
    printed = run(
        """
import _thread, threading, time
import numpy as np
from icsched import _native
profile = np.arange(60_000) ** 2 % 7
begin = time.process_time()
try:  # a busy machine may take longer to begin
    threading.Timer(0.3, _thread.interrupt_main).start()
    _native.priority(profile, profile)
except KeyboardInterrupt:
    print(time.process_time() - begin < 5)
""",
        cpu_s=60,
    )

    assert printed == "True\n"


def test_no_order_is_called_best_if_the_referee_stops_before_the_largest_area(monkeypatch):
    r"""
    a   c d
    |   |X|\      `a` is the best first step, and `c` and `d` are the best first two:
    b   e f g     no order has both, so none is IC-optimal.
    """
    both = ["c", "d"]
    dag = Dag({"a": [], "b": ["a"], "c": [], "d": [], "e": both, "f": both, "g": both})
    monkeypatch.setattr(analysis, "AREA_SETS", 1)

    order, proof = settled_by_referee(dag, dag.fifo_order)

    assert order.tolist() == dag.fifo_order.tolist()
    assert (proof.is_ic_optimal, proof.no_order_is_ic_optimal) == (False, True)
    assert not proof.has_largest_area
