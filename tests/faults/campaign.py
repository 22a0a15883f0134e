"""Run a piece of Python code again and again, struck at each of its system calls in turn.

Reads a JSON object from standard input: `files` is what a directory holds, `before` is code that
prepares it further, `code` defines a function `work` that runs in it and returns an exit code, and
`strikes` says in which ways to strike. Writes JSON objects, one a line: how the work goes
undisturbed, then how it ended with each strike.

It is a process of its own because it forks for each run, with all that `work` needs imported.
"""

import errno
import gc
import io
import json
import os
import re
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.faults.tracing import NotPermitted, Strike, Trace, forked, traced

MEMORY = Path("/dev/shm")  # noqa: S108  a file system that need not wait for a disk

State = dict[str, tuple[str, str]]  # permissions and bytes of each file; empty directories: NAME/
Ending = dict[str, Any]  # exit code, standard error, and state of the directory


class Campaign:
    """A directory, and code that runs in it."""

    def __init__(self, home: Path, files: dict[str, str], before: str, code: str) -> None:
        self._directory, self._err = home / "user", home / "err"
        self._directory.mkdir()
        os.chdir(self._directory)
        self._known: dict[str, Ending] = {}
        self.start: State = {name: ("640", text) for name, text in files.items()}
        self._lay_out()
        _do_here(_work_of(before))
        self.start = self._state()
        self._work = _work_of(code)
        _do_here(self._work)
        gc.freeze()  # else collecting garbage would copy all pages to the child

    def undisturbed(self) -> Ending:
        """Run the code from the start, without a tracer."""
        self._lay_out()
        return self._ending(forked(self._run))

    def struck(self, strikes: Mapping[int, Strike]) -> tuple[Trace, Ending]:
        """Run the code from the start, with strikes at the calls of these numbers."""
        self._lay_out()
        trace = traced(self._run, strikes)
        return trace, self._ending(trace.code)

    def once_more(self) -> Ending:
        """Run the code undisturbed on what the last run left; only once for the same remains."""
        names_and_files = [(re.sub(r"^\.icsched-.*", "", n), *f) for n, f in self._state().items()]
        key = json.dumps(sorted(names_and_files))
        if key not in self._known:
            self._known[key] = self._ending(forked(self._run))
        return self._known[key]

    def _lay_out(self) -> None:
        for path in self._directory.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, (mode, text) in self.start.items():
            path = self._directory / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
            path.chmod(int(mode, 8))

    def _state(self) -> State:
        paths = sorted(self._directory.rglob("*"))
        files = {
            str(p.relative_to(self._directory)): (
                f"{p.stat().st_mode & 0o777:o}",
                p.read_bytes().decode(),
            )
            for p in paths
            if p.is_file()
        }
        empty = [p for p in paths if p.is_dir() and not any(p.iterdir())]
        return files | {f"{p.relative_to(self._directory)}/": ("", "") for p in empty}

    def _ending(self, code: int) -> Ending:
        return {"code": code, "err": self._err.read_text(), "files": self._state()}

    def _run(self, begin: Callable[[], None]) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(self._err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        begin()
        return _exit_code(self._work)


def _work_of(code: str) -> Callable[[], int]:
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102  it is the tests' own
    return names["work"]


def _exit_code(work: Callable[[], int]) -> int:
    """Do the work as the interpreter would."""
    try:
        return work()
    except BaseException:
        traceback.print_exc()
        return 1


def _do_here(work: Callable[[], int]) -> None:
    """Do the work in this process, so that whatever it imports is there from now on."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        failed = _exit_code(work)
    if failed:
        raise RuntimeError(said.getvalue())


def report(campaign: Campaign, strikes: list[str]) -> Iterator[dict[str, Any]]:
    """Strike at every call, in all these ways."""
    trace, ending = campaign.struck({})
    assert ending == campaign.undisturbed(), "a tracer that does nothing changes nothing"
    yield {"start": campaign.start, "calls": trace.calls, **ending}
    for call in range(len(trace.calls)):
        for strike in strikes:
            point = _point(campaign, strike, [call])
            yield point
            unlinks = [
                at
                for at, name in enumerate(point["calls"])
                if at > call and name.startswith("unlink")
            ]
            if unlinks:  # the work cleaned up: once more, and let that fail as well
                yield _point(campaign, strike, [call, *unlinks])


def _point(campaign: Campaign, strike: str, calls: list[int]) -> dict[str, Any]:
    trace, ending = campaign.struck(dict.fromkeys(calls, getattr(errno, strike, strike)))
    again = campaign.once_more()
    return {"strike": strike, "struck": calls, "calls": trace.calls, **ending, "again": again}


def main() -> None:
    """Do as the module's first lines say."""
    order = json.load(sys.stdin)
    strikes = order.pop("strikes")
    with TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as home:
        try:
            for line in report(Campaign(Path(home), **order), strikes):
                print(json.dumps(line), flush=True)  # noqa: T201
        except NotPermitted as reason:
            print(json.dumps({"refused": str(reason)}))  # noqa: T201


if __name__ == "__main__":
    main()
