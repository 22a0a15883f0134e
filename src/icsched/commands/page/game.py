"""The game that an order plays, for a picture: when each node runs, and when it may."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, Sizes
from icsched.pebble import Schedule
from icsched.report.scene import DagPicture

MOST_STEPS = 60  # at which a game of groups is shown


@dataclass(frozen=True, eq=False)
class Game:
    """For each order when each task runs, `rank`, and from when on it is eligible, `ready`.

    After k executions a task is done if rank < k, and eligible if ready <= k <= rank.
    """

    rank: Mapping[str, Ids]
    ready: Mapping[str, Ids]


@dataclass(frozen=True, eq=False)
class GroupedGame:
    """For each order how many tasks of each group are done, and eligible, after some steps.

    `done` and `ready` have a row for each of `steps`, and a column for each group.
    """

    steps: Sizes
    done: Mapping[str, NDArray[np.int64]]
    ready: Mapping[str, NDArray[np.int64]]


def game_of(orders: Mapping[str, Schedule], picture: DagPicture) -> Game | GroupedGame:
    """Return the game of each order on the nodes of *picture*."""
    if not picture.is_grouped:
        ranks = {name: order.ranks for name, order in orders.items()}
        return Game(ranks, {name: order.ready for name, order in orders.items()})
    tasks = len(picture.node)
    steps = np.unique(np.linspace(0, tasks, MOST_STEPS).astype(np.int64))
    done, ready = {}, {}
    for name, order in orders.items():
        # A task is done from the step rank + 1 on, and has been enabled from the step ready on.
        done[name] = _since(order.ranks + 1, steps, picture)
        ready[name] = _since(order.ready, steps, picture) - done[name]
    return GroupedGame(steps, done, ready)


def _since(start: Ids, steps: Sizes, picture: DagPicture) -> NDArray[np.int64]:
    """Count, for each of *steps* and each node, the tasks whose *start* is not after the step."""
    row = np.searchsorted(steps, start)
    width = len(picture)
    counts = np.bincount(row * width + picture.node, minlength=len(steps) * width)
    return np.cumsum(counts.reshape(len(steps), width), axis=0)
