"""Two files change names; and a lease tells whether anybody can still write a file."""

import subprocess
import sys

import pytest

from icsched.files import backups


@pytest.fixture(params=["at once", "by a second name"])
def pair(request, tmp_path, monkeypatch):
    """Two files, on a system that can exchange them at once or cannot."""
    if request.param == "by a second name":
        monkeypatch.setattr(backups, "_renameat2", lambda: None)
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("1")
    other.write_text("2")
    return one, other


def test_two_files_change_names(pair):
    one, other = pair

    assert backups.exchange(one, other)

    assert (one.read_text(), other.read_text()) == ("2", "1")
    assert sorted(one.parent.iterdir()) == [one, other]


@pytest.mark.parametrize("gone", [0, 1])
def test_a_file_that_is_gone_is_an_error_and_the_other_stays(pair, gone):
    pair[gone].unlink()

    with pytest.raises(FileNotFoundError):
        backups.exchange(*pair)

    left = pair[1 - gone]
    assert list(left.parent.iterdir()) == [left]
    assert left.read_text() == str(2 - gone)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has leases")
def test_a_program_that_wants_to_write_ends_the_lease_but_not_the_process(tmp_path):
    (tmp_path / "file").touch()
    work = """
import os
from icsched.files.backups import lease
handle = os.open("file", os.O_RDONLY)
with lease(handle) as is_sole:
    print(is_sole())
    try:
        os.open("file", os.O_WRONLY | os.O_NONBLOCK)
    except BlockingIOError:
        print("waits")
    print(is_sole())
os.open("file", os.O_WRONLY | os.O_NONBLOCK)
with lease(handle) as is_sole:
    print(is_sole())
"""
    words = [sys.executable, "-c", work]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    if done.stdout.startswith("None"):
        pytest.skip("this file system has no leases")
    assert done.stdout.split() == ["True", "waits", "False", "False"]


def test_a_system_without_leases_cannot_say_whether_another_program_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")

    with (tmp_path / "file").open("w") as file, backups.lease(file.fileno()) as is_sole:
        assert is_sole() is None
