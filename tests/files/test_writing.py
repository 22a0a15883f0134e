"""Whole files are written all or not at all."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import FormatError
from icsched.files import (
    read_bytes,
    read_text,
    write_bytes,
    write_text,
    write_texts,
    write_with_directory,
)
from tests.files.limits import files_limited_to, mode


@contextmanager
def umask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


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


@pytest.mark.parametrize("permissions", [0o600, 0o755, 0o640])
def test_a_file_keeps_its_permissions(tmp_path, permissions):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(permissions)

    with umask(0o077):
        write_text(path, "new")

    assert path.read_text() == "new"
    assert mode(path) == permissions


@pytest.mark.parametrize("permissions", [0o444, 0o400, 0o066])
def test_a_file_that_its_owner_may_not_write_is_refused(tmp_path, permissions):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(permissions)

    with pytest.raises(FormatError, match=rf"file: it is read-only \(mode {permissions:04o}\)"):
        write_text(path, "new")

    path.chmod(0o600)
    assert path.read_text() == "old"


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
        (tmp_path / "missing" / "new", "its directory does not exist"),
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


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    device = tmp_path / "null"
    try:  # never the real one: icsched could replace it, if run as root
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        device.write_bytes(b"")
    except PermissionError:
        pytest.skip("devices are not permitted here")

    write_text(device, "text")

    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_text(pipe, "café\n")

    with os.fdopen(reader, encoding="utf-8") as text:
        assert text.read() == "café\n"
    assert list(tmp_path.iterdir()) == [pipe]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_a_file_that_is_standard_output_is_written_on_from_where_it_is(tmp_path, name):
    code = f"from icsched.files import write_text; write_text({name!r}, 'second')"

    with (tmp_path / "file").open("w") as file:
        file.write("first, ")
        file.flush()
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
        file.seek(0, os.SEEK_END)
        file.write(", third")

    assert (tmp_path / "file").read_text() == "first, second, third"


@given(st.binary())
def test_bytes_that_were_written_are_read_back_the_same(scratch, data):
    write_bytes(scratch, data)

    assert read_bytes(scratch) == data


def test_several_files_are_written_and_what_is_no_file_is_written_into(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    reader, writer = os.pipe()

    with os.fdopen(reader) as pipe:
        texts = {"old": "1", "new": "2"}
        paths = {str(tmp_path / name): text for name, text in texts.items()}
        write_texts({**paths, f"/dev/fd/{writer}": "3", os.devnull: "4"})
        os.close(writer)
        assert pipe.read() == "3"

    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == texts
    assert mode(tmp_path / "old") == 0o640


@pytest.mark.parametrize(
    ("old", "folder", "script", "text"),
    [
        (None, 0o750, 0o750, 0o640),
        (0o700, 0o700, 0o750, 0o640),
    ],
)
def test_a_directory_of_files_gets_the_permissions_of_the_old_or_of_a_new_one(
    tmp_path, old, folder, script, text
):
    place = tmp_path / "place"
    if old is not None:
        place.mkdir()
        place.chmod(old)

    with umask(0o027):
        write_with_directory(
            tmp_path / "file", b"1", place, {"run": b"2", "data": b"3"}, executable={"run"}
        )

    assert (mode(place), mode(place / "run"), mode(place / "data")) == (folder, script, text)
    assert (tmp_path / "file").read_bytes() == b"1"
    assert sorted(path.name for path in place.iterdir()) == ["data", "run"]


@pytest.mark.parametrize("permissions", [0o600, 0o755])
def test_a_file_that_is_replaced_with_its_directory_keeps_its_permissions(tmp_path, permissions):
    """A new file would get 0644."""
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(permissions)

    with umask(0o022):
        write_with_directory(file, b"1", tmp_path / "place", {"data": b"2"})

    assert (file.read_bytes(), mode(file)) == (b"1", permissions)


def test_files_in_a_new_directory_get_the_group_that_the_directory_above_gives(tmp_path):
    tmp_path.chmod(0o2755)

    write_with_directory(tmp_path / "file", b"1", tmp_path / "place", {"data": b"2"})

    assert mode(tmp_path / "place") & stat.S_ISGID


def test_of_an_old_directory_only_what_cannot_be_removed_is_left(tmp_path, monkeypatch):
    place = tmp_path / "place"
    place.mkdir()
    for name in "abc":
        (place / name).write_text("old")
    stuck: list[str] = []
    unlink = os.unlink

    def unlink_all_but_the_first(path, **options):
        if path in [*"abc"] and path in (stuck or [path]):
            stuck[:] = [path]
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        unlink(path, **options)

    monkeypatch.setattr(os, "unlink", unlink_all_but_the_first)
    with pytest.raises(FormatError):
        write_with_directory(tmp_path / "file", b"1", place, {"new": b"2"})

    assert [path.name for path in tmp_path.rglob("*") if path.name in "abc"] == stuck
    assert (place / "new").read_bytes() == b"2"
    assert (tmp_path / "file").read_bytes() == b"1"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_files_in_a_directory_of_another_owner_belong_to_that_owner(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    os.chown(place, 65534, 100)

    write_with_directory(tmp_path / "file", b"1", place, {"data": b"2"})

    made = (place / "data").stat()
    assert (made.st_uid, made.st_gid) == (65534, 100)
