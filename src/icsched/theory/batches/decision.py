"""Whether a batch can gain a given number of tasks: a problem that is NP-complete.

See Malewicz and Rosenberg 2006, "On Batch-Scheduling Dags for Internet-Based Computing", section 3.
The decision is their BICSD. They reduce the problem "many subsets with small union" to BICSD.
`families.random_small_union` draws dags of this reduction.
"""

from collections.abc import Hashable, Iterable, Sequence

from icsched import checks
from icsched.dag import Dag, Graph, dag_of
from icsched.errors import ArgumentError, LimitError
from icsched.theory.batches.choose import GuaranteeKind, best_batch
from icsched.theory.batches.state import state_of


def batch_can_gain(
    graph: Graph, executed: Iterable[Hashable], r: int, gain: int, *, time_limit_s: float = 10.0
) -> bool:
    """Whether some *r* eligible tasks leave at least *gain* more tasks eligible than there are now.

    *gain* may be negative. The answer is exact. Raises LimitError if it takes longer than
    *time_limit_s*; ArgumentError if fewer than *r* tasks are eligible; else as `best_batch`.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"]})
    >>> batch_can_gain(fork, [], 1, 1), batch_can_gain(fork, [], 1, 2)
    (True, False)
    """
    dag, done = dag_of(graph), list(executed)
    eligible = state_of(dag, done, ()).eligible
    checks.whole_number("r", r, least=1, most=max(1, eligible))
    best = best_batch(dag, done, r, method="exact", time_limit_s=time_limit_s)
    if best.eligible_after >= eligible + gain:
        return True
    if best.guarantee.kind is not GuaranteeKind.EXACT:
        raise LimitError(f"the best batch was not found within {time_limit_s:g} s")
    return False


def small_union_dag(subsets: Sequence[Iterable[int]]) -> Dag:
    """Return the dag of an instance of "many subsets with small union".

    There are as many elements, counted from 0, as subsets. Elements are sources, and subsets are
    sinks whose parents are their elements. Some b sources enable m sinks if and only if some m
    subsets have a union of at most b elements. Raises ArgumentError unless every subset has an
    element, and every element is in a subset.

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
