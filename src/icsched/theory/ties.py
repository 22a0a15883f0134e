"""Ways to break ties: numberings of the tasks, because ties go to the smaller number.

The six steps choose between equal blocks and equal tasks by number. The number that a task has in
a file says nothing about the task. So the tasks are numbered anew before the steps, by what waits
for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids, ranks_of
from icsched.dag import Dag
from icsched.pebble import remaining_paths


@dataclass(frozen=True, eq=False)
class Renumbered:
    """A dag whose tasks have new numbers, and no names.

    `old` has the old id of each task, by its new one.
    """

    dag: Dag
    old: Ids

    @classmethod
    def by(cls, dag: Dag, *keys: NDArray[np.generic]) -> Renumbered:
        """Return *dag* numbered by the first key, equal tasks by the next one, at last by id."""
        old = np.lexsort(keys[::-1]).astype(np.int32)
        return cls(Dag.from_arcs(len(dag), ranks_of(old)[dag.arcs]), old)


def numberings(dag: Dag, run_times: Floats | None = None) -> Iterator[Renumbered]:
    """Yield *dag* with its tasks numbered in three ways, the preferred one first.

    1. The longest remaining path first, by *run_times* if they are given.
    2. The shortest path in tasks first.
    3. The task with the fewest children first.

    The other keys decide what is still equal, and at last the id. The second and third are for
    dags that no theorem covers: which of the three gives the largest area differs from dag to dag.

    >>> fork = Dag({"a": [], "b": [], "c": ["b"]})
    >>> [way.old.tolist() for way in numberings(fork)]
    [[1, 0, 2], [0, 2, 1], [0, 2, 1]]
    """
    lengths = remaining_paths(dag)
    times = lengths if run_times is None else remaining_paths(dag, run_times)
    children = dag.out_degrees
    yield Renumbered.by(dag, -times, -lengths, -children)
    yield Renumbered.by(dag, lengths, -times, -children)
    yield Renumbered.by(dag, children, -times, -lengths)
