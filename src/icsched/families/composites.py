"""Structured dags: meshes, trees, butterflies, scans and compositions of them.

Most are from Rosenberg and Yurkewych 2005, "Guidelines for Scheduling Some Common Computation-Dags
for Internet-Based Computing", and Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling
Theory".

Ids are in a topological order everywhere, so running the tasks by id is legal.
"""

from collections.abc import Iterable
from itertools import chain, combinations
from math import comb

import numpy as np

from icsched import checks
from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.families.arcs import Ints, capped_power, check_least, check_size, paired

MOST_DIMENSIONS = 20  # the coordinates of all tasks are in memory at once


def mesh(levels: int, dimensions: int = 2) -> Dag[int]:
    """Reduction mesh: tuples of sum below levels, each with arcs that decrement a coordinate.

    Tasks are numbered level by level from the sources. Each level is in lexicographic order, so
    a 2-d level is swept from one end. Rosenberg and Yurkewych 2005, section 2.1.1. Raises
    ArgumentError unless levels >= 1 and dimensions is from 1 to 20.

    >>> mesh(2).arcs.tolist()
    [[0, 2], [1, 2]]
    """
    tasks, arcs = _mesh_arcs(levels, dimensions)
    return Dag.from_arcs(tasks, arcs)


def evolving_mesh(levels: int, dimensions: int = 2) -> Dag[int]:
    """Evolving mesh: the dual of the reduction mesh, numbered from its one source outward.

    The ids of `mesh` are reversed. Raises ArgumentError as `mesh` does.

    >>> evolving_mesh(2).arcs.tolist()
    [[0, 1], [0, 2]]
    """
    tasks, arcs = _mesh_arcs(levels, dimensions)
    return Dag.from_arcs(tasks, tasks - 1 - arcs[:, ::-1])


def tree(height: int, arity: int = 2) -> Dag[int]:
    """Complete reduction tree: leaves are the sources, each task has arity parents.

    Tasks are numbered from the leaves, level by level, siblings side by side. Rosenberg and
    Yurkewych 2005, section 2.1.2. Raises ArgumentError unless height >= 0 and arity >= 2.

    >>> tree(1, 3).arcs.tolist()
    [[0, 3], [1, 3], [2, 3]]
    """
    leaves, tasks = _tree_sizes(height, arity)
    return Dag.from_arcs(tasks, _in_tree_arcs(leaves, tasks, arity))


def out_tree(height: int, arity: int = 2) -> Dag[int]:
    """Complete out-tree: the root is the source, each task above the leaves has arity children.

    Tasks are numbered from the root, level by level. Raises ArgumentError as `tree` does.

    >>> out_tree(1, 3).arcs.tolist()
    [[0, 1], [0, 2], [0, 3]]
    """
    _, tasks = _tree_sizes(height, arity)
    return Dag.from_arcs(tasks, _out_tree_arcs(tasks, arity))


def tree_of(strings: str) -> Dag[str]:
    """Full binary reduction tree of bit strings such as 0,1,00,01, with arcs from x0, x1 to x.

    The root is the empty string, which need not be given. Names are the strings and "root".
    Longer strings come first; strings of one length are in lexicographic order. Rosenberg and
    Yurkewych 2005, section 2.1.2. Raises ArgumentError unless every string comes with its sibling
    and its prefixes.

    >>> tree_of("0,1,00,01").names
    ('00', '01', '0', '1', 'root')
    """
    order = sorted(_bit_strings(strings), key=lambda bits: (-len(bits), bits))
    return Dag.from_arcs(len(order), _prefix_arcs(order), names=[bits or "root" for bits in order])


def out_tree_of(strings: str) -> Dag[str]:
    """Full binary out-tree of bit strings such as 0,1,00,01, with arcs from x to x0, x1.

    This is the dual of `tree_of`, shorter strings first. Raises ArgumentError as `tree_of` does.

    >>> out_tree_of("0,1,00,01").names
    ('root', '0', '1', '00', '01')
    """
    order = sorted(_bit_strings(strings), key=lambda bits: (len(bits), bits))
    arcs = [(child, parent) for parent, child in _prefix_arcs(order)]
    return Dag.from_arcs(len(order), arcs, names=[bits or "root" for bits in order])


def fft(d: int) -> Dag[int]:
    """FFT dag on 2 ** d inputs: levels d to 0, joined by butterflies.

    Task (l, x) has children (l - 1, x) and (l - 1, x with bit d - l flipped). Tasks are
    numbered from level d, by x. Rosenberg and Yurkewych 2005, section 2.1.3. Raises ArgumentError
    unless d >= 0.

    >>> fft(1).arcs.tolist()
    [[0, 2], [0, 3], [1, 2], [1, 3]]
    """
    check_least(0, d=d)
    width = capped_power(2, d)
    check_size((d + 1) * width, 2 * d * width)
    x = np.arange(width)
    arcs = [paired(x[:0], x[:0])]
    for bit in range(d):
        arcs += [paired(bit * width + x, (bit + 1) * width + end) for end in (x, x ^ (1 << bit))]
    return Dag.from_arcs((d + 1) * width, np.concatenate(arcs))


def prefix(n: int) -> Dag[int]:
    """Parallel prefix (scan) of n inputs: each level adds the value 2 ** i places to the left.

    Task (i, j) has children (i + 1, j) and, if there is one, (i + 1, j + 2 ** i), for
    ``ceil(log2 n) + 1`` levels. Raises ArgumentError unless n >= 1.

    >>> prefix(2).arcs.tolist()
    [[0, 2], [0, 3], [1, 3]]
    """
    return Dag.from_arcs(_prefix_tasks(n), _scan_arcs(n))


def laplace(n: int) -> Dag[int]:
    """Discrete Laplace transform: a parallel prefix whose n outputs a balanced tree adds up.

    Tasks are numbered as in `prefix`, then the tree level by level. Raises
    ArgumentError unless n >= 1.

    >>> laplace(2).arcs.tolist()
    [[0, 2], [0, 3], [1, 3], [2, 4], [3, 4]]
    """
    tasks = _prefix_tasks(n)
    check_size(tasks + n - 1, 2 * (tasks + n))
    sums = _balanced_tree_arcs(np.arange(tasks - n, tasks), tasks)
    return Dag.from_arcs(tasks + n - 1, np.concatenate([_scan_arcs(n), sums]))


def matmul() -> Dag[int]:
    """Product of two 2 x 2 matrices: eight entries, eight products, four sums.

    ((A, B), (C, D)) times ((E, F), (G, H)); the products of A, E, C, F form one 4-cycle,
    the products of B, G, D, H another. Cordasco, Malewicz and Rosenberg 2007, Fig. 2a.

    >>> product = matmul()
    >>> [product.names[task] for task in product.sinks]
    ['AE_BG', 'AF_BH', 'CE_DG', 'CF_DH']
    """
    products = ["AE", "CE", "CF", "AF", "BG", "DG", "DH", "BH"]
    sums = ["AE_BG", "AF_BH", "CE_DG", "CF_DH"]
    names = [*"AECFBGDH", *products, *sums]
    ids = {name: task for task, name in enumerate(names)}
    arcs = [(ids[entry], ids[product]) for product in products for entry in product]
    arcs += [(ids[product], ids[total]) for total in sums for product in total.split("_")]
    return Dag.from_arcs(len(names), arcs, names=names)


def divide_and_conquer(height: int, arity: int = 2) -> Dag[int]:
    """Divide and conquer: a complete out-tree whose leaves are the leaves of an in-tree.

    Tasks are numbered as in `out_tree`, then the in-tree below the leaves. Cordasco, Malewicz
    and Rosenberg 2007, Fig. 2d. Raises ArgumentError as `tree` does.

    >>> divide_and_conquer(1).arcs.tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    leaves, tasks = _tree_sizes(height, arity)
    check_size(2 * tasks - leaves, 2 * tasks - 2)
    conquer = _in_tree_arcs(leaves, tasks, arity) + (tasks - leaves)
    arcs = np.concatenate([_out_tree_arcs(tasks, arity), conquer])
    return Dag.from_arcs(2 * tasks - leaves, arcs)


def _mesh_arcs(levels: int, dimensions: int) -> tuple[int, Ints]:
    # A task is a tuple that starts with its slack, levels - 1 - sum; slacks sort the levels. The
    # tuple is the gaps between `dimensions` bars, and bars sort as their gaps do. Taking 1 from
    # one coordinate keeps the lexicographic order, and reaches all tasks that are not sources. So
    # the k-th task with a 1 to take has an arc to the k-th task that is not a source.
    check_least(1, levels=levels)
    checks.whole_number("argument dimensions", dimensions, least=1, most=MOST_DIMENSIONS)
    places = levels - 1 + dimensions
    tasks, nonsources = comb(places, dimensions), comb(places - 1, dimensions)
    check_size(tasks, dimensions * nonsources)
    flat = chain.from_iterable(combinations(range(places), dimensions))
    bars = np.fromiter(flat, np.int32, tasks * dimensions).reshape(tasks, dimensions)
    gaps = np.diff(bars, axis=1, append=places) - 1
    children = np.arange(tasks - nonsources, tasks)
    return tasks, np.concatenate([paired(np.flatnonzero(x), children) for x in gaps.T])


def _tree_sizes(height: int, arity: int) -> tuple[int, int]:
    check_least(0, height=height)
    check_least(2, arity=arity)
    leaves = capped_power(arity, height)
    tasks = (leaves * arity - 1) // (arity - 1)
    check_size(tasks, tasks - 1)
    return leaves, tasks


def _in_tree_arcs(leaves: int, tasks: int, arity: int) -> Ints:
    below_root = np.arange(tasks - 1)
    return paired(below_root, leaves + below_root // arity)


def _out_tree_arcs(tasks: int, arity: int) -> Ints:
    below_root = np.arange(1, tasks)
    return paired((below_root - 1) // arity, below_root)


def _bit_strings(text: str) -> set[str]:
    strings = {word.strip() for word in text.split(",")} | {""}
    for word in sorted(strings):
        if set(word) - {"0", "1"}:
            raise ArgumentError(
                f"argument strings: expected bit strings such as 0,1,00,01, got {word!r}"
            )
    for bits in sorted(strings - {""}):
        sibling = bits[:-1] + "10"[int(bits[-1])]
        for kin, needed in (("prefix", bits[:-1]), ("sibling", sibling)):
            if needed not in strings:
                raise ArgumentError(f"argument strings: {bits!r} has no {kin} {needed!r}")
    return strings


def _prefix_arcs(strings: Iterable[str]) -> list[tuple[int, int]]:
    ids = {bits: task for task, bits in enumerate(strings)}
    return [(ids[bits], ids[bits[:-1]]) for bits in ids if bits]


def _prefix_tasks(n: int) -> int:
    check_least(1, n=n)
    tasks = n * ((n - 1).bit_length() + 1)
    check_size(tasks, 2 * tasks)
    return tasks


def _scan_arcs(n: int) -> Ints:
    j = np.arange(n)
    arcs = [paired(j[:0], j[:0])]
    for level in range((n - 1).bit_length()):
        here, step = level * n, 1 << level
        arcs += [paired(here + j, here + n + j), paired(here + j[:-step], here + n + j[step:])]
    return np.concatenate(arcs)


def _balanced_tree_arcs(leaves: Ints, next_id: int) -> Ints:
    # The first round joins pairs until a power of two is left, each later round joins all.
    arcs, roots = [paired(leaves[:0], leaves[:0])], leaves
    while len(roots) > 1:
        joins = len(roots) - (1 << ((len(roots) - 1).bit_length() - 1))
        joined = next_id + np.arange(joins)
        arcs.append(paired(roots[: 2 * joins], np.repeat(joined, 2)))
        roots, next_id = np.append(joined, roots[2 * joins :]), next_id + joins
    return np.concatenate(arcs)
