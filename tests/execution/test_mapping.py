"""`icsched.run` runs functions in processes, and passes results on."""

import importlib
import os
import subprocess
import sys
import time
from functools import partial
from operator import add, itemgetter, mul, truediv
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


def start_order(folder, names, **options) -> str:
    """Run tasks that note their names, on one worker; return the names as they were noted."""
    note = folder / "note.py"
    note.write_text("def note(path, name):\n    open(path, 'a').write(name)\n")
    sys.path.insert(0, str(folder))
    try:
        function = importlib.import_module("note").note
        tasks = {name: partial(function, str(folder / "ran"), name) for name in names}
        icsched.run(tasks, workers=1, **options)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("note", None)
    return (folder / "ran").read_text()


def test_run_times_decide_on_the_order(tmp_path):
    times = {"x": 1, "y": 3, "z": 2}

    assert start_order(tmp_path, "xyz", order="critical-path", run_times=times) == "yzx"


@pytest.mark.parametrize(
    "given", [list("zxy"), icsched.prioritize({n: [] for n in "xyz"}, list("zxy"))]
)
def test_the_order_may_be_names_or_a_plan(tmp_path, given):
    assert start_order(tmp_path, "xyz", order=given) == "zxy"


def test_run_times_and_an_order_of_all_tasks_serve_the_rest_of_a_run(tmp_path):
    """The first run fails in a, so that b and c are left; d is done."""
    missing = tmp_path / "deep" / "file"
    made = partial(Path.touch, missing)
    tasks: dict[str, object] = {
        "d": int,
        "a": made,
        "b": partial(Path.mkdir, tmp_path / "deep"),
        "c": partial(Path.mkdir, tmp_path / "deep" / "c"),
    }
    kept = {"workers": 1, "journal": tmp_path / "run"}
    with pytest.raises(RunError):
        icsched.run(tasks, order=["d", "a", "b", "c"], **kept)
    assert not (tmp_path / "deep").exists()

    icsched.run(tasks, order=["d", "b", "a", "c"], run_times=[1, 2, 3, 4], resume=True, **kept)

    assert missing.exists()


def test_a_failure_names_the_task_and_keeps_what_was_done():
    with pytest.raises(RunError, match="task 'bad' failed: ZeroDivisionError: ") as error:
        icsched.run({**NUMBERS, "bad": (truediv, "two", "zero"), "zero": int}, workers=1)

    assert error.value.results["two"] == 2
    assert list(error.value.failed) == ["bad"]


def test_a_time_limit_ends_a_function():
    with pytest.raises(RunError, match=r"'slow' failed: stopped at its time limit of 0\.3 s"):
        icsched.run({"slow": partial(time.sleep, 100)}, workers=1, time_limit=0.3)


def test_a_resumed_run_that_fails_again_has_all_results(tmp_path):
    tasks = {**NUMBERS, "bad": (truediv, "two", "zero"), "zero": int}
    kept = {"workers": 1, "journal": tmp_path / "run", "keep_going": True}
    with pytest.raises(RunError) as first:
        icsched.run(tasks, **kept)
    with pytest.raises(RunError) as second:
        icsched.run(tasks, resume=True, **kept)

    assert second.value.results == first.value.results
    assert first.value.results.keys() == {*NUMBERS, "zero"}


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
        ({"a": None}, "task 'a': expected a function, or a tuple of a function .*, got None"),
        ({"a": int, "b": ["a"]}, r"task 'b': expected a function, or a tuple .*, got \['a'\]"),
        ({"a": ()}, r"task 'a': expected a function, or a tuple .*, got \(\)"),
        ([], "tasks: expected a mapping, got list"),
        ((pair for pair in ()), "tasks: expected a mapping, got generator"),
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

    with pytest.raises(icsched.FormatError, match="what it runs has changed"):
        icsched.run(changed, workers=1, journal=tmp_path, resume=True)


def test_the_messages_of_a_journal_are_about_arguments(tmp_path):
    icsched.run(NUMBERS, workers=1, journal=tmp_path / "run")

    with pytest.raises(icsched.FormatError, match="use resume=True to go on, again=True to run"):
        icsched.run(NUMBERS, workers=1, journal=tmp_path / "run")
    with pytest.raises(icsched.ArgumentError, match="resume cannot be used with again"):
        icsched.run(NUMBERS, journal=tmp_path / "run", resume=True, again=True)
    with pytest.raises(icsched.ArgumentError, match="again: expected a journal"):
        icsched.run(NUMBERS, again=True)


def test_a_run_can_be_resumed_before_it_has_begun_and_run_again(tmp_path):
    """Each call appends a byte; the second time there is nothing to do, the third time all."""
    touch = partial(os.system, f"printf x >> {tmp_path}/ran")
    for words in ({"resume": True}, {"resume": True}, {"again": True}):
        icsched.run({"a": touch}, workers=1, journal=tmp_path / "run", **words)

    assert (tmp_path / "ran").read_text() == "xx"


NO_WORKERS = """
import icsched, sys
try: icsched.run({"a": int}, workers=1, journal=sys.argv[1], again=True)
except icsched.IcschedError as error: print(error)
"""


def test_a_journal_is_not_forgotten_for_an_engine_that_cannot_be_used(tmp_path):
    """Workers cannot read a script from standard input, so that nothing runs again."""
    touch = partial(os.system, f"printf x >> {tmp_path}/ran")
    icsched.run({"a": touch}, workers=1, journal=tmp_path / "run")
    words = [sys.executable, "-", tmp_path / "run"]
    done = subprocess.run(words, input=NO_WORKERS, capture_output=True, text=True)
    assert done.stdout.startswith("engine local: workers must read the script")

    icsched.run({"a": touch}, workers=1, journal=tmp_path / "run", resume=True)
    assert (tmp_path / "ran").read_text() == "x"


@pytest.mark.parametrize(
    ("first", "changed"),
    [
        (partial(sum, [1, 2]), partial(sum, [10, 20])),
        (partial(sorted, {"b": 1}, key=itemgetter(0)), partial(sorted, {"b": 1}, key=len)),
        (partial(itemgetter(0), [1, 2]), partial(itemgetter(1), [1, 2])),
        ("one".upper, "two".upper),
    ],
)
def test_other_arguments_or_state_make_another_workflow(first, changed, tmp_path):
    result = icsched.run({"a": first}, workers=1, journal=tmp_path)

    assert icsched.run({"a": first}, workers=1, journal=tmp_path, resume=True) == result
    with pytest.raises(icsched.FormatError, match="what it runs has changed"):
        icsched.run({"a": changed}, workers=1, journal=tmp_path, resume=True)


RESUMED = """
import sys
from functools import partial
from pathlib import Path
import icsched

class Total:
    def __init__(self, start):
        self.start = start
    def __call__(self, values, extra):
        return self.start + sum(map(len, values)) + extra.start

if __name__ == "__main__":
    total = partial(Total(1), {"one", "two", "three", Path("a").name}, extra=Total(5))
    directory, resume = sys.argv[1:]
    print(icsched.run({"a": total}, workers=1, journal=directory, resume=resume == "yes")["a"])
"""


def test_the_next_process_knows_the_same_arguments_again(tmp_path):
    """Sets have another order there, and objects are at other addresses."""
    (tmp_path / "script.py").write_text(RESUMED)
    for seed, resume in (("1", "no"), ("2", "yes"), ("3", "yes")):
        done = subprocess.run(
            [sys.executable, tmp_path / "script.py", tmp_path / "run", resume],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == ("18\n", ""), "1 + 3 + 3 + 5 + 1 + 5"


SETS_OF_TASKS = """
import sys
import icsched

def total(*values):
    return sum(map(sum, values))

if __name__ == "__main__":
    one, two, three = ((int, word) for word in "123")
    sets = {"one", "two", "three"}, frozenset({"one", (max, "two", 5)})
    tasks = {"one": one, "two": two, "three": three, "total": (total, *sets)}
    directory, resume = sys.argv[1:]
    print(icsched.run(tasks, workers=1, journal=directory, resume=resume == "yes")["total"])
"""


def test_the_next_process_knows_sets_with_names_of_tasks_again(tmp_path):
    """The total is 1 + 2 + 3, and 1 + 5."""
    (tmp_path / "script.py").write_text(SETS_OF_TASKS)
    for seed, resume in (("1", "no"), ("2", "yes"), ("3", "yes")):
        done = subprocess.run(
            [sys.executable, tmp_path / "script.py", tmp_path / "run", resume],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == ("12\n", "")


@pytest.mark.parametrize(
    ("tasks", "problem"),
    [
        ({"a": partial(print, lambda: 1)}, "task 'a': workers cannot find the function '<lambda>'"),
        ({"\ud800": int}, r"task '\\ud800': expected a name in UTF-8 for the journal"),
    ],
)
def test_what_a_journal_cannot_hold_is_refused_before_anything_starts(tasks, problem, tmp_path):
    with pytest.raises(icsched.ArgumentError, match=problem) as error:
        icsched.run(tasks, workers=1, journal=tmp_path / "run")

    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def test_a_journal_stays_where_it_is_when_a_function_goes_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    tasks = {"go": partial(os.chdir, tmp_path / "elsewhere"), "end": partial(print, "hello")}
    icsched.run(tasks, workers=1, order="fifo", journal="run")

    assert [path.read_text() for path in Path("run/logs").glob("end.*")] == ["hello\n"]
    assert not list((tmp_path / "elsewhere").iterdir())
    resumed = icsched.run(tasks, workers=1, journal="run", resume=True)
    assert resumed == {"go": None, "end": None}


def make() -> object:
    def local() -> None: ...

    return local


def test_a_result_that_does_not_pickle_fails_its_task_alone(tmp_path):
    with pytest.raises(RunError, match=r"'bad' failed: .*local") as error:
        icsched.run({"bad": make, **NUMBERS}, workers=1, journal=tmp_path, keep_going=True)

    assert error.value.results == {"two": 2, "six": 6}


def fail_in_two_lines() -> None:
    raise ValueError("one\ntwo")


def test_what_went_wrong_is_one_line():
    with pytest.raises(RunError) as error:
        icsched.run({"bad": fail_in_two_lines}, workers=1)

    assert error.value.failed == {"bad": "ValueError: one two"}


def fail_at_a_strange_name() -> None:
    raise ValueError("caf\udce9")


def test_a_problem_that_utf_8_cannot_hold_fails_its_task_alone(tmp_path):
    tasks = {"bad": fail_at_a_strange_name, **NUMBERS}
    with pytest.raises(RunError) as error:
        icsched.run(tasks, workers=1, journal=tmp_path, keep_going=True)

    assert error.value.failed == {"bad": r"ValueError: caf\udce9"}
    assert error.value.results == {"two": 2, "six": 6}


def close_standard_output() -> int:
    sys.stdout.close()
    return 3


def test_a_function_that_closes_standard_output_has_its_result(tmp_path):
    assert icsched.run({"a": close_standard_output}, workers=1, journal=tmp_path / "run")["a"] == 3


class Tee:
    """Prints to two files, as many scripts do."""

    def __init__(self, *files):
        self.files = files

    def write(self, text):
        for file in self.files:
            file.write(text)

    def flush(self):
        for file in self.files:
            file.flush()


def print_to_two_files(second) -> int:
    sys.stdout = Tee(sys.stdout, second.open("w"))
    sys.stdout.write("twice\n")
    return 3


def test_a_function_that_replaces_standard_output_has_its_result_and_its_log(tmp_path):
    tasks = {"a": (print_to_two_files, tmp_path / "second"), "b": (print, 1)}
    found = icsched.run(tasks, workers=1, order="fifo", journal=tmp_path / "run")

    assert found == {"a": 3, "b": None}
    logs = sorted((tmp_path / "run" / "logs").iterdir())
    assert [log.read_text() for log in logs] == ["twice\n", "1\n"], "b prints the number 1"
