"""Named families of dags: building blocks, structured, random and scientific dags.

`make` builds a member by the family's name, as the command line does; the functions build
it directly.
"""

from icsched.families.blocks import (
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
from icsched.families.figures import (
    paper_000_fig6,
    paper_000_fig7,
    paper_000_fig11,
    paper_001_fig3,
    paper_001_fig6,
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
    "paper_000_fig6",
    "paper_000_fig7",
    "paper_000_fig11",
    "paper_001_fig3",
    "paper_001_fig6",
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
