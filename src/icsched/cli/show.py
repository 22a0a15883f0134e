"""`icsched show`: what a workflow is made of."""

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.folder import write_tables
from icsched.answers.notes import TablesWritten
from icsched.answers.reading import Reading
from icsched.answers.show import show_answer
from icsched.cli.inputs import USUAL, FileName, FileOptions, PathName, check_streams
from icsched.cli.orders import OURS, OrderOptions
from icsched.cli.output import SIGNS, WRITTEN, Json
from icsched.cli.printing import put
from icsched.render import show as render
from icsched.render.tables import table_texts


def show(
    *files: FileName,
    order: OrderOptions = OURS,
    tables_: Annotated[PathName | None, Parameter(name="--tables"), WRITTEN] = None,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Show a workflow's size, levels and blocks, what is proved, and what may disturb an order.

    Parameters
    ----------
    tables_
        Directory for the order, the eligibility table and dot files of dag, superdag and blocks.
    json_
        Print one JSON object instead of a report.

    """
    check_streams(*files, order.order, *order.run_times)
    found = show_answer(files, order, reading=Reading(reading), signs=SIGNS)
    if tables_ is not None:
        write_tables(tables_, table_texts(found.compared))
        told = (*found.files.notes, TablesWritten(tables_))
        found = replace(found, files=replace(found.files, notes=told))
    put(found, render.text, render.keys, as_json=json_)
