"""Replacing files as a whole or not at all."""

import os
import re
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from icsched.errors import FormatError
from icsched.files.attributes import mask, take_after
from icsched.files.reading import naming, reason
from icsched.files.temporary import held, temporary_directory, temporary_file
from icsched.messages import content_for

_OPEN_FILE = re.compile(r"/dev/std(out|err)|(?:/dev/fd|/proc/self/fd)/([0-9]+)")
WITHDRAWN = "dag"  # temporary name of a file inside its own directory


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write *text* to *path* as `write_bytes` does; raises FormatError if UTF-8 cannot hold it."""
    write_bytes(path, encoded(path, text))


def write_texts(texts: Mapping[str, str]) -> None:
    """Write several files by path, each as `write_text` does.

    All files are on the disk under other names before the first is put in place. So no file changes
    if the disk is full. Raises FormatError as `write_text` does.
    """
    data = {path: encoded(path, text) for path, text in texts.items()}
    replaced = [path for path in data if _open_handle(path) is None and not _is_special(path)]
    with ExitStack() as stack:
        asides = [_aside(stack, path, data[path]) for path in replaced]
        for path in sorted(data.keys() - set(replaced)):
            write_bytes(path, data[path])
        for path, new in zip(replaced, asides, strict=True):
            with naming(path):
                target = target_of(path)
                new.replace(target)
                sync_directory(target.parent)


def _aside(stack: ExitStack, path: str, data: bytes) -> Path:
    """Write *data* beside the file at *path*; an error within *stack* removes what was written."""
    check_replaceable(path)
    with naming(path):
        target = target_of(path)
        return stack.enter_context(written_beside(target, data))[1]


@contextmanager
def written_beside(
    target: Path, data: bytes, *, model: Path | None = None
) -> Iterator[tuple[int, Path]]:
    """Write *data* to the disk beside *target*, with the attributes of *target* or of *model*.

    Yields the open file and its path; an error in the block removes the file.
    """
    with temporary_file(target.parent) as (handle, path):
        _write(handle, data)
        take_after(handle, model or target)
        os.fsync(handle)
        yield handle, path


def encoded(path: str | os.PathLike[str], text: str) -> bytes:
    """Return *text* as the file at *path* holds it; raises FormatError if UTF-8 cannot hold it."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        problem = f"expected text that UTF-8 can hold, got {text[error.start]!r}"
        raise FormatError(os.fspath(path), None, problem) from error


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write *data* to *path* so that a reader sees the old file or the new, never a part.

    An existing file keeps its owner, permissions and attributes, and a link still points at it.
    Raises FormatError if *path* cannot be written, is read-only, or cannot keep its attributes.
    Raises BrokenPipeError if *path* is standard output and its reader has left. A terminal gets
    *data* with an escape for each control character.
    """
    check_replaceable(path)
    handle = _open_handle(path)
    try:
        if handle is not None:
            _write(handle, content_for(data, is_terminal=os.isatty(handle)))
        elif _is_special(path):
            with open(path, "wb") as file:  # noqa: PTH123
                file.write(content_for(data, is_terminal=file.isatty()))
        else:
            replace(target_of(path), data)
    except OSError as error:
        if handle == 1 and isinstance(error, BrokenPipeError):
            raise
        raise FormatError(os.fspath(path), None, reason(error)) from error


def would_replace(path: str | os.PathLike[str]) -> bool:
    """Whether `write_bytes` would replace an existing file at *path*."""
    is_written_into = _open_handle(path) is not None or _is_special(path)
    return not is_written_into and os.path.isfile(path)  # noqa: PTH113  no error for a strange name


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise FormatError if the directory of *path* does not exist, or for a read-only file there.

    The system would let icsched replace such a file, and would let root write into it.
    """
    with naming(path):
        target = target_of(path)
        problem = read_only_problem(target.stat()) if would_replace(path) else None
        if not target.parent.is_dir():
            raise FormatError(os.fspath(path), None, "its directory does not exist")
    if problem:
        advice = "make it writable by chmod u+w, or use another name"
        raise FormatError(os.fspath(path), None, f"{problem}: {advice}")


def read_only_problem(status: os.stat_result) -> str | None:
    """Return a clause if the owner of a file may not write it; the rights of root do not count."""
    if status.st_mode & stat.S_IWUSR:
        return None
    return f"it is read-only (mode {stat.S_IMODE(status.st_mode):04o})"


def write_with_directory(
    path: str | os.PathLike[str],
    data: bytes,
    directory: str | os.PathLike[str],
    files: Mapping[str, bytes],
    *,
    executable: Collection[str] = (),
    shared: int = 0o077,
) -> None:
    """Replace a file together with the directory of files that belongs to it.

    An old file is never beside a new directory, or the reverse. First the old file moves into the
    old directory, as `WITHDRAWN`. Last, the new file moves out of the new directory. File and
    directory keep the owner, group, permissions and attributes of the old ones. New files in the
    directory get its owner and group. Other users get only the permissions in *shared*, except for
    the files in *executable*. A power cut may still empty files of the directory. Raises
    FormatError if something cannot be written, or if the file is read-only.
    """
    check_replaceable(path)
    target, place = Path(path), Path(directory)
    with naming(path), temporary_directory(place.parent) as (_, new):
        _take_after_directory(new, place)
        _fill(new, {**files, WITHDRAWN: data}, executable, shared)
        with (new / WITHDRAWN).open("rb") as file:
            if target.exists():
                take_after(file.fileno(), target)
            os.fsync(file.fileno())
        _put_in_place(new, target, place)


def _put_in_place(new: Path, target: Path, place: Path) -> None:
    if not place.exists():
        try:
            new.rename(place)
            (place / WITHDRAWN).rename(target)
        except BaseException:
            with suppress(OSError):
                place.rename(new)
            raise
        sync_directory(target.parent)
        return
    # The old directory gets a temporary name. Without a lock it would look like a leftover.
    with held(place), temporary_directory(place.parent) as (_, aside):
        _exchange(new, target, place, aside)
        sync_directory(target.parent)
        _remove_directory(aside)


def _exchange(new: Path, target: Path, place: Path, aside: Path) -> None:
    """Move *target* into *place*, *place* to the empty directory *aside*, and *new* to *place*.

    Then the new file moves from inside *place* to *target*. After an error everything is put back.
    """
    inside = place / WITHDRAWN
    try:
        if target.exists():
            target.rename(inside)
        place.rename(aside)
        new.rename(place)
        inside.rename(target)
    except BaseException:
        _put_back(new, target, place, aside)
        raise


def _put_back(new: Path, target: Path, place: Path, aside: Path) -> None:
    """Undo an exchange, as far as possible; a directory that cannot go back gets another name."""
    if not new.exists():
        with suppress(OSError):
            place.rename(new)
    try:
        if not place.exists():
            aside.rename(place)
    except OSError as error:
        kept = place.with_name(f"{place.name}.bak")
        aside.rename(kept)
        raise OSError(error.errno, f"{reason(error)}; the old files are in {kept}") from error
    with suppress(OSError):
        (place / WITHDRAWN).rename(target)


def _remove_directory(path: Path) -> None:
    try:
        shutil.rmtree(path)
    except OSError as error:
        shutil.rmtree(path, ignore_errors=True)  # remove as much as possible
        if not isinstance(error, FileNotFoundError):  # otherwise it is removed already
            raise


def _take_after_directory(new: Path, model: Path) -> None:
    """Give a directory the attributes of *model*, or those of a new one if there is no *model*."""
    if not model.exists():
        inherited = new.stat().st_mode & stat.S_ISGID  # new files in the directory get its group
        new.chmod(inherited | (0o777 & ~mask()))
        return
    handle = os.open(new, os.O_RDONLY | os.O_DIRECTORY)
    try:
        take_after(handle, model)
    finally:
        os.close(handle)


def _fill(
    directory: Path, files: Mapping[str, bytes], executable: Collection[str], shared: int
) -> None:
    """Write files into a directory, with its owner and group and the permissions of new files."""
    status = directory.stat()
    owner = status.st_uid, status.st_gid
    for name, data in files.items():
        file = directory / name
        file.touch(0o777 if name in executable else 0o666 & (0o700 | shared), exist_ok=False)
        file.write_bytes(data)
        made = file.stat()
        if (made.st_uid, made.st_gid) != owner:
            os.chown(file, *owner)


def remove(path: str | os.PathLike[str]) -> None:
    """Remove the file at *path*; raises FormatError if that cannot be done."""
    with naming(path):
        Path(path).unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Make new names in *directory* survive a power cut, if the file system can."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def target_of(path: str | os.PathLike[str]) -> Path:
    """Follow links from *path* to their target, which may not exist."""
    try:
        return Path(os.path.realpath(path, strict=True))
    except FileNotFoundError:
        return Path(os.path.realpath(path))


def _open_handle(path: str | os.PathLike[str]) -> int | None:
    """Return the open file of this process that *path* names, for example /dev/stdout or /dev/fd/3.

    Opening that name again would empty a file that standard output is redirected to.
    """
    name = os.path.abspath(path)  # noqa: PTH100  Path.absolute keeps ".."
    match = _OPEN_FILE.fullmatch(name)
    if match is None:
        return None
    return int(match[2]) if match[2] else {"out": 1, "err": 2}[match[1]]


def _write(handle: int, data: bytes) -> None:
    """Write every byte, or raise OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Whether *path* is written to and cannot be replaced: a pipe, a device, a file in /proc."""
    name = os.path.abspath(path)  # noqa: PTH100  Path.absolute keeps ".."
    return name.startswith("/proc/") or (Path(path).exists() and not Path(path).is_file())


def replace(target: Path, data: bytes, *, model: Path | None = None) -> None:
    """Replace *target* by a file with *data* and the attributes of *model*."""
    with written_beside(target, data, model=model) as (_, path):
        path.replace(target)
    sync_directory(target.parent)
