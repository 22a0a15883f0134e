"""Whole files: read as bytes or text, written all or not at all, changed with a backup."""

import os
import resource
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import FormatError
from icsched.files import (
    is_own_file,
    read_bytes,
    read_if_there,
    read_text,
    remove,
    rewrite,
    write_bytes,
    write_text,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Let the system refuse to write more than *size* bytes to a file, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# Reading


def test_a_file_of_a_workflow_is_known_by_all_its_names(tmp_path):
    path, other = tmp_path / "wf.dag", tmp_path / "other.dag"
    path.touch()
    other.symlink_to(path)

    assert is_own_file(other, [str(tmp_path / "x.sub"), str(path)])
    assert not is_own_file(tmp_path / "new.dag", [str(path)])


def test_text_is_read_as_utf_8_with_its_line_ends(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"caf\xc3\xa9\r\n\n")

    assert read_text(path) == read_text(str(path)) == "café\r\n\n"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"\xff\xfea\0", "1: expected UTF-8 text, got byte 0xff"),
        (b"a\nb\n\x80", "3: expected UTF-8 text, got byte 0x80"),
        (b"a\n\xc3\xa9\xc3(\n", "2: expected UTF-8 text, got byte 0xc3"),
        (b"\xed\xb2\x80", "1: expected UTF-8 text, got byte 0xed"),
        (b"\0", "1: expected text, got a NUL byte"),
        (b"a\n\n\nb\0c\0", "4: expected text, got a NUL byte"),
    ],
    ids=["utf-16", "stray byte", "cut short", "surrogate", "only nul", "nul"],
)
def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path, data, problem):
    path = tmp_path / "data"
    path.write_bytes(data)

    with pytest.raises(FormatError) as caught:
        read_text(path)

    assert str(caught.value) == f"{path}:{problem}"


def test_what_is_no_readable_file_is_named(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    for path, problem in [
        (tmp_path / "missing", "no such file or directory"),
        (tmp_path, "is a directory"),
        (tmp_path / "file" / "below", "not a directory"),
        (tmp_path / "loop", "too many levels of symbolic links"),
    ]:
        with pytest.raises(FormatError) as caught:
            read_text(path)
        assert str(caught.value) == f"{path}: {problem}"
        assert (caught.value.path, caught.value.line) == (str(path), None)
        assert isinstance(caught.value.__cause__, OSError)


def test_bytes_are_read_as_they_are(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"\xff\0\r\n")

    assert read_bytes(path) == read_bytes(str(path)) == read_if_there(path) == b"\xff\0\r\n"


def test_bytes_are_read_from_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"text",))
    writer.start()

    assert read_bytes(pipe) == b"text"
    writer.join()


def test_a_file_that_need_not_be_there_is_none(tmp_path):
    (tmp_path / "file").touch()

    assert read_if_there(tmp_path / "missing") is None
    assert read_if_there(tmp_path / "file" / "below") is None
    with pytest.raises(FormatError, match="is a directory"):
        read_if_there(tmp_path)


# Writing


@pytest.fixture(scope="session")
def scratch(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("files") / "text"


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_text_that_was_written_is_read_back_the_same(scratch, text):
    write_text(scratch, text)

    assert read_text(scratch) == text
    assert list(scratch.parent.iterdir()) == [scratch]


def test_a_relative_path_is_written_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    write_text("new", "text")

    assert (tmp_path / "new").read_text() == "text"


def test_a_file_is_replaced_whole_so_that_its_readers_never_see_a_part(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    with path.open() as reader:
        write_text(path, "new")
        assert reader.read() == "old"

    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a memory disk")  # noqa: S108
def test_a_file_on_the_memory_disk_is_a_file_like_any_other():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        path = Path(directory, "file")
        path.write_text("old")

        with path.open() as reader:
            write_text(path, "new")
            assert reader.read() == "old"

        assert path.read_text() == "new"


@pytest.mark.parametrize("permissions", [0o600, 0o755, 0o444])
def test_a_file_keeps_its_permissions(tmp_path, permissions):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(permissions)

    with umask(0o077):
        write_text(path, "new")

    assert path.read_text() == "new"
    assert mode(path) == permissions


@pytest.mark.parametrize(("mask", "permissions"), [(0o022, 0o644), (0o027, 0o640), (0, 0o666)])
def test_a_new_file_gets_the_permissions_that_the_umask_allows(tmp_path, mask, permissions):
    path = tmp_path / "file"

    with umask(mask):
        write_text(path, "new")
        assert os.umask(mask) == mask  # and the umask is as before

    assert mode(path) == permissions


def test_a_link_keeps_pointing_at_the_file_it_names(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to("target")

    write_text(link, "new")

    assert link.is_symlink()
    assert target.read_text() == "new"
    assert not target.is_symlink()


def test_a_link_to_a_file_in_another_directory_is_followed(tmp_path):
    (tmp_path / "away").mkdir()
    (tmp_path / "here").mkdir()
    link = tmp_path / "here" / "link"
    link.symlink_to("../away/target")  # which is not there yet

    write_text(link, "new")

    assert link.is_symlink()
    assert [path.name for path in (tmp_path / "away").iterdir()] == ["target"]
    assert (tmp_path / "away" / "target").read_text() == "new"
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["link"]


def test_a_file_name_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("n" * os.pathconf(tmp_path, "PC_NAME_MAX"))

    write_text(path, "text")

    assert path.read_text() == "text"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    for path, problem in [
        (tmp_path, "is a directory"),
        (tmp_path / "missing" / "new", "no such file or directory"),
        (tmp_path / "file" / "new", "not a directory"),
        (Path("/dev/full"), "no space left on device"),
    ]:
        with pytest.raises(FormatError) as caught:
            write_text(path, "text")
        assert str(caught.value) == f"{path}: {problem}"
        assert (caught.value.path, caught.value.line) == (str(path), None)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_link_that_leads_to_itself_cannot_be_written(tmp_path):
    link = tmp_path / "loop"
    link.symlink_to("loop")

    with pytest.raises(FormatError) as caught:
        write_text(link, "text")

    assert str(caught.value) == f"{link}: too many levels of symbolic links"
    assert list(tmp_path.iterdir()) == [link]


@pytest.mark.parametrize("old", ["old", None])
def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path, old):
    path = tmp_path / "file"
    if old:
        path.write_text(old)

    with files_limited_to(100_000), pytest.raises(FormatError) as caught:
        write_text(path, "x" * 1_000_000)

    assert str(caught.value) == f"{path}: file too large"
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == (
        [("file", "old")] if old else []
    )


def test_text_that_has_no_utf_8_is_refused_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    with pytest.raises(FormatError) as caught:
        write_text(path, "a\udc80b")

    assert str(caught.value).startswith(f"{path}: ")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to_and_not_replaced():
    write_text("/dev/null", "text")

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_text(pipe, "café\n")

    with os.fdopen(reader, encoding="utf-8") as text:
        assert text.read() == "café\n"
    assert list(tmp_path.iterdir()) == [pipe]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@given(st.binary())
def test_bytes_that_were_written_are_read_back_the_same(scratch, data):
    write_bytes(scratch, data)

    assert read_bytes(scratch) == data


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
