"""The loop of a run: hand out tasks, wait, record outcomes, and repeat."""

import math
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from types import FrameType
from typing import Any, Self

from icsched import checks
from icsched.errors import FormatError
from icsched.frames import NOT_IN_JSON
from icsched.orders import Plan
from icsched.ready import Readiness
from icsched.run.crew import Attempt, Crew, Outcome
from icsched.run.descendants import GRACE_S
from icsched.run.journal import Journal
from icsched.run.tasks import CommandTasks
from icsched.workflow import Command

POLL_S = 0.25  # interval at which the loop checks the clock and Ctrl-C
PATIENCE_S = GRACE_S + 2  # after a time limit, before the attempt is ended by force
MOST_LOSSES = 3  # losses of one task, before the task is suspected of killing its workers
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class State:
    """The state of a run. `stalled` workers are idle because no task is eligible."""

    total: int  # number of tasks of the workflow
    done: int
    running: int
    eligible: int
    stalled: int
    failed: int


Tell = Callable[[State], None]


@dataclass(frozen=True)
class Rules:
    """Rules for failures, and the time limit of each attempt."""

    retries: int = 0  # how often a failed task is retried
    keep_going: bool = False  # run all tasks that do not depend on the failed task
    time_limit: float | None = None  # seconds

    def __post_init__(self) -> None:
        checks.whole_number("retries", self.retries, least=0)
        if self.time_limit is not None:
            checks.number_within("time-limit", self.time_limit, least=1e-3, most=1e9)


@dataclass
class Happened:
    """Counts and problems of a run."""

    done: int = field(default=0, metadata=NOT_IN_JSON)
    attempts: int = 0
    retried: int = 0
    lost: int = 0
    seconds: float = 0.0
    busy: float = 0.0  # seconds that workers spent on attempts
    offered: float = 0.0  # seconds of all workers together
    stalled: float = 0.0  # seconds that workers waited while no task was eligible
    stalls: int = 0  # number of such periods
    # The problem of each task that failed for good.
    failed: dict[int, str] = field(default_factory=dict, metadata=NOT_IN_JSON)
    signal: int | None = field(default=None, metadata=NOT_IN_JSON)  # signal that stopped the run
    # The journal could not be written.
    full: FormatError | None = field(default=None, metadata=NOT_IN_JSON)


class Interrupts:
    """Records Ctrl-C and SIGTERM inside a context; `numbers` has the signals, in order.

    The loop handles Ctrl-C when it can, so Ctrl-C does not raise in the middle of work. While
    `raises` is true, each signal also raises KeyboardInterrupt with its number.

    Only the main thread records signals, because Python delivers them there.
    """

    def __init__(self, *, raises: bool = False) -> None:
        self.numbers: list[int] = []
        self.raises = raises
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in _SIGNALS}
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.numbers.append(number)
        if self.raises:
            raise KeyboardInterrupt(number)


@dataclass
class _Running:
    """An attempt in flight. `began` assumes that workers take attempts in turn."""

    task: int
    began: float = math.inf


class _Queue:
    """The tasks of a plan that are ready, best first; `readiness` counts them."""

    def __init__(self, plan: Plan) -> None:
        self.readiness = Readiness(plan.dag)
        self._order: list[int] = plan.order.tolist()
        self._ranks = [-1] * len(plan.dag)  # -1 for a task that is done already
        for rank, task in enumerate(self._order):
            self._ranks[task] = rank
        self.readiness.finish(task for task, rank in enumerate(self._ranks) if rank < 0)
        self._heap: list[int] = []  # ranks
        self._offer(self.readiness.ready())

    def _offer(self, tasks: Iterable[int]) -> None:
        """Put tasks that are ready into the heap."""
        for task in tasks:
            heappush(self._heap, self._ranks[task])

    def take(self, count: int) -> list[int]:
        """Return at most *count* tasks that are ready now."""
        found = [self._order[heappop(self._heap)] for _ in range(min(count, len(self._heap)))]
        self.readiness.take(found)
        return found

    def done(self, task: int) -> None:
        """Record that a task is done."""
        self._offer(self.readiness.finish((task,)))

    def lost(self, task: int) -> None:
        """Offer a task again."""
        self._offer(self.readiness.give_back((task,)))


class Loop:
    """Runs tasks by the workers of a crew. Each outcome reaches the journal before the queue."""

    def __init__(
        self, tasks: CommandTasks, plan: Plan, journal: Journal, crew: Crew, rules: Rules
    ) -> None:
        self._tasks, self._queue, self._journal = tasks, _Queue(plan), journal
        self._crew, self._rules = crew, rules
        self._live: dict[int, _Running] = {}  # by attempt number
        self._failures: Counter[int] = Counter()
        self._losses: Counter[int] = Counter()
        self._is_draining = False  # nothing more starts
        self._is_stopping = False  # running attempts were asked to end
        self._is_stalled = False
        self.happened = Happened()

    def run(self, interrupts: Interrupts, tell: Tell) -> Happened:
        """Run until all tasks are done, or no other task can run."""
        start = time.monotonic()
        while True:
            self._heed(interrupts)
            self._hand_out()
            self._note_begun()
            self._give_up_late()
            tell(self.state)
            if not self._live or len(interrupts.numbers) > 1:
                break
            state, since = self.state, time.monotonic()
            outcomes = self._crew.ended(POLL_S)
            self._measure(state, time.monotonic() - since)
            self._settle(outcomes)
        self.happened.seconds = time.monotonic() - start
        return self.happened

    @property
    def state(self) -> State:
        """The state of the run now."""
        left, ready = self._queue.readiness.left, self._queue.readiness.ready_count
        idle = max(0, self._crew.workers - len(self._live))
        running = min(len(self._live), self._crew.workers)
        eligible = ready + len(self._live) - running  # some wait for a worker
        stalled = idle if left and not ready else 0
        total = len(self._queue.readiness.missing)
        return State(total, total - left, running, eligible, stalled, len(self.happened.failed))

    def _measure(self, state: State, seconds: float) -> None:
        """Add some seconds, in which the run was in *state*, to the times of the workers."""
        happened = self.happened
        happened.offered += self._crew.workers * seconds
        happened.stalled += state.stalled * seconds
        happened.stalls += bool(state.stalled) and not self._is_stalled
        self._is_stalled = bool(state.stalled)

    def _heed(self, interrupts: Interrupts) -> None:
        """After Ctrl-C, stop running attempts; a second Ctrl-C ends the crew."""
        if interrupts.numbers and self.happened.signal is None:
            self.happened.signal = interrupts.numbers[0]
            self._stop_all()

    def _stop_all(self) -> None:
        """Ask all running attempts to end, once; no other attempt starts."""
        self._is_draining = True
        if not self._is_stopping:
            self._is_stopping = True
            for number in self._live:
                self._crew.stop(number)

    # Handing out

    def _hand_out(self) -> None:
        while not self._is_draining:
            tasks = self._queue.take(max(0, self._crew.size - len(self._live)))
            if not tasks:
                return
            self._start(tasks)

    def _start(self, tasks: Sequence[int]) -> None:
        works = {task: self._tasks.work(task) for task in tasks}
        instant = [task for task, work in works.items() if work is None]
        if instant:
            self._try(lambda: self._journal.complete(instant))
            for task in instant:
                self._done(task)
        run = {task: work for task, work in works.items() if work is not None}
        if run and not self._is_draining:
            self._begin(run)

    def _begin(self, run: Mapping[int, Command]) -> None:
        named = [(task, self._tasks.name(task)) for task in run]
        numbers: list[int] = []
        self._try(lambda: numbers.extend(self._journal.begin(named)))
        for number, (task, name) in zip(numbers, named, strict=False):
            log = self._journal.log_of(number, name)
            attempt = Attempt(number, task, name, run[task], log, self._rules.time_limit)
            self._live[number] = _Running(task)
            self.happened.attempts += 1
            self._crew.start(attempt)

    def _note_begun(self) -> None:
        now = time.monotonic()
        for running in islice(self._live.values(), self._crew.workers):
            running.began = min(running.began, now)

    def _give_up_late(self) -> None:
        """End attempts by force that have not stopped at their time limit."""
        limit = self._rules.time_limit
        if limit is not None:
            latest = time.monotonic() - limit - PATIENCE_S
            for number in [n for n, running in self._live.items() if running.began < latest]:
                self._crew.give_up(number)

    # Ends

    def _settle(self, outcomes: Iterable[Outcome]) -> None:
        known = [outcome for outcome in outcomes if outcome.number in self._live]
        if not known:
            return
        self._try(lambda: self._journal.end(known))
        for outcome in known:
            self._one_ended(outcome)

    def _one_ended(self, outcome: Outcome) -> None:
        task = self._live.pop(outcome.number).task
        self.happened.busy += outcome.seconds
        is_recorded = outcome.problem is None and self.happened.full is None
        # A worker may record a success and then die or be given up, or while our disk is full.
        if is_recorded or self._journal.is_completed(task):
            self._done(task)
        elif outcome.is_lost:
            if not self._is_stopping:
                self.happened.lost += 1
                problem = f"its worker died {MOST_LOSSES} times"
                self._offer_again(task, self._losses, MOST_LOSSES - 1, problem)
        elif outcome.problem is not None:
            most = self._rules.retries
            is_tried = self._offer_again(task, self._failures, most, outcome.problem)
            self.happened.retried += is_tried

    def _done(self, task: int) -> None:
        self.happened.done += 1
        self._queue.done(task)

    def _offer_again(self, task: int, counts: Counter[int], most: int, problem: str) -> bool:
        """Offer a task again, or give it up after *most* retries; return whether it was offered."""
        counts[task] += 1
        if counts[task] <= most:
            self._queue.lost(task)
            return True
        self.happened.failed[task] = problem
        self._is_draining |= not self._rules.keep_going
        return False

    def _try(self, write: Callable[[], None]) -> None:
        """Write to the journal. If the disk is full, make room once, and stop handing out tasks."""
        try:
            write()
        except FormatError as error:
            self._is_draining = True
            if self.happened.full is None:
                self._journal.make_room()
                self.happened.full = error
            try:
                write()
            except FormatError:
                self._stop_all()  # later outcomes cannot be recorded
