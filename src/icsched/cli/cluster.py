"""`icsched cluster`: a whole workflow as clusters for workers of unequal power."""

from collections.abc import Sequence
from typing import Annotated

from icsched import checks
from icsched.answers.cluster import cluster_answer
from icsched.answers.inputs import whole_numbers
from icsched.answers.reading import Reading
from icsched.answers.streams import STANDARD_OUTPUT
from icsched.cli.inputs import USUAL, WHOLE, FileName, FileOptions, PathName, check_streams, refuse
from icsched.cli.names import one_of
from icsched.cli.orders import OURS, OrderOptions
from icsched.cli.output import SIGNS, Json, OutputName
from icsched.cli.printing import put
from icsched.errors import ArgumentError
from icsched.render import cluster as render
from icsched.serve.clusters import CLUSTERERS

ClustererWord = Annotated[str, one_of(CLUSTERERS)]


def cluster(
    *files: FileName,
    order: OrderOptions = OURS,
    size: Annotated[int | None, WHOLE] = None,
    capacities: str | None = None,
    clusterer: ClustererWord = "auto",
    alone: str = "",
    output_: Annotated[PathName | None, OutputName] = None,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Cut a workflow into clusters that workers can run without waiting for each other.

    Parameters
    ----------
    size
        Number of jobs in each cluster. Some have fewer: if fewer can run without waiting, or are
        left.
    capacities
        Sizes of the clusters in turn, over and over, separated by commas, as 4,16,64; instead of
        --size.
    clusterer
        Name of a way to choose the jobs of a cluster.
    alone
        Jobs to keep out of clusters of several jobs: names separated by commas, or @FILE with one
        on each line.
    output_
        DAGMan file to write, with one job for each cluster; other files go to OUTPUT.clusters.
    json_
        Print one JSON object instead of a report.

    """
    _check_output(output_, files, reading)
    check_streams(*files, order.order, *order.run_times, alone)
    found = cluster_answer(
        files,
        order,
        size=size,
        capacities=_capacities(size, capacities),
        clusterer=clusterer,
        alone=alone,
        output=output_,
        reading=Reading(reading),
        signs=SIGNS,
    )
    put(found, render.text, render.keys, as_json=json_)


def _capacities(size: int | None, capacities: str | None) -> list[int]:
    """Return the capacities to go through; raises ArgumentError unless one option is given."""
    if (size is None) == (capacities is None):
        given = "neither" if size is None else "both"
        raise ArgumentError(f"expected --size or --capacities, got {given}")
    if capacities is None:
        return [] if size is None else [size]
    numbers = whole_numbers("--capacities", capacities)
    return [checks.whole_number("--capacities", number, least=1) for number in numbers]


def _check_output(path: str | None, files: Sequence[str], reading: FileOptions) -> None:
    """Raise ArgumentError for options that cannot be used with -o."""
    writes = path is not None
    refuse(
        {
            "-o cannot be used with several files": writes and len(files) > 1,
            "-o cannot be used with --usedagdir": writes and reading.usedagdir,
            "-o cannot be used with --lenient": writes and reading.lenient,
            "-o: expected a file, got standard output": path == STANDARD_OUTPUT,
        }
    )
