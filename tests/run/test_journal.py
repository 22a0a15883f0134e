"""A journal knows what is completed, and lets only the right run go on with it."""

import itertools
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest

from icsched import Dag, FormatError
from icsched.run.crew import Outcome
from icsched.run.identity import Identity, identity_of
from icsched.run.journal import Journal, Opening, open_journal, read_journal
from icsched.run.records import WorkerRecorder, transaction

THREE = identity_of(Dag({"a": [], "b": [], "c": []}), [None] * 3)  # jobs that run nothing
OTHER = identity_of(Dag({"x": []}), [None])
RESUME = Opening(resume=True)


def test_a_completed_task_stays_completed_in_the_next_process(tmp_path):
    with open_journal(tmp_path / "run", THREE, Opening()) as journal:
        first, second = journal.begin([(0, "a"), (1, "b")])
        journal.end([Outcome(first, 2.5), Outcome(second, 1.0, "exit code 1")])

    with open_journal(tmp_path / "run", THREE, RESUME) as journal:
        assert journal.completed() == {0}
        assert journal.is_completed(0)
        assert not journal.is_completed(1)
        assert journal.seconds() == {"a": 2.5}
        assert journal.begin([(1, "b")]) == [3], "numbers are never used again"


def test_the_first_result_counts_and_a_later_one_changes_nothing():
    journal = Journal.in_memory()
    first, second = journal.begin([(0, "a"), (0, "a")])
    journal.end([Outcome(second, 4.0)])
    journal.end([Outcome(first, 9.0)])

    assert journal.seconds() == {"a": 4.0}


def test_a_worker_records_in_the_same_journal(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        number = journal.begin([(2, "c")])[0]
        WorkerRecorder(str(tmp_path)).end(number, 1.5)

        assert journal.completed() == {2}
        journal.end([Outcome(number, 99.0, "its worker died", is_lost=True)])
        assert journal.seconds() == {"c": 1.5}, "what the worker said stays"


def test_a_worker_that_was_given_up_may_still_record_a_success(tmp_path):
    """So each completed task has an attempt that succeeded."""
    with open_journal(tmp_path, THREE, Opening()) as journal:
        number = journal.begin([(2, "c")])[0]
        journal.end([Outcome(number, 99.0, "its worker died", is_lost=True)])
        assert journal.completed() == set()
        WorkerRecorder(str(tmp_path)).end(number, 1.5)
    with open_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.seconds() == {"c": 1.5}


def test_an_attempt_that_failed_completes_nothing_whatever_is_said_later():
    journal = Journal.in_memory()
    number = journal.begin([(0, "a")])[0]
    for problem in ("exit code 1", None):
        journal.end([Outcome(number, 1.0, problem)])

    assert journal.completed() == set()


@pytest.mark.parametrize("strange", [-1.0, float("inf"), float("nan")])
def test_seconds_that_cannot_be_are_unknown(strange):
    journal = Journal.in_memory()
    number = journal.begin([(0, "a")])[0]
    journal.end([Outcome(number, strange)])

    assert (journal.completed(), journal.seconds()) == ({0}, {})


def test_a_task_may_take_no_time_that_a_clock_sees():
    journal = Journal.in_memory()
    number = journal.begin([(0, "a")])[0]
    journal.end([Outcome(number, 0.0)])

    assert journal.seconds() == {"a": 0.0}


def test_a_worker_that_cannot_read_the_journal_takes_no_task_for_completed(tmp_path):
    (tmp_path / "journal.sqlite").write_bytes(b"no journal" * 100)

    assert not WorkerRecorder(str(tmp_path)).is_completed(0)


def test_a_transaction_that_cannot_be_committed_is_undone():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as journal:
        journal.execute("PRAGMA foreign_keys = ON")
        journal.execute("CREATE TABLE one (x PRIMARY KEY)")
        journal.execute("CREATE TABLE two (x REFERENCES one DEFERRABLE INITIALLY DEFERRED)")

        with pytest.raises(sqlite3.IntegrityError), transaction(journal):
            journal.execute("INSERT INTO two VALUES (1)")  # COMMIT refuses it
        with transaction(journal):
            journal.execute("INSERT INTO one VALUES (2)")

        assert list(journal.execute("SELECT x FROM one UNION ALL SELECT x FROM two")) == [(2,)]


def refused(directory: Path, identity: Identity, opening: Opening) -> str:
    with pytest.raises(FormatError) as error, open_journal(directory, identity, opening):
        pass
    assert "\n" not in str(error.value)
    return error.value.problem


def test_a_journal_is_resumed_only_if_asked_and_only_by_its_own_workflow(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        journal.complete([1])

    assert "here already: use --resume" in refused(tmp_path, THREE, Opening())
    assert "another workflow" in refused(tmp_path, OTHER, RESUME)
    with open_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.completed() == {1}


def test_again_forgets_what_was_completed(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        journal.complete([1])
    with open_journal(tmp_path, OTHER, Opening(again=True)) as journal:
        assert journal.completed() == set()


def test_again_never_uses_a_number_again(tmp_path):
    """The logs stay, so that a number names one attempt of all runs."""
    for expected in ([1, 2], [3, 4], [5, 6]):
        with open_journal(tmp_path, THREE, Opening(again=True)) as journal:
            assert journal.begin([(0, "a"), (1, "b")]) == expected
    with open_journal(tmp_path, THREE, Opening(again=True)):
        pass
    with open_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.begin([(0, "a")]) == [7]


def test_again_replaces_what_is_no_journal_and_goes_on_after_its_logs(tmp_path):
    (tmp_path / "journal.sqlite").write_bytes(b"x" * 5000)
    (tmp_path / "logs").mkdir()
    for name in ("a.9.log", "b.10.log", "notes.txt"):
        (tmp_path / "logs" / name).touch()

    with open_journal(tmp_path, THREE, Opening(again=True)) as journal:
        assert journal.begin([(0, "a")]) == [11]
    assert (tmp_path / "journal.sqlite.bak").read_bytes() == b"x" * 5000


def working(*works: str | None) -> Identity:
    """A workflow of two tasks, a and b, that run *works*."""
    return identity_of(Dag({"a": [], "b": ["a"]}), works)


def succeed(journal: Journal, task: int, name: str) -> None:
    [number] = journal.begin([(task, name)])
    journal.end([Outcome(number, 1.0)])


def test_what_a_task_runs_may_change_until_it_is_completed(tmp_path):
    """The command of b is fixed, and b runs; after that neither may change."""
    with open_journal(tmp_path, working("one", "tow"), Opening()) as journal:
        succeed(journal, 0, "a")
    with open_journal(tmp_path, working("one", "two"), RESUME) as journal:
        assert journal.completed() == {0}
        succeed(journal, 1, "b")

    told = " is completed, but what it runs has changed since: --again forgets the run in the"
    assert f"'a'{told}" in refused(tmp_path, working("uno", "two"), RESUME)
    assert f"'b'{told}" in refused(tmp_path, working("one", "tow"), RESUME)
    with open_journal(tmp_path, working("one", "two"), RESUME) as journal:
        assert journal.completed() == {0, 1}


def test_names_and_dependencies_may_not_change(tmp_path):
    with open_journal(tmp_path, working("one", "two"), Opening()):
        pass

    for dag in (Dag({"a": [], "c": ["a"]}), Dag({"a": [], "b": []})):
        changed = identity_of(dag, ("one", "two"))
        assert "names or dependencies have changed" in refused(tmp_path, changed, RESUME)


def test_a_journal_that_again_does_not_replace_keeps_what_its_tasks_run(tmp_path):
    with open_journal(tmp_path, working("one", "two"), Opening()) as journal:
        succeed(journal, 0, "a")
    with (
        pytest.raises(ZeroDivisionError),
        open_journal(tmp_path, working("uno", "due"), Opening(again=True)),
    ):
        raise ZeroDivisionError

    with open_journal(tmp_path, working("one", "two"), RESUME) as journal:
        assert journal.completed() == {0}


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_a_refused_journal_stays_as_it_was(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        journal.complete([1])
        journal.make_room()
    before = contents(tmp_path)

    refused(tmp_path, OTHER, RESUME)
    assert contents(tmp_path) == before


def test_a_journal_is_read_without_a_trace(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        journal.complete([1])
        journal.make_room()
    before = contents(tmp_path)
    with read_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.completed() == {1}

    assert contents(tmp_path) == before
    with (
        pytest.raises(FormatError, match="another workflow"),
        read_journal(tmp_path, OTHER, RESUME),
    ):
        pass
    with read_journal(tmp_path / "x", THREE, RESUME) as journal:
        assert journal.completed() == set()
    assert not (tmp_path / "x").exists()


def test_a_journal_beside_an_empty_log_is_read_without_a_trace(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        journal.complete([1])
    (tmp_path / "journal.sqlite-wal").touch()
    before = contents(tmp_path)

    with read_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.completed() == {1}
        assert contents(tmp_path) == before
    assert contents(tmp_path) == before


def test_a_journal_is_read_while_a_server_writes_it(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as writing:
        writing.complete([1])
        with read_journal(tmp_path, THREE, RESUME) as journal:
            assert journal.completed() == {1}
            writing.complete([2])
            assert journal.completed() == {1, 2}


def test_a_run_begins_if_there_is_nothing_to_resume(tmp_path):
    """A server may be killed before it has made its journal."""
    told = []
    opening = Opening(resume=True, tell=told.append)
    with open_journal(tmp_path / "run", THREE, opening) as journal:
        journal.complete([0])
    with open_journal(tmp_path / "run", THREE, opening) as journal:
        assert journal.completed() == {0}

    line = f"{tmp_path / 'run'}: no journal to resume: all jobs run"
    assert told == [line], "only the first time"


def test_a_second_server_is_kept_out(tmp_path):
    with open_journal(tmp_path, THREE, Opening()):
        assert refused(tmp_path, THREE, RESUME) == "another icsched runs this workflow now"


class Meeting(type(Path())):
    """A path that lets something happen, once: after `mkdir`, or when its lock is looked at."""

    act, happens = "", staticmethod(lambda _path: None)

    def mkdir(self, *words, **options):
        super().mkdir(*words, **options)
        self._meet("mkdir")

    def lstat(self):
        if self.name == "server.lock":
            self._meet("lstat")
        return super().lstat()

    def _meet(self, act):
        if type(self).act == act:
            type(self).act = ""
            self.happens(Path(self))


def test_a_refused_server_leaves_the_directory_of_a_quicker_one_alone(tmp_path, monkeypatch):
    """The first one makes the directory, and the second one is quicker to lock it."""
    with ExitStack() as stack:
        quicker = []

        def other(_path):
            opened = open_journal(tmp_path / "run", THREE, RESUME)
            quicker.append(stack.enter_context(opened))

        monkeypatch.setattr(Meeting, "act", "mkdir")
        monkeypatch.setattr(Meeting, "happens", staticmethod(other))
        problem = refused(Meeting(tmp_path / "run"), THREE, RESUME)
        assert problem == "another icsched runs this workflow now"
        assert refused(tmp_path / "run", THREE, RESUME) == problem
        quicker[0].complete([1])

    with open_journal(tmp_path / "run", THREE, RESUME) as journal:
        assert journal.completed() == {1}


def test_a_lock_that_was_removed_is_taken_again(tmp_path, monkeypatch):
    """A server that did not begin removes its lock when another has opened it already."""
    monkeypatch.setattr(Meeting, "act", "lstat")
    monkeypatch.setattr(Meeting, "happens", staticmethod(Path.unlink))
    with open_journal(Meeting(tmp_path), THREE, RESUME):
        assert Meeting.act == "", "it was removed"
        assert refused(tmp_path, THREE, RESUME) == "another icsched runs this workflow now"


def test_a_server_that_does_not_begin_removes_the_directory_that_it_made(tmp_path):
    for place, stays in (("old", True), ("new", False)):
        (tmp_path / "old").mkdir(exist_ok=True)
        with pytest.raises(ZeroDivisionError), open_journal(tmp_path / place, THREE, Opening()):
            raise ZeroDivisionError
        assert (tmp_path / place).exists() is stays


def test_again_forgets_nothing_if_the_run_does_not_begin(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        journal.complete([1])
    opened = open_journal(tmp_path, OTHER, Opening(again=True))
    with pytest.raises(ZeroDivisionError, match=r"set\(\)"), opened as journal:
        raise ZeroDivisionError(journal.completed())

    with open_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.completed() == {1}


class Failing(sqlite3.Connection):
    """A connection that fails once, after some statements of all connections together."""

    left, error = 0, None

    def execute(self, *words):
        self._count()
        return super().execute(*words)

    def executemany(self, *words):
        self._count()
        return super().executemany(*words)

    @classmethod
    def _count(cls):
        cls.left -= 1
        if cls.left == 0:
            raise cls.error


def disk_error() -> sqlite3.Error:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    return error


def failures(monkeypatch, error, directory, identity, opening):
    """Open a journal with an error at the first statement, at the second, ...; until none comes."""
    connect = sqlite3.connect
    for statement in itertools.count(1):
        with monkeypatch.context() as patch:
            patch.setattr(Failing, "left", statement)
            patch.setattr(Failing, "error", error)
            patch.setattr(sqlite3, "connect", partial(connect, factory=Failing))
            try:
                with open_journal(directory, identity, opening):
                    pass
            except (FormatError, KeyboardInterrupt):
                pass
            else:
                return
        yield statement


ERRORS = pytest.mark.parametrize(
    "error", [disk_error(), KeyboardInterrupt()], ids=["disk", "Ctrl-C"]
)


@ERRORS
@pytest.mark.parametrize("opening", [RESUME, Opening(again=True)], ids=["resume", "again"])
def test_a_journal_is_as_it_was_if_an_error_comes_at_any_step(
    error, opening, tmp_path, monkeypatch
):
    """The command of b is fixed, which must not be recorded either."""
    with open_journal(tmp_path, working("one", "tow"), Opening()) as journal:
        succeed(journal, 0, "a")
    steps = 0
    for steps in failures(monkeypatch, error, tmp_path, working("one", "two"), opening):
        with (
            read_journal(tmp_path, working("one", "tow"), RESUME) as journal,
            closing(sqlite3.connect(tmp_path / "journal.sqlite")) as rows,
        ):
            assert (journal.completed(), journal.seconds()) == ({0}, {"a": 1.0}), steps
            [works] = rows.execute("SELECT value FROM meta WHERE key = 'works'").fetchone()
            assert works == working("one", "tow").works, steps
    assert steps > 10


@ERRORS
@pytest.mark.parametrize("opening", [RESUME, Opening()], ids=["resume", "new"])
def test_no_new_journal_is_left_if_an_error_comes_at_any_step(
    error, opening, tmp_path, monkeypatch
):
    steps = 0
    for steps in failures(monkeypatch, error, tmp_path, THREE, opening):
        assert not list(tmp_path.glob("journal*")), steps
    assert steps > 10


def test_what_is_no_journal_is_refused(tmp_path):
    (tmp_path / "journal.sqlite").write_bytes(b"x" * 5000)

    assert "the journal is damaged: SQLite cannot read it: " in refused(tmp_path, THREE, RESUME)


def test_a_directory_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")

    assert refused(tmp_path / "file" / "run", THREE, Opening()) == "the journal: Not a directory"


HOLD = """
import sys
from icsched.run.records import WorkerRecorder
WorkerRecorder(sys.argv[1]).begin()
print(flush=True)
input()
"""


def test_a_server_waits_for_workers_of_a_killed_one(tmp_path):
    """The worker ends when it is told that the server has said that it waits."""
    with open_journal(tmp_path, THREE, Opening()):
        pass
    words = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        worker.stdout.readline()
        said = []

        def waiting(line: str) -> None:
            said.append((worker.poll(), line))
            worker.stdin.write(b"\n")
            worker.stdin.flush()

        with open_journal(tmp_path, THREE, Opening(resume=True, tell=waiting)):
            worker.wait(10)

    still = "jobs of the run that was killed are still running: waiting for them"
    assert said == [(None, still)]


def test_logs_have_names_that_every_file_system_takes(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        names = [journal.log_of(7, name).name for name in ("a b/../c", "ü*", "x" * 500)]

    assert names == ["a_b_.._c.7.log", "__.7.log", f"{'x' * 100}.7.log"]


def test_names_arcs_and_works_make_a_workflow_another_one():
    dag = Dag({"a": [], "b": ["a"]})
    first = identity_of(dag, ["x", "y"])

    assert first == identity_of(Dag({"a": [], "b": ["a"]}), ["x", "y"])
    assert first != identity_of(Dag({"a": [], "c": ["a"]}), ["x", "y"])
    assert first != identity_of(Dag({"a": [], "b": []}), ["x", "y"])
    assert first != identity_of(dag, ["x", "z"])


def test_a_journal_that_has_forgotten_completed_tasks_is_still_believed(tmp_path):
    with open_journal(tmp_path, THREE, Opening()) as journal:
        first, second = journal.begin([(0, "a"), (1, "b")])
        journal.end([Outcome(first, 1.0), Outcome(second, 1.0)])
        journal.forget([1, 2])

    with open_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.completed() == {0}
        (third,) = journal.begin([(1, "b")])
        journal.end([Outcome(third, 1.0)])

    with open_journal(tmp_path, THREE, RESUME) as journal:
        assert journal.completed() == {0, 1}
