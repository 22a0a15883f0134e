"""Functions that workers cannot find are refused before anything starts."""

import importlib
import socket
import subprocess
import sys
import threading
from functools import partial
from typing import Optional

import pytest

import icsched


@pytest.mark.parametrize("task", [lambda: 1, partial(sorted, [1], key=lambda number: number)])
def test_a_lambda_is_refused_before_anything_starts(task, tmp_path):
    problem = (
        "^task 'b': workers cannot find the function '<lambda>' of"
        " tests.execution.test_mapping_findable: "
        "write it with def at the top of a module, or use engine='dask'$"
    )
    with pytest.raises(icsched.ArgumentError, match=problem):
        icsched.run({"a": (tmp_path / "ran").touch, "b": task}, workers=1)

    assert not (tmp_path / "ran").exists()


def test_what_does_not_pickle_is_refused_before_anything_starts():
    with pytest.raises(icsched.ArgumentError, match="'a': expected a function and arguments that"):
        icsched.run({"a": partial(print, threading.Lock())}, workers=1)


SESSION = """
import functools, icsched
def f(): return 1

try: found = icsched.run({"a": f}, workers=1)
except icsched.IcschedError as error: print(error)

try: found = icsched.run({"a": functools.cache(f)}, workers=1)
except icsched.IcschedError as error: print(error)

try: found = icsched.run({"a": int}, workers=1, engine=ENGINE)
except icsched.IcschedError as error: print(error)
else: print("ran")

"""


@pytest.mark.parametrize(
    ("how", "engine", "second"),
    [
        ("-i", "local", "ran"),
        ("-", "local", "engine local: workers must read the script, but '<stdin>' is not a file"),
        ("-", "dask", "engine dask: workers must read the script, but '<stdin>' is not a file"),
    ],
)
def test_a_function_of_a_session_is_one_line(how, engine, second):
    """A session (-i) has no script. A script from standard input (-) has no file."""
    text = SESSION.replace("ENGINE", repr(engine))
    words = [sys.executable, "-q", how]
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    first, cached, second_line = done.stdout.splitlines()

    assert cached == first
    assert first == (
        "task 'a': workers cannot find 'f' of __main__, which is not in a file: "
        "write it into a module, and import it from there, or use engine='dask'"
    )
    assert second_line.startswith(second)
    assert "Traceback" not in done.stderr


def test_what_workers_do_find_is_not_refused(tmp_path, monkeypatch):
    """Classes without a name in their module, a socket, and a module that was not imported yet."""
    (tmp_path / "late.py").write_text("from early import seven\n")
    (tmp_path / "early.py").write_text("def seven(): return 7\nseven.__module__ = 'late'\n")
    monkeypatch.syspath_prepend(tmp_path)
    seven = importlib.import_module("early").seven
    nameless = [type(None), type(...), type(NotImplemented), Optional[int]]  # noqa: UP045
    with socket.socket() as one:
        tasks = {"n": partial(len, nameless), "s": partial(type, one), "late": seven}
        found = icsched.run(tasks, workers=1)

    assert found == {"n": 4, "s": socket.socket, "late": 7}


GUARDED = """
import functools, icsched
def plain(): return 1
@functools.cache
def kept(): return 2
if __name__ == "__main__":
    def low(): return 1
    @functools.cache
    def cached(): return 1
    class Low:
        def __call__(self): return 1
    print(icsched.run({"a": plain, "b": kept}, workers=1))
    for task in (low, cached, Low()):
        try: icsched.run({"a": task}, workers=1)
        except icsched.ArgumentError as error: print(error)
"""


def test_what_is_below_the_guard_of_a_script_is_refused(tmp_path):
    (tmp_path / "script.py").write_text(GUARDED)
    words = [sys.executable, tmp_path / "script.py"]
    done = subprocess.run(words, capture_output=True, text=True)

    refusals = [
        f"task 'a': workers cannot find {name!r} of __main__: write it above "
        "\"if __name__ == '__main__':\", or use engine='dask'"
        for name in ("low", "cached", "Low")
    ]
    assert done.stdout.splitlines() == ["{'a': 1, 'b': 2}", *refusals]


def test_a_function_of_a_package_that_is_run_is_refused(tmp_path):
    """Workers do not read `__main__.py` of a package again."""
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").touch()
    (tmp_path / "pack" / "__main__.py").write_text(
        "import icsched\ndef f(): return 1\n"
        "try: icsched.run({'a': f}, workers=1)\n"
        "except icsched.ArgumentError as error: print(error)\n"
    )
    words = [sys.executable, "-m", "pack"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)

    problem = "task 'a': workers cannot find 'f' of pack.__main__, which workers do not read: "
    assert done.stdout.startswith(problem)
