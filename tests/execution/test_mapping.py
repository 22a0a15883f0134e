"""`icsched.run` runs functions in processes, and passes results on."""

import os
import time
from functools import partial
from operator import add, mul, truediv
from pathlib import Path

import pytest

import icsched
from icsched.errors import RunError

NUMBERS = {"two": partial(int, "2"), "six": partial(int, "6")}


def test_results_are_arguments_in_the_order_of_the_names():
    found = icsched.run({**NUMBERS, "third": (truediv, "two", "six")}, workers=2)

    assert found == {"two": 2, "six": 6, "third": 2 / 6}


def test_a_result_may_be_an_argument_twice_and_names_need_not_be_text():
    assert icsched.run({1: partial(int, "3"), (2,): (mul, 1, 1)}, workers=1) == {1: 3, (2,): 9}


def test_no_tasks_have_no_results():
    assert icsched.run({}) == {}


def test_a_failure_names_the_task_and_keeps_what_was_done():
    with pytest.raises(RunError, match="task 'bad' failed: ZeroDivisionError: ") as error:
        icsched.run({**NUMBERS, "bad": (truediv, "two", "zero"), "zero": int}, workers=1)

    assert error.value.results["two"] == 2
    assert list(error.value.failed) == ["bad"]


def test_a_time_limit_ends_a_function():
    with pytest.raises(RunError, match=r"'slow' failed: stopped at its time limit of 0\.3 s"):
        icsched.run({"slow": partial(time.sleep, 100)}, workers=1, time_limit=0.3)


def test_a_journal_keeps_results_and_what_functions_print(tmp_path):
    """The run fails at its end; the resumed run has the results of the first one."""
    note = partial(Path(tmp_path / "ran").write_text, "once")
    tasks = {**NUMBERS, "note": note, "say": partial(print, "hello")}
    wrong = partial(Path.mkdir, tmp_path / "missing" / "deep")
    with pytest.raises(RunError):
        icsched.run({**tasks, "end": wrong}, workers=1, journal=tmp_path / "run", keep_going=True)
    (tmp_path / "ran").unlink()
    (tmp_path / "missing").mkdir()
    found = icsched.run({**tasks, "end": wrong}, workers=1, journal=tmp_path / "run", resume=True)

    assert found["six"] == 6
    assert found["note"] == 4
    assert not (tmp_path / "ran").exists(), "it was completed"
    assert (tmp_path / "missing" / "deep").is_dir()
    logs = [path.read_text() for path in (tmp_path / "run" / "logs").glob("say.*")]
    assert logs == ["hello\n"]


def test_a_worker_that_dies_loses_its_task_alone():
    with pytest.raises(RunError, match="its worker died 3 times"):
        icsched.run({**NUMBERS, "bad": partial(os._exit, 1)}, workers=2, keep_going=True)


@pytest.mark.parametrize(
    ("tasks", "problem"),
    [
        ({"a": 1}, "task 'a': expected a function"),
        ({"a": (add, "b")}, "task 'a': expected the name of a task, got 'b'"),
        ([], "tasks: expected a mapping, got list"),
        ({"a": (add, "a")}, "cycle"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_starts(tasks, problem):
    with pytest.raises(icsched.IcschedError, match=problem):
        icsched.run(tasks)


def test_a_run_is_resumed_from_a_journal_only():
    with pytest.raises(icsched.ArgumentError, match="resume: expected a journal"):
        icsched.run({}, resume=True)


def test_another_partial_is_another_workflow(tmp_path):
    icsched.run(NUMBERS, workers=1, journal=tmp_path)
    changed = {**NUMBERS, "two": partial(int, "3")}

    with pytest.raises(icsched.FormatError, match="another workflow"):
        icsched.run(changed, workers=1, journal=tmp_path, resume=True)
