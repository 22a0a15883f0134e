"""Plain Python twins of the C++ kernels: slow, short, and obviously right."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import combinations

from icsched import Dag


def build(tasks: int, arcs: Sequence[tuple[int, int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Children and parents of each task, sorted, repeats dropped."""
    distinct = set(arcs)
    children = [sorted(c for p, c in distinct if p == task) for task in range(tasks)]
    parents = [sorted(p for p, c in distinct if c == task) for task in range(tasks)]
    return children, parents


def fifo_order(children: list[list[int]], parents: list[list[int]]) -> list[int]:
    """First-in-first-out order of the tasks that no cycle blocks."""
    done: set[int] = set()
    queue = deque(task for task, its_parents in enumerate(parents) if not its_parents)
    order = []
    while queue:
        task = queue.popleft()
        order.append(task)
        done.add(task)
        queue.extend(c for c in children[task] if done.issuperset(parents[c]))
    return order


def is_cycle(children: list[list[int]], cycle: Sequence[int]) -> bool:
    """Whether *cycle* is one: distinct tasks, each a parent of the next, last of the first."""
    following = [*cycle[1:], cycle[0]]
    return len(set(cycle)) == len(cycle) and all(
        b in children[a] for a, b in zip(cycle, following, strict=True)
    )


def paths_into(dag: Dag, task: int) -> Iterator[list[int]]:
    """All paths that end at *task*, without it."""
    yield []
    for parent in dag.parents(task).tolist():
        for path in paths_into(dag, parent):
            yield [*path, parent]


def longest_paths(dag: Dag, weights: Sequence[float]) -> list[float]:
    """Heaviest path that ends just before each task."""
    return [
        max(sum(weights[t] for t in path) for path in paths_into(dag, task))
        for task in range(len(dag))
    ]


def connected_parts(dag: Dag) -> list[set[int]]:
    """Connected parts, by smallest task."""
    parts: list[set[int]] = []
    for task in range(len(dag)):
        if any(task in part for part in parts):
            continue
        part: set[int] = set()
        frontier = {task}
        while frontier:
            part |= frontier
            near = {int(t) for f in frontier for t in (*dag.parents(f), *dag.children(f))}
            frontier = near - part
        parts.append(part)
    return parts


def priority_order(dag: Dag, ranks: Sequence[int]) -> list[int]:
    """Always run the eligible task of least rank."""
    order: list[int] = []
    while len(order) < len(dag):
        order.append(min(eligible_after(dag, set(order)), key=lambda task: ranks[task]))
    return order


def eligible_after(dag: Dag, executed: set[int]) -> set[int]:
    """Tasks not executed whose parents all are."""
    return {
        task
        for task in range(len(dag))
        if task not in executed and executed.issuperset(dag.parents(task).tolist())
    }


def eligibility_profile(dag: Dag, order: Sequence[int]) -> list[int]:
    """Eligible tasks after each step, counted afresh."""
    return [len(eligible_after(dag, set(order[:t]))) for t in range(len(dag) + 1)]


def memory_profile(dag: Dag, order: Sequence[int]) -> list[int]:
    """Executed tasks with an unexecuted child after each step, counted afresh."""
    return [
        sum(not done.issuperset(dag.children(task).tolist()) for task in done)
        for done in (set(order[:t]) for t in range(len(dag) + 1))
    ]


class Referee:
    """Every question to the referee answered by looking at all ideals, sinks included."""

    def __init__(self, dag: Dag) -> None:
        parents = [set(dag.parents(task).tolist()) for task in range(len(dag))]
        tasks = range(len(dag))
        self._layers = [
            {
                frozenset(chosen): sum(t not in chosen and parents[t] <= set(chosen) for t in tasks)
                for chosen in combinations(tasks, size)
                if all(parents[t] <= set(chosen) for t in chosen)
            }
            for size in range(len(dag) + 1)
        ]

    @property
    def optimal_profile(self) -> list[int]:
        return [max(layer.values()) for layer in self._layers]

    @property
    def maximum_area(self) -> int:
        best = {frozenset[int](): self._layers[0][frozenset()]}
        for layer in self._layers[1:]:
            best = {
                ideal: eligible + max(best[ideal - {t}] for t in ideal if ideal - {t} in best)
                for ideal, eligible in layer.items()
            }
        return max(best.values())

    @property
    def has_ic_optimal_order(self) -> bool:
        reached = {frozenset[int]()}
        for layer, best in zip(self._layers[1:], self.optimal_profile[1:], strict=True):
            reached = {
                ideal
                for ideal, eligible in layer.items()
                if eligible == best and any(ideal - {t} in reached for t in ideal)
            }
        return bool(reached)

    def eligible(self, ideal: Sequence[int]) -> int:
        """Eligible tasks after *ideal*; KeyError if it is none."""
        return self._layers[len(ideal)][frozenset(ideal)]
