"""`icsched simulate`: what an order gains on a pool of unpredictable workers."""

from icsched.answers.orders import AUTO
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
from icsched.cli.orders import OrderWords
from icsched.cli.output import SIGNS, Json
from icsched.cli.printing import put
from icsched.render import simulate as render


def simulate(
    *files: FileName,
    order: OrderWords = (AUTO,),
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
        It can be given several times. critical-path and fifo are always included, and the order
        now: the priorities that the file has, if it has some.
    json_
        Print one JSON object instead of tables.

    """
    check_streams(*files, *order, *time_options.run_times, pool_options.pool_file)
    given = pool_options.given()
    with naming_pool(pool_options.pool_file):
        found = simulate_answer(
            files,
            order,
            pool=given.pool,
            times=time_options.times(),
            run_times=time_options.run_times,
            has_unit=pool_options.has_unit,
            sampling=sampling_options.sampling(),
            seed=sampling_options.seed,
            threads=sampling_options.thread_count(),
            reading=Reading(reading),
            replay_error=given.replay_error,
            signs=SIGNS,
        )
    put(found, render.text, render.keys, as_json=json_)
