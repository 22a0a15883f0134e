"""What the first prio tool wrote beside the order: a table of eligible jobs, and dot files."""

from pathlib import Path

from icsched import formats, pebble
from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.files import write_text
from icsched.orders import Plan

_MOST_BLOCKS = 10_000  # one file each


def write(directory: str, plan: Plan) -> None:
    """Write order.txt, eligible.csv, dag.dot, superdag.dot and blocks/N.dot to *directory*.

    Blocks are numbered in the order in which they run, and only the first ten thousand get a
    file. Strategies other than prio have no blocks.
    """
    try:
        Path(directory, "blocks").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(directory, None, (error.strerror or str(error)).lower()) from error
    files = {
        "order.txt": "".join(f"{name}\n" for name in plan.schedule.names),
        "eligible.csv": _eligible(plan),
        "dag.dot": formats.dot_text(plan.dag, name="dag"),
    }
    if plan.analysis is not None:
        files |= _blocks(plan)
    for name, text in files.items():
        write_text(Path(directory, name), text)
    for old in Path(directory, "blocks").glob("[0-9]*.dot"):  # of a workflow with more blocks
        if f"blocks/{old.name}" not in files:
            old.unlink()
    if "superdag.dot" not in files:
        Path(directory, "superdag.dot").unlink(missing_ok=True)


def _eligible(plan: Plan) -> str:
    """Return a table of the eligible counts: jobs executed, this order, first come first served."""
    fifo = pebble.eligibility_profile(plan.dag, plan.dag.fifo_order).tolist()
    rows = zip(plan.schedule.eligible.tolist(), fifo, strict=True)
    lines = [f"{step},{ours},{theirs}" for step, (ours, theirs) in enumerate(rows)]
    return "\n".join([f"executed,{plan.ordered_by},fifo", *lines]) + "\n"


def _blocks(plan: Plan) -> dict[str, str]:
    analysis = plan.analysis
    assert analysis is not None  # noqa: S101  the caller looked
    place = {block: number for number, block in enumerate(analysis.sequence.tolist(), 1)}
    arcs = analysis.superdag.arcs
    numbered = Dag.from_arcs(len(place), arcs, names=[place[b] for b in range(len(place))])
    files = {"superdag.dot": formats.dot_text(numbered, name="superdag")}
    for block, number in list(place.items())[:_MOST_BLOCKS]:
        text = formats.dot_text(analysis.parts.block(block), name=f"block {number}")
        files[f"blocks/{number}.dot"] = text
    return files
