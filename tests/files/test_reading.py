"""Whole files are read as bytes or text."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial

import pytest

from icsched import FormatError
from icsched.files import (
    check_rewritable,
    is_own_file,
    read_bytes,
    read_if_there,
    read_text,
    remove,
    write_bytes,
)

# Reading


def test_a_file_of_a_workflow_is_known_by_all_its_names(tmp_path):
    path, other = tmp_path / "wf.dag", tmp_path / "other.dag"
    path.touch()
    other.symlink_to(path)

    assert is_own_file(other, [str(tmp_path / "x.sub"), str(path)])
    assert not is_own_file(tmp_path / "new.dag", [str(path)])


def test_in_a_directory_that_was_removed_no_file_of_a_workflow_is_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()

    problem = r"x: cannot tell whether it is one of the workflow's own files: No such file"
    with pytest.raises(FormatError, match=problem):
        is_own_file("x", ["wf.dag"])


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
        (b"\na\n\nb\0c\0", "4: expected text, got a NUL byte"),
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


@pytest.mark.parametrize(
    ("limit", "size", "named"),
    [((), 2**31, "2 GiB"), ((2**24 - 1,), 2**24, "16 MiB")],
)
def test_a_file_as_large_as_the_limit_is_too_large(tmp_path, limit, size, named):
    path = tmp_path / "data"
    path.touch()
    os.truncate(path, size)  # takes no place on the disk

    with pytest.raises(FormatError, match=rf"data: expected less than {named}$"):
        read_bytes(path, *limit)


def test_a_file_or_a_pipe_may_have_as_many_bytes_as_are_allowed(tmp_path):
    path, pipe, most = tmp_path / "data", tmp_path / "pipe", 2**20
    os.mkfifo(pipe)
    for size in (most, most + 1):
        path.write_bytes(b"x" * size)
        writer = threading.Thread(target=_write_to_end, args=(pipe, b"x" * size))
        writer.start()
        for source in (path, pipe):
            if size == most:
                assert len(read_bytes(source, most)) == most
            else:
                with pytest.raises(FormatError, match="expected less than"):
                    read_bytes(source, most)
        writer.join()


def _write_to_end(pipe, data):
    with suppress(BrokenPipeError):  # who reads has had enough
        pipe.write_bytes(data)


def test_standard_input_stays_open():
    work = """
import os
from icsched.files import read_bytes
print(read_bytes("/dev/stdin"), read_bytes("/dev/stdin"), os.fstat(0).st_size)
"""
    done = subprocess.run([sys.executable, "-c", work], input=b"text", capture_output=True)

    assert (done.stdout.strip(), done.stderr) == (b"b'text' b'' 0", b"")


def test_a_file_that_need_not_be_there_is_none(tmp_path):
    (tmp_path / "file").touch()

    assert read_if_there(tmp_path / "missing") is None
    assert read_if_there(tmp_path / "file" / "below") is None
    with pytest.raises(FormatError, match="is a directory"):
        read_if_there(tmp_path)
    with pytest.raises(FormatError, match="null: expected an ordinary file"):
        read_if_there(os.devnull)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a\0b", "expected a name without a NUL byte"),
        ("a\ud800", "expected a name that this system can hold"),
    ],
)
@pytest.mark.parametrize(
    "use", [read_bytes, read_if_there, remove, partial(write_bytes, data=b""), check_rewritable]
)
def test_a_name_that_no_file_can_have_is_refused(use, name, problem, tmp_path):
    with pytest.raises(FormatError, match=problem):
        use(f"{tmp_path}/{name}")
    assert not list(tmp_path.iterdir())
