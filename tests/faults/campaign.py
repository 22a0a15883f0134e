"""Run a piece of Python code again and again, struck at each of its system calls in turn.

Reads a JSON object from standard input: `files` is what a directory holds, `before` is code that
prepares it further, `code` defines a function `work` that runs in it and returns an exit code, and
`strikes` says in which ways to strike: a kill, an error, or an edit of the file `edited` by another
program. With `again` a strike is followed by another at each later call that changes files: these
are the calls by which the work recovers. Calls in `refused` always fail. Writes JSON objects, one a
line: how the work goes undisturbed, then how it ended with each strike.

It is a process of its own because it forks for each run, with all that `work` needs imported.
"""

import errno
import gc
import io
import itertools
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

from icsched.files import temporary
from tests.faults.tracing import NotPermitted, Strike, Trace, forked, traced

MEMORY = Path("/dev/shm")  # noqa: S108  a file system that need not wait for a disk

# Calls by which the work changes files, locks them, or makes changes last.
_CHANGES = re.compile("rename|link|unlink|open|mk|rm|flock|fcntl|fsync")

# Calls that leave the disk as it is: after them a kill leaves what it left before them.
READS = re.compile("(new)?[fl]?stat|read|l?seek|close|ioctl|get|fcntl|flock|umask")

# Strikes that are not tried at such calls: errors which they never meet.
_NOT_TRIED = {
    "kill before": READS,
    "kill after": READS,
    "ENOSPC": READS,
    "EACCES": re.compile("read|write|l?seek|close|ioctl|get|flock|umask|f(sync|stat|chmod|chown)"),
}

EDITS = ("append", "hold", "replace", "sweep")  # by another program: see Edits

State = dict[str, tuple[str, str]]  # permissions and bytes of each file; empty directories: NAME/
Ending = dict[str, Any]  # exit code, standard error, and state of the directory


class Campaign:
    """A directory, and code that runs in it."""

    def __init__(
        self,
        home: Path,
        files: dict[str, str],
        before: str,
        code: str,
        edited: str,
        refused: Mapping[str, str],
    ) -> None:
        self._directory, self._err = home / "user", home / "err"
        self._edited, self._other = self._directory / edited, home / "other"
        self.refused = {name: getattr(errno, number) for name, number in refused.items()}
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

    def struck(self, strikes: Mapping[int, str]) -> tuple[Trace, Ending]:
        """Run the code from the start, with strikes at the calls of these numbers."""
        self._lay_out()
        edits = Edits(self._edited, self._other)
        trace = traced(self._run, {n: edits.strike(s) for n, s in strikes.items()}, self.refused)
        edits.end()
        return trace, {**self._ending(trace.code), "edits": edits.made}

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


class Edits:
    """What another program does to a file of the user's; each edit adds a line of its own.

    The other program may also be icsched, which removes what it finds left behind beside the file.
    """

    def __init__(self, file: Path, other: Path) -> None:
        self.made: list[str] = []
        self._file, self._other = file, other
        self._open: list[tuple[int, str]] = []

    def strike(self, name: str) -> Strike:
        """Return the strike of this name."""
        if name in EDITS:
            return getattr(self, f"_{name}")
        return name if name.startswith("kill") else getattr(errno, name)

    def end(self) -> None:
        """Write into the files that are still open."""
        for handle, line in self._open:
            os.write(handle, line.encode())
            os.close(handle)

    def _append(self) -> None:
        self._hold()
        self.end()
        self._open.clear()

    def _hold(self) -> None:
        """Open the file now, append to it when the work has ended."""
        if self._file.exists():
            flags = os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK
            self._open.append((os.open(self._file, flags), self._next_line()))

    def _sweep(self) -> None:
        temporary._sweep.cache_clear()
        temporary.sweep(self._file.parent)

    def _replace(self) -> None:
        """Put another file in the place of the file, as sed -i does."""
        if self._file.exists():
            self._other.write_bytes(self._file.read_bytes() + self._next_line().encode())
            self._other.chmod(0o640)
            self._other.rename(self._file)

    def _next_line(self) -> str:
        self.made.append(f"# edit {len(self.made) + 1}\n")
        return self.made[-1]


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


def report(campaign: Campaign, strikes: list[str], *, again: list[str]) -> Iterator[dict[str, Any]]:
    """Strike at every call, in all these ways; of equal recoveries, strike one again."""
    trace, ending = campaign.struck({})
    if not campaign.refused:
        undisturbed = {**campaign.undisturbed(), "edits": []}
        assert ending == undisturbed, "a tracer that does nothing changes nothing"
    yield {"start": campaign.start, "calls": trace.calls, **ending}
    seen: set[str] = set()
    for call, strike in itertools.product(range(len(trace.calls)), strikes):
        if strike in _NOT_TRIED and _NOT_TRIED[strike].match(trace.calls[call]):
            continue
        point = _point(campaign, {call: strike})
        yield point
        later = list(enumerate(point["calls"]))[call + 1 :]
        recovery = json.dumps([strike, [name for _, name in later], point["files"], point["err"]])
        if strike == "sweep" and point["calls"] == trace.calls:
            continue  # it has disturbed nothing
        if strike in EDITS or recovery not in seen:
            seen.add(recovery)
            yield from _struck_again(campaign, point, later, again)


def _struck_again(
    campaign: Campaign, point: dict[str, Any], later: list[tuple[int, str]], again: list[str]
) -> Iterator[dict[str, Any]]:
    """Strike a run once more, at each of its calls after the first strike."""
    [call], strike = point["struck"], point["strike"]
    unlinks = [at for at, name in later if name.startswith("unlink")]
    if unlinks and strike not in EDITS:  # the work cleaned up: let that fail as well
        yield _point(campaign, dict.fromkeys([call, *unlinks], strike))
    if _CHANGES.match(point["calls"][call]) or point["calls"][call] == "read":
        for (at, name), second in itertools.product(later, again):
            if _CHANGES.match(name):
                yield _point(campaign, {call: strike, at: second})


def _point(campaign: Campaign, strikes: dict[int, str]) -> dict[str, Any]:
    trace, ending = campaign.struck(strikes)
    once_more = campaign.once_more()
    names = list(dict.fromkeys(strikes.values()))
    struck = [call for call in strikes if call < len(trace.calls)]
    told = {"strike": names[0], "second": names[-1], "struck": struck}
    return {**told, "calls": trace.calls, **ending, "again": once_more}


def main() -> None:
    """Do as the module's first lines say."""
    order = json.load(sys.stdin)
    strikes, again = order.pop("strikes"), order.pop("again")
    with TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as home:
        try:
            for line in report(Campaign(Path(home), **order), strikes, again=again):
                print(json.dumps(line), flush=True)  # noqa: T201
        except NotPermitted as reason:
            print(json.dumps({"refused": str(reason)}))  # noqa: T201


if __name__ == "__main__":
    main()
