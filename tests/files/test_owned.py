"""A directory is used only if no other user can have put something there."""

import os
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.files.owned import check_owned, open_owned, owned_directory

NOBODY = 65534
LINK = "it is a link, which icsched does not follow here"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to another user")


@pytest.fixture
def place(tmp_path) -> Path:
    place = tmp_path / "place"
    place.mkdir(0o700)
    return place


def complaint(place: Path) -> str:
    with pytest.raises(FormatError) as caught:
        check_owned(place)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_directory_with_own_files_is_opened(place):
    (place / "file").touch()
    (place / "inside").mkdir()

    with owned_directory(place) as handle:
        assert os.path.samestat(os.fstat(handle), place.stat())
    check_owned(place / "missing")


def test_a_link_in_place_of_the_directory_is_refused_by_name(place):
    link = place.with_name("link")
    link.symlink_to(place)

    assert complaint(link) == (
        f"{link}: it is a link, which icsched does not follow here: remove it, or use --journal DIR"
    )


def test_a_file_in_place_of_the_directory_is_refused(place):
    (place / "file").touch()

    assert complaint(place / "file").startswith(f"{place}/file: not a directory")


@pytest.mark.parametrize(
    ("plant", "problem"),
    [
        (lambda path: path.symlink_to("/etc"), "it is a link, which icsched does not follow here"),
        (
            lambda path: path.symlink_to("missing"),
            "it is a link, which icsched does not follow here",
        ),
        (os.mkfifo, "expected an ordinary file or a directory"),
        (
            lambda path: path.hardlink_to(path.with_name("file")),
            "expected a file with one name, got one with hard links",
        ),
        (lambda path: path.mkdir(), "expected a directory that only its owner may write into"),
    ],
)
def test_what_is_no_ordinary_file_inside_is_refused_by_name(place, plant, problem):
    (place / "file").touch()
    plant(place / "planted")
    if (place / "planted").is_dir() and not (place / "planted").is_symlink():
        (place / "planted").chmod(0o777)

    said = complaint(place)
    assert said.split(": ")[1] == problem
    assert said.startswith(f"{place}/")


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o720])
def test_a_directory_into_which_others_may_write_is_refused(place, mode):
    place.chmod(mode)

    assert complaint(place) == (
        f"{place}: expected a directory that only its owner may write into: "
        "if you trust what is in it, use chmod go-w"
    )


@as_root
@pytest.mark.parametrize("name", [".", "file"])
def test_what_belongs_to_another_user_is_refused(place, name):
    (place / "file").touch()
    os.chown(place / name, NOBODY, NOBODY)

    found = place / name
    assert complaint(place) == (
        f"{found}: it belongs to user nobody, not to root: "
        "use --journal DIR for a directory of your own"
    )


def test_a_new_file_is_for_this_user_alone(place):
    with owned_directory(place) as handle:
        os.close(open_owned("file", os.O_WRONLY | os.O_CREAT, handle))

    assert (place / "file").stat().st_mode & 0o777 == 0o600


def test_a_link_is_not_written_through(place, tmp_path):
    target = tmp_path / "target"
    (place / "log").symlink_to(target)

    with pytest.raises(OSError, match="it is a link"):
        open_owned(place / "log", os.O_WRONLY | os.O_CREAT)
    assert not target.exists()


def test_a_hard_link_and_a_pipe_are_not_opened(place, tmp_path):
    (tmp_path / "target").touch()
    (place / "log").hardlink_to(tmp_path / "target")
    os.mkfifo(place / "pipe")

    before = set(Path("/dev/fd").iterdir())
    with pytest.raises(OSError, match="hard links"):
        open_owned(place / "log", os.O_WRONLY)
    assert set(Path("/dev/fd").iterdir()) == before, "nothing stays open"
    with pytest.raises(OSError, match="expected an ordinary file"):
        open_owned(place / "pipe", os.O_RDWR)


@as_root
def test_a_file_of_another_user_is_not_opened(place):
    (place / "log").touch()
    os.chown(place / "log", NOBODY, NOBODY)

    with pytest.raises(OSError, match="it belongs to user nobody, not to root"):
        open_owned(place / "log", os.O_WRONLY)


def test_a_file_that_is_missing_is_the_systems_error(place):
    with pytest.raises(FileNotFoundError):
        open_owned(place / "log", os.O_WRONLY)
