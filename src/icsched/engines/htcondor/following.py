"""What the logs of a run say, while they are being written."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from icsched.engines.entry import Outcome
from icsched.engines.htcondor.writing import DagFile
from icsched.failures import storable
from icsched.logs.events import Event, Job, Kind, events_in

_END = b"\n...\n"  # of an event
_HOLD = re.compile(rb"Job was held\.[^\n]*\n[ \t]+([^\n]+)|\"HoldReason\": *\"((?:[^\"\\]|\\.)*)")
_NO_REASON = "no reason given"
_PRE_SKIP = 34  # HTCondor's number for a node that is done because its PRE script said so
# DAGMan's own events name a node. There may be no job: then the number of the cluster is -1 or 0.
_BY_DAGMAN = re.compile(
    rb"(?:^|\n)(016|034) \((-?\d+)\.[^)\n]*\) [^\n]*\n([^\n]*\n)?[ \t]+DAG Node: ([^\n]+)"
)
_HOW = re.compile(rb"\((return value|signal) (\d+)\)|\"(ReturnValue|TerminatedBySignal)\": (\d+)")


@dataclass
class Log:
    """An event log that grows; `fresh` returns the events that are new and whole."""

    path: Path
    _read: int = 0

    def fresh(self) -> Iterator[tuple[Event, str]]:
        """Yield the new events, each with how a job ended badly, or why it is on hold; else ""."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(_END) + len(_END)] if _END in data else b""
        self._read += len(whole)
        for piece in whole.split(_END):
            by_dagman = _BY_DAGMAN.search(piece)
            for event in events_in(piece + _END):
                if by_dagman is None or event.kind != Kind.POST_SCRIPT:
                    yield event, _said(event, piece)
            if by_dagman is not None:
                event = _event_by_dagman(by_dagman)
                yield event, _said(event, piece)


def _event_by_dagman(match: re.Match[bytes]) -> Event:
    kind, cluster, how, name = match.groups()
    is_good = int(kind) == _PRE_SKIP or b"(return value 0)" in (how or b"")
    node = name.decode(errors="replace").strip()
    return Event(int(kind), (int(cluster), 0), 0.0, node, is_good)


def _said(event: Event, text: bytes) -> str:
    if event.kind == Kind.HELD:
        return _hold_reason(text)
    is_bad = event.kind in (Kind.TERMINATED, Kind.POST_SCRIPT) and not event.is_good
    return _problem(text) if is_bad else ""


def _hold_reason(text: bytes) -> str:
    match = _HOLD.search(text)
    if not match:
        return _NO_REASON
    reason = (match[1] or match[2] or b"").decode(errors="replace")
    if match[2]:
        with suppress(ValueError):
            reason = storable(json.loads(f'"{reason}"'))
    return " ".join(reason.split()) or _NO_REASON


def _problem(text: bytes) -> str:
    """Return how a job ended, from the text of its last event."""
    match = _HOW.search(text)
    if not match:
        return "ended badly"
    word, number = match[1] or match[3], (match[2] or match[4]).decode()
    is_signal = word in (b"signal", b"TerminatedBySignal")
    return f"killed by signal {number}" if is_signal else f"exit code {number}"


def failures(path: Path) -> dict[str, str]:
    """Return why nodes failed, by name, as DAGMan's own log lists them when a run has failed.

    Only this list has nodes whose job was never submitted.
    """
    try:
        text = path.read_text("utf-8", "surrogateescape")
    except OSError:
        return {}
    last = text.rpartition("STARTING UP")[2]  # the runs before are in the same file
    blocks = last.partition("the following job(s) failed:")[2].split("Node Name: ")[1:]
    found = {}
    for block in blocks:
        name, _, rest = block.partition("\n")
        match = re.search(r"\bError: (.+)", rest)
        found[name.strip()] = _plain(match[1].strip()) if match else "failed"
    return found


def _plain(error: str) -> str:
    """Return an error of DAGMan's in the words of a report.

    >>> _plain("PRE Script failed with status 1")
    'its PRE script failed with status 1'
    """
    if error.startswith("PRE Script "):
        return error.replace("PRE Script", "its PRE script", 1)
    return f"DAGMan says: {error}"


@dataclass
class _Attempt:
    """A node that was submitted: one job, or as many as its description queues."""

    name: str
    running: dict[Job, float | None] = field(default_factory=dict)  # when each began
    seconds: float = 0.0
    problem: str = ""


@dataclass
class Jobs:
    """Follows the jobs of a DAGMan file through their events."""

    file: DagFile
    done: set[int] = field(default_factory=set)  # ids of tasks
    failed: dict[int, Outcome] = field(default_factory=dict)  # which DAGMan may run again
    held: dict[str, str] = field(default_factory=dict)  # jobs on hold, with the reason
    _attempts: dict[int, _Attempt] = field(default_factory=dict)  # by cluster

    def __post_init__(self) -> None:
        tasks = self.file.tasks
        self._retried = {tasks[name] for name in self.file.retried if name in tasks}

    def ended(self, events: Iterable[tuple[Event, str]]) -> Iterator[Outcome]:
        """Yield how attempts ended; a failure that may be tried again is kept back until then."""
        for event, problem in events:
            outcome = self._follow(event, problem)
            if outcome is None or outcome.number in self.done:
                continue
            if before := self.failed.pop(outcome.number, None):
                yield replace(before, is_retried=True)
            if outcome.problem is not None and outcome.number in self._retried:
                self.failed[outcome.number] = outcome
                continue
            if outcome.problem is None:
                self.done.add(outcome.number)
            yield outcome

    def _follow(self, event: Event, problem: str) -> Outcome | None:
        """Take in one event; return how its task ended, if it did."""
        cluster, _ = event.job
        if event.kind in (Kind.SUBMIT, Kind.CLUSTER_SUBMIT):
            self._submit(event)
        if event.kind in (Kind.POST_SCRIPT, _PRE_SKIP):
            return self._judge(event, problem)
        attempt = self._attempts.get(cluster)
        if attempt is None:
            return None
        self.held.pop(attempt.name, None)
        if event.kind == Kind.HELD:
            self.held[attempt.name] = problem
        elif event.kind == Kind.EXECUTE:
            attempt.running[event.job] = event.time
        elif event.kind in (Kind.TERMINATED, Kind.ABORTED) and event.job in attempt.running:
            aborted = "removed from the queue" if event.kind == Kind.ABORTED else ""
            return self._end(attempt, event, problem or aborted)
        return None

    def _judge(self, event: Event, problem: str) -> Outcome | None:
        """Take in what a script of a node decided; perhaps no job of the node was submitted."""
        attempt = self._attempts.get(event.job[0])
        has_job = attempt is not None and event.text in ("", attempt.name)
        if attempt is None or not has_job:
            attempt = _Attempt(event.text)
        if attempt.name not in self.file.tasks:
            return None
        self.held.pop(attempt.name, None)
        attempt.problem = f"POST script: {problem}" if problem else ""
        outcome = self._outcome(attempt)
        return outcome if has_job or problem else replace(outcome, is_skipped=True)

    def _submit(self, event: Event) -> None:
        cluster, _ = event.job
        known = self._attempts.get(cluster)
        name = event.text or (known.name if known else "")
        if name not in self.file.tasks:
            self._attempts.pop(cluster, None)  # all nodes without a job have the same number
            return
        if known is None or known.name != name:
            known = self._attempts[cluster] = _Attempt(name)
        if event.kind == Kind.SUBMIT:
            known.running[event.job] = None

    def _end(self, attempt: _Attempt, event: Event, problem: str) -> Outcome | None:
        began = attempt.running.pop(event.job, None)
        if began is not None:
            attempt.seconds = max(attempt.seconds, event.time - began)
        attempt.problem = attempt.problem or problem
        if attempt.running or attempt.name in self.file.judged:
            return None
        return self._outcome(attempt)

    def _outcome(self, attempt: _Attempt) -> Outcome:
        number = self.file.tasks[attempt.name]
        log = self.file.logs.get(number)
        return Outcome(number, attempt.seconds, attempt.problem or None, log=log)
