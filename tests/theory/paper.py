"""The heuristic of Malewicz et al. 2007 word for word: a plain Python twin, slow and short.

Functions stand in the order of the six steps of section 3.1. A *remnant* is a set of tasks
of a dag, with the arcs between them; parents and children outside it do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product

from icsched import Dag

Profile = Sequence[int]


@dataclass(frozen=True)
class Block:
    """A component of the decomposition; its sinks may survive as sources of later blocks."""

    nonsinks: frozenset[int]
    sinks: frozenset[int]

    @property
    def tasks(self) -> frozenset[int]:
        """All tasks of the block."""
        return self.nonsinks | self.sinks


# Step 1: shortcuts


def shortcuts(dag: Dag) -> set[tuple[int, int]]:
    """Arcs u -> v such that another path leads from u to v (section 2.2, step 1).

    >>> shortcuts(Dag({"a": [], "b": ["a"], "c": ["a", "b"]}))
    {(0, 2)}
    """
    return {
        (u, v)
        for u, v in arcs(dag)
        if any(v in reachable(dag, other) for other in dag.children(u).tolist() if other != v)
    }


def arcs(dag: Dag) -> list[tuple[int, int]]:
    """All arcs (parent, child)."""
    return [(u, v) for u in range(len(dag)) for v in dag.children(u).tolist()]


def reachable(dag: Dag, task: int) -> set[int]:
    """*task* and all that paths from it lead to."""
    reached: set[int] = set()
    frontier = {task}
    while frontier:
        reached |= frontier
        frontier = {child for t in frontier for child in dag.children(t).tolist()} - reached
    return reached


def without_shortcuts(dag: Dag) -> Dag:
    """The dag G' of section 2.2, step 1; ids stay."""
    dropped = shortcuts(dag)
    return Dag.from_arcs(len(dag), [arc for arc in arcs(dag) if arc not in dropped])


# Step 2: decomposition


def closure(dag: Dag, remnant: Collection[int], s: int) -> frozenset[int]:
    """C(s) of section 3.1, step 2, for a source s of *remnant*.

    The least set with s, the children of every source of the remnant in it, and all parents
    of every member.
    """
    members = {s}
    while True:
        sources = {task for task in members if not parents_in(dag, remnant, task)}
        wider = members.union(
            *(children_in(dag, remnant, task) for task in sources),
            *(parents_in(dag, remnant, task) for task in members),
        )
        if wider == members:
            return frozenset(members)
        members = wider


def decompose(dag: Dag) -> list[Block]:
    """Blocks in the order of detaching; *dag* has no shortcuts (section 3.1, step 2).

    Detaching removes the block's nonsinks, and those of its sinks that are sinks of the
    remnant. A task without parents or children in the remnant is a block without nonsinks.

    >>> [sorted(block.tasks) for block in decompose(Dag({"a": [], "b": ["a"], "c": ["b"]}))]
    [[0, 1], [1, 2]]
    """
    remnant = set(range(len(dag)))
    blocks = []
    while remnant:
        component = next_component(dag, remnant)
        nonsinks = frozenset(task for task in component if children_in(dag, component, task))
        sinks = component - nonsinks
        blocks.append(Block(nonsinks, sinks))
        remnant -= nonsinks | {task for task in sinks if not children_in(dag, remnant, task)}
    return blocks


def next_component(dag: Dag, remnant: Collection[int]) -> frozenset[int]:
    """A minimal C(s), bipartite if any such is, and then with the smallest task.

    Minimal sets are equal or disjoint and stay minimal until detached, so that the choice
    decides in which order the blocks come, and not which there are.
    """
    sources = [task for task in remnant if not parents_in(dag, remnant, task)]
    found = {closure(dag, remnant, s) for s in sources}
    minimal = [one for one in found if not any(other < one for other in found)]
    return min(minimal, key=lambda one: (not is_bipartite(dag, one), min(one)))


def is_bipartite(dag: Dag, tasks: Collection[int]) -> bool:
    """Whether each of *tasks* is a source or a sink among them."""
    return not any(parents_in(dag, tasks, task) and children_in(dag, tasks, task) for task in tasks)


def parents_in(dag: Dag, tasks: Collection[int], task: int) -> set[int]:
    """Parents of *task* among *tasks*."""
    return {parent for parent in dag.parents(task).tolist() if parent in tasks}


def children_in(dag: Dag, tasks: Collection[int], task: int) -> set[int]:
    """Children of *task* among *tasks*."""
    return {child for child in dag.children(task).tolist() if child in tasks}


def superdag_arcs(dag: Dag, blocks: Sequence[Block]) -> set[tuple[int, int]]:
    """Arcs i -> j between blocks, given by index (section 3.1, step 2).

    A nonsink belongs to the block that executes it, and an arc between nonsinks of two
    blocks orders these. Blocks need not share a task for that: a nonsink that is not a
    source may have children outside its block.
    """
    owner = {task: index for index, block in enumerate(blocks) for task in block.nonsinks}
    return {(owner[u], owner[v]) for u, v in arcs(dag) if v in owner and owner[u] != owner[v]}


# Step 3: an order of each block's nonsinks, and its profile


def outdegree_order(dag: Dag, block: Block) -> list[int]:
    """Always the eligible nonsink with most children in the block, then of smallest id.

    Section 3.1, step 3, for blocks without a known IC-optimal order.
    """
    order: list[int] = []
    while len(order) < len(block.nonsinks):
        eligible = [
            task
            for task in block.nonsinks.difference(order)
            if parents_in(dag, block.tasks, task) <= set(order)
        ]
        order.append(min(eligible, key=lambda t: (-len(children_in(dag, block.tasks, t)), t)))
    return order


def enabled(dag: Dag, block: Block, order: Sequence[int]) -> list[int]:
    """Nonsources of the block enabled after 0 .. s executions (Cordasco et al. 2011, section 2).

    Enabled are those whose parents in the block have all been executed, themselves executed
    or not. *order* lists the block's s nonsinks.
    """
    needs = [parents_in(dag, block.tasks, task) for task in block.tasks]
    return [
        sum(bool(need) and need <= set(order[:x]) for need in needs) for x in range(len(order) + 1)
    ]


def eligible(dag: Dag, block: Block, order: Sequence[int]) -> list[int]:
    """Eligible tasks of the block, sources too, after 0 .. s executions (section 3.1)."""
    sources = sum(not parents_in(dag, block.tasks, task) for task in block.tasks)
    return [sources + count - x for x, count in enumerate(enabled(dag, block, order))]


# Steps 4 and 5: priorities


def has_priority(first: Profile, second: Profile) -> bool:
    """Whether first |> second: inequality (1) of Malewicz et al. 2007 on two profiles."""
    s1 = len(first) - 1
    return all(
        first[x] + second[y] <= first[min(s1, x + y)] + second[max(0, x + y - s1)]
        for x, y in product(range(len(first)), range(len(second)))
    )


def priority(first: Profile, second: Profile) -> Fraction:
    """The largest r <= 1 with which *first* has r-priority over *second*.

    Section 3.1, steps 4 and 5. Profiles are both of `enabled` or both of
    `eligible` tasks. A sum of 0 on the left of the inequality holds for every r.

    >>> priority([1, 1], [1, 2])
    Fraction(2, 3)
    """
    s1 = len(first) - 1
    ratios = [
        Fraction(first[min(s1, x + y)] + second[max(0, x + y - s1)], first[x] + second[y])
        for x, y in product(range(len(first)), range(len(second)))
        if first[x] + second[y] > 0
    ]
    return min([Fraction(1), *ratios])


# Step 6: the order of the blocks


def greedy(dag: Dag, blocks: Sequence[Block], profiles: Sequence[Profile]) -> list[int]:
    """Indices of the blocks with nonsinks in the order of section 3.1, step 6.

    The next is a source of the superdag whose least priority over another source is
    greatest; of several, the one with the smallest nonsink.
    """
    superdag = superdag_arcs(dag, blocks)
    left = {index for index, block in enumerate(blocks) if block.nonsinks}
    order: list[int] = []
    while left:
        sources = left - {j for i, j in superdag if i in left}
        order.append(next_block(blocks, profiles, sources))
        left.remove(order[-1])
    return order


def next_block(
    blocks: Sequence[Block], profiles: Sequence[Profile], sources: Collection[int]
) -> int:
    """The block that step 6 takes from the *sources* of the superdag."""

    def merit(i: int) -> tuple[Fraction, int]:
        others = (priority(profiles[i], profiles[j]) for j in sources if j != i)
        return min(others, default=Fraction(1)), -min(blocks[i].nonsinks)

    return max(sources, key=merit)


def prio_order(
    dag: Dag, *, profile: Callable[[Dag, Block, Sequence[int]], Profile] = eligible
) -> list[int]:
    """The order of the heuristic, all six steps, with every block in outdegree order.

    *profile* is `eligible` or `enabled`: what the priorities compare.
    """
    reduced = without_shortcuts(dag)
    blocks = decompose(reduced)
    orders = [outdegree_order(reduced, block) for block in blocks]
    profiles = [profile(reduced, block, order) for block, order in zip(blocks, orders, strict=True)]
    nonsinks = [task for i in greedy(reduced, blocks, profiles) for task in orders[i]]
    return nonsinks + sorted(set(range(len(dag))) - set(nonsinks))


# Bounds


def convolve(a: Profile, b: Profile) -> list[int]:
    """Max-plus convolution: the most that a(x) + b(y) can be for each x + y.

    >>> convolve([0, 2], [0, 1, 4])
    [0, 2, 4, 6]
    """
    return [
        max(a[x] + b[t - x] for x in range(len(a)) if 0 <= t - x < len(b))
        for t in range(len(a) + len(b) - 1)
    ]


def are_closed(dag: Dag, blocks: Iterable[Block]) -> bool:
    """Whether every nonsink's children are all in its block; of bipartite blocks they are."""
    return all(
        block.tasks.issuperset(dag.children(task).tolist())
        for block in blocks
        for task in block.nonsinks
    )


def closed_blocks_bound(best: Iterable[Profile]) -> list[int]:
    """A bound on the tasks of a dag enabled after t executions, from closed blocks.

    *best* holds for each block a profile of `enabled` tasks that no order of the block
    exceeds at any step. Every nonsource of the dag is a nonsource of just one closed block,
    with all its parents there, so that t executions enable what their shares in the blocks
    do. If the dag is the sum of its blocks and *best* is attained, then so is the bound.
    """
    return reduce(convolve, best, [0])
