"""One workflow through every format and back: what both formats keep is the same at the end."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import icsched
from icsched import Dag, Workflow
from icsched.commands.convert import convert_answer
from icsched.formats import FORMATS
from icsched.workflow import Command, OwnSource

# Every parent is before its children, because scripts of sbatch lines need that.
GIVEN = Workflow(
    Dag({"fetch": [], "clean": ["fetch"], "plot": ["fetch"], "report": ["clean", "plot"]}),
    [False] * 4,
    run_times=np.array([60, 2.5, 5, 1.25]),
    sizes=np.array([10**9, 2048, 0, 17]),
    priorities=np.array([0, -1, -2, -3], np.int32),  # Slurm knows only what comes after what
    needs={
        "cores": [1, 2, 3, 4],
        "memory_bytes": [2**20, 2**30, 2**21, 2**22],
        "disk_bytes": [0, 2**20, 2**30, 2**10],
        "gpus": [0, 0, 1, 2],
        "licences": [0, 1, 2, 3],
    },
    source=OwnSource(
        [
            Command(("/bin/cp", "my file", "$x")),
            Command(
                ("/opt/bin/clean", "-n", "3"),
                "data",
                (("LANG", "C d"),),
                "data/i",
                "data/o",
                "data/e",
            ),
            Command(("/usr/bin/plot",), stdout="plot.txt", stderr="plot.err"),
            Command(("/bin/echo", "", "it's"), environment=(("A", "1"), ("B", "two"))),
        ]
    ),
)
READ = [name for name in FORMATS if FORMATS[name].read]
WRITTEN = [name for name in FORMATS if FORMATS[name].text]
COLUMNS = ("run_times", "sizes", "priorities")
NEEDS = {
    "cores": "cores",
    "memory": "memory_bytes",
    "disk": "disk_bytes",
    "gpus": "gpus",
    "resources": "licences",
}
IN_COMMANDS = {
    "streams": ("stdin", "stdout", "stderr"),
    "environment": ("environment",),
    "directories": ("directory",),
}


def put(name: str, workflow: Workflow, path: str) -> str:
    Path(path).write_text(FORMATS[name].text(workflow, path=path))
    return path


def converted(source: str, old: str, target: str, new: str) -> set[str]:
    """Convert a file; return the words for what the command says is lost."""
    answer = convert_answer(source, target, new, old)
    Path(target).write_text(answer.text)
    assert answer.renamed == ()
    return set(answer.lost)


def commands_by(workflow: Workflow, keeps: set[str]) -> list[tuple]:
    fields = ["argv", *(f for word in IN_COMMANDS if word in keeps for f in IN_COMMANDS[word])]
    return [tuple(getattr(command, field) for field in fields) for command in workflow.commands]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("new", WRITTEN)
@pytest.mark.parametrize("old", [name for name in READ if name in WRITTEN])
def test_what_both_formats_keep_survives_the_way_there_and_back(old, new):
    keeps = FORMATS[old].keeps & FORMATS[new].keeps
    first = put(old, GIVEN, "first")

    lost = converted(first, old, "second", new)
    converted("second", new, "third", old)

    found = icsched.read("third", format=old)
    assert found.dag == GIVEN.dag
    assert lost & FORMATS[old].keeps == FORMATS[old].keeps - FORMATS[new].keeps - {"done"}
    for word in COLUMNS:
        if word in keeps:
            assert getattr(found, word).tolist() == getattr(GIVEN, word).tolist(), word
    for word, resource in NEEDS.items():
        if word in keeps:
            assert found.needs[resource].tolist() == GIVEN.needs[resource].tolist(), word
    if "commands" in keeps:
        assert commands_by(found, keeps) == commands_by(GIVEN, keeps)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", [name for name in WRITTEN if "done" in FORMATS[name].keeps])
def test_a_format_that_keeps_done_tasks_keeps_what_is_known_of_the_others(name):
    """The task "fetch" is done, so the rest is known of three tasks."""
    keeps = FORMATS[name].keeps
    given = replace(GIVEN, done=np.array([True, False, False, False]))
    put(name, given, "first")

    found = icsched.read("first", format=name)

    assert found.done.tolist() == [True, False, False, False]
    assert found.dag == GIVEN.dag
    for word in COLUMNS:
        if word in keeps:
            assert getattr(found, word).tolist()[1:] == getattr(GIVEN, word).tolist()[1:]
    assert commands_by(found, set(keeps)) == commands_by(given, set(keeps))
