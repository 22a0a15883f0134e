"""Small DAX files, and workflows to write as DAX."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from icsched import Dag, Workflow
from icsched.formats import FORMATS
from icsched.workflow import Command, OwnSource
from tests.strategies import dags

DAX = FORMATS.find("dax")
# Any text that XML can hold.
XML_TEXT = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FFF) | st.sampled_from("\t\n\r\"'&<>]"),
    max_size=8,
)


def dax(tasks: Sequence[str], arcs: Sequence[tuple[str, str]]) -> str:
    jobs = "".join(f'  <job id="{task}" name="work"/>\n' for task in tasks)
    children = "".join(f'  <child ref="{c}"><parent ref="{p}"/></child>\n' for p, c in arcs)
    return f"<adag>\n{jobs}{children}</adag>\n"


def facts(workflow: Workflow, keeps: frozenset[str]) -> Mapping[str, Any]:
    """What a file of a format keeps of a workflow."""
    known = workflow.to_dict()
    return {key: known[key] for key in ("tasks", "arcs", *sorted(keeps & known.keys()))} | {
        "full commands": workflow.commands
    }


@st.composite
def workflows(draw: st.DrawFn, names: st.SearchStrategy[str]) -> Workflow:
    """A workflow of which anything or nothing is known, with names of this kind."""
    bare = draw(dags(most_tasks=6))
    count = len(bare)
    chosen = draw(st.lists(names, min_size=count, max_size=count, unique=True))
    dag = Dag.from_arcs(count, bare.arcs, names=chosen)
    each = partial(st.lists, min_size=count, max_size=count)
    seconds = st.just(0.0) | st.floats(1e-3, 1e6)
    words = st.builds(Command, st.tuples(st.sampled_from(["/bin/sort", "run", "./x y"]), XML_TEXT))
    full = st.builds(
        Command,
        st.tuples(st.sampled_from(["/opt/a/run", "run", "/opt/b%20/run"])),
        directory=st.none() | st.just("some where"),
        environment=st.just(()) | st.just((("KEY", "a 'b' = c"),)),
        stdin=st.none() | st.just("some where/in"),
        stdout=st.none() | st.just("some where/out & <more>"),
        stderr=st.none() | st.just("/err"),
    )
    commands = draw(st.none() | each(words | full)) if count else None
    return Workflow(
        dag,
        np.zeros(count, bool),
        run_times=draw(st.none() | each(seconds)) if count else None,
        sizes=draw(st.none() | each(st.integers(0, 2**40))) if count else None,
        priorities=draw(st.none() | each(st.integers(-(2**31), 2**31 - 1))) if count else None,
        source=OwnSource(None if commands is None else commands),
    )
