"""The global event log of a real HTCondor: text and JSON, in files that HTCondor rotates."""

import re
from pathlib import Path

import pytest

from icsched.history import read_log
from tests.htcondor.logged import counted, job

DAG = """\
JOB first first.sub
JOB second second.sub
JOB broken broken.sub
PARENT first CHILD second broken
"""
# The first run fails, the next one continues it from its rescue file, the last one is another run.
ENDINGS = {"first": ["DONE"] * 2, "second": ["DONE"] * 2, "broken": ["FAILED", "DONE", "DONE"]}
RUNS = {"first": [0, 1], "second": [0, 1], "broken": [0, 0, 1]}
FORMS = ["JSON", "ISO_DATE", "ISO_DATE UTC SUB_SECOND"]


def run_thrice(pool, place: Path) -> None:
    job(place, "first", "sleep 1")
    job(place, "second", "sleep 2")
    job(place, "broken", "test -e fixed")
    (place / "wf.dag").write_text(DAG)
    assert pool.run(place, "wf.dag", fast=False, options=()).status != 0
    (place / "fixed").touch()
    assert pool.run(place, "wf.dag", fast=False, options=()).status == 0
    assert pool.run(place, "wf.dag", fast=False, options=("-f",)).status == 0


@pytest.fixture(scope="module", params=FORMS)
def place(pool, request):
    """The folder of three runs, with the files of the event log: `events`, `events.1`, ..."""
    place = pool.fresh()
    log = pool.directory_of_logs / f"events-{request.param.replace(' ', '-')}"
    settings = {
        "EVENT_LOG": f"/{log.relative_to(pool.root)}",
        "EVENT_LOG_MAX_SIZE": "3000",
        "EVENT_LOG_MAX_ROTATIONS": "100",
        "EVENT_LOG_FORMAT_OPTIONS": request.param,
    }
    with pool.configured(settings):
        run_thrice(pool, place)
    for path in log.parent.glob(f"{log.name}*"):
        (place / path.name.replace(log.name, "events")).write_bytes(path.read_bytes())
    return place


@pytest.fixture
def rotated(place) -> list[Path]:
    """The files of the event log, latest first."""
    files = place.glob("events*")
    return sorted(files, key=lambda path: int(path.suffix[1:] or 0))


def runs_of(past) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, run in zip(past.job, past.run.tolist(), strict=True):
        found.setdefault(past.names[index], []).append(run)
    return found


def whole(rotated: list[Path], place: Path) -> Path:
    """All events in one file, as if nothing had been rotated."""
    path = place / "whole"
    path.write_bytes(b"".join(file.read_bytes() for file in reversed(rotated)))
    return path


def after_header(data: bytes) -> int:
    mark = b"\n}\n" if data.startswith(b"{") else b"\n...\n"
    return data.index(mark) + len(mark)


def test_rotated_files_are_read_in_any_order(rotated):
    assert len(rotated) > 3
    for files in (rotated, rotated[::-1], rotated[1::2] + rotated[::2]):
        past = read_log(files)
        assert counted(past) == ENDINGS, "DAGMan's own jobs are not jobs of the workflow"
        assert runs_of(past) == RUNS
        assert all(slot.startswith("slot1_") for slot in past.slots)


def test_several_runs_in_one_file(rotated, place, tmp_path):
    past = read_log(whole(rotated, tmp_path))
    users = read_log(place / "user.log")

    for found in (past, users):
        assert counted(found) == ENDINGS
        assert runs_of(found) == RUNS
    assert abs(past.seconds - users.seconds).max() <= 1


def test_the_event_log_and_the_users_log_together_say_what_each_says(rotated, place):
    past = read_log([*rotated, place / "user.log", place / "wf.dag.nodes.log"])

    assert counted(past) == ENDINGS
    assert runs_of(past) == RUNS


def test_an_event_log_cut_anywhere_is_read_up_to_the_cut(rotated, tmp_path):
    path = whole(rotated, tmp_path)
    data = path.read_bytes()
    found = []
    for length in [*range(after_header(data), len(data), 97), len(data)]:
        path.write_bytes(data[:length])
        found.append(len(read_log(path)))

    assert found == sorted(found)
    assert (found[0], found[-1]) == (0, 7)


def test_the_oldest_files_of_an_event_log_may_be_gone(rotated):
    """Jobs whose submission is lost have a number for a name; of the others all is known."""
    for kept in range(1, len(rotated)):
        found = counted(read_log(rotated[:kept]))
        for name in found.keys() & ENDINGS.keys():
            assert found[name] == ENDINGS[name][-len(found[name]) :]
        assert all(re.fullmatch(r"\d+\.0", name) for name in found.keys() - ENDINGS.keys())


def test_a_file_that_has_only_its_header(rotated, tmp_path):
    """HTCondor writes the header first: a pool without any job has no more."""
    data = rotated[0].read_bytes()
    (tmp_path / "events").write_bytes(data[: after_header(data)])

    assert len(read_log(tmp_path / "events")) == 0
    assert counted(read_log([tmp_path / "events", *rotated])) == ENDINGS
