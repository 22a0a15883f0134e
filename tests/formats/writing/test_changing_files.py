"""How files with an order are changed: backups, links, permissions."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from icsched import FormatError
from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import Change, changes, removals
from tests.formats.writing.sections import (
    BEGIN,
    CHAIN,
    contents,
    make,
    section_text,
)
from tests.unstamped import unstamped


def test_the_original_is_kept_beside_the_file(change, folder):
    assert change.make() == "wf.dag.bak"

    assert contents(folder) == {"wf.dag": unstamped(change.new.decode()), "wf.dag.bak": CHAIN}


def test_a_backup_that_holds_the_original_serves_again(change, put, folder):
    put({"wf.dag.bak": CHAIN})

    assert change.make() == "wf.dag.bak"
    assert set(contents(folder)) == {"wf.dag", "wf.dag.bak"}


def test_a_backup_that_holds_something_else_is_never_touched(change, put, folder):
    put({"wf.dag.bak": "mine\n", "wf.dag.bak2": "mine too\n"})
    (folder / "wf.dag.bak3").symlink_to("nowhere")

    assert change.make() == "wf.dag.bak4"
    files = contents(folder)
    assert (files["wf.dag.bak"], files["wf.dag.bak2"]) == ("mine\n", "mine too\n")
    assert files["wf.dag.bak4"] == CHAIN
    assert not (folder / "nowhere").exists()


def test_the_backup_holds_the_file_without_any_block(put, folder):
    put({"wf.dag": CHAIN + section_text("PRIORITY a 7")})

    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}))

    assert contents(folder)["wf.dag.bak"] == CHAIN


def test_removing_needs_no_backup(put, folder):
    put({"wf.dag": CHAIN + section_text("PRIORITY a 7")})

    (root,) = (change for change in removals(["wf.dag"]) if not change.is_none)

    assert root.make() is None
    assert contents(folder) == {"wf.dag": CHAIN}


@pytest.mark.parametrize("permissions", [0o600, 0o644, 0o755, 0o444])
def test_file_and_backup_have_the_permissions_of_the_file(change, folder, permissions):
    (folder / "wf.dag").chmod(permissions)

    change.make()

    for name in ("wf.dag", "wf.dag.bak"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == permissions


def test_a_link_stays_a_link_and_the_backup_is_where_it_is_said_to_be(put, folder):
    put({"store/real.dag": CHAIN})
    (folder / "wf.dag").symlink_to("store/real.dag")

    backup = changes(read_submission("wf.dag"), {"a": 2, "b": 1})[0].make()

    assert (folder / "wf.dag").is_symlink()
    assert (folder / "store/real.dag").read_text().startswith(CHAIN + BEGIN)
    assert Path(backup).read_text() == CHAIN


def test_a_file_that_changed_meanwhile_is_left_alone(change, put, folder):
    put({"wf.dag": f"{CHAIN}# new\n"})

    with pytest.raises(FormatError) as caught:
        change.make()

    assert str(caught.value) == (
        "wf.dag: it changed while icsched was at work and was left as it is: run it again"
    )
    assert contents(folder) == {"wf.dag": f"{CHAIN}# new\n"}


def test_a_file_that_is_gone_is_not_made_anew(change, folder):
    (folder / "wf.dag").unlink()

    with pytest.raises(FormatError) as caught:
        change.make()

    assert str(caught.value) == "wf.dag: expected an ordinary file to change"
    assert contents(folder) == {}


def test_a_directory_that_takes_no_files_is_named():
    """Not even the administrator can put a backup into /proc."""
    path = f"/proc/{os.getpid()}/comm"
    old = Path(path).read_bytes()

    with pytest.raises(FormatError) as caught:
        Change(path, old, b"new").make()

    assert (caught.value.path, caught.value.line) == (path, None)
    assert Path(path).read_bytes() == old


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Be somebody who may not write anywhere, also where the tests run as the administrator."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)


def test_a_directory_without_permission_is_named(monkeypatch):
    with TemporaryDirectory() as name:  # where anybody may look
        folder = Path(name)
        (folder / "wf.dag").write_text(CHAIN)
        folder.chmod(0o555)
        monkeypatch.chdir(folder)

        with ordinary_user(), pytest.raises(FormatError) as caught:
            Change("wf.dag", CHAIN.encode(), b"new").make()

        folder.chmod(0o755)
        assert str(caught.value) == "wf.dag: cannot write into its directory: permission denied"
        assert contents(folder) == {"wf.dag": CHAIN}
        monkeypatch.undo()
