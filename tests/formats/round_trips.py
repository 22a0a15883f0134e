"""Workflows for laws of formats: what is written and read again is the same."""

import numpy as np
from hypothesis import strategies as st

from icsched import Dag, Workflow
from icsched.workflow import Command, OwnSource

WORDS = st.text(alphabet="abz019 -_.$'\"\\{}:#,é\t", min_size=1, max_size=8)


def commands(words=WORDS, *, streams: bool = False) -> st.SearchStrategy[Command]:
    files = st.none() | st.sampled_from(["in.txt", "out put", "a/b"])
    streamed = {"stdin": files, "stdout": files, "stderr": files} if streams else {}
    return st.builds(Command, st.lists(words, min_size=1, max_size=3).map(tuple), **streamed)


@st.composite
def workflows(draw, names, keeps, words=WORDS):
    """A workflow of up to six tasks, with names from *names* and what *keeps* has."""
    named = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    count = len(named)
    pairs = [(a, b) for b in range(count) for a in range(b)]
    arcs = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    done = [False] * count
    if "done" in keeps:  # the tasks before some task, which have no parent after it
        done = [task < draw(st.integers(0, count - 1)) for task in range(count)]
        done = [all(done[: task + 1]) for task in range(count)]

    def column(word, values, kind):
        if word not in keeps or not draw(st.booleans()):
            return None
        return np.array(draw(st.lists(values, min_size=count, max_size=count)), kind)

    listed = None
    if "commands" in keeps and draw(st.booleans()):
        one = commands(words, streams="streams" in keeps)
        listed = draw(st.lists(one, min_size=count, max_size=count))
    return Workflow(
        Dag.from_arcs(count, np.array(arcs, np.int32).reshape(-1, 2), names=named),
        done,
        column("run_times", st.integers(0, 10**6).map(lambda n: n / 64), np.float64),
        column("sizes", st.integers(0, 10**12), np.int64),
        priorities=column("priorities", st.integers(-(2**31), 2**31 - 1), np.int32),
        source=OwnSource(None if listed is None else listed),
    )


def check_same(found: Workflow, given: Workflow, keeps) -> None:
    """Fail unless both have the same names and arcs, and the same of what *keeps* has."""
    assert found.dag == given.dag
    for word in {"run_times", "sizes", "priorities"} & keeps:
        was, now = getattr(given.residual, word), getattr(found.residual, word)
        assert (was is None) == (now is None), word
        assert was is None or now.tolist() == was.tolist(), word
    if "done" in keeps:
        assert found.done.tolist() == given.done.tolist()
    if "commands" in keeps:
        assert found.commands == given.commands
