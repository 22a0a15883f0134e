"""Job selection for each round of Snakemake's scheduler."""

import logging
from collections.abc import Collection, Mapping, Sequence
from itertools import filterfalse

from icsched.errors import IcschedError
from icsched.plugins.snakemake.jobs import (
    CORES,
    COUNT,
    NODES,
    File,
    Graph,
    Job,
    is_group,
    members,
    name_of,
)
from icsched.plugins.snakemake.measurements import TemporarySizes
from icsched.plugins.snakemake.ranking import LEAN, Ranks, add_new, check_order_name, made_ranks
from icsched.plugins.snakemake.waiting import Amount, Waiting

FEW = 2_000  # with at most this many jobs, all are ranked again whenever a new job comes
SHARE = 8  # with more jobs, all are ranked again once one in SHARE is new

_Look = tuple[int, int, tuple[Amount, ...]]


class Chooser:
    """Selects the jobs that fit, by rule priority, then by the order called *order*.

    Jobs are ranked in the first round, and again when a checkpoint has added many. *is_sampled*
    says that Snakemake passes only a random sample of the ready jobs. Raises ArgumentError for an
    unknown order.
    """

    def __init__(
        self, graph: Graph, order: str, logger: logging.Logger, *, is_sampled: bool = False
    ) -> None:
        self._graph = graph
        self._order = check_order_name(order)
        self._logger = logger
        self._is_sampled = is_sampled
        self._ranks: Ranks = {}
        self._came = 0  # number of jobs that were added since the last ranking
        self._late = 0  # number of jobs since then that were ready but had no rank
        self._most = 0  # number of remaining jobs, if none is added
        self._started: set[Job] = set()  # without jobs of groups
        self._limits: dict[str, Amount] = {CORES: 1}  # the most that was ever available
        self._sizes = TemporarySizes()
        self._waiting = Waiting(())
        self._has_told = False  # whether the order was logged
        self._found_nothing: _Look | None = None  # the last round, if no job could start

    def select(
        self,
        selectable: Collection[Job],
        remaining: Sequence[Job],
        available: Mapping[str, object],
        input_sizes: Mapping[File, int | None],
    ) -> list[Job]:
        """Return the jobs to start now, first to start first. No other ready job fits.

        O(ready jobs) with a small constant; O(1) if nothing has changed and nothing could start.
        """
        limits = {name: most for name, most in available.items() if isinstance(most, int | float)}
        if any(limits.get(name, 1) <= 0 for name in (NODES, COUNT)):
            return []  # every job needs one of each
        # What changes whenever a job ends or comes: a job that ends gives back what it took. How
        # many jobs may start does not matter to a round in which none can.
        amounts = tuple(most for name, most in limits.items() if name != COUNT)
        look = len(selectable), len(remaining), amounts
        if look == self._found_nothing:
            return []
        ready = selectable if isinstance(selectable, set) else set(selectable)
        self._take_in(ready, len(remaining), limits, input_sizes)
        picked = self._waiting.pick(limits, ready)
        singles = [job for job in picked if not is_group(job)]
        self._started.update(singles)
        # Record *picked*. In Snakemake, jobs of a group remain until the group ends.
        self._most = len(remaining) - len(singles)
        self._found_nothing = None if picked or self._is_sampled else look
        return picked

    def _take_in(
        self,
        ready: set[Job],
        remaining: int,
        limits: Mapping[str, Amount],
        input_sizes: Mapping[File, int | None],
    ) -> None:
        """Rank new jobs, and add the new ready jobs to the waiting jobs."""
        if tuple(limits) != self._waiting.names:
            self._waiting = Waiting(tuple(limits))
        for name, most in limits.items():
            self._limits[name] = max(most, self._limits.get(name, most))
        new = self._waiting.new_among(ready)
        is_news = self._order == LEAN and self._sizes.learn(new, input_sizes)
        if self._rank_new(new, remaining) or is_news:
            if is_news:
                self._rank_all()
            self._waiting = Waiting(tuple(limits))
            new = ready
        listed = sorted(new, key=self._rank)
        self._waiting.add(listed, map(self._rank, listed))

    def _rank(self, job: Job) -> float:
        """Return the rank of a job; the rank of a group is the best rank of its jobs."""
        return min(self._ranks[single] for single in members(job))

    def _rank_new(self, new: Collection[Job], remaining: int) -> bool:
        """Rank the *new* ready jobs that have no rank; return whether all jobs were ranked again.

        Other new jobs get their ranks when they are ready, because a search among hundreds of
        thousands of jobs is slow.
        """
        came = self._number_that_came(new, remaining)
        singles = (single for job in new for single in members(job))
        unseen = set(filterfalse(self._ranks.__contains__, singles))
        if not came and not unseen:
            return False
        self._came += came
        self._late += len(unseen)
        many = max(self._came, self._late) * SHARE >= len(self._ranks)
        if must_rank_all := len(self._ranks) <= FEW or many:
            self._rank_all()
            unseen -= self._ranks.keys()
        add_new(self._graph, sorted(unseen, key=name_of), self._ranks)
        return must_rank_all

    def _number_that_came(self, new: Collection[Job], remaining: int) -> int:
        """Return how many jobs were added, from the number of jobs that remain.

        A job that is retried remains again. Jobs that are added while a group ends are not counted.
        """
        again = self._started.intersection(new)
        self._started -= again
        return max(0, remaining - self._most - len(again))

    def _rank_all(self) -> None:
        self._came = self._late = 0
        jobs = sorted(self._graph.needrun_jobs(), key=name_of)  # the same order in every run
        try:
            self._ranks = made_ranks(
                self._graph,
                jobs,
                self._order,
                limits=self._limits,
                sizes=self._sizes,
                tell=self._tell,
            )
        except IcschedError as error:
            self._logger.warning(
                f"icsched: jobs start by name, because the order {self._order} failed: {error}"
            )
            self._ranks = {job: float(rank) for rank, job in enumerate(jobs)}

    def _tell(self, sentence: str) -> None:
        """Log once in which order jobs start."""
        if not self._has_told:
            self._has_told = True
            self._logger.info(f"icsched: {sentence}")
