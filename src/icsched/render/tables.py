"""The files of --tables: the order, a table of eligible jobs, and dot files.

The tool of Malewicz et al. 2007 wrote these, too.
"""

import numpy as np

from icsched import formats
from icsched.answers.compared import Compared
from icsched.dag import Dag
from icsched.orders import Plan

_MOST_BLOCKS = 10_000  # one file each


def table_texts(compared: Compared) -> dict[str, str]:
    """Return the texts of order.txt, eligible.csv, dag.dot, superdag.dot and blocks/N.dot.

    Blocks are numbered in the order in which they begin. Only the first ten thousand get a file.
    """
    plan = compared.plan
    return {
        "order.txt": "".join(f"{name}\n" for name in plan.schedule.names),
        "eligible.csv": _eligible(compared),
        "dag.dot": formats.dot_text(plan.dag, name="dag"),
        **_blocks(plan),
    }


def _eligible(compared: Compared) -> str:
    """Return a table of the eligible counts: jobs executed, this order, first come first served."""
    rows = zip(compared.eligible.tolist(), compared.fifo_eligible.tolist(), strict=True)
    lines = [f"{step},{ours},{theirs}" for step, (ours, theirs) in enumerate(rows)]
    return "\n".join([f"executed,{compared.plan.ordered_by},fifo", *lines]) + "\n"


def _blocks(plan: Plan) -> dict[str, str]:
    analysis = plan.analysis
    rows = analysis.parts.blocks.nonsinks
    begins = np.minimum.reduceat(plan.schedule.ranks[rows.targets], rows.offsets[:-1])
    place = {block: number for number, block in enumerate(np.argsort(begins).tolist(), 1)}
    arcs = analysis.superdag.arcs
    numbered = Dag.from_arcs(len(place), arcs, names=[place[b] for b in range(len(place))])
    texts = {"superdag.dot": formats.dot_text(numbered, name="superdag")}
    for block, number in list(place.items())[:_MOST_BLOCKS]:
        text = formats.dot_text(analysis.parts.block(block), name=f"block {number}")
        texts[f"blocks/{number}.dot"] = text
    return texts
