"""Workflows with odd names, facts and commands, to be written and read again."""

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from icsched import Dag, Workflow
from icsched.workflow import Command, OwnSource
from tests.strategies import dags

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
WORD = TEXT | st.sampled_from(
    ["$HOME", "a b", "'", '"', "\\", "A=1", "*", "-n", "\n", "\\\n", "`ls`"]
)
PLACE = st.none() | st.text("ab/._ %\\'\"", min_size=1, max_size=5).filter(str.strip)
VARIABLE = st.tuples(st.sampled_from(["A", "_b1", "c-d"]), WORD)


@st.composite
def commands(draw: st.DrawFn) -> Command:
    program = draw(WORD.filter(bool))
    variables = dict(draw(st.lists(VARIABLE, max_size=2)))
    strange = {name for name in variables if "-" in name}  # these are set by the program env
    environment = tuple((n, v) for n, v in variables.items() if n not in strange)
    argv = (program, *draw(st.lists(WORD, max_size=3)))
    return Command(argv, draw(PLACE), environment, draw(PLACE), draw(PLACE), draw(PLACE))


@st.composite
def workflows(draw: st.DrawFn, takes_name: Callable[[str], bool]) -> Workflow:
    """A workflow whose names a format takes; what is known of its tasks is known of all."""
    bare = draw(dags(most_tasks=6))
    plain = st.text("abAB1_", min_size=1, max_size=3)
    name = (TEXT | plain).filter(takes_name)
    names = draw(st.lists(name, min_size=len(bare), max_size=len(bare), unique=True))
    dag = Dag.from_arcs(len(bare), bare.arcs, names=names)
    done = np.array(draw(st.lists(st.booleans(), min_size=len(dag), max_size=len(dag))), bool)

    def some(values: st.SearchStrategy) -> list | None:
        return draw(st.none() | st.lists(values, min_size=len(dag), max_size=len(dag)))

    times, sizes = some(st.floats(1e-3, 1e6) | st.integers(0, 9)), some(st.integers(0, 2**40))
    priorities = some(st.integers(-(2**30), 2**30))
    runs = some(st.none() | commands())
    pairs = zip(runs or [None] * len(dag), done.tolist(), strict=True)
    found = [None if is_done else command for command, is_done in pairs]
    return Workflow(
        dag,
        done,
        run_times=None if times is None else np.array(times, float),
        sizes=None if sizes is None else np.array(sizes, np.int64),
        priorities=None if priorities is None else np.array(priorities, np.int32),
        source=OwnSource(None if runs is None else found),
    )


def known(values: np.ndarray | None) -> list | None:
    """Return the values, None if there are none: a file without tasks says nothing of them."""
    return None if values is None or not len(values) else values.tolist()


def run_by(workflow: Workflow) -> list | None:
    return list(workflow.commands) if any(workflow.commands or ()) else None
