"""Laws that hold for the attempts of any run, whatever its log has lost."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag
from icsched.errors import SimulationError
from icsched.history import Ending, PastRun, Usage, find_stalls, fitted, kinds_in, over_time, waits
from icsched.history.summary import profile

TIMES = st.one_of(st.just(math.nan), st.integers(0, 200).map(float))
ATTEMPTS = st.lists(
    st.tuples(
        st.integers(0, 4), TIMES, TIMES, TIMES, st.sampled_from(list(Ending)), st.integers(-1, 2)
    ),
    min_size=1,
    max_size=12,
)
DIAMOND = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})


def parsed_run(rows) -> PastRun:
    """Return a run with times in the order that the reader of logs promises."""
    job, submitted, started, ended, ending, slot = map(np.array, zip(*rows, strict=True))
    set_back = np.fmax(started - ended, 0)
    started = np.where(ended < started, math.nan, started)
    submitted = np.where((started < submitted) | (ended < submitted), math.nan, submitted)
    return PastRun(
        names=("a", "b", "c", "d", "x1"),
        slots=("s", "t", "u"),
        began=0.0,
        job=job.astype(np.int32),
        submitted=submitted,
        started=started,
        ended=ended,
        suspended=np.zeros(len(rows)),
        set_back=set_back,
        ending=ending.astype(np.uint8),
        slot=slot.astype(np.int32),
        run=np.zeros(len(rows), np.int32),
    )


@given(ATTEMPTS)
def test_a_run_over_time_is_its_attempts_and_a_pool_fits_it(rows):
    past = parsed_run(rows)
    usage = Usage.of(past)
    kinds = kinds_in(past, {})
    assert sum(kind.jobs for kind in kinds) == len(np.unique(past.job))
    if not len(usage):
        return
    lengths = usage.end - usage.start
    found = over_time(usage)
    if usage.length:
        assert math.isclose(found.running.sum() * found.time[1], lengths.sum(), abs_tol=1e-6)
    assert (usage.available <= usage.start).all()
    waits(usage)
    fit = fitted(usage)
    assert fit.workers.count >= 1
    assert math.inf in fit.recorded.ends


def test_a_slot_stays_though_its_last_attempts_overlap_by_a_second():
    """Evicted at 4 and 12, removed at 13: the attempt that ends last is not the last to start."""
    endings = (Ending.EVICTED, Ending.REMOVED, Ending.EVICTED)
    times = ((0.0, 4.0), (4.0, 13.0), (12.0, 12.0))
    rows = [(0, s, s, e, ending, 0) for (s, e), ending in zip(times, endings, strict=True)]

    assert math.inf in fitted(Usage.of(parsed_run(rows))).recorded.ends


@given(ATTEMPTS)
def test_what_is_missing_is_the_same_on_a_fine_grid(rows):
    usage = Usage.of(parsed_run(rows))
    if not usage.length:
        return
    moments, _, _, missing = profile(usage)
    fine = np.union1d(moments, np.arange(0, usage.length, 0.25))
    free = np.maximum(usage.present(fine) - usage.running(fine), 0)
    on_grid = np.where(usage.waiting(fine) > 0, 0.0, free)

    total = (np.diff(moments) * missing[:-1]).sum()
    assert math.isclose(total, (np.diff(fine) * on_grid[:-1]).sum(), abs_tol=1e-6)


@given(ATTEMPTS)
def test_slots_are_there_while_jobs_run_on_them(rows):
    usage = Usage.of(parsed_run(rows))
    if len(usage):
        moments = np.unique(np.concatenate([usage.start, usage.end]))
        middle = (moments[:-1] + moments[1:]) / 2
        assert (usage.present(middle) >= usage.running(middle)).all()


@given(ATTEMPTS)
def test_stalls_are_within_the_run_and_their_jobs_add_up(rows):
    try:
        usage = Usage.of(parsed_run(rows), DIAMOND)
    except SimulationError:  # a child before its parent
        return
    if len(usage):
        found = find_stalls(usage, DIAMOND.names)
        assert 0 <= found.seconds <= usage.length + 1e-9
        assert sum(lost for _, lost in found.waited_for) <= found.lost + 1e-6
        fitted(usage)
