"""Simple orders, which a better order is compared with."""

from icsched import pebble
from icsched.arrays import Floats, Ids
from icsched.dag import Dag
from icsched.orders.entry import NamedOrder


def _random(dag: Dag) -> Ids:
    return pebble.random_order(dag, seed=0)


def _by_times(dag: Dag, run_times: Floats) -> Ids:
    return pebble.critical_path_order(dag, run_times=run_times)


SIMPLE = (
    NamedOrder("fifo", "first come, first served", pebble.fifo_order, played="fifo"),
    NamedOrder("lifo", "last come, first served", pebble.lifo_order, played="lifo"),
    NamedOrder("random", "a random eligible job", _random, played="random"),
    NamedOrder("level", "level by level from the sources", pebble.level_order),
    NamedOrder("critical-path", "the longest path in jobs first", pebble.critical_path_order),
    NamedOrder(
        "critical-path-times",
        "the longest path in run time first",
        _by_times,
        needs_run_times=True,
    ),
)
