"""Who calls `icsched.run` sees why a task failed, although it failed in another process."""

import pickle
import subprocess
import sys
import time
import traceback
from functools import partial
from importlib import import_module
from operator import truediv

import pytest

import icsched
from icsched.failures import Failure, RemoteTraceback

ENGINES = ["local", "dask"]


class DemandingError(Exception):
    """An error that pickle cannot make again: it needs two arguments, and keeps one."""

    def __init__(self, first, second):
        super().__init__(first)
        self.second = second


def fail():
    raise LookupError("no such sample")


def fail_within():
    try:
        fail()
    except LookupError as error:
        raise ValueError("bad plate") from error


def demand():
    raise DemandingError("too", "much")


def failed(tasks, **options):
    with pytest.raises(icsched.RunError) as caught:
        icsched.run(tasks, workers=1, **options)
    return caught.value


@pytest.mark.parametrize("engine", ENGINES)
def test_the_cause_is_the_error_of_the_task_and_shows_its_line(engine):
    error = failed({"a": fail}, engine=engine)

    assert type(error.__cause__) is LookupError
    assert error.__cause__.args == ("no such sample",)
    shown = "".join(traceback.format_exception(error))
    assert 'raise LookupError("no such sample")' in shown
    assert shown.rstrip().endswith("RunError: task 'a' failed: LookupError: no such sample")


def test_the_text_begins_with_the_function_of_the_user_and_has_all_causes():
    text = failed({"a": fail_within}).tracebacks["a"]

    assert "bad plate" in text
    assert "in fail\n" in text
    assert "direct cause" in text
    assert "engines/worker.py" not in text


def test_a_function_in_c_has_no_line_but_its_error():
    error = failed({"zero": int, "bad": (truediv, 1, "zero")})

    assert type(error.__cause__) is ZeroDivisionError
    assert error.tracebacks == {"bad": "ZeroDivisionError: division by zero\n"}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_that_does_not_pickle_is_known_by_its_text(engine):
    error = failed({"a": demand}, engine=engine)

    assert error.failed == {"a": "DemandingError: too"}
    assert type(error.__cause__) is RemoteTraceback
    assert 'raise DemandingError("too", "much")' in str(error.__cause__)
    assert error.__cause__.text == error.tracebacks["a"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_that_exits_is_told_of_in_its_log(engine, tmp_path):
    error = failed({"a": (sys.exit, 3)}, engine=engine, journal=tmp_path)

    assert error.failed == {"a": "SystemExit: 3"}
    assert error.tracebacks == {"a": "SystemExit: 3\n"}, "sys.exit has no line of its own"
    (log,) = (tmp_path / "logs").iterdir()
    assert log.read_text().endswith("SystemExit: 3\n")


class MuteError(Exception):
    def __str__(self):
        raise LookupError("no words")


class StuckError(Exception):
    def __reduce__(self):
        sys.exit(4)


def fail_without_words():
    raise MuteError


def fail_for_good():
    raise StuckError("stuck")


def fail_at_a_strange_name():
    raise ValueError("caf\udce9")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (fail_without_words, "MuteError"),
        (fail_for_good, "StuckError: stuck"),
        (fail_at_a_strange_name, r"ValueError: caf\udce9"),
    ],
)
def test_an_error_that_is_hard_to_tell_is_told(function, problem, engine, tmp_path):
    error = failed({"a": function}, engine=engine, journal=tmp_path)

    assert error.failed == {"a": problem}
    assert function.__name__ in error.tracebacks["a"]
    (log,) = (tmp_path / "logs").iterdir()
    assert function.__name__ in log.read_text()


def fail_with_a_class_of(folder):
    """Raise an error whose class only the worker can import."""
    sys.path.insert(0, str(folder))
    import_module("far").fail()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_whose_class_only_the_worker_knows_is_known_by_its_text(engine, tmp_path):
    raised = "class FarError(Exception): pass\n\ndef fail():\n    raise FarError('lost plate')\n"
    (tmp_path / "far.py").write_text(raised)

    error = failed({"a": (fail_with_a_class_of, tmp_path)}, engine=engine)

    assert error.failed == {"a": "FarError: lost plate"}
    assert type(error.__cause__) is RemoteTraceback
    assert "raise FarError('lost plate')" in error.tracebacks["a"]


def fail_once(mark):
    """Raise an error the first time; sleep for a minute if *mark* says so."""
    if not mark.exists():
        mark.touch()
        raise LookupError("first time")
    time.sleep(60 * (mark.name == "slow"))


def test_an_error_that_did_not_end_its_task_is_forgotten(tmp_path):
    tasks = {"a": (fail_once, tmp_path / "quick"), "b": fail}
    assert list(failed(tasks, retries=1, keep_going=True).tracebacks) == ["b"]

    error = failed({"a": (fail_once, tmp_path / "slow")}, retries=1, time_limit=1)
    assert error.failed == {"a": "stopped at its time limit of 1 s"}
    assert error.__cause__ is None


def test_every_task_that_failed_has_its_traceback():
    error = failed({"a": fail, "b": fail_within, "c": int}, keep_going=True)

    assert sorted(error.tracebacks) == ["a", "b"]
    assert error.results == {"c": 0}


def test_a_task_that_raised_nothing_has_no_traceback():
    error = failed({"slow": partial(time.sleep, 60)}, time_limit=0.2)

    assert error.tracebacks == {}
    assert error.__cause__ is None


def test_a_run_error_pickles():
    error = icsched.RunError({"a": "ValueError"}, {"b": 1}, {"a": "Traceback"})

    again = pickle.loads(pickle.dumps(error))  # noqa: S301  made here

    assert (again.failed, again.results, again.tracebacks) == (
        error.failed,
        error.results,
        error.tracebacks,
    )


def test_a_failure_pickles_with_its_error():
    try:
        fail()
    except LookupError as error:
        again = pickle.loads(pickle.dumps(Failure.of(error)))  # noqa: S301  made here

    assert type(again.cause()) is LookupError
    assert "no such sample" in again.traceback


SCRIPT = """
import icsched

def load():
    return {}["sample"]  # this line

if __name__ == "__main__":
    icsched.run({"a": load}, workers=1)
"""


def test_a_script_that_fails_prints_the_line_of_its_function(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)

    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True)

    assert done.returncode == 1
    assert 'return {}["sample"]  # this line' in done.stderr
    assert "task 'a' failed: KeyError: 'sample'" in done.stderr.splitlines()[-1]
