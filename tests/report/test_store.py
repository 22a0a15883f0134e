"""Cells on disk: kept at once, read back exactly, never mixed up."""

import json

import pytest

from icsched.errors import FormatError, UsageError
from icsched.report import Store, read_cells
from icsched.sim import Ratio
from tests.report.studies import made


@pytest.fixture
def directory(tmp_path):
    return str(tmp_path / "new" / "study")


def test_cells_come_back_as_they_were(directory):
    """A third has no short decimal: it must come back to the last bit."""
    results = [made(1, 2), made(1, 4, time=Ratio(1 / 3, 0.1, 2 / 3)), made(0.001, 2, precise=False)]
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


def test_only_one_study_at_a_time_writes_to_a_directory(directory):
    with Store(directory) as store:
        with pytest.raises(UsageError, match=r"cells.jsonl: another study is writing to it"):
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
