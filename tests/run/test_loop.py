"""The loop hands out, tries again, gives up and records as the rules say."""

import itertools

import numpy as np
import pytest

from icsched import ArgumentError, Dag, FormatError, Workflow, prioritize
from icsched.run import loop as loops
from icsched.run.crew import Outcome
from icsched.run.journal import Journal
from icsched.run.loop import Interrupts, Loop, Rules
from icsched.run.tasks import CommandTasks
from icsched.workflow import Command, OwnSource
from tests.run.crews import MemoryCrew, dies, fails, hangs, succeeds

#   a   x
#  / \
# b   c
#  \ /
#   d
DIAMOND_AND_ONE = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "x": []})


def tasks_of(dag: Dag, instant: str = "") -> CommandTasks:
    """Tasks that run something, except those in *instant*."""
    commands = [None if name in instant else Command(("true",)) for name in dag.names]
    workflow = Workflow(dag, np.zeros(len(dag), bool), source=OwnSource(commands))
    return CommandTasks(workflow, "wf")


def run(
    crew,
    dag: Dag = DIAMOND_AND_ONE,
    instant: str = "",
    journal=None,
    tell=None,
    **rules,
):
    """Run in the order of the ids; return what happened, and which tasks are completed."""
    journal, tasks = journal or Journal.in_memory(), tasks_of(dag, instant)
    plan = prioritize(dag, list(dag.names))
    with Interrupts() as interrupts:
        loop = Loop(tasks, plan, journal, crew, Rules(**rules))
        happened = loop.run(interrupts, tell or (lambda _state: None))
    return happened, "".join(tasks.name(task) for task in sorted(journal.completed()))


def test_one_worker_runs_tasks_in_the_order():
    crew = MemoryCrew(1)
    happened, completed = run(crew)

    assert crew.started == ["a", "b", "c", "d", "x"]
    assert (happened.done, happened.attempts, completed) == (5, 5, "abcdx")


def test_no_more_attempts_run_than_there_are_workers():
    crew = MemoryCrew(2)
    run(crew)

    assert crew.most == 2


def test_a_task_that_runs_nothing_is_done_at_once():
    crew = MemoryCrew(1)
    happened, completed = run(crew, instant="ad")

    assert crew.started == ["b", "c", "x"]
    assert (happened.done, completed) == (5, "abcdx")


def test_after_a_failure_nothing_more_is_handed_out():
    crew = MemoryCrew(1, a=[fails])
    happened, completed = run(crew)

    assert crew.started == ["a"]
    assert happened.failed == {0: "exit code 1"}
    assert completed == ""


def test_what_runs_when_a_task_fails_may_end():
    crew = MemoryCrew(2, a=[fails])
    happened, completed = run(crew)

    assert crew.started == ["a", "x"]
    assert (happened.done, completed) == (1, "x")


def test_a_run_keeps_going_with_all_that_does_not_need_the_failed_task():
    crew = MemoryCrew(1, b=[fails])
    happened, completed = run(crew, keep_going=True)

    assert crew.started == ["a", "b", "c", "x"]
    assert (list(happened.failed), completed) == ([1], "acx")


def test_a_failed_task_is_tried_again_so_often():
    assert run(MemoryCrew(1, a=[fails, fails]), retries=2)[1] == "abcdx"
    happened, completed = run(MemoryCrew(1, a=[fails, fails]), retries=1)
    assert (happened.failed, happened.retried, completed) == ({0: "exit code 1"}, 1, "")


def test_a_task_whose_worker_died_is_handed_out_again():
    crew = MemoryCrew(1, b=[dies, dies])
    happened, completed = run(crew)

    assert crew.started == ["a", "b", "b", "b", "c", "d", "x"]
    assert (happened.lost, happened.failed, completed) == (2, {}, "abcdx")


def test_a_task_that_kills_its_workers_is_given_up():
    happened, _ = run(MemoryCrew(1, a=[dies] * 9))

    assert happened.failed == {0: "its worker died 3 times"}
    assert happened.attempts == 3


def test_a_worker_that_died_after_it_recorded_the_success_lost_nothing():
    journal = Journal.in_memory()

    def records_and_dies(attempt):
        journal.complete([attempt.task])
        return dies(attempt)

    crew = MemoryCrew(1, a=[records_and_dies])
    happened, completed = run(crew, journal=journal)

    assert crew.started == ["a", "b", "c", "d", "x"]
    assert (happened.done, completed) == (5, "abcdx")


def queueing_crew(**ends):
    """Two workers, and two more attempts in flight, which wait for them."""
    crew = MemoryCrew(4, **ends)
    crew.workers = 2
    return crew


def test_attempts_that_wait_for_a_worker_are_not_told_as_running():
    dag = Dag({name: [] for name in "abcde"})
    crew, states = queueing_crew(), []
    run(crew, dag, tell=states.append)

    assert crew.most == 4
    first, last = states[0], states[-1]
    assert (first.running, first.eligible, first.stalled) == (2, 3, 0)
    assert (last.running, last.eligible, last.done) == (0, 0, 5)


def test_tasks_done_before_count_once_whatever_the_order_of_ids():
    """The file names b before its parent a; both are done, and c and d are left."""
    dag = Dag({"b": ["a"], "a": [], "c": ["b"], "d": ["b"]})
    commands = [Command(("true",))] * len(dag)
    workflow = Workflow(dag, [True, True, False, False], source=OwnSource(commands))
    states = []
    with Interrupts() as interrupts:
        plan = prioritize(workflow, "fifo")
        crew = MemoryCrew(1)
        loop = Loop(CommandTasks(workflow, "wf"), plan, Journal.in_memory(), crew, Rules())
        loop.run(interrupts, states.append)

    assert crew.started == ["c", "d"]
    assert [(one.done, one.running, one.eligible) for one in states] == [
        (2, 1, 1),
        (3, 1, 0),
        (4, 0, 0),
    ]


def test_only_workers_are_stalled_and_only_their_time_is_offered(monkeypatch):
    """One of two workers has nothing to do while a runs, and while b runs."""
    clock = itertools.count()
    monkeypatch.setattr(loops.time, "monotonic", lambda: float(next(clock)))
    states = []
    happened, _ = run(queueing_crew(), Dag({"a": [], "b": ["a"]}), tell=states.append)

    assert [state.stalled for state in states] == [1, 1, 0]
    assert happened.offered == 2 * 2 * 1.0, "two waits of one second each"


class FullJournal(Journal):
    """A journal on a disk that is full after some writes, until room is made once."""

    def fill(self, *, after: int, for_good: bool) -> "FullJournal":
        self.left, self.for_good = after, for_good
        return self

    def make_room(self) -> None:
        self.left = -1 if self.for_good else 99

    def end(self, ends, **how) -> list[Outcome]:
        self.left -= 1
        if self.left < 0:
            raise FormatError("journal.sqlite", None, "database or disk is full")
        return super().end(ends, **how)


def test_on_a_full_disk_what_runs_is_recorded_in_the_reserve_and_nothing_else_starts():
    crew = MemoryCrew(2)
    journal = FullJournal.in_memory().fill(after=0, for_good=False)
    happened, completed = run(crew, journal=journal)

    assert crew.started == ["a", "x"]
    assert (completed, crew.stopped) == ("ax", [])
    assert happened.full.problem == "database or disk is full"


def test_without_any_room_what_runs_is_stopped():
    crew = MemoryCrew(2, x=[hangs])
    journal = FullJournal.in_memory().fill(after=0, for_good=True)
    happened, completed = run(crew, journal=journal)

    assert crew.started == ["a", "x"]
    assert crew.stopped == [1, 2]
    assert (happened.full is None, completed) == (False, "")
    assert happened.done == 0, "a has ended, but nobody will know"


class Unwritable(Journal):
    """A journal that only the workers can write; the server gets another error each time.

    *recorded* are the tasks whose workers have recorded a success.
    """

    def meet(self, act: str, recorded: str = "") -> "Unwritable":
        self.act, self.recorded, self.errors, self.rooms = act, recorded, 0, 0
        self.names = {}  # by number of the attempt
        return self

    def make_room(self) -> None:
        self.rooms += 1

    def _fail(self, act: str) -> None:
        if act == self.act:
            self.errors += 1
            raise FormatError("journal.sqlite", None, f"error {self.errors}")

    def begin(self, tasks):
        self._fail("begin")
        numbers = super().begin(tasks)
        self.names.update(zip(numbers, [name for _, name in tasks], strict=True))
        return numbers

    def complete(self, tasks):
        self._fail("complete")
        super().complete(tasks)

    def end(self, ends):
        super().end([end for end in ends if self.names[end.number] in self.recorded])
        self._fail("end")


def test_what_a_worker_has_recorded_is_done_although_the_server_cannot_write():
    journal = Unwritable.in_memory().meet("end", recorded="a")
    happened, completed = run(MemoryCrew(2), journal=journal)

    assert (happened.done, completed) == (1, "a"), "x has ended, too"


def test_a_failure_is_told_although_it_cannot_be_recorded():
    """The job runs again in any case."""
    happened, _ = run(MemoryCrew(1, a=[fails]), journal=Unwritable.in_memory().meet("end"))

    assert (happened.failed, happened.done) == ({0: "exit code 1"}, 0)


def test_room_is_made_once_and_the_first_error_is_told():
    """Each of a and x has an end that is written twice."""
    journal = Unwritable.in_memory().meet("end")
    happened, _ = run(MemoryCrew(2), journal=journal)

    assert (journal.rooms, journal.errors) == (1, 4)
    assert happened.full.problem == "error 1"


@pytest.mark.parametrize("act", ["begin", "complete"])
def test_nothing_starts_if_its_start_cannot_be_recorded(act):
    crew = MemoryCrew(2)
    happened, completed = run(crew, journal=Unwritable.in_memory().meet(act), instant="a")

    assert crew.started == []
    assert completed == ("a" if act == "begin" else "")
    assert happened.full.problem == "error 1"


@pytest.mark.parametrize(
    "wrong",
    [
        {"retries": -1},
        {"time_limit": 0},
    ],
)
def test_rules_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ArgumentError):
        Rules(**wrong)


def test_a_worker_that_does_not_stop_its_attempt_at_the_limit_is_given_up(monkeypatch):
    """The clock goes on by a second each time that it is asked; b ends, and a does not."""
    clock = itertools.count()
    monkeypatch.setattr(loops.time, "monotonic", lambda: float(next(clock)))
    crew = MemoryCrew(1, a=[hangs, succeeds])
    happened, completed = run(crew, Dag({"a": [], "b": ["a"]}), time_limit=20.0, retries=1)

    assert crew.given_up == [1]
    assert next(clock) > 20 + loops.PATIENCE_S
    assert (happened.retried, happened.lost, completed) == (1, 0, "ab")


def test_an_attempt_that_was_recorded_before_its_worker_was_given_up_is_a_success():
    """The worker notes the success, and is killed before it can say so."""
    journal = Journal.in_memory()

    def recorded(attempt):
        journal.end([Outcome(attempt.number, 1.0)])
        return Outcome(attempt.number, 1.0, "stopped at its time limit of 20 s")

    happened, completed = run(MemoryCrew(1, a=[recorded]), Dag({"a": []}), journal=journal)

    assert (happened.failed, completed) == ({}, "a")
