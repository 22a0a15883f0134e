"""A file that is replaced keeps its owner, group, permissions, access list and attributes."""

import errno
import os
import stat
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.files import back_up, check_rewritable, rewrite, write_bytes

ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
NOBODY, USERS, OTHERS = 65534, 100, 4321
needs_attributes = pytest.mark.skipif(not hasattr(os, "listxattr"), reason="only Linux has them")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def access_list(user: int) -> bytes:
    """An access control list, as the kernel has it, that lets one more user read and write."""
    entries = [(0x01, 6, -1), (0x02, 6, user), (0x04, 4, -1), (0x10, 6, -1), (0x20, 0, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


def attributes(path: Path) -> dict[str, bytes]:
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


def everything(path: Path) -> tuple:
    status = path.stat()
    mode = stat.S_IMODE(status.st_mode)
    return status.st_uid, status.st_gid, mode, attributes(path)


def set_attribute(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        pytest.skip(f"this file system has no {name}")


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    return path


WRITERS = {
    "rewrite": lambda path: rewrite(path, b"old", b"new", keep=b"old"),
    "write": lambda path: write_bytes(path, b"new"),
}


@pytest.fixture(params=WRITERS)
def write(request) -> Callable[[Path], object]:
    return WRITERS[request.param]


def test_attributes_and_access_lists_are_kept(file, write):
    set_attribute(file, "user.note", b"mine\0\xff")
    set_attribute(file, ACCESS, access_list(OTHERS))
    before = everything(file)

    write(file)

    assert file.read_bytes() == b"new"
    assert everything(file) == before
    assert set(before[3]) >= {"user.note", ACCESS}


def test_an_access_list_that_the_directory_gives_new_files_is_not_taken(tmp_path, file, write):
    set_attribute(tmp_path, DEFAULT, access_list(OTHERS))
    before = everything(file)

    write(file)

    assert everything(file) == before
    assert ACCESS not in before[3]


def test_a_backup_is_open_to_the_same_people_as_the_file(tmp_path, file):
    set_attribute(tmp_path, DEFAULT, access_list(OTHERS))
    set_attribute(file, ACCESS, access_list(NOBODY))

    rewrite(file, b"old", b"new", keep=b"kept")

    assert everything(tmp_path / "file.bak") == everything(file)


@pytest.fixture
def backup(file) -> Path:
    """A backup with the same bytes as the file that will be kept."""
    path = file.with_name("file.bak")
    path.write_bytes(b"old")
    path.chmod(0o640)
    return path


@pytest.mark.parametrize("permissions", [0o644, 0o660, 0o600])
def test_a_backup_that_was_there_gets_the_permissions_of_the_file(file, backup, permissions):
    backup.chmod(permissions)

    assert rewrite(file, b"old", b"new", keep=b"old") == str(backup)
    assert (backup.read_bytes(), everything(backup)) == (b"old", everything(file))


def test_a_backup_that_was_there_gets_the_access_list_of_the_file(file, backup):
    set_attribute(backup, ACCESS, access_list(OTHERS))

    rewrite(file, b"old", b"new", keep=b"old")

    assert everything(backup) == everything(file)


def test_a_backup_that_was_there_gets_the_attributes_of_the_file(file, backup):
    set_attribute(backup, "user.note", b"not the file's")

    rewrite(file, b"old", b"new", keep=b"old")

    assert everything(backup) == everything(file)


def test_a_backup_that_serves_again_gets_the_attributes_of_the_file(file, backup):
    set_attribute(file, "user.note", b"mine")

    assert back_up(file) == str(backup)
    assert everything(backup) == everything(file)


@needs_root
def test_a_backup_that_was_there_gets_owner_and_group_of_the_file(file, backup):
    os.chown(backup, NOBODY, USERS)

    rewrite(file, b"old", b"new", keep=b"old")

    assert everything(backup) == everything(file)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_backup_that_is_a_link_or_has_other_names_stays_as_it_is(file, backup, link):
    other = file.with_name("other")
    backup.rename(other)
    other.chmod(0o600)
    link(other, backup)

    assert rewrite(file, b"old", b"new", keep=b"old") == str(backup)
    assert stat.S_IMODE(other.stat().st_mode) == 0o600
    assert backup.samefile(other)


@needs_root
@pytest.mark.parametrize("permissions", [0o660, 0o600, 0o6750])
def test_owner_and_group_are_kept(file, write, permissions):
    os.chown(file, NOBODY, USERS)
    file.chmod(permissions)
    before = everything(file)

    write(file)

    assert everything(file) == before
    assert before[:3] == (NOBODY, USERS, permissions)
    for backup in file.parent.glob("*.bak"):
        assert everything(backup) == before


# What cannot be kept


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory in which everyone may write, as a group's often is."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def told_as(user: int, groups: list[int], work: Callable[[], object]) -> str:
    """Do the work as another user; return what it complains about, or nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.setgroups(groups)
        os.setgid(groups[0])
        os.setuid(user)
        try:
            work()
        except FormatError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        return pipe.read()


def contents(folder: Path) -> dict[str, tuple]:
    return {path.name: (path.read_bytes(), everything(path)) for path in folder.iterdir()}


AS_OWNER = "run this as its owner or as root, or write to another file"


@needs_root
@pytest.mark.parametrize(
    ("owner", "group", "permissions", "problem"),
    [
        (NOBODY, USERS, 0o666, f"cannot keep its owner 65534: {AS_OWNER}"),
        (NOBODY, OTHERS, 0o666, f"cannot keep its owner 65534: {AS_OWNER}"),
        (OTHERS, 9, 0o666, "cannot keep its group 9: you are not in that group"),
        (NOBODY, 9, 0o664, f"you may not write it: {AS_OWNER}"),
    ],
)
def test_a_file_whose_owner_or_group_cannot_be_kept_is_left_alone(
    shared, write, owner, group, permissions, problem
):
    """The user 4321 of the groups 100 and 7 may read it, but not give it away."""
    path = shared / "file"
    path.write_bytes(b"old")
    os.chown(path, owner, group)
    path.chmod(permissions)
    before = contents(shared)

    assert told_as(OTHERS, [USERS, 7], lambda: write(path)) == f"{path}: {problem}"
    assert told_as(OTHERS, [USERS, 7], lambda: check_rewritable(path)) == f"{path}: {problem}"
    assert contents(shared) == before


@needs_root
def test_a_file_of_another_group_that_the_user_is_in_is_changed(shared, write):
    path = shared / "file"
    path.write_bytes(b"old")
    os.chown(path, OTHERS, 7)
    before = everything(path)

    assert told_as(OTHERS, [USERS, 7], lambda: write(path)) == ""
    assert (path.read_bytes(), everything(path)) == (b"new", before)


@needs_root
def test_an_attribute_that_cannot_be_kept_is_named_and_the_file_left_alone(shared, write):
    """A user reads the attributes of the namespace security, and only root may set them."""
    path = shared / "file"
    path.write_bytes(b"old")
    os.chown(path, OTHERS, USERS)
    set_attribute(path, "security.note", b"1")
    before = contents(shared)

    assert told_as(OTHERS, [USERS], lambda: write(path)) == (
        f"{path}: cannot keep its attribute security.note:"
        " run this as root, or write to another file"
    )
    assert contents(shared) == before


@needs_root
def test_permissions_that_cannot_be_kept_are_named_and_the_file_left_alone(shared, write):
    """The directory gives new files its group, but only who is in the group may set the bit."""
    shared.chmod(0o2777)
    os.chown(shared, -1, USERS)
    path = shared / "file"
    path.write_bytes(b"old")
    os.chown(path, OTHERS, USERS)
    path.chmod(0o2755)
    before = contents(shared)

    assert told_as(OTHERS, [7], lambda: write(path)) == (
        f"{path}: cannot keep its permissions 2755: run this as root, or write to another file"
    )
    assert contents(shared) == before


@needs_root
def test_a_directory_that_the_user_may_not_write_into_is_told(shared, write):
    shared.chmod(0o755)
    path = shared / "file"
    path.write_bytes(b"old")
    os.chown(path, OTHERS, USERS)
    before = contents(shared)

    assert told_as(OTHERS, [USERS], lambda: write(path)) == (
        f"{path}: cannot write into its directory: permission denied"
    )
    assert contents(shared) == before


@pytest.fixture
def attribute_error(monkeypatch):
    """A function that lets a file system refuse to say what an attribute is."""

    def refuse(name, number):
        def broken(*_arguments):
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "listxattr", lambda _file: [name] if name else broken())
        monkeypatch.setattr(os, "getxattr", broken)

    return refuse


@needs_attributes
def test_a_file_system_without_attributes_has_none_to_keep(file, write, attribute_error):
    attribute_error(None, errno.ENOTSUP)

    write(file)

    assert file.read_bytes() == b"new"


@needs_attributes
def test_attributes_that_cannot_be_listed_are_an_error(file, write, attribute_error):
    attribute_error(None, errno.EIO)

    with pytest.raises(FormatError, match="input/output error"):
        write(file)
    assert file.read_bytes() == b"old"


@needs_attributes
def test_only_attributes_of_people_and_their_systems_must_be_read(file, write, attribute_error):
    attribute_error("security.note", errno.EACCES)
    with pytest.raises(FormatError, match=r"cannot keep its attribute security.note: run this as"):
        write(file)
    assert file.read_bytes() == b"old"

    attribute_error("lustre.lov", errno.EACCES)
    write(file)
    assert file.read_bytes() == b"new"


# What may surprise


def test_hard_links_and_files_that_are_read_only_are_told(file):
    assert check_rewritable(file) == []

    os.link(file, file.with_name("other"))
    file.chmod(0o444)

    assert check_rewritable(file) == [
        "it has other hard links, which keep the old content",
        "it is read-only (mode 0444)",
    ]
    assert sorted(path.name for path in file.parent.iterdir()) == ["file", "other"]
