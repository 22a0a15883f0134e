"""A clustered workflow on disk: what icsched wrote there, and whether it may write there again.

The last line of the DAGMan file is its seal: a digest of all lines above it, and one of all files
of its clusters. While the seal is right, these are the files that icsched wrote, and nobody has
changed, added or removed one. Only then may icsched replace them.
"""

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from icsched.errors import FormatError
from icsched.files import WITHDRAWN, is_own_file, read_bytes, read_if_there
from icsched.formats.dagman import section
from icsched.formats.dagman.submission import Submission, newest_rescue

DIRECTORY = ".clusters"  # after the name of the DAGMan file
MARK = "# Made by icsched cluster."
SCRIPT = "run-members"
_SEAL = b"# Seal of this file and its clusters: "
_WRITTEN = re.compile(rf"{WITHDRAWN}|{SCRIPT}|.*_[0-9]+\.(?:sub|members)")
_LEFT_BY_A_RUN = re.compile(r".*_[0-9]+(?:\.[0-9]+)?\.(?:out|err|log|events|journal)")
# Files that condor_submit_dag and DAGMan write beside a DAGMan file, by what they add to its name.
_OF_DAGMAN = (
    *(".condor.sub", ".dagman.out", ".dagman.log", ".nodes.log", ".metrics"),
    *(".lib.out", ".lib.err", ".halt"),
)
_DIGITS = len("\n") + hashlib.sha256().digest_size * 2  # the digest of the clusters, and its end
_ANOTHER = "take another name for -o"
_INSTEAD = f"{_ANOTHER}, or remove"


def with_seal(dag: bytes, files: Mapping[str, bytes]) -> bytes:
    """Return the text of a DAGMan file with its seal; *files* are those of its clusters, by name.

    >>> with_seal(b"", {})[:50]
    b'# Seal of this file and its clusters: e3b0c44298fc'
    """
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(b"%s\0%d\0" % (os.fsencode(name), len(data)))
        digest.update(data)
    seal = f"{hashlib.sha256(dag).hexdigest()} {digest.hexdigest()}\n"
    return dag + _SEAL + seal.encode()


def check_original(workflow: Submission) -> None:
    """Raise FormatError if *workflow* is made of clusters, whose files might be replaced."""
    inside, read = DIRECTORY + os.sep, set(workflow.read)
    for file in sorted(workflow.files):
        if (file in read or inside in file) and os.path.isfile(file):
            with suppress(OSError), Path(file).open("rb") as data:  # its reader says why
                if data.read(len(MARK)) == MARK.encode():
                    problem = (
                        "it is made of clusters already: cluster the workflow they were made of"
                    )
                    raise FormatError(file, None, problem)


def check_output(workflow: Submission, path: str) -> None:
    """Raise FormatError if writing clusters to *path* would destroy something or disturb a run."""
    directory = path + DIRECTORY
    try:
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise FormatError(path, None, "its directory does not exist")
        if is_own_file(path, workflow.files):
            problem = f"the output is one of the workflow's own files: {_ANOTHER}"
            raise FormatError(path, None, problem)
        dag = _existing_dag(path)
        _check_not_run(path)
        if os.path.lexists(directory):
            _check_directory(path, directory, dag)
            _check_unused(workflow, directory)
        elif dag is not None:
            problem = f"its clusters in {directory} are gone, so it may be in use elsewhere"
            raise FormatError(path, None, f"{problem}: {_INSTEAD} it")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FormatError(path, None, f"cannot look at what is there: {reason}") from error


def _check_not_run(path: str) -> None:
    """Raise FormatError if DAGMan left files of the workflow at *path*, or is running it."""
    lock = f"{path}.lock"
    if os.path.lexists(lock):
        problem = f"DAGMan may be running it, because {lock} is there: {_ANOTHER}"
        raise FormatError(path, None, f"{problem}, or remove the lock if DAGMan has ended")
    traces = [newest_rescue([path]), *(path + ending for ending in _OF_DAGMAN)]
    for trace in traces:
        if trace and os.path.lexists(trace):
            raise _has_run(path, trace)


def _has_run(path: str, trace: str) -> FormatError:
    problem = f"it has been run, because {trace} is there: {_INSTEAD}"
    return FormatError(path, None, f"{problem} {path}, {path}{DIRECTORY} and all {path}.*")


def _existing_dag(path: str) -> bytes | None:
    """Return what the DAGMan file at *path* holds; raises FormatError if it is not icsched's."""
    dag = read_if_there(path)
    expected = "expected a new file, or one that icsched cluster wrote"
    if dag is None and not os.path.islink(path):
        return None
    if dag is None or not dag.startswith(MARK.encode()):
        raise FormatError(path, None, expected)
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        what = "a link" if os.path.islink(path) else "a file with other names (hard links)"
        raise FormatError(path, None, f"{expected}, got {what}")
    _check_mine(path)
    return dag


def _check_mine(path: str) -> None:
    """Raise FormatError if *path* belongs to another user, who would lose it."""
    owner = os.lstat(path).st_uid
    if owner != os.geteuid():
        raise FormatError(path, None, f"it belongs to user {owner}: {_ANOTHER}")


def _check_directory(path: str, directory: str, dag: bytes | None) -> None:
    """Raise FormatError unless *directory* holds what icsched wrote for *path*, and only that."""
    if os.path.islink(directory):
        problem = "expected a directory for the clusters, got a link"
        raise FormatError(directory, None, f"{problem}: {_INSTEAD} it")
    try:
        names = sorted(os.listdir(directory))
    except OSError as error:
        problem = f"expected a directory for the clusters: {error.strerror}"
        raise FormatError(directory, None, problem) from error
    _check_mine(directory)
    paths = {name: os.path.join(directory, name) for name in names}
    for name, file in paths.items():
        if _LEFT_BY_A_RUN.fullmatch(name):
            raise _has_run(path, file)
        if not _WRITTEN.fullmatch(name):
            problem = "it is not a file that icsched cluster wrote"
            raise FormatError(file, None, f"{problem}: {_ANOTHER}, or move it away")
    for file in paths.values():
        if not stat.S_ISREG(os.lstat(file).st_mode):
            problem = "expected a file that icsched cluster wrote, got a link or a directory"
            raise FormatError(file, None, f"{problem}: {_INSTEAD} it")
    files = {name: read_bytes(file) for name, file in paths.items()}
    withdrawn = files.pop(WITHDRAWN, None)  # icsched was killed after it moved the DAGMan file here
    if dag is None and withdrawn is None:
        problem = f"{path}, which belongs to these files, is gone, so another may need them"
        raise FormatError(directory, None, f"{problem}: {_INSTEAD} them")
    if dag is not None and withdrawn is not None:
        raise _files_changed(path, directory)
    _check_seal(path, directory, dag or withdrawn or b"", files)


def _check_seal(path: str, directory: str, dag: bytes, files: Mapping[str, bytes]) -> None:
    """Raise FormatError unless the seal of a DAGMan file is that of its lines and these files."""
    text, line_end, _ = dag.rpartition(b"\n" + _SEAL)
    true = with_seal(text + line_end[:1], files)
    if true == dag:
        return
    if section.is_in(dag):
        problem = "icsched prio changed it after icsched cluster wrote it"
        raise FormatError(path, None, f"{problem}: run icsched prio --remove on it, or {_ANOTHER}")
    if len(dag) == len(true) and dag.startswith(true[:-_DIGITS]):
        raise _files_changed(path, directory)
    problem = f"it is not as icsched cluster wrote it: {_INSTEAD} {path} and {directory}"
    raise FormatError(path, None, problem)


def _files_changed(path: str, directory: str) -> FormatError:
    problem = "a file in it was changed, added or removed after icsched cluster wrote it"
    return FormatError(directory, None, f"{problem}: {_INSTEAD} {path} and {directory}")


def _check_unused(workflow: Submission, directory: str) -> None:
    """Raise FormatError if the workflow may need what is in *directory*: its files mention it."""
    inside = os.path.join(os.path.realpath(directory), "")
    name = os.fsencode(os.path.basename(directory))
    for file in sorted(workflow.files):
        is_inside = os.path.realpath(file).startswith(inside)
        if is_inside or (Path(file).is_file() and name in read_bytes(file)):
            problem = f"the workflow needs files that are here (see {file})"
            raise FormatError(directory, None, f"{problem}: {_ANOTHER}")
