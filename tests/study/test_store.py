"""Cells on disk: kept at once, read back exactly, never mixed up."""

import errno
import fcntl
import json
import os

import pytest

from icsched.errors import FormatError
from icsched.sim import Ratio
from icsched.study import Store, read_cells
from tests.study.studies import made


@pytest.fixture
def directory(tmp_path):
    return str(tmp_path / "new" / "study")


def _fail():
    raise ZeroDivisionError


def _add_and_fail(directory):
    with Store(directory) as store:
        store.add("study", made(1, 2))
        _fail()


def test_cells_come_back_as_they_were(directory):
    """A third has no short decimal: it must come back to the last bit."""
    results = [
        made(1, 2),
        made(1, 4, time=Ratio(1 / 3, 0.1, 2 / 3, 1 / 3, 0.1)),
        made(0.001, 2, precise=False),
    ]
    with Store(directory) as store:
        for result in results:
            store.add("study", result)
        assert store.cells("study") == {result.cell: result for result in results}

    assert read_cells(directory, "study") == {result.cell: result for result in results}
    with Store(directory) as store:
        assert store.cells("study") == {result.cell: result for result in results}


def test_a_cell_is_on_disk_as_soon_as_it_is_added(directory):
    with Store(directory) as store:
        store.add("study", made(1, 2))

        assert list(read_cells(directory, "study").values()) == [made(1, 2)]


def test_a_study_that_fails_before_its_first_cell_leaves_nothing(directory, tmp_path):
    with pytest.raises(ZeroDivisionError), Store(directory):
        _fail()

    assert not (tmp_path / "new").exists()


def test_a_study_that_fails_at_once_keeps_the_directory_that_was_there(tmp_path):
    (tmp_path / "old").mkdir()
    with pytest.raises(ZeroDivisionError), Store(str(tmp_path / "old" / "new")):
        _fail()

    assert list(tmp_path.iterdir()) == [tmp_path / "old"]
    assert not list((tmp_path / "old").iterdir())


def test_a_study_that_fails_later_keeps_its_cells(directory):
    with pytest.raises(ZeroDivisionError):
        _add_and_fail(directory)

    assert list(read_cells(directory, "study").values()) == [made(1, 2)]


def test_cells_of_another_study_are_kept_but_not_taken(directory):
    with Store(directory) as store:
        store.add("old", made(1, 2, runs=1))
        store.add("new", made(1, 2, runs=2))
        assert [result.runs for result in store.cells("new").values()] == [2]

    assert [result.runs for result in read_cells(directory, "old").values()] == [1]
    assert read_cells(directory, "other") == {}


@pytest.mark.parametrize("left", [1, 10, 400])
def test_a_torn_last_line_is_dropped_and_the_next_stands_on_its_own(directory, tmp_path, left):
    with Store(directory) as store:
        store.add("study", made(1, 2))
        store.add("study", made(1, 4))
    path = tmp_path / "new" / "study" / "cells.jsonl"
    whole, torn = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(whole + torn[:left])

    assert list(read_cells(directory, "study").values()) == [made(1, 2)]
    with Store(directory) as store:
        assert list(store.cells("study").values()) == [made(1, 2)]
        store.add("study", made(1, 8))
    assert list(read_cells(directory, "study").values()) == [made(1, 2), made(1, 8)]
    assert [json.loads(line)["cell"]["batch"] for line in path.read_text().splitlines()] == [2, 8]


def test_a_line_without_its_end_is_torn_even_if_all_of_it_is_there(directory, tmp_path):
    with Store(directory) as store:
        store.add("study", made(1, 2))
    path = tmp_path / "new" / "study" / "cells.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))

    assert read_cells(directory, "study") == {}


@pytest.mark.parametrize("line", ["{}", "my notes", '{"study": "x", "cell": {"interval": "1"}}'])
def test_a_file_that_holds_no_cells_is_left_alone(tmp_path, line):
    path = tmp_path / "cells.jsonl"
    path.write_text(f"{line}\nmore")

    for open_ in (Store, lambda directory: read_cells(directory, "study")):
        with pytest.raises(FormatError) as caught:
            open_(str(tmp_path))
        assert str(caught.value).startswith(f"{path}:1: expected a cell of a study: ")
    assert path.read_text() == f"{line}\nmore"


@pytest.mark.parametrize(
    "mine", ['{"my":"precious data"}', "notes", '{"study": "of birds"}', "\0x"]
)
def test_a_file_of_others_without_a_last_newline_is_left_alone(tmp_path, mine):
    path = tmp_path / "cells.jsonl"
    path.write_text(mine)

    for open_ in (Store, lambda directory: read_cells(directory, "study")):
        with pytest.raises(FormatError) as caught:
            open_(str(tmp_path))
        assert str(caught.value) == f"{path}:1: expected a cell of a study, got {mine!r}"
    assert path.read_text() == mine


def test_notes_below_our_cells_are_left_alone(directory, tmp_path):
    with Store(directory) as store:
        store.add("study", made(1, 2))
    path = tmp_path / "new" / "study" / "cells.jsonl"
    before = path.read_bytes() + b"look at this one again!"
    path.write_bytes(before)

    with pytest.raises(FormatError, match=r"cells\.jsonl:2: expected a cell of a study, got 'look"):
        Store(directory)
    assert path.read_bytes() == before


def test_zeros_that_a_power_cut_left_are_torn(directory, tmp_path):
    with Store(directory) as store:
        store.add("study", made(1, 2))
    path = tmp_path / "new" / "study" / "cells.jsonl"
    path.write_bytes(path.read_bytes() + bytes(300))

    with Store(directory) as store:
        store.add("study", made(1, 4))
    assert list(read_cells(directory, "study").values()) == [made(1, 2), made(1, 4)]


def test_the_names_of_a_new_file_and_new_directories_are_synced(directory, tmp_path, monkeypatch):
    """A name is in the directory above, which a sync of the file itself leaves out."""
    synced = set()
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: sync(file) or synced.add(inode(os.fstat(file))))

    with Store(directory):
        pass

    above = tmp_path, tmp_path / "new", tmp_path / "new" / "study"
    assert {inode(path.stat()) for path in above} <= synced


def inode(status):
    return status.st_dev, status.st_ino


def fail_to_lock(monkeypatch, number):
    def refuse(_handle, _how):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_where_files_cannot_be_locked_a_study_goes_on(directory, monkeypatch, number):
    fail_to_lock(monkeypatch, number)

    with Store(directory) as store:
        store.add("study", made())
    assert len(read_cells(directory, "study")) == 1


def test_a_lock_that_fails_otherwise_is_one_line(directory, monkeypatch):
    fail_to_lock(monkeypatch, errno.EIO)

    with pytest.raises(FormatError) as caught:
        Store(directory)
    assert str(caught.value) == f"{directory}/cells.jsonl: input/output error"


def test_only_one_study_at_a_time_writes_to_a_directory(directory):
    with Store(directory) as store:
        with pytest.raises(FormatError, match=r"cells.jsonl: another study is writing to it"):
            Store(directory)
        store.add("study", made())

    with Store(directory) as store:
        assert len(store.cells("study")) == 1


def test_a_directory_that_is_a_file_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_text("mine")

    for directory in (path, path / "below"):
        with pytest.raises(FormatError) as caught:
            Store(str(directory))
        assert str(caught.value) == f"{directory}: expected a directory, got a file"
    assert path.read_text() == "mine"


def test_a_directory_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "cells.jsonl").mkdir()

    with pytest.raises(FormatError) as caught:
        Store(str(tmp_path))
    assert str(caught.value) == f"{tmp_path / 'cells.jsonl'}: is a directory"


def test_cells_of_workers_and_of_the_only_pool_come_back(directory):
    results = [made(None, None, 8), made(None, None, 16), made(None, None)]
    with Store(directory) as store:
        for result in results:
            store.add("study", result)

    assert read_cells(directory, "study") == {result.cell: result for result in results}
