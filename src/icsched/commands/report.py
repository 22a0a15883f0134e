"""`icsched report`: one page to explore."""

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from icsched.commands import page as render
from icsched.commands.options import (
    STANDARD_OUTPUT,
    USUAL,
    WHOLE,
    FileName,
    FileOptions,
    PathName,
    check_streams,
    refuse,
)
from icsched.commands.order_options import USUAL_POOL, PoolOptions, RunTimeFiles, naming_pool
from icsched.commands.page import Reported, report_answer
from icsched.commands.terminal import SIGNS, Json, OutputName, put_json, say
from icsched.files import write_text

Logs = Annotated[Sequence[PathName], Parameter(negative="", show_default=False)]


def report(
    *files: FileName,
    output_: Annotated[PathName | None, OutputName] = None,
    run_times: RunTimeFiles = (),
    log: Logs = (),
    clusters: Annotated[int | None, WHOLE] = None,
    pool_options: PoolOptions = USUAL_POOL,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Write one page to explore a workflow: gains, stalls, curves, the dag, the game, proofs.

    Parameters
    ----------
    output_
        HTML file to write, which replaces a file of that name, but never a file of the workflow.
    log
        File with the event log of a past run, or its history as JSON. It can be given several
        times. The page shows that run. Run times and the pool are those of the log, unless
        others are given.
    clusters
        Also show clusters of at most this many jobs.
    json_
        Print one JSON object with all that the page shows, instead of a page.

    """
    refuse(
        {
            "expected -o FILE, or --json": output_ is None and not json_,
            "-o cannot be used with --json": output_ is not None and json_,
        }
    )
    check_streams(*files, *run_times, *log, pool_options.pool_file)
    wanted = Reported(
        given=pool_options.pool(),
        run_times=run_times,
        logs=log,
        clusters=clusters,
        pool_file=pool_options.pool_file,
        reading=reading,
    )
    with naming_pool(pool_options.pool_file):
        found = report_answer(files, wanted, output=output_, signs=SIGNS)
    keys = render.report_keys(found)
    if output_ is None:
        put_json(keys)
        return
    write_text(output_, render.report_page(keys))
    if output_ != STANDARD_OUTPUT:
        say(f"wrote {output_}: open it in a browser\n")
