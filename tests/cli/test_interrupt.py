"""Ctrl-C ends a command soon, with exit code 130 and nothing else to say."""

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from icsched import Dag
from icsched.formats import write_dagman

# What Ctrl-C does is done after so many processor seconds; the program then says how many more
# it took. Imports come first, as they are no part of what a command does.
PROGRAM = """
import importlib, json, signal, sys, time
from icsched.commands.main import run
command, moment = sys.argv[1], float(sys.argv[2])
importlib.import_module(f"icsched.commands.{command}")
signal.signal(signal.SIGPROF, signal.default_int_handler)
signal.setitimer(signal.ITIMER_PROF, moment)
begin = time.process_time()
code = run([command, *sys.argv[3:]])
print(json.dumps([code, time.process_time() - begin - moment]))
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code, processor seconds after Ctrl-C, what it wrote."""

    code: int
    seconds: float
    errors: str


# The same for the exact search for a batch, which only the library has.
EXACT_BATCH = """
import json, signal, sys, time
from icsched import best_batch, read
moment = float(sys.argv[2])
dag = read(sys.argv[3]).dag
signal.signal(signal.SIGPROF, signal.default_int_handler)
signal.setitimer(signal.ITIMER_PROF, moment)
begin, code = time.process_time(), 0
try:
    best_batch(dag, [], 700, method="exact", time_limit_s=300)
except KeyboardInterrupt:
    code = 130
print(json.dumps([code, time.process_time() - begin - moment]))
"""


def interrupted(command: str, moment: float, *arguments: str, program: str = PROGRAM) -> Ended:
    """Run *command* and press Ctrl-C at the *moment*, in processor seconds."""
    done = subprocess.run(
        [sys.executable, "-c", program, command, str(moment), *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)),
    )
    code, seconds = json.loads(done.stdout.splitlines()[-1])
    return Ended(code, seconds, done.stderr)


def random_pairs(tasks: int) -> Dag:
    """Five arcs a task between any two tasks: seconds of search for shortcuts."""
    pairs = np.random.default_rng(1).integers(tasks, size=(5 * tasks, 2))
    return Dag.from_arcs(tasks, np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1))


def joins_of_five(tasks: int) -> Dag:
    """As many sources as sinks, each sink with five parents: no tree, and one large piece."""
    half = tasks // 2
    parents = np.random.default_rng(1).integers(half, size=5 * half)
    return Dag.from_arcs(2 * half, np.column_stack([parents, half + np.repeat(range(half), 5)]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("interrupted")
    write_dagman(random_pairs(200_000), path / "pairs.dag")
    write_dagman(joins_of_five(3_000), path / "joins.dag")
    return path


@pytest.mark.parametrize("moment", [0.3, 1.0])
@pytest.mark.parametrize(
    "command",
    [
        ("prio", "pairs.dag"),
        ("show", "pairs.dag"),
        ("cluster", "pairs.dag", "--capacities=10"),
    ],
    ids=lambda command: command[0],
)
def test_an_interrupt_ends_a_command_soon_and_without_a_word(folder, command, moment):
    name, file, *options = command

    ended = interrupted(name, moment, str(folder / file), *options)

    assert ended.code == 130
    assert ended.seconds < 2.0
    assert "Traceback" not in ended.errors


@pytest.mark.parametrize("moment", [0.3, 1.0])
def test_an_interrupt_ends_the_exact_search_for_a_batch_soon(folder, moment):
    ended = interrupted("batch", moment, str(folder / "joins.dag"), program=EXACT_BATCH)

    assert ended.code == 130
    assert ended.seconds < 2.0


def test_an_interrupted_prio_leaves_the_file_as_it_was(folder):
    before = (folder / "pairs.dag").read_bytes()

    ended = interrupted("prio", 1.0, str(folder / "pairs.dag"), "--in-place")

    assert ended.code == 130
    assert (folder / "pairs.dag").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["joins.dag", "pairs.dag"]
