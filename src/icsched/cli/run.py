"""`icsched run`: execute a workflow, in a journal that survives any end."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from icsched.answers.reading import Reading
from icsched.answers.run import Wanted, dry_answer, run_answer
from icsched.cli.inputs import USUAL, WHOLE, FileName, FileOptions, check_streams
from icsched.cli.names import one_of
from icsched.cli.orders import CHOSEN, AutoOptions
from icsched.cli.output import SIGNS, Flag, Json
from icsched.cli.printing import put, say, tell_user
from icsched.engines.entry import Terms
from icsched.engines.table import ENGINES
from icsched.errors import RunError
from icsched.execution.loop import Rules, State, Tell
from icsched.render import run as render

_FIRST_S, _EVERY_S = 10.0, 60.0  # when lines of progress come, without a terminal


EngineWord = Annotated[str, one_of(ENGINES)]


def run(
    *files: FileName,
    engine: EngineWord = "local",
    workers: Annotated[int | None, Parameter(name=["--workers", "-j"]), WHOLE] = None,
    address: str | None = None,
    journal: str | None = None,
    resume: Flag = False,
    again: Flag = False,
    redo_missing: Flag = False,
    dry_run: Flag = False,
    order: AutoOptions = CHOSEN,
    retries: Annotated[int, WHOLE] = 0,
    keep_going: Flag = False,
    time_limit: float | None = None,
    shell: Flag = False,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Run a workflow's commands on the workers of an engine.

    Parameters
    ----------
    engine
        Name of the program that runs the commands.
    workers
        Number of workers; for engine local by default the number of cores.
    address
        Address of a scheduler that runs already, for an engine that has one.
    journal
        Directory for the journal, the logs and the run times; by default FILE.icsched-run.
    resume
        Go on with the run in the journal: run what it does not say is completed. Without a journal
        all jobs run.
    again
        Forget the journal, and run all jobs again; logs and run times stay.
    redo_missing
        With --resume: run completed jobs again whose output files are gone, and all jobs that
        depend on them.
    dry_run
        Say what would run, and start nothing.
    retries
        How often a job that fails is tried again.
    keep_going
        After a failure, run all jobs that do not depend on the failed job.
    time_limit
        Seconds after which an attempt is stopped, and has failed.
    shell
        Let /bin/sh read the commands: as the file has them, or with blanks between the words.
    json_
        Print one JSON object instead of a report.

    """
    check_streams(*files, order.order, *order.run_times)
    rules = Rules(retries, keep_going, time_limit)
    terms = Terms(workers, address, shell, tell=tell_user)
    told: dict[str, Any] = {"waiting": _waiting, "no_journal": _no_journal}
    told["missing"] = lambda found: tell_user(render.missing_outputs(found, is_redone=redo_missing))
    wanted = Wanted(order, engine, terms, rules, journal, resume, again, redo_missing, **told)
    if dry_run:
        found = dry_answer(files, wanted, reading=Reading(reading), signs=SIGNS)
        put(found, render.dry_text, render.dry_keys, as_json=json_, wraps=False)
        return
    _run(files, wanted, Reading(reading), as_json=json_)


def _run(files: tuple[str, ...], wanted: Wanted, reading: Reading, *, as_json: bool) -> None:
    with _live() as tell:
        found = run_answer(files, replace(wanted, tell=tell), reading=reading)
    put(found, render.text, render.keys, as_json=as_json)
    sys.stdout.flush()
    if found.happened.signal is not None:
        raise KeyboardInterrupt(found.happened.signal)
    if found.failed:
        raise RunError({job.name: job.problem for job in found.failed})


def _waiting() -> None:
    say(
        "icsched: jobs of the run that was killed are still running: waiting for them\n",
        stream=sys.stderr,
    )


def _no_journal(directory: Path) -> None:
    say(f"icsched: {directory}: no journal to resume: all jobs run\n", stream=sys.stderr)


@contextmanager
def _live() -> Iterator[Tell]:
    """Show where the run stands: always on a terminal, else one line now and then."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console  # slow to import, and only terminals need it
    from rich.text import Text

    with Console(stderr=True).status("starting") as status:
        yield lambda state: status.update(Text(render.progress(state)))


class _Lines:
    """Writes a line of progress after some seconds, and then every minute."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _FIRST_S

    def __call__(self, state: State) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            say(f"icsched: {render.progress(state)}\n", stream=sys.stderr)
