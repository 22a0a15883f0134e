"""A workflow handed over to DAGMan, and followed until DAGMan ends."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from icsched.engines.entry import Engine, Outcome, Terms
from icsched.engines.htcondor import queue
from icsched.engines.htcondor.following import Jobs, Log, failures
from icsched.engines.htcondor.writing import LOGS, DagFile, dag_file
from icsched.errors import ArgumentError, EngineError
from icsched.files import write_bytes
from icsched.formats.dagman.submission import newest_rescue
from icsched.logs.events import Kind
from icsched.orders import Plan
from icsched.workflow import Workflow

FILE = "workflow.dag"
_PAUSE_S = 0.5  # between two looks at the logs
_MOST_CRASHES = 3  # of DAGMan, which HTCondor starts again and again
_BEGIN = "STARTING UP"  # what DAGMan writes into its log first
_MOST_READ = 2**20  # bytes at the end of DAGMan's own log, which a long run fills
_MOST_SILENCES = 10  # of the queue in a row, each after _LOOKS
_LOOKS = 120  # at the logs, before the queue is asked whether DAGMan is still there

_NO_THROTTLE = (
    "without -j, DAGMan submits each job as soon as it can, and jobs may start out of order:"
    " use -j N, where N is near the number of slots"
)


def stream(workflow: Workflow, plan: Plan, directory: Path, terms: Terms) -> Iterator[Outcome]:
    """Have DAGMan run *workflow* in the order of *plan*; yield an outcome for each task that ends.

    All files are in *directory*. If DAGMan runs the workflow there already, its run is followed.
    If an earlier run ended before all tasks were done, DAGMan goes on from its rescue file; tasks
    that are done are yielded first. A failure that DAGMan may try again is yielded when the next
    attempt has ended, with `is_retried`, or when DAGMan has ended.
    `Terms.workers` limits the jobs in the queue. Closing the iterator removes the DAGMan job.

    Raises EngineError if HTCondor is missing or does not answer, if the DAGMan job is on hold or
    was removed, and if DAGMan fails for another reason than a failed job. Raises ArgumentError for
    terms that HTCondor has no use for.
    """
    if terms.address is not None:
        raise ArgumentError("an address cannot be used with htcondor, which finds its own queue")
    if terms.shell:
        raise ArgumentError("a shell cannot be used with htcondor, which runs programs alone")
    inside = directory.absolute()
    inside.mkdir(parents=True, exist_ok=True)
    return _Run(dag_file(workflow, plan, inside / FILE), inside / FILE, terms).started()


def forget(directory: Path) -> None:
    """Remove what an earlier run left; raises EngineError if DAGMan still runs it."""
    inside = directory.absolute()
    left = list(inside.glob(f"{FILE}*"))
    if not left:
        return
    found = queue.find(inside)
    if found is not None:
        what = f"use --resume to follow it, or condor_rm {found.cluster} to end it"
        raise EngineError(f"DAGMan still runs this workflow, as job {found.cluster}: {what}")
    for path in left:
        path.unlink()


class _Run:
    """One workflow in one directory, whatever happened there before."""

    def __init__(self, described: DagFile, path: Path, terms: Terms) -> None:
        self._described, self._path, self._terms = described, path, terms
        self._jobs = Jobs(described)
        self._failed: set[int] = set()  # tasks
        self._told_of: set[str] = set()  # jobs on hold

    def started(self) -> Iterator[Outcome]:
        """Submit, or find what runs already; return its outcomes, those of earlier runs first."""
        early = [outcome for log in self._earlier() for outcome in self._successes(log)]
        found = self._found()
        if found is None:
            self._await_leftovers()
            early += self._successes(self._log(".nodes.log"))
            if len(self._jobs.done) == len(self._described.tasks):
                return (outcome for outcome in early)
        followed = self._followed(found, early)
        next(followed)  # it is submitted now, and removed if the iterator is closed
        return followed

    def _log(self, suffix: str) -> Log:
        return Log(self._path.with_name(self._path.name + suffix))

    def _earlier(self) -> list[Log]:
        """Return the logs of earlier runs, which `_submitted` has put aside."""
        logs: list[Log] = []
        while (log := self._log(f".nodes.log.{len(logs) + 1}")).path.exists():
            logs.append(log)
        return logs

    def _successes(self, log: Log) -> Iterator[Outcome]:
        return (outcome for outcome in self._jobs.ended(log.fresh()) if outcome.problem is None)

    def _found(self) -> int | None:
        """Return the number of the DAGMan job that runs; wait for one that is being removed."""
        while (found := queue.find(self._path.parent)) and found.is_ending:
            time.sleep(_PAUSE_S)
        if found is None:
            return None
        self._terms.follows()
        return found.cluster

    def _await_leftovers(self) -> None:
        """Wait until the jobs of the last run have left the queue: they may still write files."""
        last = max((event.job[0] for event, _ in self._log(".dagman.log").fresh()), default=None)
        looks = 0
        while last is not None and queue.has_jobs(last):
            if looks == _LOOKS:
                what = f"condor_rm -constraint 'DAGManJobId == {last}' removes them"
                raise EngineError(f"jobs of an earlier run are still in the queue: {what}")
            looks += 1
            time.sleep(_PAUSE_S)

    def _submitted(self) -> int:
        log = self._log(".nodes.log").path
        if log.exists():  # DAGMan would empty it
            log.rename(self._log(f".nodes.log.{len(self._earlier()) + 1}").path)
        (self._path.parent / LOGS).mkdir(exist_ok=True)
        self._put_rescue()
        for path, data in self._described.files.items():
            write_bytes(path, data)
        cluster = queue.submit(self._path, self._described.start, self._terms.workers)
        if self._terms.workers is None:
            self._terms.tell(_NO_THROTTLE)
        return cluster

    def _put_rescue(self) -> None:
        """Tell DAGMan what is done: by its newest rescue file, and by what the logs add to it."""
        newest = newest_rescue([str(self._path)])
        lines = self._rescue_lines()
        more = [one for one in self._described.rescue(self._jobs.done) if one not in lines]
        if more:
            number = int(newest[-3:]) + 1 if newest else 1
            text = "".join(f"{line}\n" for line in [*lines, *more])
            write_bytes(f"{self._path}.rescue{number:03}", text.encode(errors="surrogateescape"))

    def _rescue_lines(self) -> dict[str, None]:
        """Return the lines of the newest rescue file, in their order."""
        newest = newest_rescue([str(self._path)])
        known = Path(newest).read_text("utf-8", "surrogateescape") if newest else ""
        return dict.fromkeys(filter(None, known.split("\n")))

    def _followed(self, found: int | None, early: list[Outcome]) -> Iterator[Any]:
        """Yield None once DAGMan runs, then the outcomes."""
        cluster = self._submitted() if found is None else found
        ending = _Ending(self._log(".dagman.log"), cluster, self._path)
        own = self._log(".dagman.out").path
        self._terms.tell(f"DAGMan runs the workflow as job {cluster}; its log is {own}")
        try:
            yield None
            log = self._log(".nodes.log")
            self._jobs = Jobs(self._described, self._jobs.done)  # failures before do not count
            yield from early
            while True:
                is_over = ending.is_over()
                yield from self._noted(self._jobs.ended(log.fresh()))
                self._tell_of_holds()
                if is_over:
                    break
                time.sleep(_PAUSE_S)
        except (GeneratorExit, KeyboardInterrupt):
            if ending.is_good is None:
                with suppress(EngineError):  # it may have ended just now
                    queue.remove(cluster)
            raise
        yield from self._rest(is_good=bool(ending.is_good))

    def _tell_of_holds(self) -> None:
        """Tell of each job that is on hold, once; a job may have been released meanwhile."""
        for name, reason in self._jobs.held.items():
            if name not in self._told_of:
                self._told_of.add(name)
                self._terms.held(name, reason)

    def _noted(self, outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            if outcome.problem is not None and not outcome.is_retried:
                self._failed.add(outcome.number)
            yield outcome

    def _rest(self, *, is_good: bool) -> Iterator[Outcome]:
        """Yield what is known only when DAGMan has ended."""
        yield from self._noted(iter(self._jobs.failed.values()))
        yield from self._rescued()
        yield from self._noted(self._never_submitted())
        left = set(self._described.tasks.values()) - self._jobs.done
        if not self._failed and not is_good:
            raise _failure("DAGMan failed", self._path)
        if not self._failed and left:  # DAGMan's exit code is the file's own choice
            log = self._log(".dagman.out").path
            raise EngineError(f"DAGMan ended before all jobs were done: see {log}")

    def _never_submitted(self) -> Iterator[Outcome]:
        """Yield tasks that failed before they had a job, as by a PRE script."""
        for name, problem in failures(self._log(".dagman.out").path).items():
            task = self._described.tasks.get(name)
            if task is not None and task not in self._jobs.done | self._failed:
                yield Outcome(task, 0.0, problem)

    def _rescued(self) -> Iterator[Outcome]:
        """Yield tasks of which only a rescue file says that they are done."""
        named = [line.removeprefix("DONE ") for line in self._rescue_lines()]
        found = {self._described.tasks[name] for name in named if name in self._described.tasks}
        for task in sorted(found - self._jobs.done):
            self._jobs.done.add(task)
            yield Outcome(task, 0.0, is_skipped=True)


def _failure(problem: str, path: Path) -> EngineError:
    """Return an error that names DAGMan's own log, with the last ERROR of the last run there."""
    log = path.with_name(f"{path.name}.dagman.out")
    try:
        text = _end_of(log).decode(errors="replace")
    except OSError:
        text = ""
    lines = text.rpartition(_BEGIN)[2].splitlines()
    said = [line[line.index("ERROR") :].strip() for line in lines if "ERROR" in line]
    return EngineError(": ".join([problem, *said[-1:], f"see {log}"]))


def _end_of(log: Path) -> bytes:
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST_READ))
        return file.read()


class _Ending:
    """Whether the DAGMan job has ended, by its own log, and now and then by the queue."""

    def __init__(self, log: Log, cluster: int, path: Path) -> None:
        self._log, self._cluster, self._path = log, cluster, path
        self._looks = self._crashes = self._silences = 0
        self.is_good: bool | None = None

    def is_over(self) -> bool:
        """Look; raises EngineError if the job is on hold, was removed, or has vanished."""
        is_held = self._take_in()
        self._looks += 1
        if self._crashes > _MOST_CRASHES:
            problem = f"DAGMan crashes again and again, as job {self._cluster}"
            raise _failure(problem, self._path)
        if self.is_good is None and (is_held or self._looks % _LOOKS == 0):
            self._ask()
        return self.is_good is not None

    def _take_in(self) -> bool:
        """Read the log; return whether the last new event says that the job is on hold."""
        is_held = False
        for event, _ in self._log.fresh():
            if event.job[0] == self._cluster:
                is_held = event.kind == Kind.HELD
                self._crashes += event.kind == Kind.EVICTED
                if event.kind == Kind.TERMINATED:
                    self.is_good = event.is_good
                elif event.kind == Kind.ABORTED:
                    raise EngineError(f"DAGMan was removed from the queue, as job {self._cluster}")
        return is_held

    def _ask(self) -> None:
        """Ask the queue; it may be silent for some minutes, as while its daemon starts again."""
        try:
            found = queue.find(self._path.parent)
        except EngineError as error:
            self._silences += 1
            if self._silences < _MOST_SILENCES:
                return
            what = f"DAGMan may still run, as job {self._cluster}: --resume follows it"
            raise EngineError(f"{error}: {what}") from None
        self._silences = 0
        self._judge(found)

    def _judge(self, found: queue.Managed | None) -> None:
        if found is None or found.cluster != self._cluster:
            self._take_in()  # it ends in its log before it leaves the queue
            if self.is_good is None:
                problem = f"DAGMan left the queue, as job {self._cluster}"
                raise EngineError(f"{problem}, and did not say how it ended")
        elif found.is_held:
            what = f"condor_q -hold {self._cluster} says why, condor_release lets it go on, and"
            what += " --resume follows it"
            raise EngineError(f"DAGMan is on hold, as job {self._cluster}: {what}")


HTCONDOR = Engine(
    "htcondor",
    "an HTCondor pool: DAGMan runs the workflow, in this order",
    stream=stream,
    forget=forget,
)
