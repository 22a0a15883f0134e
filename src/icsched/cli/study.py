"""`icsched study`: an order against first come, first served over a grid of pools."""

import sys
from typing import Annotated

from icsched.answers.inputs import numbers
from icsched.answers.reading import Reading
from icsched.answers.study import (
    StudyAnswer,
    StudyBegun,
    cell_runner,
    fill,
    study_answer,
    study_begun,
)
from icsched.cli.inputs import USUAL, FileOptions, check_streams
from icsched.cli.model import ENOUGH_RUNS, SamplingOptions
from icsched.cli.orders import OURS, OrderOptions
from icsched.cli.output import SIGNS, Flag, OutputName, say
from icsched.errors import ArgumentError, EngineError, FormatError
from icsched.render import study as render
from icsched.sim.model import BatchLaw
from icsched.study import BATCHES, INTERVALS, Terms, grid, is_study

_INTERVALS = ",".join(f"{value:g}" for value in INTERVALS)
_BATCHES = ",".join(f"{value:.0f}" for value in BATCHES)


def study(
    *files: str,
    order_options: OrderOptions = OURS,
    output_: Annotated[str | None, OutputName] = None,
    intervals: str = _INTERVALS,
    batches: str = _BATCHES,
    batch_law: BatchLaw = "exponential",
    sampling_options: SamplingOptions = ENOUGH_RUNS,
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
    output_
        Directory for cells.jsonl, study.csv, study.json and the figures; it must be given.
    intervals
        Mean times between batches of requests, separated by commas.
    batches
        Mean numbers of requests in a batch, separated by commas.
    batch_law
        Law of the batch sizes.
    dask
        Address of a Dask scheduler: compute the cells on its workers.
    no_run
        Simulate nothing: write tables and figures of the finished cells.

    """
    check_streams(*files, order_options.order, *order_options.run_times)
    directory = _checked(output_, sampling_options, dask)
    terms = Terms(
        batch_law, sampling_options.seed, sampling_options.sampling(), order_options.order
    )
    cells = grid(terms, numbers("--intervals", intervals), numbers("--batches", batches))
    threads = sampling_options.thread_count()
    if no_run and not is_study(directory):
        raise FormatError(directory, None, "no study there")
    begun = study_begun(
        files, order_options, directory, cells, terms, reading=Reading(reading), signs=SIGNS
    )
    say(render.beginning(begun))
    if not no_run:
        _run(begun, threads, dask)
    found = study_answer(begun)
    say(render.text(found))
    say(f"wrote {', '.join([*found.written, *_figures(found)])}\n")


def _checked(directory: str | None, sampling: SamplingOptions, dask: str | None) -> str:
    """Return the directory; raises ArgumentError for options that cannot be used together."""
    if directory is None:
        raise ArgumentError("expected -o DIR")
    if not directory:
        raise ArgumentError("-o: expected a directory, got ''")
    if sampling.threads is not None and dask is not None:
        raise ArgumentError("--threads cannot be used with --dask")
    return directory


def _run(begun: StudyBegun, threads: int, dask: str | None) -> None:
    """Compute the cells that are missing; finished cells are kept, whatever happens."""
    try:
        fill(begun, cell_runner(threads, dask), told=_tell_there, signs=SIGNS)
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
