"""How a workflow is launched on HTCondor: lines of its submit files and a throttle, by simulation.

A launch is compared with what the user has now. Advice comes in steps: the order that is written,
then lines for the submit files, then a throttle. Each step gains 1% or more over the one before,
not only by chance, so a user who stops after any step has not lost. Where two launches differ by
less than 1%, the simpler one is advised.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from icsched.frames import Answer
from icsched.orders.auto import candidates
from icsched.orders.definition import WORTH, Aim
from icsched.orders.prio import prio_order
from icsched.pebble import Schedule
from icsched.sim import HTCondor, Machines, Played, Times
from icsched.sim.doubt import doubt_about
from icsched.sim.machines import CORES, unequal_needs
from icsched.sim.race import ALIKE, Interval, Raced, run_race
from icsched.workflow import Workflow

NO_HOLD = "keep_claim_idle = 0"
SAME_CORES = "(TARGET.PartitionableSlot =?= True) || (TARGET.Cpus == MY.RequestCpus)"
EXACT = f"requirements = {SAME_CORES}"
_SHARES = 2.0, 1.5, 1.0  # of the cores of the pool: throttles to try, the loosest first
_BETTER = -math.log(WORTH)  # a launch that gains less than this counts as equal
_RACES = 5  # at most; they share a budget
_NOW, _ALL = "now", "all"


@dataclass(frozen=True, eq=False)
class Advice(Answer):
    """A launch that ends the run earlier than the launch that the user has now.

    `submit_lines` are for each submit file, and `max_jobs` is the throttle with which to submit,
    None for none. `lines` and `throttle` are the time of the run with either over the time before
    that step; None if the step changes nothing. `throttles` has this ratio for each throttle that
    was tried; the key is None for no throttle. `ratio` is the time after all steps, the order that
    is written included, over the time of the run as it is now; None if that is not less.

    `next_order` is the name of an order that gains 1% or more once the lines are in the submit
    files, and `next_ratio` is the time with both over the time with the lines alone. The throttle
    is not chosen then, because it depends on the order. `ends` has the time of a single run "now"
    and after "all" steps, with the interval that has 95% of all runs. It is empty if nothing is
    advised, or if run times are not known.
    """

    submit_lines: tuple[str, ...] = ()
    max_jobs: int | None = None
    lines: Interval | None = None
    throttle: Interval | None = None
    throttles: Mapping[int | None, float] = field(default_factory=dict)
    next_order: str | None = None
    next_ratio: Interval | None = None
    ratio: Interval | None = None
    ends: Mapping[str, Interval] = field(default_factory=dict)


def advised(
    workflow: Workflow,
    now: Played,
    written: Played,
    pool: Machines,
    aim: Aim,
    *,
    may_unlimit: bool = True,
) -> Advice:
    """Return how to launch *workflow*, of which nothing is done, on *pool* as HTCondor fills it.

    *now* is the order that the user has, and *written* the order that the user will have; these
    may be the same. *pool* has the user's present settings. With *may_unlimit* the advice may be to
    use no throttle although *pool* has one.
    """
    search = _Search(workflow, pool, aim)
    lines = search.lines(written)
    other = search.next_order(written, lines)
    if other is None:
        last = search.throttle(written, lines.pool, may_unlimit=may_unlimit)
    else:
        lines = last = other
    if now is written and last.pool is pool:
        return Advice(max_jobs=pool.max_jobs, throttles=last.tried)
    raced = search.together(now, written, last.pool)
    if raced.ratios[_ALL] > 1:  # in new runs all steps together gain nothing
        return Advice(max_jobs=pool.max_jobs)
    return Advice(
        submit_lines=lines.words,
        max_jobs=last.pool.max_jobs,
        lines=lines.gain,
        throttle=None if last is lines else last.gain,
        throttles=last.tried,
        next_order=None if other is None else other.order,
        next_ratio=None if other is None else other.order_gain,
        ratio=raced.checked if raced.winner == _ALL else None,
        ends={} if search.is_untimed else raced.ends,
    )


@dataclass(frozen=True, eq=False)
class _Step:
    """The pool after a step; `gain` is the time after the step over the time before.

    `gain` is None if the step changes nothing. `safe` has the other pools on which the run does not
    end later than before the step.
    """

    pool: Machines
    gain: Interval | None = None
    words: tuple[str, ...] = ()
    tried: Mapping[int | None, float] = field(default_factory=dict)
    safe: Mapping[tuple[str, ...], Machines] = field(default_factory=dict)
    order: str | None = None
    order_gain: Interval | None = None


class _Search:
    """Races between launches of one workflow, each on a part of the budget and on its own draws."""

    def __init__(self, workflow: Workflow, pool: Machines, aim: Aim) -> None:
        known = workflow.run_times
        self._workflow, self._pool, self._aim = workflow, pool, aim
        self.is_untimed = known is None or not known.any()
        means = np.ones(len(workflow.dag)) if known is None or self.is_untimed else known
        self._times = Times(means=means, doubt=doubt_about(workflow))
        self._races = 0

    def lines(self, order: Played) -> _Step:
        """Return the lines of submit files that are worth it in this order."""
        pools = _variants(self._workflow, self._pool)
        if not pools:
            return _Step(self._pool)
        by_name = {"\n".join(words): pool for words, pool in pools.items()}
        raced = self._race({_NOW: order, **dict.fromkeys(by_name, order)}, self._pool, by_name)
        safe = {words: pools[words] for words in pools if raced.ratios["\n".join(words)] <= 1}
        if not _is_worth_it(raced):
            return _Step(self._pool, safe=safe)
        words = tuple(raced.winner.split("\n"))
        return _Step(pools[words], raced.checked, words, safe=safe)

    def next_order(self, order: Played, lines: _Step) -> _Step | None:
        """Return the lines with which another order gains more; None if no order does.

        The lines alone must not make the run end later, because the user writes them first. The
        order must gain over the lines alone, because icsched compares these when it is run again.
        """
        more = {words: pool for words, pool in lines.safe.items() if len(words) >= len(lines.words)}
        if not more:
            return None
        dag, run_times = self._workflow.dag, self._workflow.run_times
        orders = candidates(dag, run_times, prio_order(dag, run_times))
        entered, elsewhere = {_NOW: order}, {}
        named: dict[str, tuple[str, tuple[str, ...]]] = {}
        for words, pool in more.items():
            for name, ids in orders.items():
                full = "\n".join([name, *words])
                entered[full], elsewhere[full] = Played("static", Schedule.trusted(dag, ids)), pool
                named[full] = name, words
        raced = self._race(entered, lines.pool, elsewhere)
        if not _is_worth_it(raced):
            return None
        name, words = named[raced.winner]
        if words == lines.words:
            return _Step(more[words], lines.gain, words, order=name, order_gain=raced.checked)
        alone = self._race({_NOW: order, name: entered[raced.winner]}, more[words], {})
        if not _is_worth_it(alone):  # the next run of icsched would not write this order
            return None
        return _Step(more[words], None, words, order=name, order_gain=alone.checked)

    def throttle(self, order: Played, pool: Machines, *, may_unlimit: bool) -> _Step:
        """Return the throttle that is worth it in this order, and what each gains."""
        numbers: list[int | None] = [None] if may_unlimit else []
        jobs = len(self._workflow.dag)
        numbers += sorted({math.ceil(share * pool.cores) for share in _SHARES}, reverse=True)
        tried = {
            str(number): replace(pool, max_jobs=number)
            for number in numbers
            if number != pool.max_jobs and (number is None or number < jobs)
        }
        if not tried:
            return _Step(pool)
        raced = self._race({_NOW: order, **dict.fromkeys(tried, order)}, pool, tried)
        found = {throttled.max_jobs: raced.ratios[name] for name, throttled in tried.items()}
        if not _is_worth_it(raced):
            return _Step(pool, tried=found)
        return _Step(tried[raced.winner], raced.checked, tried=found)

    def together(self, now: Played, order: Played, pool: Machines) -> Raced:
        """Return the race between the launch as it is now, and *order* on *pool*."""
        return self._race({_NOW: now, _ALL: order}, self._pool, {_ALL: pool}, alike=ALIKE)

    def _race(
        self,
        orders: Mapping[str, Played],
        pool: Machines,
        elsewhere: Mapping[str, Machines],
        *,
        alike: float = _BETTER,
    ) -> Raced:
        self._races += 1
        return run_race(
            *(self._workflow, orders, _NOW, [pool], self._times),
            budget=self._aim.budget / _RACES,
            seed=(self._aim.seed + 1 + self._races) % 2**64,  # the choice of the order took two
            elsewhere=elsewhere,
            alike=alike,
        )


def _is_worth_it(raced: Raced) -> bool:
    """Whether the winner gains 1% or more, not only by chance."""
    return raced.winner != _NOW and raced.checked.mean <= WORTH and raced.is_clear


def _variants(workflow: Workflow, pool: Machines) -> dict[tuple[str, ...], Machines]:
    """Return lines for submit files, the fewest first, with the pool as it is with each.

    Lines are for jobs that need different slots: jobs that are alike gain by held slots.
    """
    condor = pool.htcondor or HTCondor()
    resources = unequal_needs(workflow.needs)
    if not resources:
        return {}
    hold = (NO_HOLD,) if condor.hold else ()
    without = replace(condor, hold=0.0)
    found: dict[tuple[str, ...], Machines] = {}
    if hold:
        found[hold] = replace(pool, htcondor=without)
    if CORES in resources and not condor.exact_cores:
        exact = replace(without, exact_cores=True)
        found[*hold, EXACT] = replace(pool, htcondor=exact)
    return found
