"""What a killed icsched leaves behind is removed by the next, and nothing else is."""

import fcntl
import os
import resource
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from icsched.files import temporary, write_text
from icsched.files.temporary import temporary_directory, temporary_file


def in_a_process(work) -> int:
    """Run *work* in a process of its own; return its exit code, negative for a signal."""
    child = os.fork()
    if not child:
        with suppress(BaseException):
            work()
            os._exit(0)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_in(context, directory: Path) -> None:
    """Kill a process in the middle of making something."""

    def work() -> None:
        with context(directory) as made:
            path = made if isinstance(made, Path) else made[1]
            if path.is_dir():
                (path / "half").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_a_process(work) == -signal.SIGKILL


def write_in_a_process(directory: Path) -> None:
    assert in_a_process(lambda: write_text(directory / "file", "new")) == 0


@pytest.mark.parametrize("context", [temporary_file, temporary_directory])
def test_what_a_killed_process_left_is_removed_by_the_next_that_writes_there(tmp_path, context):
    killed_in(context, tmp_path)
    killed_in(context, tmp_path)  # which removes what the first left
    assert [path.name[:13] for path in tmp_path.iterdir()] == [".icsched-tmp-"]

    write_in_a_process(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("context", [temporary_file, temporary_directory])
def test_what_a_live_process_is_writing_is_left_alone(tmp_path, context):
    with context(tmp_path) as made:
        write_in_a_process(tmp_path)

        assert (made if isinstance(made, Path) else made[1]).exists()


def test_a_name_that_is_almost_ours_is_not_ours(tmp_path):
    names = [".icsched-notes", ".icsched-tmp-", ".icsched-tmp-a", ".icsched-tmp-ABCDEFGH"]
    names += [".icsched-tmp-abcdefghi", "x.icsched-tmp-abcdefgh", ".icsched-tmp-abcd-fgh"]
    for name in names:
        (tmp_path / name).write_text("mine")

    write_in_a_process(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "file"])


def test_a_link_or_a_pipe_with_a_name_of_ours_is_left_with_all_behind_it(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "file").write_text("mine")
    here = tmp_path / "here"
    here.mkdir()
    (here / ".icsched-tmp-aaaaaaaa").symlink_to(away)
    (here / ".icsched-tmp-bbbbbbbb").symlink_to(away / "file")
    os.mkfifo(here / ".icsched-tmp-cccccccc")

    write_in_a_process(here)

    assert len(list(here.iterdir())) == 4
    assert (away / "file").read_text() == "mine"


def test_an_error_in_the_block_removes_what_was_made(tmp_path):
    for context in (temporary_file, temporary_directory):
        with pytest.raises(KeyError), context(tmp_path):
            raise KeyError

    assert list(tmp_path.iterdir()) == []


WRITER = """
import sys
from icsched.files import read_text, temporary, write_text
for number in range(150):
    temporary._sweep.cache_clear()  # so that each write sweeps
    write_text(sys.argv[1], f"{sys.argv[1]} {number}")
    assert read_text(sys.argv[1]).endswith(f" {number}")
"""


def test_a_directory_that_cannot_be_opened_is_an_error_and_is_removed(tmp_path):
    """No handle is free; the next one is for listing what the test finds."""

    def work() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0), 1024))
        with pytest.raises(OSError, match="Too many open files"), temporary_directory(tmp_path):
            pass

    temporary.sweep(tmp_path)
    assert in_a_process(work) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_another_process_has_locked_before_is_left_to_it(tmp_path, monkeypatch):
    """The other process sweeps: it takes the file for that of a dead process."""
    make, sweepers = tempfile.mkstemp, []

    def swept(**where):
        handle, name = make(**where)
        if not sweepers:
            sweepers.append(os.open(name, os.O_RDONLY))
            fcntl.flock(sweepers[0], fcntl.LOCK_EX)
        return handle, name

    monkeypatch.setattr(tempfile, "mkstemp", swept)
    with temporary_file(tmp_path) as (_, path):
        left = {entry.name for entry in tmp_path.iterdir()} - {path.name}
        assert len(left) == 1
        assert os.path.samestat(os.fstat(sweepers[0]), (tmp_path / left.pop()).stat())
    os.close(sweepers[0])


def test_processes_that_write_and_sweep_at_once_do_not_disturb_each_other(tmp_path):
    command = [sys.executable, "-c", WRITER]
    writers = [subprocess.Popen([*command, tmp_path / str(number)]) for number in range(4)]

    assert [writer.wait(timeout=300) for writer in writers] == [0, 0, 0, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2", "3"]


def test_a_process_looks_only_once_into_a_directory(tmp_path):
    """Ten thousand tables in one directory must not take ten thousand looks at all of them."""
    temporary._sweep.cache_clear()
    for number in range(5):
        write_text(tmp_path / str(number), "")

    assert temporary._sweep.cache_info().misses == 1
