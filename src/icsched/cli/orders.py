"""The options for an order, the same in every command."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.orders import AUTO, WantedOrder
from icsched.cli.inputs import PathName
from icsched.cli.names import one_of
from icsched.orders import ORDERS

RUN_TIMES_HELP = (
    "File with mean seconds of jobs: a table, an event log of HTCondor, its history, or a workflow"
    " with run times, such as a trace of WfCommons. It can be given several times."
    " Jobs may be missing."
)
_ORDER_HELP = (
    "Name of an order, or @FILE with your own order: one job on each line, first to run first."
)
RunTimeFiles = Annotated[
    Sequence[PathName], Parameter(negative="", show_default=False, help=RUN_TIMES_HELP)
]
OrderWord = Annotated[str, one_of(ORDERS), Parameter(help=_ORDER_HELP)]
OrderWords = Annotated[Sequence[str], one_of(ORDERS), Parameter(negative="")]


@Parameter(name="*")
@dataclass(frozen=True)
class OrderOptions(WantedOrder):
    """Which order."""

    order: OrderWord = "prio"
    run_times: RunTimeFiles = ()


@Parameter(name="*")
@dataclass(frozen=True)
class AutoOptions(OrderOptions):
    """Which order: by default the one that a simulation chooses."""

    order: OrderWord = AUTO


OURS = OrderOptions()
CHOSEN = AutoOptions()
