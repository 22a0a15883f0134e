"""`icsched show`: what a workflow is made of."""

from icsched.answers.reading import Reading
from icsched.answers.show import show_answer
from icsched.cli.inputs import USUAL, FileName, FileOptions, check_streams
from icsched.cli.orders import OURS, OrderOptions
from icsched.cli.output import SIGNS, Json
from icsched.cli.printing import put
from icsched.render import show as render


def show(
    *files: FileName,
    order: OrderOptions = OURS,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Show a workflow's size, levels and blocks, what is proved, and what may disturb an order.

    Parameters
    ----------
    json_
        Print one JSON object instead of a report.

    """
    check_streams(*files, order.order, *order.run_times)
    found = show_answer(files, order, reading=Reading(reading), signs=SIGNS)
    put(found, render.text, render.keys, as_json=json_)
