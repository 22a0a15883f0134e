"""The options for an order, the same in every command."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.orders import AUTO, WantedOrder
from icsched.cli.names import names_of
from icsched.orders import ORDERS


def known_orders(_default: object) -> str:
    """Return the default and all names with their sentences; only help asks for this."""
    return f"prio. Names: {ORDERS.described()}"


RunTimeFiles = Annotated[Sequence[str], Parameter(negative="", show_default=False)]


def known_orders_of_prio(_default: object) -> str:
    """Return the same for `icsched prio`, which has another default."""
    return f"auto. Names: {ORDERS.described()}"


ORDER_NAMES = names_of(lambda: ORDERS)
OrderWord = Annotated[str, Parameter(show_default=known_orders, completer=ORDER_NAMES)]


@Parameter(name="*")
@dataclass(frozen=True)
class OrderOptions(WantedOrder):
    """Which order.

    Parameters
    ----------
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
    run_times
        File with mean seconds of jobs: a table, an event log of HTCondor, or its history.
        It can be given several times. Jobs may be missing.

    """

    order: OrderWord = "prio"
    run_times: RunTimeFiles = ()


@Parameter(name="*")
@dataclass(frozen=True)
class AutoOptions(OrderOptions):
    """Which order: by default the one that a simulation chooses.

    Parameters
    ----------
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
    run_times
        File with mean seconds of jobs: a table, an event log of HTCondor, or its history.
        It can be given several times. Jobs may be missing.

    """

    order: Annotated[str, Parameter(show_default=known_orders_of_prio, completer=ORDER_NAMES)] = (
        AUTO
    )


OURS = OrderOptions()
CHOSEN = AutoOptions()
