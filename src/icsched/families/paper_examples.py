"""Composite dags that two papers show as examples.

The papers are Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory", and
Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry Computing Platforms".
"""

from icsched import checks
from icsched.dag import Dag
from icsched.families.arcs import stacked
from icsched.families.bipartite import cycle, m, m_strand, n, pbt, w, w_strand

ZIGZAG = "1/4,3,1/3,3,1/2,2,1/4,3,1/2"  # Fig. 4b of Cordasco, Malewicz and Rosenberg 2007
DUAL_ZIGZAG = "4,1/3,3,1/3,2,1/2,4,1/3,2"  # the same tree with every arc reversed


def cordasco2011_fig6() -> Dag[int]:
    """Two out-meshes under one W-dag, as in Cordasco, Rosenberg and Sims 2011, Fig. 6.

    The text of the paper does not have the drawing. This is one dag of the stated type: W(1,2)
    twice, W(2,2) twice, W(3,2) twice, W(4,2) twice, then W(5,2), W(6,2) and W(10,2). The left
    mesh has six levels of nonsinks, the right mesh four. The 10 sources of the last block are the
    last 5 of the left mesh's 7 ends, and all 5 ends of the right mesh. Tasks 0 to 5 are the
    one-sided cluster of 6 tasks.

    >>> cordasco2011_fig6()
    Dag(tasks=54, arcs=82)
    """
    left = stacked(*(w(s, 2) for s in range(1, 7)))
    right = stacked(*(w(s, 2) for s in range(1, 5)))
    both = left + right
    last_ten = both.sinks[-10:].tolist()
    return both.compose(w(10, 2), zip(last_ten, range(10), strict=True))


def cordasco2011_fig7(which: str) -> Dag[int]:
    """Left, middle or right dag like those of Cordasco, Rosenberg and Sims 2011, Fig. 7.

    The text of the paper does not have the drawings: only that they are reticulated compositions
    of W-, N- and C-dags, and that on the left W(3,3) lies on W(2,2) in any way, because its
    priority is persistent. The dags here are W(3,3) on W(2,2), N(2) on N(3) on N(4), and C(4) on
    C(4). The N-dags end together, and each source of an N or C lies on one source of the next.

    Raises ArgumentError for any other word.

    >>> [len(cordasco2011_fig7(which)) for which in ("left", "middle", "right")]
    [13, 13, 12]
    """
    checks.one_of("argument which", which, ["left", "middle", "right"])
    if which == "left":
        return w(3, 3).compose(w(2, 2), [(5, 0), (8, 1)])
    if which == "middle":
        return _flush(n(2), n(3), n(4))
    return cycle(4).compose(cycle(4), zip(range(4, 8), range(4), strict=True))


def cordasco2011_fig11() -> Dag[int]:
    """N(3) on N(13) on N(16), as in Cordasco, Rosenberg and Sims 2011, Fig. 11.

    The text of the paper does not say which sources lie on each other. Here the N-dags end
    together: then every cluster leaves a dag with an IC-optimal order, as the paper says of the
    figure. If the N-dags began together, some clusters would not.

    >>> cordasco2011_fig11()
    Dag(tasks=48, arcs=61)
    """
    return _flush(n(3), n(13), n(16))


def _flush(first: Dag[int], *blocks: Dag[int]) -> Dag[int]:
    """Compose N-dags so that the sinks of each are the last sources of the next."""
    result = first
    for block in blocks:
        sinks = result.sinks.tolist()
        result = result.compose(
            block, zip(sinks, block.sources.tolist()[-len(sinks) :], strict=True)
        )
    return result


def cordasco2007_fig3(which: str) -> Dag[int]:
    """Composite a, b or c like those of Cordasco, Malewicz and Rosenberg 2007, Fig. 3.

    The text of the paper has only the caption: all three have an optimal order by strands, and
    only (b) by uniform W- and M-dags. The dags here have that property. (b) is an
    evolving mesh merged with a reduction mesh; (a) is W[3] W[3,2,3] M[3,2,3] M[3]; (c) is an
    out-tree of degrees 4, 3 and 2 under M[4,2,4,3] M[4]. Each block has priority over the next.

    Raises ArgumentError for any other letter.

    >>> [len(cordasco2007_fig3(which)) for which in "abc"]
    [14, 16, 20]
    """
    checks.one_of("argument which", which, ["a", "b", "c"])
    if which == "a":
        return stacked(w(1, 3), w_strand("3,2,3"), m_strand("3,2,3"), m(1, 3))
    if which == "b":
        return stacked(w(1, 2), w(2, 2), w(3, 2), m(3, 2), m(2, 2), m(1, 2))
    out_tree = stacked(w(1, 4), w(1, 3) + w(1, 3) + w(1, 2) + w(1, 2))
    return stacked(out_tree, m_strand("4,2,4,3"), m(1, 4))


def cordasco2007_fig6(which: str) -> Dag[int]:
    """Left or right dag of Cordasco, Malewicz and Rosenberg 2007, Fig. 6: W, then M blocks.

    The left dag is W[4] W[4,2,4,3] M[4,2,4,3] M[4]. The right dag is W[5], the dual of P, P and
    M[6], with P = [1/4,3,1/3,3,1/2,2,1/4,3,1/2]. Sinks merge with sources from left to right, as
    many as both blocks have.

    Raises ArgumentError for any other word.

    >>> [len(cordasco2007_fig6(which)) for which in ("left", "right")]
    [20, 29]
    """
    checks.one_of("argument which", which, ["left", "right"])
    if which == "left":
        return stacked(w(1, 4), w_strand("4,2,4,3"), m_strand("4,2,4,3"), m(1, 4))
    return stacked(w(1, 5), pbt(DUAL_ZIGZAG), pbt(ZIGZAG), m(1, 6))
