"""Files are changed with a backup, and removed."""

import errno
import os
import sys
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.files import Change, back_up, backups, remove, rewrite
from tests.files.limits import files_limited_to, mode

# Changing


def test_a_file_is_rewritten_and_what_is_to_be_kept_stands_beside_it(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)

    assert rewrite(path, b"old", b"new", keep=b"kept") == f"{path}.bak"

    assert path.read_bytes() == b"new"
    assert (tmp_path / "file.bak").read_bytes() == b"kept"
    assert mode(path) == mode(tmp_path / "file.bak") == 0o640
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_is_rewritten_without_a_backup(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    assert rewrite(path, b"old", b"new") is None
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"new"]


def test_backups_are_numbered_and_one_that_holds_the_same_serves_again(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"1")

    backups = [
        rewrite(path, b"1", b"2", keep=b"one"),
        rewrite(path, b"2", b"3", keep=b"two"),
        rewrite(path, b"3", b"4", keep=b"one"),
        rewrite(path, b"4", b"5", keep=b"three"),
    ]

    assert backups == [f"{path}.bak", f"{path}.bak2", f"{path}.bak", f"{path}.bak3"]
    assert (tmp_path / "file.bak2").read_bytes() == b"two"


def test_a_directory_with_the_name_of_a_backup_is_passed_over(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    (tmp_path / "file.bak").mkdir()

    assert rewrite(path, b"old", b"new", keep=b"old") == f"{path}.bak2"


@pytest.mark.parametrize("now", [b"", b"old ", b"OLD"])
def test_a_file_that_holds_something_else_by_now_is_left_alone(tmp_path, now):
    path = tmp_path / "file"
    path.write_bytes(now)

    with pytest.raises(FormatError) as caught:
        rewrite(path, b"old", b"new", keep=b"old")

    assert str(caught.value) == (
        f"{path}: it changed while icsched was at work and was left as it is: run it again"
    )
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"file": now}


def test_what_is_no_ordinary_file_is_not_rewritten(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "missing", Path("/dev/null")):
        with pytest.raises(FormatError) as caught:
            rewrite(path, b"", b"new", keep=b"")
        assert str(caught.value) == f"{path}: expected an ordinary file to change"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("kept", [b"old", b"x" * 1_000_000])
def test_a_change_that_fails_half_way_leaves_the_old_file(tmp_path, kept):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    with files_limited_to(100_000), pytest.raises(FormatError) as caught:
        rewrite(path, b"old", b"x" * 1_000_000, keep=kept)

    assert str(caught.value) == f"{path}: file too large"
    assert path.read_bytes() == b"old"
    assert {file.name for file in tmp_path.iterdir()} <= {"file", "file.bak"}


def test_a_file_is_removed_once_and_may_be_gone(tmp_path):
    path = tmp_path / "file"
    path.touch()

    remove(path)
    remove(path)

    assert not path.exists()


def test_what_cannot_be_removed_is_named(tmp_path):
    with pytest.raises(FormatError) as caught:
        remove(tmp_path)

    assert caught.value.path == str(tmp_path)
    assert tmp_path.is_dir()


# Edits of other programs; tests/faults/test_edits.py has one at every system call


def test_the_old_file_itself_becomes_the_backup(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    with path.open("ab") as other:
        rewrite(path, b"old", b"new", keep=b"old")
        other.write(b" and more")

    assert path.read_bytes() == b"new"
    assert (tmp_path / "file.bak").read_bytes() == b"old and more"


@pytest.mark.parametrize("keep", [None, b"kept"])
def test_an_old_file_that_somebody_may_still_write_stays_as_a_backup(tmp_path, keep):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    name = "file.bak" if keep is None else "file.bak2"

    with path.open("ab") as other:
        assert rewrite(path, b"old", b"new", keep=keep) == str(tmp_path / name)
        other.write(b" and more")

    assert (tmp_path / name).read_bytes() == b"old and more"


def test_a_reader_of_the_old_file_keeps_no_backup(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    with path.open("rb"):
        rewrite(path, b"old", b"new")

    assert list(tmp_path.iterdir()) == [path]


def test_a_file_with_another_name_gets_a_backup_of_its_own(tmp_path):
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_bytes(b"old")
    os.link(path, other)

    rewrite(path, b"old", b"new", keep=b"old")
    other.write_bytes(b"edited")

    assert (path.read_bytes(), (tmp_path / "file.bak").read_bytes()) == (b"new", b"old")


def test_a_backup_that_is_a_link_is_not_replaced_by_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    (tmp_path / "mine").write_bytes(b"old")
    (tmp_path / "file.bak").symlink_to("mine")

    assert rewrite(path, b"old", b"new", keep=b"old") == f"{path}.bak"

    assert (tmp_path / "file.bak").is_symlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "file.bak", "mine"]


def test_the_backup_of_a_linked_file_is_beside_the_file(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    path, link = tmp_path / "a" / "b" / "file", tmp_path / "a long name"
    path.write_bytes(b"old")
    link.symlink_to(path)

    assert back_up(link) == f"{path}.bak"

    assert (tmp_path / "a" / "b" / "file.bak").read_bytes() == b"old"
    assert back_up(path) == f"{path}.bak"  # it is kept already
    assert sorted(file.name for file in path.parent.iterdir()) == ["file", "file.bak"]


# Changes as data


def test_a_change_that_changes_nothing_says_so_and_has_no_surprises(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"same")
    os.link(path, tmp_path / "other")

    assert Change(str(path), b"same", b"same").is_none is True
    assert Change(str(path), b"same", b"same").check() == []
    assert Change(str(path), b"same", b"new").is_none is False


def test_a_held_file_with_another_name_leaves_no_copy_of_itself(tmp_path):
    """Its other name keeps the old file, and what the program that holds it may still write."""
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_bytes(b"old")
    os.link(path, other)

    with path.open("r+b"):
        assert rewrite(path, b"old", b"new") is None

    assert path.read_bytes() == b"new"
    assert other.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2


def test_an_exchange_by_second_names_that_fails_at_its_end_says_why(tmp_path, monkeypatch):
    """The second rename fails: the old file gets its name back, and no second name is left."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    replace = Path.replace

    def failing(self, target):
        if Path(target) == one:
            raise OSError(errno.EIO, "broken")
        return replace(self, target)

    monkeypatch.setattr(sys, "platform", "darwin")
    backups._renameat2.cache_clear()
    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OSError, match="broken"):
        backups.exchange(one, other)
    backups._renameat2.cache_clear()

    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"other": b"2"}


def test_a_change_tells_of_hard_links_before_it_is_made(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "other")
    surprise = ["it has other hard links, which keep the old content"]

    assert Change(str(path), b"old", b"new").check() == surprise
    assert Change(str(path), b"old", None).check() == [], "a name that goes leaves the other"
    assert Change(str(tmp_path / "missing"), None, b"new").check() == []
    assert Change(str(tmp_path / "missing"), None, None).check() == []


@pytest.mark.parametrize(("new", "is_swept"), [(b"same", True), (b"new", True), (None, False)])
def test_a_look_at_a_change_removes_what_a_killed_process_left(tmp_path, new, is_swept):
    path = tmp_path / "file"
    path.write_bytes(b"same")
    left = tmp_path / ".icsched-tmp-abcdefgh"
    left.touch()

    Change(str(path), b"same", new).check()

    assert left.exists() is not is_swept


def test_a_file_is_made_changed_and_removed_by_changes(tmp_path):
    path = tmp_path / "file"

    assert Change(str(path), None, b"1").make() is None
    assert path.read_bytes() == b"1"
    assert Change(str(path), b"1", b"2").make() == f"{path}.bak"
    assert (path.read_bytes(), (tmp_path / "file.bak").read_bytes()) == (b"2", b"1")
    assert Change(str(path), b"2", None).make() is None
    assert sorted(tmp_path.iterdir()) == [tmp_path / "file.bak"]
