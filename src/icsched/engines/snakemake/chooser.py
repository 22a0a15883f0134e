"""Which ready jobs to start in each round of Snakemake's scheduler."""

import logging
from collections.abc import Collection, Mapping, Sequence
from itertools import filterfalse

from icsched.engines.snakemake.jobs import File, Graph, Job, is_group, members, name_of
from icsched.engines.snakemake.measurements import TemporarySizes
from icsched.engines.snakemake.ranking import LEAN, Ranks, add_new, check_order_name, made_ranks
from icsched.engines.snakemake.waiting import Amount, Waiting
from icsched.errors import IcschedError

NODES, CORES, COUNT = "_nodes", "_cores", "_job_count"  # Snakemake's names of resources
FEW = 2_000  # up to this number, all jobs are ranked again whenever there are new ones
SHARE = 8  # more jobs are ranked again once one in SHARE is new

_Look = tuple[int, int, tuple[Amount, ...]]


class Chooser:
    """Chooses jobs by rule priority, then by the order called *order*, each if it fits.

    Jobs are ranked in the first round, and again when a checkpoint has added many. *is_sampled*
    says that Snakemake shows a random part of the ready jobs. Raises ArgumentError for an unknown
    order.
    """

    def __init__(
        self, graph: Graph, order: str, logger: logging.Logger, *, is_sampled: bool = False
    ) -> None:
        self._graph = graph
        self._order = check_order_name(order)
        self._logger = logger
        self._is_sampled = is_sampled
        self._ranks: Ranks = {}
        self._came = 0  # jobs since the last ranking, by their number
        self._late = 0  # jobs that were ready without a rank since then
        self._most = 0  # remaining jobs, unless some came
        self._started: set[Job] = set()  # no groups
        self._slots = 1
        self._sizes = TemporarySizes()
        self._waiting = Waiting(())
        self._has_told = False  # which order jobs start in
        self._found_nothing: _Look | None = None  # the last round, if nothing could start

    def select(
        self,
        selectable: Collection[Job],
        remaining: Sequence[Job],
        available: Mapping[str, object],
        input_sizes: Mapping[File, int | None],
    ) -> list[Job]:
        """Return the jobs to start now, first to start first; every job left over does not fit.

        O(ready jobs) with a small constant; O(1) if nothing has changed and nothing could start.
        """
        limits = {name: most for name, most in available.items() if isinstance(most, int | float)}
        if any(limits.get(name, 1) <= 0 for name in (NODES, COUNT)):
            return []  # every job takes one
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
        # Jobs of a group remain until the group has ended: Snakemake counts them so.
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
        """Rank what is new, and let the new ready jobs wait."""
        if tuple(limits) != self._waiting.names:
            self._waiting = Waiting(tuple(limits))
        self._slots = max(self._slots, int(min(limits.get(NODES, 1 << 20), limits.get(CORES, 1))))
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
        """Return the rank of a job; a group has the best of its jobs."""
        return min(self._ranks[single] for single in members(job))

    def _rank_new(self, new: Collection[Job], remaining: int) -> bool:
        """Rank the *new* ready jobs that have no rank; whether all jobs have got new ranks.

        Other jobs get their ranks when they are ready: to look for them among hundreds of
        thousands takes longer than all else.
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
        """Return how many more jobs remain than by those that have started.

        A job that is tried again remains again. Jobs that come while a group ends are not counted.
        """
        again = self._started.intersection(new)
        self._started -= again
        return max(0, remaining - self._most - len(again))

    def _rank_all(self) -> None:
        self._came = self._late = 0
        jobs = sorted(self._graph.needrun_jobs(), key=name_of)  # the same in every run
        try:
            self._ranks = made_ranks(
                self._graph,
                jobs,
                self._order,
                slots=self._slots,
                sizes=self._sizes,
                tell=self._tell,
            )
        except IcschedError as error:
            self._logger.warning(
                f"icsched: jobs start by name, because the order {self._order} failed: {error}"
            )
            self._ranks = {job: float(rank) for rank, job in enumerate(jobs)}

    def _tell(self, sentence: str) -> None:
        """Say once which order jobs start in."""
        if not self._has_told:
            self._has_told = True
            self._logger.info(f"icsched: {sentence}")
