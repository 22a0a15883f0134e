"""Mutants are what a pencil makes of a module, and tests meet them in every process."""

import ast
import tomllib

import pytest

from tools import mutate

SOURCE = '''\
"""A module."""
def first(a: int, b: int = 0) -> int | None:
    if a < b and not a:
        return a + 1
    self.seen[a] = min(a, b) + max(b, b)
    for pair in zip(a, strict=True):
        try:
            raise one
        except KeyError:
            left = a[1:]
'''
CHANGES = [
    (2, "0 -> 1"),
    (3, "a < b -> a <= b"),
    (3, "a < b and (not a) -> a < b"),
    (3, "a < b and (not a) -> a < b or not a"),
    (3, "a < b and (not a) -> not (a < b and (not a))"),
    (3, "a < b and (not a) -> not a"),
    (3, "not a -> a"),
    (4, "a + 1 -> a + 0"),
    (4, "a + 1 -> a - 1"),
    (4, "return a + 1 -> return None"),
    (5, "max(b, b) -> min(b, b)"),
    (5, "min(a, b) + max(b, b) -> min(a, b) - max(b, b)"),
    (5, "min(a, b) -> max(a, b)"),
    (5, "min(a, b) -> min(b, a)"),
    (5, "self.seen[a] = min(a, b) + max(b, b) -> pass"),
    (8, "raise one -> pass"),
    (9, "except KeyError: -> except ZeroDivisionError:"),
    (10, "1: -> 0:"),
    (10, "1: -> :"),
]


def test_mutants_are_those_that_a_pencil_makes():
    """Nothing happens to annotations, docstrings, local names and the check of zip."""
    found = mutate.mutants(SOURCE, 100, "seed")

    assert sorted((one.number, one.change) for one in found) == CHANGES
    assert {one.line for one in found if one.number == 8} == {"raise one"}


def test_each_mutant_has_one_change_and_the_seed_says_which_are_taken():
    found = mutate.mutants(SOURCE, 100, "seed")
    whole = ast.unparse(ast.parse(SOURCE))

    assert len({whole, *(one.source for one in found)}) == len(CHANGES) + 1
    [swapped] = [one for one in found if one.change == "min(a, b) -> max(a, b)"]
    assert swapped.source == whole.replace("min", "max")
    few = mutate.mutants(SOURCE, 5, "seed")
    assert len(few) == 5
    assert few == mutate.mutants(SOURCE, 5, "seed")
    assert set(few) < set(found)
    assert few != mutate.mutants(SOURCE, 5, "other")


TESTS = """\
import subprocess, sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

def test_here():
    import icsched.messages

def test_in_a_spawned_process():
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(exec, "import icsched.messages").result()

def test_in_the_command():
    subprocess.run([Path(sys.executable).with_name("icsched"), "--help"], check=True)

def test_nowhere():
    pass
"""


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    """Trials of a small module, which `icsched --help` imports."""
    folder = tmp_path_factory.mktemp("mutants")
    (folder / "test_some.py").write_text(TESTS)
    return mutate.Trial("icsched.messages", [f"{folder}/test_some.py"], folder)


@pytest.mark.parametrize("name", ["test_here", "test_in_a_spawned_process", "test_in_the_command"])
def test_a_mutant_is_imported_in_every_process(trial, name):
    trial.tests = [f"{trial.folder}/test_some.py::{name}"]

    assert trial.ending("import nosuch") == "killed"


def test_the_module_itself_passes_in_every_process(trial):
    trial.tests = [f"{trial.folder}/test_some.py"]

    assert trial.ending(mutate.source_of("icsched.messages")) == "survived"


def test_tests_that_fail_or_do_not_import_the_module_are_refused(trial):
    trial.tests = [f"{trial.folder}/test_some.py::test_nowhere"]
    with pytest.raises(SystemExit, match="do not import mutants"):
        trial.check("")

    trial.tests = [f"{trial.folder}/test_some.py::test_here"]
    with pytest.raises(SystemExit, match="without a change it fails"):
        trial.check("import nosuch")


def test_a_mutant_that_never_ends_is_stopped(trial):
    trial.tests = [f"{trial.folder}/test_some.py::test_here"]
    trial.limit_s = 3.0

    assert trial.ending("while True: pass") == "timed out"


def test_the_table_names_modules_tests_and_lines_that_are_there():
    table = tomllib.loads((mutate.ROOT / "tools" / "mutants.toml").read_text())
    tests = [
        (module, test.partition("::")[0])
        for module in table["tests"]
        for test in table["tests"][module]
    ]
    lines = {
        module: {line.strip() for line in mutate.source_of(module).splitlines()}
        for module in {*table["tests"], *(same["module"] for same in table["same"])}
    }

    assert [(module, test) for module, test in tests if not (mutate.ROOT / test).exists()] == []
    assert [one for one in table["same"] if one["line"] not in lines[one["module"]]] == []
