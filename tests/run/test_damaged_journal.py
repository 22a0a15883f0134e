"""A damaged journal is never believed, and never changed by whoever refuses it."""

import random
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Dag, FormatError
from icsched.run.crew import Outcome
from icsched.run.identity import identity_of
from icsched.run.journal import Journal, Opening, open_journal, read_journal
from icsched.run.records import connect

#   a      a, b, c and d run something, e runs nothing
#  / \
# b   c
#  \ /
#   d   e
DAG = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": []})
WORKS = ["one", "two", "three", "four", None]
DIAMOND = identity_of(DAG, WORKS)
COMPLETED, SECONDS = {0, 1, 4}, {"a": 1.5, "b": 2.5}
RESUME, AGAIN = Opening(resume=True), Opening(again=True)
ADVICE = ": restore a copy of its directory, or use --again to run all jobs"
PAGE = 4096
FRAME = 24 + PAGE
PAGES, ROWS = "its pages or values are invalid", "its rows are not as they were written"
TABLES, ABOUT = "expected the tables of schema 3", "it does not describe a workflow"
EMPTY, LOST = "it is empty, but jobs have run", "journal.sqlite-wal has lost transactions"
UNREADABLE = "SQLite cannot read it"


def write(journal: Journal) -> None:
    """Complete a, b and e. The first attempt at c fails, the second is lost, the third goes on."""
    journal.begin([(0, "a"), (1, "b"), (2, "c"), (2, "c"), (2, "c")])
    journal.end([Outcome(1, 1.5), Outcome(2, 2.5), Outcome(3, 1.0, "exit code 1")])
    journal.end([Outcome(4, 1.0, "its worker died", is_lost=True)])
    journal.complete([4])
    journal.make_room()  # the reserve is nothing to copy


@pytest.fixture
def run(tmp_path) -> Path:
    """The directory of a run that ended by itself."""
    with open_journal(tmp_path / "run", DIAMOND, Opening()) as journal:
        write(journal)
    return tmp_path / "run"


@pytest.fixture
def killed(tmp_path) -> Path:
    """The directory of a run whose server was killed: its transactions are in SQLite's log."""
    with open_journal(tmp_path / "alive", DIAMOND, Opening()) as journal:
        write(journal)
        shutil.copytree(tmp_path / "alive", tmp_path / "killed")
    return tmp_path / "killed"


def contents(directory: Path) -> dict[str, bytes]:
    """What is in all files but the one that has nothing to say: SQLite makes it anew."""
    files = [path for path in directory.rglob("*") if path.is_file()]
    return {path.name: path.read_bytes() for path in files if not path.name.endswith("-shm")}


def refusal(directory: Path, identity=DIAMOND) -> str:
    """Return what is wrong, with the same words for a reader and for a server."""
    problems = []
    before = contents(directory)
    for opening in (read_journal, open_journal):
        with pytest.raises(FormatError) as error, opening(directory, identity, RESUME):
            pass
        assert str(error.value).startswith(f"{directory / 'journal.sqlite'}: ")
        assert "\n" not in str(error.value)
        problems.append(error.value.problem)
    assert contents(directory) == before, "nothing is changed"
    assert problems[0] == problems[1]
    head, tail = "the journal is damaged: ", ADVICE
    assert problems[0].startswith(head)
    assert problems[0].endswith(tail)
    return problems[0].removeprefix(head).removesuffix(tail)


def is_read(directory: Path) -> set[int]:
    """Return what a reader and a server agree is completed."""
    with read_journal(directory, DIAMOND, RESUME) as journal:
        found = journal.completed()
    with open_journal(directory, DIAMOND, RESUME) as journal:
        assert journal.completed() == found
    return found


def test_a_sound_journal_is_believed(run, killed):
    assert is_read(run) == is_read(killed) == COMPLETED


def edit(directory: Path, sql: str, *, silently: bool = False) -> None:
    """Change rows; the digest of the content follows, unless that is done *silently*."""
    with closing(connect(str(directory / "journal.sqlite"))) as journal:
        if silently:
            journal.create_function("mixed", -1, lambda digest, *_row: digest)
        journal.execute("PRAGMA ignore_check_constraints = ON")
        for statement in sql.split(";"):
            journal.execute(statement)


SUCCESS_OF_D = (
    "INSERT INTO attempts VALUES (6, 3, 'd', 1.0, 2.0, 1.0, NULL, 0);"
    "INSERT INTO completed VALUES (3, 6)"
)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("UPDATE attempts SET task = 5 WHERE number = 3", "attempt 3 is not at a job of the workf"),
        ("UPDATE attempts SET task = 1 WHERE number = 3", "attempt 3 is not at a job of the workf"),
        ("UPDATE attempts SET name = 'C' WHERE number = 3", "attempt 3 is not at a job of the wor"),
        ("UPDATE meta SET value = '1' WHERE key = 'forgotten'", "attempt 1 is of an earlier run"),
        ("INSERT INTO completed VALUES (5, 5)", "job number 6, but the workflow has 5"),
        ("INSERT INTO completed VALUES (2, 1)", "'c' is completed without an attempt that succ"),
        ("INSERT INTO completed VALUES (2, 3)", "'c' is completed without an attempt that succ"),
        ("INSERT INTO completed VALUES (2, 4)", "'c' is completed without an attempt that succ"),
        ("INSERT INTO completed VALUES (2, 5)", "'c' is completed without an attempt that succ"),
        ("INSERT INTO completed VALUES (2, 9)", "'c' is completed without an attempt that succ"),
        ("INSERT INTO completed VALUES (2, NULL)", "'c' is completed without an attempt that suc"),
        (SUCCESS_OF_D, "'d' is completed, but a parent"),
        ("UPDATE meta SET value = '4' WHERE key = 'tasks'", "it describes another number of jobs"),
        ("UPDATE meta SET value = x'00' WHERE key = 'works'", "it describes another number of jo"),
        ("UPDATE meta SET value = '-1' WHERE key = 'forgotten'", ABOUT),
        ("UPDATE meta SET value = '2' WHERE key = 'schema'", ABOUT),
        ("UPDATE meta SET key = 'task' WHERE key = 'tasks'", ABOUT),
        ("UPDATE meta SET value = 'text' WHERE key = 'works'", PAGES),
        ("UPDATE meta SET value = x'00' WHERE key = 'opened'", PAGES),
        ("UPDATE meta SET key = x'00' WHERE key = 'opened'", PAGES),
        ("UPDATE attempts SET number = -3 WHERE number = 3", PAGES),
        ("UPDATE attempts SET task = 2.5 WHERE number = 3", PAGES),
        ("UPDATE attempts SET task = -2 WHERE number = 3", PAGES),
        ("UPDATE attempts SET name = x'63' WHERE number = 3", PAGES),
        ("UPDATE attempts SET began = 'then' WHERE number = 3", PAGES),
        ("UPDATE attempts SET began = -1.0 WHERE number = 3", PAGES),
        ("UPDATE attempts SET ended = 9e999 WHERE number = 3", PAGES),
        ("UPDATE attempts SET ended = NULL WHERE number = 3", PAGES),
        ("UPDATE attempts SET ended = 1.0 WHERE number = 5", PAGES),
        ("UPDATE attempts SET seconds = 1.0 WHERE number = 5", PAGES),
        ("UPDATE attempts SET seconds = -1.0 WHERE number = 3", PAGES),
        ("UPDATE attempts SET seconds = x'00' WHERE number = 3", PAGES),
        ("UPDATE attempts SET problem = x'00' WHERE number = 3", PAGES),
        ("UPDATE attempts SET problem = 'late' WHERE number = 5", PAGES),
        ("UPDATE attempts SET is_lost = 2 WHERE number = 3", PAGES),
        ("UPDATE completed SET task = -1 WHERE task = 4", PAGES),
        ("UPDATE completed SET number = 'x' WHERE task = 4", PAGES),
        ("DROP TRIGGER attempts_UPDATE", TABLES),
        ("ALTER TABLE completed ADD COLUMN more TEXT", TABLES),
        ("DROP TABLE completed", TABLES),
        ("CREATE VIEW more AS SELECT * FROM completed", TABLES),
        ("INSERT INTO content SELECT digest FROM content", ROWS),
        ("DELETE FROM content", ROWS),
        ("UPDATE content SET digest = digest + 1", ROWS),
    ],
)
def test_what_no_run_can_have_written_is_refused_although_the_digest_is_right(sql, problem, run):
    edit(run, sql)

    assert problem in refusal(run)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE completed SET task = 2, number = 3 WHERE task = 1",
        "DELETE FROM completed WHERE task = 4",
        "DELETE FROM attempts WHERE number = 5",
        "INSERT INTO completed VALUES (4, NULL) ON CONFLICT DO UPDATE SET number = 1",
        "UPDATE attempts SET seconds = 1.25 WHERE number = 1",
        "UPDATE attempts SET began = began + 1",
        "UPDATE attempts SET is_lost = 0, problem = 'exit code 2' WHERE number = 4",
        "UPDATE meta SET value = '0' WHERE key = 'opened'",
        "DELETE FROM meta WHERE key = 'opened'",
        "INSERT INTO meta VALUES ('other', '1')",
    ],
)
def test_a_value_that_may_be_but_was_not_written_is_refused(sql, run):
    edit(run, sql, silently=True)

    assert refusal(run) == ROWS


def test_text_that_does_not_decode_is_refused(run):
    path = run / "journal.sqlite"
    path.write_bytes(path.read_bytes().replace(b"exit code 1", b"exit\xffcode 1"))

    assert refusal(run) == UNREADABLE


def test_tasks_that_were_done_before_the_run_count_as_completed(tmp_path):
    """b was done when the run began, and a was not. The user may take back that b is done."""
    done = identity_of(DAG, WORKS, np.array([False, True, False, False, False]))
    with open_journal(tmp_path, done, Opening()) as journal:
        for number, (task, name) in enumerate([(0, "a"), (2, "c"), (3, "d")], 1):
            journal.begin([(task, name)])
            journal.end([Outcome(number, 1.0)])

    for identity in (done, DIAMOND):
        with open_journal(tmp_path, identity, RESUME) as journal:
            assert journal.completed() == {0, 2, 3}


def test_a_completed_task_with_a_parent_that_is_not_completed_is_refused(run):
    edit(run, "INSERT INTO attempts VALUES (9, 3, 'd', 1.0, 2.0, 1.0, NULL, 0)")
    edit(run, "INSERT INTO completed VALUES (3, 9)")

    assert refusal(run) == "'d' is completed, but a parent of it is not"


def test_a_journal_that_has_lost_an_attempt_with_a_log_is_refused(killed):
    """The log of SQLite may end early as after a loss of power, but not before the logs of jobs."""
    (killed / "logs" / "c.5.log").touch()
    assert is_read(killed) == COMPLETED
    (killed / "logs" / "c.6.log").touch()

    assert refusal(killed) == "it does not know of all attempts that have logs"


def test_a_journal_that_was_deleted_does_not_use_the_names_of_its_logs_again(run):
    (run / "logs" / "c.5.log").touch()
    (run / "journal.sqlite").unlink()

    with open_journal(run, DIAMOND, RESUME) as journal:
        assert journal.completed() == set()
        assert journal.begin([(0, "a")]) == [6]


def test_an_empty_journal_is_one_that_a_killed_server_began_unless_jobs_have_run(run):
    (run / "journal.sqlite").write_bytes(b"")
    with read_journal(run, DIAMOND, RESUME) as journal:
        assert journal.completed() == set()
    (run / "logs" / "a.1.log").touch()

    assert refusal(run) == EMPTY


# SQLite's log: 32 bytes, and a frame for each page that a transaction writes


def log_of(directory: Path) -> Path:
    return directory / "journal.sqlite-wal"


def last_frames(directory: Path) -> list[int]:
    """Return where the frames begin that end a transaction."""
    log = log_of(directory).read_bytes()
    return [at for at in range(32, len(log), FRAME) if log[at + 4 : at + 8] != bytes(4)]


def flip(path: Path, at: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


@pytest.mark.parametrize("place", [0, 9, 16, 31])
def test_a_log_with_a_damaged_header_is_refused(place, killed):
    flip(log_of(killed), place)

    assert refusal(killed) == LOST


@pytest.mark.parametrize("place", [0, 4, 8, 16, 24, FRAME - 1])
def test_a_log_that_has_lost_transactions_is_refused(place, killed):
    """SQLite would read the log up to the damage, and forget what comes later."""
    flip(log_of(killed), 32 + place)

    assert refusal(killed) == LOST


@pytest.mark.parametrize("place", [16, 24, FRAME - 1])
def test_a_torn_last_transaction_is_forgotten_as_after_a_loss_of_power(place, killed):
    """It is the record that e is completed."""
    flip(log_of(killed), last_frames(killed)[-2] + FRAME + place)

    assert is_read(killed) == COMPLETED - {4}


def test_a_torn_last_transaction_of_many_pages_is_forgotten(killed):
    """Only its last frame says that it is whole."""
    with closing(connect(str(killed / "journal.sqlite"))) as journal:
        rows = [(number, "c" * PAGE) for number in range(6, 12)]
        journal.execute("BEGIN")
        journal.executemany("INSERT INTO attempts VALUES (?, 2, ?, 1.0, 0, 0, '', 0)", rows)
        journal.execute("COMMIT")
        log = log_of(killed).read_bytes()
        many = [at for at in range(32, len(log), FRAME) if at > last_frames(killed)[-2]]
        assert len(many) > 4
        log_of(killed).write_bytes(log[: many[0] + 40] + b"torn" + log[many[0] + 44 :])
        shutil.copytree(killed, killed.with_name("torn"))

    assert is_read(killed.with_name("torn")) == COMPLETED


def test_a_log_that_ends_early_is_read_to_the_last_whole_transaction(killed):
    whole = log_of(killed).read_bytes()
    log_of(killed).write_bytes(whole[: last_frames(killed)[-1] + FRAME - 1])

    assert is_read(killed) == COMPLETED - {4}


def test_a_lost_transaction_is_seen_if_the_log_ends_with_the_next_one(killed):
    last, end = last_frames(killed)[-2:]
    log_of(killed).write_bytes(log_of(killed).read_bytes()[: end + FRAME])
    flip(log_of(killed), last + 16)

    assert refusal(killed) == LOST


def test_older_frames_after_the_last_one_are_nothing(killed):
    """SQLite writes over the frames of an older log, which has other marks."""
    log = bytearray(log_of(killed).read_bytes())
    older = bytearray(log[32:])
    for at in range(8, len(older), FRAME):
        older[at] ^= 255
    log_of(killed).write_bytes(log + older)

    assert is_read(killed) == COMPLETED


@pytest.mark.parametrize("is_there", [True, False])
def test_a_log_without_its_journal_is_refused(is_there, killed):
    """SQLite would remove the log."""
    (killed / "journal.sqlite").write_bytes(b"")
    if not is_there:
        (killed / "journal.sqlite").unlink()

    assert refusal(killed) == LOST


def test_a_log_that_a_server_writes_meanwhile_is_no_damage(killed, monkeypatch):
    """What the first look finds is torn by the writer, and whole when it is looked at again."""
    whole = log_of(killed).read_bytes()
    flip(log_of(killed), 40)
    read = Path.read_bytes

    def late(path):
        found = read(path)
        if path == log_of(killed):
            path.write_bytes(whole)
        return found

    monkeypatch.setattr(Path, "read_bytes", late)
    with read_journal(killed, DIAMOND, RESUME) as journal:
        assert journal.completed() == COMPLETED


# Any damage


def use(path: Path) -> list[int]:
    """Return where a database has bytes that are not zero."""
    return [at for at, byte in enumerate(path.read_bytes()) if byte]


def test_a_flipped_bit_anywhere_is_refused_or_changes_nothing(run):
    """A sample of all bits: half of them in bytes that are used."""
    path, draw = run / "journal.sqlite", random.Random(0)  # noqa: S311
    whole, used = path.read_bytes(), use(path)
    problems = []
    for _ in range(600):
        at = draw.choice([draw.choice(used), draw.randrange(len(whole))])
        flip(path, at, bit=draw.randrange(8))
        try:
            with read_journal(run, DIAMOND, RESUME) as journal:
                assert (journal.completed(), journal.seconds()) == (COMPLETED, SECONDS), at
        except FormatError as error:
            problems.append(str(error))
        path.write_bytes(whole)
    assert len(problems) > 200
    assert "\n" not in "".join(problems)


def cut(directory: Path) -> None:
    path = directory / "journal.sqlite"
    path.write_bytes(path.read_bytes()[: PAGE + 1])


@pytest.mark.parametrize(
    "damage",
    [
        lambda place: edit(place, "UPDATE completed SET task = 2 WHERE task = 1", silently=True),
        lambda place: edit(place, "DROP TABLE completed"),
        cut,
    ],
)
def test_again_puts_a_damaged_journal_aside(damage, run):
    damage(run)
    (run / "logs" / "c.5.log").touch()
    before = contents(run)
    with open_journal(run, DIAMOND, AGAIN) as journal:
        assert journal.completed() == set()
        assert journal.begin([(0, "a")]) == [6]

    assert contents(run)["journal.sqlite.bak"] == before["journal.sqlite"]
    assert is_read(run) == set()


def test_again_puts_a_damaged_log_aside_with_its_journal(killed):
    flip(log_of(killed), 40)
    before = contents(killed)
    with open_journal(killed, DIAMOND, AGAIN) as journal:
        assert journal.completed() == set()

    after = contents(killed)
    for end in ("", "-wal"):
        assert after[f"journal.sqlite.bak{end}"] == before[f"journal.sqlite{end}"]
    assert is_read(killed) == set()


ENDS = st.one_of(
    st.just(None),
    st.builds(
        Outcome,
        st.just(0),
        st.floats(),
        st.none() | st.text(st.characters(exclude_categories=["Cs"])),
        st.booleans(),
    ),
)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 2), ENDS)))
def test_whatever_a_run_writes_is_believed(tmp_path_factory, ends):
    dag = Dag({"a": [], "é\0": [], "\U0001fae8": []})
    three = identity_of(dag, ["x", "y", None])
    directory = tmp_path_factory.mktemp("run")
    with open_journal(directory, three, Opening()) as journal:
        for task, end in ends:
            [number] = journal.begin([(task, dag.names[task])])
            if end is not None:
                outcome = Outcome(number, end.seconds, end.problem, end.is_lost)
                journal.end([outcome] * 2)
        journal.complete([2])
        found = journal.completed()
    for opening in (RESUME, AGAIN, RESUME):
        with open_journal(directory, three, opening) as journal:
            assert journal.completed() == (set() if opening is AGAIN else found)
        found = set() if opening is AGAIN else found
