"""HTCondor's slots: what the files of a workflow say of them, and how the workflow is submitted."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from icsched.errors import FormatError
from icsched.formats.dagman import section
from icsched.formats.dagman.advice import setting_of
from icsched.formats.dagman.submission import Job, Submission
from icsched.formats.dagman.submit import queue_at
from icsched.formats.dagman.writer import SubmitFile, submit_files
from icsched.workflow import Settings, SlotSettings, SubmitLines

# Settings of DAGMan, with what the simulator calls them.
_SETTINGS = {
    "DAGMAN_USER_LOG_SCAN_INTERVAL": "scan_interval",
    "DAGMAN_MAX_SUBMITS_PER_INTERVAL": "scan_submissions",
    "DAGMAN_HOLD_CLAIM_TIME": "hold",
    "DAGMAN_MAX_JOBS_SUBMITTED": "max_jobs",
    "DAGMAN_MAX_JOBS_IDLE": "max_idle",
}
_UNLIMITED = ("max_jobs", "max_idle")  # 0 means no limit
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_CONTINUED = re.compile(rb"\\[ \t\r]*\n")
_EXACT = re.compile(r"TARGET\.Cpus\s*==\s*(MY\.)?RequestCpus", re.IGNORECASE)


def slot_settings(workflow: Submission, around: Settings | None) -> SlotSettings:
    """Return what CONFIG files, the settings *around* the workflow and submit files say.

    What VARS put into submit files is not seen. A submit file that cannot be read says nothing.
    """
    found = {}
    for name, field in _SETTINGS.items():
        setting = setting_of(workflow, name, around)
        if setting and _NUMBER.fullmatch(setting.value):
            value = int(setting.value)
            if value or field not in _UNLIMITED:
                found[field] = float(value)
    return SlotSettings(found, [*_submits(workflow)])


def _submits(workflow: Submission) -> Iterator[SubmitLines]:
    """Yield what each submit description of the jobs that DAGMan will submit says."""
    for file in submit_files(workflow, are_left=True):
        yield lines_of(file.path, _text(file))
    seen = set()
    for job in workflow.jobs():
        if job.node.kind == "JOB" and job.has_description and not job.node.noop:
            path, line, body = _description(job)
            if (path, line) not in seen:
                seen.add((path, line))
                yield lines_of(path, "\n".join(body).encode(errors="surrogateescape"), line)


def _text(file: SubmitFile) -> bytes:
    """Return the settings of a submit file without those of icsched's; nothing if it is missing."""
    try:
        data = section.blanked(file.path, file.data() or b"")
    except (FormatError, OSError):
        return b""
    return data[: queue_at(data)]


def _description(job: Job) -> tuple[str, int, Iterable[str]]:
    """Return the place and the lines of a description inside a DAGMan file."""
    named = job.place.scope.descriptions
    statement = named[job.node.submit] if job.node.submit else job.statement
    text = statement.command.text if job.node.submit else job.node.text
    return statement.source.path, statement.line, text.body


def lines_of(path: str, data: bytes, line: int = 0) -> SubmitLines:
    r"""Return what the settings of a submit description say.

    >>> found = lines_of("a.sub", b"keep_claim_idle = 0\nrequirements = TARGET.Cpus == 4\n")
    >>> found.holds_nothing, found.is_exact, found.has_requirements
    (True, False, True)
    """
    text = _CONTINUED.sub(b" ", data).decode(errors="replace")
    requirements = _last(text, "requirements")
    hold = _last(text, "keep_claim_idle") or _last(text, r"(?:\+|my\.)keepclaimidle")
    return SubmitLines(
        path, line, hold == "0", bool(_EXACT.search(requirements)), bool(requirements)
    )


def _last(text: str, name: str) -> str:
    """Return the last value of a setting in *text*; "" if there is none."""
    pattern = re.compile(rf"^[ \t]*{name}[ \t]*=([^\n]*)", re.IGNORECASE | re.MULTILINE)
    values = [found[1].strip() for found in pattern.finditer(text)]
    return values[-1] if values else ""


def command(workflow: Submission, options: Sequence[str], path: str | None = None) -> str:
    """Return the command of a shell that submits a workflow to HTCondor, or its copy at *path*."""
    use = ["-usedagdir"] if workflow.use_dag_directory else []
    files = [root.path for root in workflow.roots] if path is None else [path]
    return shlex.join(["condor_submit_dag", *use, *options, *files])


def lock(workflow: Submission) -> str | None:
    """Return the lock that a DAGMan that runs the workflow has beside the first file, or None."""
    path = f"{workflow.roots[0].path}.lock"
    return path if os.path.lexists(path) else None
