"""A format of another package, by its entry point."""

import os
import subprocess
import sys
from pathlib import Path

PAIRS = """
from dataclasses import dataclass, field
from pathlib import Path

from icsched import Dag, Workflow
from icsched.files import Change
from icsched.formats import Format


@dataclass(frozen=True)
class Options:
    swapped: bool = field(default=False, metadata={"help": "Each line has the child first."})


def read(paths, options):
    lines = [line.split() for line in Path(paths[0]).read_text().splitlines()]
    pairs = [line[::-1] if options.swapped else line for line in lines]
    graph = {name: [] for pair in pairs for name in pair}
    for parent, child in pairs:
        graph[child].append(parent)
    dag = Dag(graph)
    return Workflow(dag, done=[False] * len(dag), files=paths, format="pairs")


def changes(workflow, order, options):
    (path,) = workflow.files
    old = Path(path).read_bytes()
    names = " ".join(workflow.dag.names[task] for task in order)
    return [Change(path, old, old + f"order {names}\\n".encode())]


PAIRS = Format("pairs", "pairs of tasks", (".pairs",), Options, read=read, changes=changes)
DRAWN = Format("drawn", "only written", (".drawn",), text=lambda workflow, **_: "")
"""

USE = """
import icsched
from icsched.formats import FORMATS

workflow = icsched.read("wf.pairs", swapped=True)
print({"pairs", "drawn"} <= {*FORMATS}, workflow.format, *workflow.dag.names)
print(icsched.write("wf.pairs", icsched.prioritize(workflow.dag), swapped=True))
for act in (
    lambda: icsched.write("new.pairs", workflow.dag),
    lambda: icsched.read(["wf.pairs", "wf.pairs"]),
    lambda: icsched.read("ring.pairs"),
    lambda: icsched.read("dag.drawn"),
):
    try:
        act()
    except icsched.IcschedError as error:
        print(type(error).__name__, error)
"""


def test_another_package_adds_a_format_by_an_entry_point(put, folder):
    about = "pairs-1.0.dist-info"
    put(
        {
            "lib/pairs.py": PAIRS,
            f"lib/{about}/METADATA": "Metadata-Version: 2.1\nName: pairs\nVersion: 1.0\n",
            f"lib/{about}/entry_points.txt": (
                "[icsched.formats]\npairs = pairs:PAIRS\ndrawn = pairs:DRAWN\n"
            ),
            "wf.pairs": "b a\nc a\n",
            "ring.pairs": "a b\nb a\n",
        }
    )

    done = subprocess.run(
        [sys.executable, "-c", USE],
        env={**os.environ, "PYTHONPATH": str(folder / "lib")},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == [
        "True pairs a b c",
        "['wf.pairs']",
        "FormatError new.pairs: format pairs: icsched can read a workflow and write an order into"
        " a workflow's files, but not write a workflow",
        "ArgumentError format pairs: expected one file, got 2",
        "FormatError ring.pairs: dependency cycle: a -> b -> a",
        "FormatError dag.drawn: format drawn: icsched can write a workflow, but not read a"
        " workflow",
    ]
    assert Path("wf.pairs").read_text() == "b a\nc a\norder a b c\n"
    assert Path("wf.pairs.bak").read_text() == "b a\nc a\n"
