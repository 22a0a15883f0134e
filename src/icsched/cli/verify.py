"""`icsched verify`: prove or refute that an order is IC-optimal."""

from typing import Annotated

from icsched import checks
from icsched.answers.reading import Reading
from icsched.answers.verify import verify_answer
from icsched.cli.inputs import USUAL, WHOLE, FileOptions, check_streams
from icsched.cli.orders import OURS, OrderOptions
from icsched.cli.output import SIGNS, Json, put
from icsched.pebble.referee import DEFAULT_LIMIT
from icsched.render import verify as render


def verify(
    file: str,
    /,
    *,
    order: OrderOptions = OURS,
    limit: Annotated[int, WHOLE] = DEFAULT_LIMIT,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Say whether an order keeps as many jobs eligible as any order could, at every step.

    Parameters
    ----------
    file
        Workflow file; - for standard input.
    limit
        Give up after this many sets of executed jobs.
    json_
        Print one JSON object instead of a sentence.

    """
    checks.whole_number("--limit", limit, least=1)
    check_streams(file, order.order, *order.run_times)
    found = verify_answer(file, order, limit=limit, reading=Reading(reading), signs=SIGNS)
    put(found, render.text, render.keys, as_json=json_)
