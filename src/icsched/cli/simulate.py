"""`icsched simulate`: what an order gains on a pool of unpredictable workers."""

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.reading import Reading
from icsched.answers.simulate import simulate_answer
from icsched.cli.inputs import USUAL, FileName, FileOptions, check_streams
from icsched.cli.model import (
    ENOUGH_RUNS,
    PAPER_POOL,
    UNIT_TIMES,
    PoolOptions,
    SamplingOptions,
    TimeOptions,
    naming_pool,
)
from icsched.cli.orders import ORDER_NAMES, known_orders
from icsched.cli.output import SIGNS, Json, put
from icsched.render import simulate as render

Orders = Annotated[
    Sequence[str], Parameter(negative="", show_default=known_orders, completer=ORDER_NAMES)
]


def simulate(
    *files: FileName,
    order: Orders = ("prio",),
    pool_options: PoolOptions = PAPER_POOL,
    time_options: TimeOptions = UNIT_TIMES,
    sampling_options: SamplingOptions = ENOUGH_RUNS,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Simulate a workflow in several orders and compare their times with fifo's.

    Parameters
    ----------
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
        It can be given several times. critical-path and fifo are always included.
    json_
        Print one JSON object instead of tables and charts.

    """
    check_streams(*files, *order, *time_options.run_times, pool_options.pool_file)
    with naming_pool(pool_options.pool_file):
        found = simulate_answer(
            files,
            order,
            pool=pool_options.pool(),
            times=time_options.times(),
            run_times=time_options.run_times,
            has_unit=pool_options.has_unit,
            sampling=sampling_options.sampling(),
            seed=sampling_options.seed,
            threads=sampling_options.thread_count(),
            reading=Reading(reading),
            signs=SIGNS,
        )
    put(found, render.text, render.keys, as_json=json_)
