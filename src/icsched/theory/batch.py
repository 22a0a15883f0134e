"""The best batch: the r eligible tasks that enable the most.

This is problem BICSO of Malewicz and Rosenberg 2006, "On Batch-Scheduling Dags for Internet-Based
Computing". Only a bipartite graph matters, the front. Its sources are the tasks that may be taken.
Its sinks are the tasks that wait for some sources and for nothing else. The front splits into
connected pieces. If every piece can be solved, max-plus convolution combines the solutions (Theorem
4.1).

Whether a batch can gain a given number of tasks is their problem BICSD, which is NP-complete
(section 3). They reduce the problem "many subsets with small union" to BICSD;
`families.random_small_union` draws dags of this reduction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from icsched import _native, checks
from icsched._native import BatchFront, Solving, TaskState
from icsched.arrays import Ids, Mask, ids_where, mask_of
from icsched.dag import Dag, Graph
from icsched.errors import ArgumentError, GameError, LimitError, StateError
from icsched.frames import Answer, names_of
from icsched.graph_inputs import T, T_co
from icsched.pebble.residual import Residual
from icsched.ready import missing_parents


@dataclass(frozen=True, eq=False)
class State:
    """The tasks that may be taken now.

    `sources` are the tasks that may be taken, ids ascending. `eligible` counts the tasks that will
    be eligible if nothing is taken and the running tasks end. `front` has the tasks that the
    sources enable.
    """

    sources: Ids
    eligible: int
    front: BatchFront


def state_of(graph: Graph, executed: Iterable[Hashable], running: Iterable[Hashable]) -> State:
    """Check *executed* and *running*, and return the tasks that may be taken. O(tasks + arcs).

    Tasks that *graph* says are done have been executed. Raises the errors of `Dag.mask`; GameError
    if a parent of an executed task is not executed, or a running task is not eligible.
    """
    left = Residual.of(graph)
    dag, done, held = left.dag, left.mask(executed), left.whole.mask(running)
    busy, held[left.places] = held[left.places], False
    for task in np.flatnonzero(held).tolist():
        raise StateError("running", f"{left.whole.names[task]!r} is executed already")
    missing = missing_parents(dag, done)

    def parent_of(task: int) -> str:
        return repr(dag.names[next(p for p in dag.parent_rows[task].tolist() if not done[p])])

    for task in np.flatnonzero(done & (missing > 0)).tolist():
        problem = f"cannot have run: its parent {parent_of(task)} has not"
        raise StateError("executed", f"{dag.names[task]!r} {problem}")
    for task in np.flatnonzero(busy & (done | (missing > 0))).tolist():
        problem = f"not eligible: its parent {parent_of(task)} has not run" if missing[task] else ""
        raise StateError("running", f"{dag.names[task]!r} is {problem or 'executed already'}")
    settled = done | busy
    offered = (missing == 0) & ~settled
    if busy.any():
        missing = missing_parents(dag, settled)
    states = np.full(len(dag), TaskState.WAITING, np.uint8)
    states[settled] = TaskState.EXECUTED
    states[offered] = TaskState.OFFERED
    sources = ids_where(offered)
    front = _native.batch_front(dag.child_rows, dag.parent_rows, states, sources)
    return State(sources, int(np.count_nonzero((missing == 0) & ~settled)), front)


Method = Literal["auto", "tree", "expansive", "exact", "greedy"]

# Up to this many sources, a piece that is not a tree is enumerated, in a millisecond.
MOST_ENUMERATED = 16
# Steps of the exact kernel that "auto" affords: about half a second.
AUTO_WORK = 200_000_000
# Above this many steps, about a minute, the integer program is used, which can be stopped.
EXACT_WORK = 10_000_000_000
# Above this many arcs of a front, "auto" does not call the integer program.
AUTO_MILP_ARCS = 400
_UNLIMITED = 2**62


class GuaranteeKind(Enum):
    """The kinds of guarantee: a batch compared with the best batch."""

    EXACT = "exact"  # no batch of this size leaves more tasks eligible
    WITHIN = "within"  # no batch leaves more than `Guarantee.gap` more tasks eligible
    HALF = "half"  # no batch adds more than twice as many eligible tasks


@dataclass(frozen=True)
class Guarantee:
    """The guarantee of a batch; `gap` is None unless the kind is WITHIN.

    `timed_out` says that more time might have closed the gap.
    """

    kind: GuaranteeKind
    gap: int | None = None
    timed_out: bool = False


EXACT = Guarantee(GuaranteeKind.EXACT)
HALF = Guarantee(GuaranteeKind.HALF)


@dataclass(frozen=True)
class Batch(Answer, Generic[T_co]):
    """Tasks to hand out together, with a guarantee.

    `take` has the task ids, ascending: a batch is a set. `names` has their names. `eligible_after`
    is the number of eligible tasks once the batch and the running tasks have been executed.
    `method` is the method that found the batch.
    """

    take: tuple[int, ...]
    eligible_after: int
    method: str
    guarantee: Guarantee
    names: tuple[T_co, ...] = names_of("take")


@dataclass(frozen=True, eq=False)
class Choice:
    """Sources of a front, by number, the count of sinks they enable, and a guarantee."""

    sources: Ids
    enabled: int
    method: str
    guarantee: Guarantee


def best_batch(
    graph: Graph[T],
    executed: Iterable[Hashable],
    r: int,
    *,
    running: Iterable[Hashable] = (),
    method: Method = "auto",
    time_limit_s: float = 10.0,
) -> Batch[T]:
    """Choose the *r* eligible tasks that leave the most tasks eligible once they have run.

    *graph* is as in `prioritize`. *executed* has the tasks that have run. *running* has the tasks
    that were handed out before and have no result yet. Both have names or ids, as `Dag.mask` takes
    them. Running tasks are not taken again. They count as executed, so a batch may enable tasks
    together with them. If at most *r* tasks are eligible, all are taken.

    - "tree" is exact if every connected piece of the front is a tree. O(eligible * r) time.
    - "expansive" takes the tasks with most children of their own. It applies if all tasks have
      enough of these for a guarantee of half the best gain. Linear time.
    - "exact" is exact for every dag if *time_limit_s* allows.
    - "greedy" is fast for every dag.
    - "auto" takes the first of these that is exact and affordable, or else the better of
      "expansive" and "greedy".

    Raises UnknownTaskError for unknown tasks; ArgumentError if *r* is less than 1 or the method is
    unknown; GameError if a parent of an executed task is not executed, a running task is not
    eligible, or the method does not apply.

    >>> from icsched import Dag
    >>> dag = Dag({"a": [], "b": [], "c": [], "d": ["a", "b"], "e": ["c"]})
    >>> best = best_batch(dag, [], 2)
    >>> best.names, best.eligible_after, best.method, best.guarantee.kind.value
    (('a', 'c'), 2, 'tree', 'exact')
    >>> best_batch(dag, [], 1, running=["a"]).names
    ('b',)
    """
    wanted = checks.whole_number("r", r, least=1)
    check_method(method)
    left = Residual.of(graph)
    dag, state = left.dag, state_of(left, executed, running)
    count = min(wanted, len(state.sources))

    def name_of(source: int) -> str:
        return repr(dag.names[state.sources[source]])

    choice = choice_by(state.front, count, method, time_limit_s=time_limit_s, name_of=name_of)
    take = left.task_ids(state.sources[np.sort(choice.sources)].tolist())
    names = tuple(left.whole.names[task] for task in take)
    after = state.eligible + choice.enabled - count
    return Batch(take, after, choice.method, choice.guarantee, names)


def check_method(method: str) -> None:
    """Raise ArgumentError unless *method* is known."""
    checks.one_of("method", method, get_args(Method))


def choice_by(
    front: BatchFront,
    count: int,
    method: Method,
    *,
    time_limit_s: float,
    name_of: Callable[[int], str],
) -> Choice:
    """Choose *count* sources of *front* by *method*.

    Among sources that enable nothing, those with the smallest numbers are chosen. Raises GameError,
    with the source's name, if the method does not apply.
    """
    match method:
        case "greedy":
            return greedy(front, count)
        case "tree":
            exact = _native.exact_batch(front, count, most_enumerated=0, most_work=_UNLIMITED)
            if exact.result == Solving.NOT_A_TREE:
                piece = f"the piece of task {name_of(exact.culprit)}"
                raise GameError(f"method tree: expected trees, {piece} has a cycle")
            choice: Choice | None = Choice(exact.sources, exact.enabled, "tree", EXACT)
        case "expansive":
            choice = expansive(front, count)
        case "exact":
            solved = pieces(front, count, most_work=EXACT_WORK)
            choice = replace(solved, method="exact") if solved else None
            choice = choice or _milp(front, count, time_limit_s)
        case "auto":
            return auto(front, count, most_work=AUTO_WORK, time_limit_s=time_limit_s)
    if choice is None:
        source = _not_expansive(front) or 0
        raise GameError(
            "method expansive: expected each task to have 2 or more children of its own and no"
            f" more shared ones, task {name_of(source)} has {front.yields[source]} and"
            f" {_shared(front)[source]}"
        )
    return _in_order(front, choice)


def auto(front: BatchFront, count: int, *, most_work: int, time_limit_s: float) -> Choice:
    """Choose by the best method that *most_work* steps allow; no integer program without time."""
    choice = pieces(front, count, most_work=most_work)
    if choice is None:
        choice = fast(front, count)
        small = len(front.sinks.targets) <= AUTO_MILP_ARCS
        if choice.guarantee != EXACT and small and time_limit_s > 0:
            solved = _milp(front, count, time_limit_s)
            if solved.guarantee == EXACT or solved.enabled > choice.enabled:
                choice = solved
    return _in_order(front, choice)


def greedy(front: BatchFront, count: int) -> Choice:
    """Repeatedly take one source, or all parents of a sink, that enable most per source."""
    sources, enabled = _native.greedy_batch(front, count)
    return Choice(sources, enabled, "greedy", _within(_native.most_enabled(front, count) - enabled))


def fast(front: BatchFront, count: int) -> Choice:
    """Return the better of greedy and, if its guarantee holds, expansive."""
    by_rule, proved = greedy(front, count), expansive(front, count)
    if proved is None or by_rule.guarantee == EXACT:
        return by_rule
    return proved if proved.enabled >= by_rule.enabled else replace(by_rule, guarantee=HALF)


def pieces(
    front: BatchFront, count: int, *, most_work: int, most_enumerated: int = MOST_ENUMERATED
) -> Choice | None:
    """Choose exactly, piece by piece; None if a piece is too large or there is too much work."""
    exact = _native.exact_batch(front, count, most_enumerated=most_enumerated, most_work=most_work)
    if exact.result != Solving.SOLVED:
        return None
    return Choice(exact.sources, exact.enabled, "tree" if exact.trees_only else "exact", EXACT)


def expansive(front: BatchFront, count: int) -> Choice | None:
    """Take the sources with most own sinks, if this guarantees half of the best gain.

    The guarantee holds if every source with sinks has two or more own sinks, and at most as many
    shared sinks. Proof: let A be the number of own sinks of the r chosen sources, so A >= 2r. Any
    set of r sources has at most A own sinks. It also has at most A arcs to shared sinks, and each
    shared sink that it enables uses two of these arcs. So the set gains at most 3A/2 - r, and the
    chosen set at least A - r. (Malewicz and Rosenberg show a factor of 4. They count all children;
    here only sinks of the front count.)
    """
    if _not_expansive(front) is not None:
        return None
    chosen = _largest(front.yields, count)
    enabled = _enabled_by(front, chosen)
    exact = enabled == _native.most_enabled(front, count)
    return Choice(chosen, enabled, "expansive", EXACT if exact else HALF)


def _milp(front: BatchFront, count: int, time_limit_s: float) -> Choice:
    """Return the result of the integer program, or the greedy start if that is better."""
    from icsched.theory import integer_program  # few batches need it

    start = greedy(front, count)
    bound = _native.most_enabled(front, count)
    found = integer_program.solve(front, count, time_limit_s=time_limit_s, start=start.sources)
    best = start if found is None or start.enabled > found.enabled else found
    # The program stops with a gap only at the time limit.
    gap = (bound if found is None else min(bound, found.bound)) - best.enabled
    return Choice(best.sources, best.enabled, "exact", _within(gap, timed_out=True))


def _within(gap: int, *, timed_out: bool = False) -> Guarantee:
    return EXACT if gap == 0 else Guarantee(GuaranteeKind.WITHIN, gap, timed_out)


def _shared(front: BatchFront) -> NDArray[np.int64]:
    """Return the number of sinks that each source shares with other sources."""
    weights = np.repeat(front.weights, front.sinks.sizes)
    counts = np.bincount(front.sinks.targets, weights, minlength=len(front.yields))
    return counts.astype(np.int64)


def _not_expansive(front: BatchFront) -> int | None:
    """Return the first source that has sinks, but not enough own sinks."""
    own, shared = front.yields, _shared(front)
    wrong = np.flatnonzero(((own > 0) | (shared > 0)) & ((own < 2) | (shared > own)))
    return int(wrong[0]) if len(wrong) else None


def _largest(values: Ids, count: int) -> Ids:
    """Return the places of the *count* largest values; ties are broken by place. Linear time."""
    if count == 0:
        return np.empty(0, np.int32)
    least = np.partition(values, len(values) - count)[len(values) - count]
    above = np.flatnonzero(values > least)
    equal = np.flatnonzero(values == least)[: count - len(above)]
    return np.concatenate([above, equal]).astype(np.int32)


def _enabled_sinks(front: BatchFront, taken: Mask) -> Mask:
    if not len(front.weights):
        return np.empty(0, bool)
    return np.logical_and.reduceat(taken[front.sinks.targets], front.sinks.offsets[:-1])


def _enabled_by(front: BatchFront, sources: Ids) -> int:
    taken = mask_of(sources, len(front.yields))
    shared = front.weights[_enabled_sinks(front, taken)]
    return int(front.yields[sources].sum()) + int(shared.sum())


def _in_order(front: BatchFront, choice: Choice) -> Choice:
    """Of the sources that enable nothing, choose those with the smallest numbers instead."""
    taken = mask_of(choice.sources, len(front.yields))
    useful = taken & (front.yields > 0)
    enabled = np.repeat(_enabled_sinks(front, taken), front.sinks.sizes)
    useful[front.sinks.targets[enabled]] = True
    spare = np.flatnonzero(~useful)[: len(choice.sources) - np.count_nonzero(useful)]
    useful[spare] = True
    sources = ids_where(useful)
    return replace(choice, sources=sources, enabled=_enabled_by(front, sources))


def batch_can_gain(
    graph: Graph, executed: Iterable[Hashable], r: int, gain: int, *, time_limit_s: float = 10.0
) -> bool:
    """Whether some *r* eligible tasks leave at least *gain* more tasks eligible than there are now.

    *gain* may be negative. The answer is exact. Raises LimitError after *time_limit_s*,
    ArgumentError if fewer than *r* tasks are eligible, and the errors of `best_batch`.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"]})
    >>> batch_can_gain(fork, [], 1, 1), batch_can_gain(fork, [], 1, 2)
    (True, False)
    """
    left, done = Residual.of(graph), list(executed)
    eligible = state_of(left, done, ()).eligible
    checks.whole_number("r", r, least=1, most=max(1, eligible))
    best = best_batch(left, done, r, method="exact", time_limit_s=time_limit_s)
    if best.eligible_after >= eligible + gain:
        return True
    if best.guarantee.kind is not GuaranteeKind.EXACT:
        raise LimitError(f"the best batch was not found within {time_limit_s:g} s")
    return False


def small_union_dag(subsets: Sequence[Iterable[int]]) -> Dag:
    """Return the dag of an instance of "many subsets with small union".

    The number of elements, 0, 1, ..., equals the number of subsets. Elements are sources, and
    subsets are sinks whose parents are their elements. Some b sources enable m sinks if and only if
    some m subsets have a union of at most b elements. Raises ArgumentError unless every subset has
    an element, and every element is in a subset.

    >>> small_union_dag([[0, 1], [1]]).arcs.tolist()
    [[0, 2], [1, 2], [1, 3]]
    """
    count, sets = len(subsets), [sorted(set(subset)) for subset in subsets]
    if set().union(*sets) != set(range(count)) or not all(sets):
        raise ArgumentError(
            f"argument subsets: expected {count} sets that are not empty and have the union"
            f" 0, .., {count - 1}"
        )
    arcs = [(element, count + place) for place, subset in enumerate(sets) for element in subset]
    return Dag.from_arcs(2 * count, arcs)


def has_small_union(subsets: Sequence[Iterable[int]], m: int, b: int) -> bool:
    """Whether some *m* of *subsets* have a union of at most *b* elements (Theorem 3.1).

    >>> has_small_union([[0, 1], [1]], 1, 1), has_small_union([[0, 1], [1]], 2, 1)
    (True, False)
    """
    checks.whole_number("m", m, least=0, most=len(subsets))
    if checks.whole_number("b", b, least=0, most=len(subsets)) == 0:
        return m == 0
    return batch_can_gain(small_union_dag(subsets), [], b, m - b)
