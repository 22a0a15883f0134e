"""`icsched study`: orders against first come, first served over a grid of pools."""

import sys
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.cautions import about_pool
from icsched.answers.inputs import numbers, whole_numbers
from icsched.answers.pools import GivenPool, read_given_pool
from icsched.answers.reading import Reading
from icsched.answers.study import (
    StudyAnswer,
    StudyBegun,
    cell_runner,
    fill,
    study_answer,
    study_begun,
)
from icsched.cli.inputs import USUAL, WHOLE, FileOptions, PathName, check_streams
from icsched.cli.model import ENOUGH_RUNS, UNIT_TIMES, SamplingOptions, TimeOptions, naming_pool
from icsched.cli.orders import OrderWords
from icsched.cli.output import SIGNS, Flag, OutputName
from icsched.cli.printing import report, say, tell_user
from icsched.errors import ArgumentError, EngineError, FormatError
from icsched.render import study as render
from icsched.render.cautions import caution_text
from icsched.sim.engine import cores
from icsched.sim.model import BatchLaw
from icsched.study import BATCHES, INTERVALS, Cell, Terms, grid, is_study, workers_grid

_MOST_THREADS = 1024


@Parameter(name="*", group="Pools")
@dataclass(frozen=True)
class GridOptions:
    """The pools of a study.

    Parameters
    ----------
    intervals
        Mean times between batches of requests, separated by commas; 10^-3 to 10^3 by default.
    batches
        Mean numbers of requests in a batch, separated by commas; 2^0 to 2^16 by default.
    batch_law
        How sizes of batches vary: exponential by default.
    workers
        Numbers of workers, separated by commas: fixed sets of workers instead of
        batches. Not with --intervals, --batches or --batch-law.
    delay
        Time until a result, or the loss of a job, changes what can be taken; 0 by default.
    pool_file
        JSON file with the only pool; no other option of the pools can be used with it.

    """

    intervals: str | None = None
    batches: str | None = None
    batch_law: BatchLaw | None = None
    workers: str | None = None
    delay: Annotated[float, Parameter(show_default=False)] = 0.0
    pool_file: Annotated[PathName | None, Parameter(name="--pool")] = None

    @property
    def has_unit(self) -> bool:
        """Whether the user said what a unit of time is."""
        given = self.intervals, self.workers, self.pool_file
        return any(value is not None for value in given)

    @cached_property
    def given(self) -> GivenPool | None:
        """The pool of the file, which is read once; None without a file."""
        return None if self.pool_file is None else read_given_pool(self.pool_file)

    def terms(self) -> Terms:
        """Return the terms of these pools; raises ArgumentError for options that do not fit.

        Raises FormatError for a file that is no pool.
        """
        if self.pool_file is not None:
            if replace(self, pool_file=None) != GridOptions():
                raise ArgumentError("--pool cannot be used with other options of the pools")
            return Terms(given=None if self.given is None else self.given.pool)
        if self.workers is not None:
            for name in ("intervals", "batches", "batch_law"):
                if getattr(self, name) is not None:
                    option = name.replace("_", "-")
                    raise ArgumentError(f"--{option} cannot be used with --workers")
        return Terms(self.batch_law or "exponential", delay=self.delay)

    def cells(self, terms: Terms) -> tuple[Cell, ...]:
        """Return the cells of the grid; raises ArgumentError for numbers that no pool has."""
        if self.pool_file is not None:
            return (Cell(),)
        if self.workers is not None:
            return workers_grid(terms, whole_numbers("--workers", self.workers))
        rows = INTERVALS if self.intervals is None else numbers("--intervals", self.intervals)
        columns = BATCHES if self.batches is None else numbers("--batches", self.batches)
        return grid(terms, rows, columns)


PAPER_GRID = GridOptions()


def study(
    *files: PathName,
    order: OrderWords = ("prio",),
    output_: Annotated[PathName | None, OutputName] = None,
    grid_options: GridOptions = PAPER_GRID,
    time_options: TimeOptions = UNIT_TIMES,
    sampling_options: SamplingOptions = ENOUGH_RUNS,
    threads: Annotated[int | None, WHOLE] = None,
    dask: str | None = None,
    no_run: Flag = False,
    reading: FileOptions = USUAL,
) -> None:
    """Simulate workflows over a grid of pools, and write tables and figures.

    Finished results stay in the directory: run the same command again to go on.

    Parameters
    ----------
    files
        Workflow files; each is a workflow of its own.
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
        It can be given several times. critical-path and fifo are always included.
    output_
        Directory for cells.jsonl, study.csv, study.json and the figures; it must be given.
    threads
        Number of threads, which does not change the numbers; one for each core by default.
    dask
        Address of a Dask scheduler: compute the cells on its workers. Not with --threads.
    no_run
        Simulate nothing: write tables and figures of the finished cells, also while the study runs
        elsewhere.

    """
    check_streams(*files, *order, *time_options.run_times, grid_options.pool_file)
    directory = _checked(output_, threads, dask)
    terms = replace(
        grid_options.terms(),
        seed=sampling_options.seed,
        sampling=sampling_options.sampling(),
        times=time_options.times(),
    )
    cells = grid_options.cells(terms)
    if no_run and not is_study(directory):
        raise FormatError(directory, None, "no study there")
    begun = study_begun(
        *(files, order, directory, cells, terms),
        run_times=time_options.run_times,
        has_unit=grid_options.has_unit,
        reading=Reading(reading),
        signs=SIGNS,
    )
    report(begun, render.beginning)
    given = grid_options.given
    say(caution_text(about_pool(given.replay_error if given else None)))
    if not no_run:
        with naming_pool(grid_options.pool_file):
            _run(begun, threads or cores(), dask)
    found = study_answer(begun)
    report(found, render.text)
    say(f"wrote {', '.join([*found.written, *_figures(found)])}\n")


def _checked(directory: str | None, threads: int | None, dask: str | None) -> str:
    """Return the directory; raises ArgumentError for options that cannot be used together."""
    if directory is None:
        raise ArgumentError("expected -o DIR")
    if threads is not None and dask is not None:
        raise ArgumentError("--threads cannot be used with --dask")
    if threads is not None and not 1 <= threads <= _MOST_THREADS:
        raise ArgumentError(f"--threads: expected 1 to {_MOST_THREADS:,}, got {threads}")
    return directory


def _run(begun: StudyBegun, threads: int, dask: str | None) -> None:
    """Compute the cells that are missing; finished cells are kept, whatever happens."""
    try:
        fill(begun, cell_runner(threads, dask, tell=tell_user), told=_tell_there, signs=SIGNS)
    except KeyboardInterrupt:
        sys.stderr.write(
            "icsched: stopped; run the same command to go on, with --no-run to see what is done\n"
        )
        raise


def _tell_there(workflow: str, there: int, cells: int) -> None:
    say(render.there_already(workflow, there, cells))
    sys.stdout.flush()


def _figures(found: StudyAnswer) -> list[str]:
    """Draw the figures; without matplotlib say so and go on, because the tables are written."""
    try:
        with SIGNS.working("drawing"):
            return render.write_figures(found)
    except EngineError as error:
        say(f"icsched: no figures: {error}\n", stream=sys.stderr)
        return []
