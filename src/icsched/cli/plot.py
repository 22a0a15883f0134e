"""`icsched plot`: pictures of workflows, orders, runs and studies."""

from typing import Annotated, Literal

from icsched.answers.plot import (
    Found,
    LanesFound,
    PlotInputs,
    curves_found,
    dag_found,
    lanes_found,
    study_found,
)
from icsched.answers.reading import Reading
from icsched.cli.inputs import USUAL, FileOptions, PathName, check_streams, refuse
from icsched.cli.model import USUAL_POOL, PoolOptions, naming_pool
from icsched.cli.orders import OrderWords, RunTimeFiles
from icsched.cli.output import SIGNS, OutputName
from icsched.cli.printing import say
from icsched.errors import ArgumentError
from icsched.render.cautions import caution_text
from icsched.render.plot import suffix_of, write_picture

Picture = Literal["curves", "dag", "lanes", "study"]
_OURS = ("prio",)


def plot(
    picture: Picture,
    /,
    *files: PathName,
    output_: Annotated[PathName | None, OutputName] = None,
    order: OrderWords = _OURS,
    workflow: str | None = None,
    run_times: RunTimeFiles = (),
    pool_options: PoolOptions = USUAL_POOL,
    reading: FileOptions = USUAL,
) -> None:
    """Draw a workflow, its orders, a simulated run, or a study.

    Parameters
    ----------
    picture
        What to draw. curves: eligible jobs over steps. dag: jobs in layers, coloured by the order.
        lanes: one simulated run, workers as rows. study: the directory that icsched study wrote.
    files
        Workflow file; several DAGMan files that are submitted together; - for standard input.
        For study: its directory.
    output_
        File of the picture, which replaces a file of that name; it must be given. The suffix
        decides: .svg, .png or .pdf.
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
        It can be given several times. Curves and lanes always have fifo, too;
        a dag has one order.
    workflow
        With study: the name of the workflow, if the study has several.

    """
    check_streams(*files, *order, *run_times, pool_options.pool_file)
    if output_ is None:
        raise ArgumentError("expected -o FILE, such as -o picture.svg")
    suffix = suffix_of(output_)
    is_study, is_run = picture == "study", picture == "lanes"
    refuse(
        {
            "--workflow is for study": not is_study and workflow is not None,
            f"{pool_options.given} is for lanes": not is_run and pool_options.given is not None,
            "study shows the orders that it has: --order cannot be used": is_study
            and tuple(order) != _OURS,
            "study has its own run times: --run-times cannot be used": is_study and bool(run_times),
        }
    )
    given = PlotInputs(files, order, output_, Reading(reading), run_times, signs=SIGNS)
    with naming_pool(pool_options.pool_file):
        found = _found(picture, given, workflow, pool_options)
    with SIGNS.working("drawing"):
        words = write_picture(found, output_, suffix)
    cautions = found.cautions if isinstance(found, LanesFound) else ()
    say(f"wrote {output_}: {words}\n{caution_text(cautions)}")


def _found(picture: Picture, given: PlotInputs, workflow: str | None, pool: PoolOptions) -> Found:
    """Find out what the picture shows."""
    match picture:
        case "curves":
            return curves_found(given)
        case "dag":
            return dag_found(given)
        case "lanes":
            return lanes_found(given, pool.pool())
        case "study":
            if len(given.files) != 1:
                raise ArgumentError("expected the directory of a study")
            return study_found(given.files[0], workflow)
