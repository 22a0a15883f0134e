"""HTCondor's own commands: what they are asked, and errors of one line if they fail."""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from icsched.errors import EngineError
from icsched.files.reading import reason

_MOST_SECONDS = 120  # HTCondor's own time-outs come to an end before
_MOST_LETTERS = 300  # of a message
_REMOVED, _HELD = 3, 5  # values of JobStatus


@dataclass(frozen=True)
class Managed:
    """A DAGMan job in the queue."""

    cluster: int
    is_ending: bool  # it was removed, and has not left the queue yet
    is_held: bool


class _NoAnswerError(EngineError):
    """A command did not end in time, and what it has done is not known."""


def find(directory: Path) -> Managed | None:
    """Return the DAGMan job that runs the workflow in *directory*, if it is in the queue."""
    constraint = f"IcschedRun == {_text(directory)}"
    said = _ask(["condor_q", "-constraint", constraint, "-af", "ClusterId", "JobStatus"])
    found = [tuple(map(int, line.split())) for line in said.splitlines() if line.strip()]
    if not found:
        return None
    cluster, status = max(found)
    return Managed(cluster, status == _REMOVED, status == _HELD)


def has_jobs(cluster: int) -> bool:
    """Whether jobs of a DAGMan job are in the queue."""
    constraint = f"DAGManJobId == {cluster}"
    return bool(_ask(["condor_q", "-constraint", constraint, "-af", "ClusterId"]).strip())


def submit(file: Path, start: Path, workers: int | None) -> int:
    """Submit a DAGMan file from the directory *start*; return the number of the DAGMan job.

    A rescue file beside it is followed.
    """
    for suffix in (".condor.sub", ".lib.out", ".lib.err", ".dagman.log"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    throttle = [] if workers is None else ["-maxjobs", str(workers)]
    mark = f"+IcschedRun = {_text(file.parent)}"
    try:
        said = _ask(["condor_submit_dag", *throttle, "-append", mark, str(file)], start)
    except _NoAnswerError as error:
        what = f"if DAGMan runs {file} all the same, --resume follows it"
        raise EngineError(f"{error}: {what}") from None
    match = re.search(r"submitted to cluster (\d+)", said)
    if not match:
        raise EngineError(f"condor_submit_dag did not say that it submitted: {_line(said)}")
    return int(match[1])


def remove(cluster: int) -> None:
    """Remove a DAGMan job, which removes its jobs and writes a rescue file."""
    _ask(["condor_rm", str(cluster)])


def _text(path: Path) -> str:
    """Return a path as a string of ClassAds."""
    return '"' + os.path.realpath(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _ask(command: Sequence[str], directory: Path | None = None) -> str:
    try:
        done = subprocess.run(  # noqa: S603  a program of HTCondor's, and no shell
            command,
            cwd=directory,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except OSError as error:
        raise EngineError(_why_not_started(command[0], error)) from None
    except subprocess.TimeoutExpired:
        problem = f"{command[0]}: no answer within {_MOST_SECONDS} seconds"
        raise _NoAnswerError(problem) from None
    if done.returncode:
        said = _line(done.stderr) or _line(done.stdout) or f"exit code {done.returncode}"
        raise EngineError(f"{command[0]} failed: {said}")
    return done.stdout


def _why_not_started(program: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and error.filename == program:
        return f"{program} is not installed here: run this where you submit jobs to HTCondor"
    return f"{program} cannot be started: {error.filename}: {reason(error)}"


def _line(text: str) -> str:
    """Return the first paragraph of a message on one line; HTCondor explains in further ones."""
    line = " ".join(text.strip().split("\n\n")[0].split())
    return line if len(line) <= _MOST_LETTERS else f"{line[: _MOST_LETTERS - 4]} ..."
