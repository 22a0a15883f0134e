"""Plain twins of the kernels in memory.hpp: every count made afresh, step by step."""

from collections.abc import Collection, Sequence

from icsched import Dag

Tasks = Sequence[int]


def memory(dag: Dag, executed: Collection[int], sizes: Sequence[int]) -> int:
    """Sum of the sizes of the executed tasks with a child that has not run."""
    done = set(executed)
    return sum(sizes[task] for task in done if not done.issuperset(dag.children(task).tolist()))


def is_eligible(dag: Dag, executed: Collection[int], task: int) -> bool:
    return task not in executed and set(executed).issuperset(dag.parents(task).tolist())


def need(dag: Dag, task: int, sizes: Sequence[int]) -> int:
    """The most that is open while the ancestors of *task* run, were they a tree."""
    kept, most = 0, sizes[task]
    for parent in hungriest_first(dag, task, sizes):
        most = max(most, kept + need(dag, parent, sizes))
        kept += sizes[parent]
    return max(most, kept)


def hungriest_first(dag: Dag, task: int, sizes: Sequence[int]) -> list[int]:
    parents = dag.parents(task).tolist()
    return sorted(parents, key=lambda parent: (sizes[parent] - need(dag, parent, sizes), parent))


def depth_first_order(dag: Dag, sizes: Sequence[int]) -> list[int]:
    order: list[int] = []

    def visit(task: int) -> None:
        for parent in hungriest_first(dag, task, sizes):
            if parent not in order:
                visit(parent)
        if task not in order:
            run_with_closers(task)

    def run_with_closers(task: int) -> None:
        closers = [task]
        while closers:
            if (closer := closers.pop()) not in order:
                order.append(closer)
                closers += closers_after(closer)

    def closers_after(task: int) -> list[int]:
        nearby = []
        for parent in dag.parents(task).tolist():
            left = [child for child in dag.children(parent).tolist() if child not in order]
            nearby += left if len(left) == 1 else []
        nearby += dag.children(task).tolist()
        return [near for near in nearby if frees_what_it_takes(near)]

    def frees_what_it_takes(task: int) -> bool:
        if not is_eligible(dag, order, task):
            return False
        before = memory(dag, order, sizes)
        after = memory(dag, [*order, task], sizes)
        taken = sizes[task] if len(dag.children(task)) else 0
        return before - (after - taken) >= max(taken, 1)

    for sink in dag.sinks.tolist():
        visit(sink)
    return order


def pieces(dag: Dag, order: Tasks) -> list[list[int]]:
    """Cut *order* wherever no task has parents on both sides."""
    cut: list[list[int]] = [[]] if len(order) else []
    for place, task in enumerate(order):
        before = set(order[:place])
        parents = [set(dag.parents(t).tolist()) for t in range(len(dag))]
        if place and not any(some & before and some - before for some in parents):
            cut.append([])
        cut[-1].append(task)
    return cut


def gains(dag: Dag, order: Tasks, piece: Tasks) -> tuple[int, ...]:
    """How many tasks each step of *piece* enables."""
    counts = []
    for task in piece:
        done = order[: order.index(task) + 1]
        enabled = (set(done).issuperset(dag.parents(c).tolist()) for c in dag.children(task))
        counts.append(sum(enabled))
    return tuple(counts)


def exchange_pieces(
    dag: Dag, order: Tasks, ranks: Sequence[int], sizes: Sequence[int]
) -> list[int]:
    given = pieces(dag, order)
    kinds = [gains(dag, order, piece) for piece in given]
    run: list[int] = []
    agreed = 0

    def tasks(numbers: Sequence[int]) -> list[int]:
        return [task for number in numbers for task in given[number]]

    def eagerness(number: int) -> tuple[int, int]:
        least_rank = min(ranks[task] for task in given[number])
        return memory(dag, tasks([*run, number]), sizes), least_rank

    def is_ready(number: int) -> bool:
        known = {*tasks(run), *given[number]}
        return number not in run and all(
            known.issuperset(dag.parents(task).tolist()) for task in given[number]
        )

    for turn, kind in enumerate(kinds):
        ready = [n for n, other in enumerate(kinds) if other == kind and is_ready(n)]
        if ready:
            run.append(min(ready, key=eagerness))
        else:
            run[agreed:] = range(agreed, turn + 1)
        if set(run) == set(range(turn + 1)):
            agreed = turn + 1
    return tasks(run)


def pull_forward(
    dag: Dag, base: Tasks, ranks: Sequence[int], sizes: Sequence[int], limit: int, patience: int
) -> list[int]:
    order: list[int] = []
    until = dict.fromkeys(range(len(dag)), -1)  # a task waits while base has not passed this
    waits = dict.fromkeys(range(len(dag)), 0)

    def last_over(task: int, now: int) -> int:
        states = range(now, base.index(task) + 1)
        over = [s for s in states if memory(dag, {*order, task, *base[:s]}, sizes) > limit]
        return max(over, default=-1)

    while len(order) < len(dag):
        now = next(place for place, task in enumerate(base) if task not in order)
        candidates = [
            task
            for task in range(len(dag))
            if is_eligible(dag, order, task) and (base[now] == task or until[task] < now)
        ]
        task = min(candidates, key=lambda task: ranks[task])
        over = -1 if base[now] == task else last_over(task, now)
        if over < 0:
            order.append(task)
            continue
        waits[task] += 1
        until[task] = over if waits[task] < patience else len(dag)
    return order
