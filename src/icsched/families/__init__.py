"""Named families of dags: building blocks, structured, random and scientific dags.

`make` builds a member by the family's name, as the command line does; the functions build
it directly.
"""

from icsched.families.bipartite import (
    clique,
    complete_bipartite,
    cycle,
    m,
    m_strand,
    n,
    pbt,
    w,
    w_strand,
)
from icsched.families.composites import (
    divide_and_conquer,
    evolving_mesh,
    fft,
    laplace,
    matmul,
    mesh,
    out_tree,
    out_tree_of,
    prefix,
    tree,
    tree_of,
)
from icsched.families.paper_examples import (
    cordasco2007_fig3,
    cordasco2007_fig6,
    cordasco2011_fig6,
    cordasco2011_fig7,
    cordasco2011_fig11,
)
from icsched.families.randoms import (
    random_bipartite,
    random_layered,
    random_linear_composition,
    random_series_parallel,
    random_small_union,
    random_tree_sum,
)
from icsched.families.registry import FAMILIES, Family, make
from icsched.families.scientific import airsn, inspiral, montage, sdss

__all__ = [
    "FAMILIES",
    "Family",
    "airsn",
    "clique",
    "complete_bipartite",
    "cordasco2007_fig3",
    "cordasco2007_fig6",
    "cordasco2011_fig6",
    "cordasco2011_fig7",
    "cordasco2011_fig11",
    "cycle",
    "divide_and_conquer",
    "evolving_mesh",
    "fft",
    "inspiral",
    "laplace",
    "m",
    "m_strand",
    "make",
    "matmul",
    "mesh",
    "montage",
    "n",
    "out_tree",
    "out_tree_of",
    "pbt",
    "prefix",
    "random_bipartite",
    "random_layered",
    "random_linear_composition",
    "random_series_parallel",
    "random_small_union",
    "random_tree_sum",
    "sdss",
    "tree",
    "tree_of",
    "w",
    "w_strand",
]
