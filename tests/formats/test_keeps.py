"""What the table says that a format keeps is what a round trip keeps."""

from dataclasses import replace

import numpy as np
import pytest

import icsched
from icsched import Dag, Workflow
from icsched.formats import FORMATS
from icsched.formats.port import KEPT
from icsched.workflow import Command, OwnSource

PLAIN = Command(("/bin/x", "1"))
WHOLE = Workflow(
    Dag({"a": [], "b": ["a"], "c": ["b"]}),
    [True, False, False],
    run_times=np.array([0, 2.0, 3.0]),
    sizes=np.array([0, 5, 7]),
    priorities=np.array([0, -2, -4]),  # by their distance: see below
    source=OwnSource([PLAIN, PLAIN, PLAIN]),
    needs={
        "cores": [np.nan, 2, 4],
        "memory_bytes": [np.nan, 2**30, 2**31],
        "disk_bytes": [np.nan, 2**20, 3 * 2**10],
        "gpus": [np.nan, 0, 1],
        "licences": [np.nan, 1, 5],
    },
)
NEEDS = {
    "cores": "cores",
    "memory": "memory_bytes",
    "disk": "disk_bytes",
    "gpus": "gpus",
    "resources": "licences",
}


def with_command(**given: object) -> Workflow:
    return replace(WHOLE, source=OwnSource([PLAIN, replace(PLAIN, **given), PLAIN]))


WRITTEN = {
    "streams": with_command(stdin="i", stdout="o", stderr="e"),
    "environment": with_command(environment=(("KEY", "value"),)),
    "directories": with_command(directory="there"),
}


def numbers(workflow: Workflow, column: str) -> object:
    """Return the numbers of b and c, which are the tasks left."""
    values = getattr(workflow, column)
    return None if values is None else values.tolist()[-2:]


def is_same(word: str, given: Workflow, found: Workflow) -> bool:
    """Whether *found*, which was read, has what *word* means of *given*, which was written."""
    if word == "done":
        return found.done.tolist() == given.done.tolist()
    if word == "priorities":  # Slurm keeps how far they are apart
        pair = numbers(found, word)
        return pair is not None and pair[0] - pair[1] == 2
    if word in ("run_times", "sizes"):
        return numbers(found, word) == numbers(given, word)
    if word in NEEDS:
        known = [workflow.needs.get(NEEDS[word]) for workflow in (given, found)]
        return known[1] is not None and known[0].tolist()[1:] == known[1].tolist()[1:]
    if found.commands is None:
        return False
    was, now = given.commands[1], found.commands[1]
    parts = {
        "commands": [command.argv[-2:] for command in (was, now)],
        "streams": [(command.stdin, command.stdout, command.stderr) for command in (was, now)],
        "environment": [command.environment for command in (was, now)],
        "directories": [command.directory for command in (was, now)],
    }[word]
    return parts[0] == parts[1]


@pytest.mark.parametrize("name", [f.name for f in FORMATS.usable() if f.text and f.read])
@pytest.mark.parametrize("word", KEPT)
def test_a_format_keeps_what_the_table_says_and_nothing_else(folder, name, word):
    entry = FORMATS.find(name)
    given = WRITTEN.get(word, WHOLE)
    path = f"wf{entry.suffixes[0]}"
    (folder / "there").mkdir()
    (folder / path).write_text(entry.text(given, path=path))

    found = icsched.read(path, format=name)

    assert is_same(word, given, found) == (word in entry.keeps)
