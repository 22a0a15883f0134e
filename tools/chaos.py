r"""Kill runs, take their disk away, resume them, and count jobs that are lost or done twice.

``python -m tools.chaos 200`` in the root of the repository, or ``python tools/chaos.py 200``
anywhere, makes 200 seeded trials. In each, ``icsched run`` executes a random workflow of small
commands, and one or two faults hit it: kill -9 of the server, kill -9 of a worker, a disk that is
full, a journal that cannot be written. Then ``--resume`` goes on, until the run says that it is
complete. The commands keep their own record outside of the journal: a line when they begin and a
line when they end, with the time. From both records the trial counts:

| count | means |
| --- | --- |
| lost | jobs that never ended, or that the journal does not say completed, after a complete run |
| doubled | jobs that began again after the journal said that they were completed |
| unrecorded | commands that ended, but not in the journal; they run again |

A command is unrecorded if its worker is killed just after the command has ended, or if the journal
cannot be written at all. No program could know more. So a trial fails if a command is unrecorded
though only servers were killed, or if more are than workers were killed: a worker runs one command
at a time. Disks that are full or unwritable have no such limit.

Full disks are real if this process may mount a tmpfs; else the files may not grow (RLIMIT_FSIZE).
"""

import argparse
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

if not __package__:  # run as a script
    sys.path.append(str(Path(__file__).parents[1]))

from tools.plain_workflow import install

ICSCHED = Path(sys.executable).parent / "icsched"
FAULTS = ("kill server", "kill worker", "full disk", "unwritable journal")
Times = dict[str, list[float]]  # by job
WORKERS = 3
_ROOMS = {"full disk": 800, "unwritable journal": 4096}  # kilobytes: the reserve, and more
_LIMIT = 60_000  # bytes of the longest file, where nothing can be mounted
_PATIENCE_S = 120
_JOB = 'echo "B $1 $(date +%s.%N)" >> "$0"; sleep "$2"; echo "E $1 $(date +%s.%N)" >> "$0"'


@dataclass
class Verdict:
    """What one trial found; `rounds` is how often the run was started."""

    seed: int
    faults: tuple[str, ...]
    jobs: int = 0
    rounds: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unrecorded: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)  # exit code and message of each run

    def judge(
        self, names: Collection[str], began: Times, ended: Times, completed: Mapping[str, float]
    ) -> None:
        """Compare what the commands say with what the journal says was *completed*, and when."""
        self.lost = [name for name in names if name not in ended or name not in completed]
        self.doubled = [n for n in completed if max(began.get(n, [0.0])) > completed[n]]
        self.unrecorded = [name for name in ended for _ in ended[name][1:]]
        most = self.most_unrecorded
        if most is not None and len(self.unrecorded) > most:
            self.problems.append(f"{len(self.unrecorded)} unrecorded, expected {most} at most")

    @property
    def most_unrecorded(self) -> int | None:
        """How many commands may be unrecorded; None if there is no limit."""
        if set(self.faults) <= {"kill server", "kill worker"}:
            return self.faults.count("kill worker")
        return None

    @property
    def is_bad(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.lost or self.doubled or self.problems)


def write_workflow(folder: Path, draw: random.Random) -> dict[str, list[str]]:
    """Write a random workflow; return the parents of each job."""
    names = [f"job {number}" for number in range(draw.randint(8, 20))]
    parents = {
        name: draw.sample(names[:at], min(at, draw.choice([0, 1, 1, 2])))
        for at, name in enumerate(names)
    }
    trace = str(folder / "trace")
    jobs = {
        name: {
            "parents": parents[name],
            "argv": ["sh", "-c", _JOB, trace, name, f"{draw.uniform(0.02, 0.4):.3f}"],
        }
        for name in names
    }
    (folder / "wf.plain").write_text(json.dumps(jobs))
    (folder / "trace").touch()
    return parents


class Trial:
    """One seeded trial in *folder*."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.draw = random.Random(seed)  # noqa: S311
        faults = tuple(self.draw.choice(FAULTS) for _ in range(self.draw.choice([1, 2])))
        faults = (FAULTS[seed % len(FAULTS)], *faults[1:])
        self.verdict = Verdict(seed, faults)
        self.folder, self.journal = folder, folder / "run"
        self.library = install(folder / "lib")
        self.verdict.jobs = len(write_workflow(folder, self.draw))

    def judged(self) -> Verdict:
        """Run with faults, then without, and compare the two records."""
        for fault in self.verdict.faults:
            if self._hit(fault):
                break
        else:
            for _ in range(3):  # a killed worker may have cost an earlier run its success
                if self._wait(self._start()) == 0:
                    break
            else:
                self.verdict.problems.append("the run does not become complete")
        self._judge()
        return self.verdict

    def _start(self, *, is_limited: bool = False) -> "subprocess.Popen[bytes]":
        is_there = (self.journal / "journal.sqlite").exists()
        words = ["run", "wf.plain", "-j", str(WORKERS), "--order", "fifo", "--journal", "run"]
        self.verdict.rounds += 1
        with (self.folder / "errors").open("w") as errors:  # no pipe: workers may outlive it
            return subprocess.Popen(  # noqa: S603
                [ICSCHED, *words, *(["--resume"] if is_there else [])],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(self.library)},
                stdout=subprocess.DEVNULL,
                stderr=errors,
                preexec_fn=_limit if is_limited else None,
            )

    def _wait(self, server: "subprocess.Popen[bytes]") -> int:
        server.wait(_PATIENCE_S)
        errors = (self.folder / "errors").read_text()
        if "Traceback" in errors and server.returncode >= 0:
            self.verdict.problems.append(errors)
        self.verdict.ends.append(f"{server.returncode} {errors.strip()}")
        return server.returncode

    def _hit(self, fault: str) -> bool:
        """Run until a fault; return whether the run is complete all the same."""
        if fault in ("kill server", "kill worker"):
            return self._kill(fault)
        self._wait_for_workers()
        with _small_disk(self.journal, _ROOMS[fault]) as is_mounted:
            if fault == "full disk":
                self._fill(is_mounted=is_mounted)
            else:
                return self._lock(is_mounted=is_mounted)
        return False

    def _kill(self, fault: str) -> bool:
        server = self._start()
        self._wait_for_trace(self.draw.randint(1, self.verdict.jobs))
        time.sleep(self.draw.uniform(0, 0.3))
        victims = [server.pid] if fault == "kill server" else workers_of(server.pid)
        if victims:
            with suppress(ProcessLookupError):
                os.kill(self.draw.choice(victims), signal.SIGKILL)
        return self._wait(server) == 0

    def _wait_for_workers(self) -> None:
        """Wait until the workers of a killed server have ended."""
        self.journal.mkdir(exist_ok=True)
        with (self.journal / "workers.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)

    def _wait_for_trace(self, lines: int) -> None:
        """Wait until jobs have begun or ended so often, or nothing more comes."""
        until = time.monotonic() + 10
        while time.monotonic() < until:
            if (self.folder / "trace").read_text().count("\n") >= lines:
                return
            time.sleep(0.01)

    def _fill(self, *, is_mounted: bool) -> None:
        server = self._start(is_limited=not is_mounted)
        if is_mounted:
            self._wait_for_trace(self.draw.randint(1, self.verdict.jobs))
            with suppress(OSError), (self.journal / "ballast").open("wb", buffering=0) as ballast:
                ballast.write(bytes(_ROOMS["full disk"] * 1024))  # as much as there is room for
        self._wait(server)
        with suppress(OSError):
            (self.journal / "ballast").unlink()

    def _lock(self, *, is_mounted: bool) -> bool:
        """Kill the server, and try to resume while the journal cannot be written."""
        is_complete = self._kill("kill server")
        self._wait_for_workers()
        before = (self.folder / "trace").read_text()
        with _read_only(self.journal, is_mounted=is_mounted):
            code = self._wait(self._start())
        if code != 1 or (self.folder / "trace").read_text() != before:
            self.verdict.problems.append("a run began without a journal")
        return is_complete

    def _judge(self) -> None:
        began, ended = _trace(self.folder / "trace")
        with closing(sqlite3.connect(self.journal / "journal.sqlite")) as journal:
            query = "SELECT name, ended FROM completed JOIN attempts USING (number)"
            completed = dict(journal.execute(query))
        names = json.loads((self.folder / "wf.plain").read_text())
        self.verdict.judge(names, began, ended, completed)


def _trace(path: Path) -> tuple[Times, Times]:
    """Return when each job began, and when each ended."""
    found: dict[str, dict[str, list[float]]] = {"B": {}, "E": {}}
    for line in path.read_text().splitlines():
        sign, rest = line.split(" ", 1)
        name, moment = rest.rsplit(" ", 1)
        found[sign].setdefault(name, []).append(float(moment))
    return found["B"], found["E"]


def workers_of(server: int) -> list[int]:
    """Return the worker processes of a server."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent == server and b"spawn_main" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return sorted(found)


def _limit() -> None:
    """Let no file grow beyond a limit. The reserve is longer, so only a resumed run begins."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**18 + _LIMIT, hard))


@contextmanager
def _small_disk(place: Path, room: int) -> Iterator[bool]:
    """Put the directory *place* on a small disk for a while; yield whether that was possible."""
    kept = place.with_suffix(".kept")
    words = ["mount", "-t", "tmpfs", "-o", f"size={room}k", "chaos", str(place)]
    shutil.copytree(place, kept, dirs_exist_ok=True)
    if subprocess.run(words, capture_output=True, check=False).returncode:  # noqa: S603
        yield False
        return
    try:
        _copy(kept, place)
        yield True
        _copy(place, kept)
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)  # noqa: S603, S607
        _copy(kept, place)


def _copy(here: Path, there: Path) -> None:
    """Copy what a run needs; the reserve and the shared memory of SQLite are made again."""
    for path in here.rglob("*"):
        if path.is_file() and path.name not in ("reserve", "journal.sqlite-shm", "ballast"):
            target = there / path.relative_to(here)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(path, target)


def _remount(place: Path, how: str) -> None:
    """Mount again; a worker that ends may free its lock before its other files."""
    words = ["mount", "-o", f"remount,{how}", str(place)]
    until = time.monotonic() + _PATIENCE_S
    while subprocess.run(words, capture_output=True, check=False).returncode:  # noqa: S603
        if time.monotonic() > until:
            raise TimeoutError(f"{place} cannot be mounted again: files are open")
        time.sleep(0.01)


@contextmanager
def _read_only(place: Path, *, is_mounted: bool) -> Iterator[None]:
    def make(how: str, mode: int) -> None:
        if is_mounted:
            _remount(place, how)
        else:
            for path in [place, *place.rglob("*")]:
                path.chmod(mode)

    make("ro", 0o500)
    try:
        yield
    finally:
        make("rw", 0o700)


def trial(seed: int) -> Verdict:
    """Make one trial in a directory of its own."""
    with tempfile.TemporaryDirectory(prefix="chaos") as name:
        return Trial(seed, Path(name)).judged()


def main() -> None:
    """Make trials, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("trials", type=int, nargs="?", default=200)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--at-once", type=int, default=4, help="trials at once")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.trials)
    with ThreadPoolExecutor(given.at_once) as pool:
        found = list(pool.map(trial, seeds))
    for one in found:
        if one.is_bad:
            print(one)
    faults = Counter(fault for one in found for fault in one.faults)
    unrecorded = Counter(dict.fromkeys(FAULTS, 0))
    for one in found:
        unrecorded["/".join(sorted(set(one.faults)))] += len(one.unrecorded)
    print(f"{len(found)} trials, {sum(one.jobs for one in found)} jobs,", end=" ")
    print(f"{sum(one.rounds for one in found)} runs; faults: {dict(faults)}")
    print(f"lost {sum(len(o.lost) for o in found)}, doubled {sum(len(o.doubled) for o in found)}")
    print(f"ended but unrecorded, by faults: { {k: v for k, v in unrecorded.items() if v} }")
    if any(one.is_bad for one in found):
        sys.exit(1)


if __name__ == "__main__":
    main()
