r"""Damage journals of real runs, resume them, and count what icsched believes.

``python -m tools.damage 3000`` in the root of the repository makes seeded workflows in several
formats and runs them in part: servers are killed, jobs fail, jobs are tried again. Then it damages
3000 copies of the journals, and asks for each copy what ``icsched run --resume`` would run. Each
tenth copy is resumed in earnest (``--real``). A copy is

| verdict | means |
| --- | --- |
| refused | one line names the journal and says what to do, and nothing is changed |
| right | exactly the jobs run that are not completed |
| again | jobs run again whose records are lost, and all jobs run after their parents |
| WRONG | a job never runs, or runs before a parent; or a traceback; or a refusal of another kind |

What is damaged: bits, bytes, pages and lengths of the database, of SQLite's log beside it and of
its shared memory; and single values of rows, by SQL, in pages that fit together.
"""

import argparse
import io
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from pathlib import Path

if not __package__:  # run as a script
    sys.path.append(str(Path(__file__).parents[1]))

from icsched.commands.main import run
from tools.chaos import ICSCHED

PAGE = 4096
FILE = "journal.sqlite"
FILES = (FILE, f"{FILE}-wal", f"{FILE}-shm")
VERDICTS = ("refused", "right", "again", "WRONG")
_JOB = """#!/bin/sh
echo "B $1" >> trace
sleep 0.0$2
test -e "fail.$1" && exit 3
echo "E $1" >> trace
"""
_PATIENCE_S = 120


@dataclass
class Run:
    """A run that has ended in part. `parents` is by job; `done` are the completed jobs."""

    folder: Path
    file: str
    parents: dict[str, list[str]]
    done: set[str] = field(default_factory=set)

    @property
    def journal(self) -> Path:
        """The directory of the journal."""
        return self.folder / f"{self.file}.icsched-run"


def write_workflow(folder: Path, draw: random.Random) -> Run:
    """Write a random workflow as a DAGMan file or in WfFormat; one job fails once or more."""
    names = [f"j{number}" for number in range(draw.randint(5, 25))]
    parents = {
        name: draw.sample(names[:at], min(at, draw.choice([0, 1, 1, 2])))
        for at, name in enumerate(names)
    }
    (folder / "job.sh").write_text(_JOB)
    (folder / "job.sh").chmod(0o755)
    lines = []
    for name in names:
        words = f"executable = job.sh\narguments = {name} {draw.randint(1, 9)}\nqueue\n"
        (folder / f"{name}.sub").write_text(words)
        lines.append(f"JOB {name} {name}.sub")
    lines += [f"PARENT {one} CHILD {name}" for name in names for one in parents[name]]
    (folder / "wf.dag").write_text("\n".join(lines) + "\n")
    (folder / f"fail.{draw.choice(names)}").touch()
    file = draw.choice(["wf.dag", "wf.json"])
    if file == "wf.json":
        _icsched(folder, "convert", "wf.dag", "wf.json").wait(_PATIENCE_S)
    return Run(folder, file, parents)


def _icsched(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    with (folder / "errors").open("w") as errors:
        return subprocess.Popen(  # noqa: S603
            [ICSCHED, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=errors
        )


def execute(one: Run, draw: random.Random) -> None:
    """Run a workflow in part, once or twice; most servers are killed."""
    more = draw.choice([[], ["--retries", "1"], ["--time-limit", "60"], ["--keep-going"]])
    for words in ([], ["--resume"])[: draw.choice([1, 2])]:
        server = _icsched(one.folder, "run", one.file, "-j", "3", *more, *words)
        if draw.random() < 0.75:
            _wait_for_trace(one.folder, draw.randint(1, 2 * len(one.parents)), server)
            server.kill()
        server.wait(_PATIENCE_S)
        with (one.journal / "workers.lock").open("a") as lock:
            flock(lock, LOCK_EX)  # workers record what has ended
    uri = f"{(one.journal / FILE).as_uri()}?mode=ro"
    query = "SELECT name FROM completed JOIN attempts USING (number)"
    with closing(sqlite3.connect(uri, uri=True)) as journal:
        one.done = {name for (name,) in journal.execute(query)}


def _wait_for_trace(folder: Path, lines: int, server: "subprocess.Popen[bytes]") -> None:
    trace = folder / "trace"
    until = time.monotonic() + _PATIENCE_S
    while server.poll() is None and time.monotonic() < until:
        if trace.exists() and trace.read_text().count("\n") >= lines:
            return
        time.sleep(0.005)


# Damages; each takes a directory


def _file(directory: Path, draw: random.Random) -> tuple[Path, bytearray]:
    """Choose a file that is there; the database most often."""
    there = [directory / name for name in FILES if (directory / name).exists()]
    path = draw.choices(there, [6, 4, 1][: len(there)])[0]
    return path, bytearray(path.read_bytes())


def _place(data: bytearray, draw: random.Random) -> int:
    """Choose a byte, most often one that is used."""
    for _ in range(20):
        at = draw.randrange(len(data))
        if data[at]:
            break
    return at


def flip_bit(directory: Path, draw: random.Random) -> None:
    """Flip one bit."""
    path, data = _file(directory, draw)
    if data:
        data[_place(data, draw)] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def change_bytes(directory: Path, draw: random.Random) -> None:
    """Give some bytes in a row another value."""
    path, data = _file(directory, draw)
    if data:
        at = _place(data, draw)
        some = draw.randbytes(draw.randint(1, 8))
        data[at : at + len(some)] = some
    path.write_bytes(data)


def _pages(path: Path, data: bytearray) -> list[slice]:
    head, size = (32, 24 + PAGE) if path.name.endswith("-wal") else (0, PAGE)
    return [slice(at, at + size) for at in range(head, len(data) - size + 1, size)]


def zero_page(directory: Path, draw: random.Random) -> None:
    """Overwrite a page, or a frame of the log, with zeros."""
    path, data = _file(directory, draw)
    pages = _pages(path, data)
    if pages:
        one = draw.choice(pages)
        data[one] = bytes(one.stop - one.start)
    path.write_bytes(data)


def swap_pages(directory: Path, draw: random.Random) -> None:
    """Exchange two pages, or two frames of the log."""
    path, data = _file(directory, draw)
    pages = _pages(path, data)
    if len(pages) > 1:
        one, two = draw.sample(pages, 2)
        data[one], data[two] = data[two], data[one]
    path.write_bytes(data)


def cut(directory: Path, draw: random.Random) -> None:
    """Cut a file off, perhaps at the end of a page."""
    path, data = _file(directory, draw)
    ends = [page.stop for page in _pages(path, data)] or [0]
    path.write_bytes(data[: draw.choice([draw.choice(ends), draw.randrange(len(data) + 1)])])


def remove(directory: Path, draw: random.Random) -> None:
    """Remove SQLite's log or its shared memory."""
    (directory / draw.choice(FILES[1:])).unlink(missing_ok=True)


def change_value(directory: Path, draw: random.Random) -> None:
    """Change one value of one row to one that may be, or remove the row."""
    table = draw.choice(["attempts", "attempts", "completed", "completed", "meta"])
    with closing(sqlite3.connect(directory / FILE, isolation_level=None)) as journal:
        journal.create_function("mixed", -1, lambda digest, *_row: digest)
        columns = [row[1] for row in journal.execute(f"PRAGMA table_info({table})")]
        rows = [row for (row,) in journal.execute(f"SELECT rowid FROM {table}")]  # noqa: S608
        if not rows:
            return
        row, column = draw.choice(rows), draw.choice(columns)
        query = f"SELECT {column} FROM {table} WHERE rowid = ?"  # noqa: S608
        [old] = journal.execute(query, (row,)).fetchone()
        try:
            if draw.random() < 0.2:
                journal.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))  # noqa: S608
            else:
                change = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
                journal.execute(change, (_other(old, draw), row))
        except sqlite3.IntegrityError:
            pass  # the tables do not take it


def _other(old: object, draw: random.Random) -> object:
    if isinstance(old, str):
        return draw.choice([old[:-1], f"{old}0", "j1", "j2", ""])
    if isinstance(old, bytes):
        return bytes([*old[:-1], 255 - old[-1]]) if old else b"x"
    if isinstance(old, float):
        return draw.choice([old * 2, old / 2, None])
    return draw.choice([0, 1, 2, 3, None, 1 - (old or 0), (old or 0) + 1])


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    *(flip_bit,) * 4,
    *(change_bytes,) * 2,
    zero_page,
    swap_pages,
    cut,
    remove,
    *(change_value,) * 3,
)


# Verdicts


def judge_plan(one: Run, planned: list[str]) -> str:
    """Judge which jobs would run, first to run first."""
    left = set(planned)
    seen = set(one.parents) - left
    if any(
        job not in left and (job not in one.done or left & set(one.parents[job]))
        for job in one.parents
    ):
        return "WRONG"
    for job in planned:
        if not seen.issuperset(one.parents[job]):
            return "WRONG"
        seen.add(job)
    return "right" if left == set(one.parents) - one.done else "again"


def judge_trace(one: Run, before: int) -> str:
    """Judge what ran, by what the jobs themselves have written after *before* lines."""
    lines = [line.split() for line in (one.folder / "trace").read_text().splitlines()]
    ended: set[str] = set()
    for at, (sign, job) in enumerate(lines):
        if at >= before and sign == "B" and not ended.issuperset(one.parents[job]):
            return "WRONG"
        if sign == "E":
            ended.add(job)
    again = one.done & {job for sign, job in lines[before:] if sign == "B"}
    return "WRONG" if ended != set(one.parents) else "again" if again else "right"


def judge_refusal(one: Run, errors: str, before: dict[str, bytes]) -> str:
    """Judge a run that has refused to begin."""
    lines = errors.splitlines()
    is_good = len(lines) == 1 and lines[0].startswith(f"icsched: {one.journal}")
    is_same = _contents(one.journal) == before
    return "refused" if is_good and "--again" in errors and is_same else "WRONG"


def _contents(directory: Path) -> dict[str, bytes]:
    return {
        name: (directory / name).read_bytes() for name in FILES[:2] if (directory / name).exists()
    }


def planned(one: Run) -> str:
    """Ask what would run, and judge the answer."""
    before, output, errors = _contents(one.journal), io.StringIO(), io.StringIO()
    words = [
        "run",
        str(one.folder / one.file),
        "--resume",
        "--dry-run",
        "--json",
        "--order",
        "fifo",
    ]
    try:
        with chdir(one.folder), redirect_stdout(output), redirect_stderr(errors):
            code = run(words)
    except Exception:
        return f"WRONG {traceback.format_exc()}"
    if code:
        verdict = judge_refusal(one, errors.getvalue(), before)
        return verdict if verdict != "WRONG" else f"WRONG {errors.getvalue()}"
    jobs = [job["name"] for job in json.loads(output.getvalue())["planned"]]
    verdict = judge_plan(one, jobs)
    return verdict if verdict != "WRONG" else f"WRONG {jobs}, completed {sorted(one.done)}"


def resumed(one: Run) -> str:
    """Resume in earnest, and judge what ran."""
    before = _contents(one.journal)
    for path in one.folder.glob("fail.*"):
        path.unlink()
    lines = (one.folder / "trace").read_text().count("\n")
    server = _icsched(one.folder, "run", one.file, "--resume", "-j", "3")
    code = server.wait(_PATIENCE_S)
    errors = (one.folder / "errors").read_text()
    if code:
        ran = (one.folder / "trace").read_text().count("\n") - lines
        verdict = judge_refusal(one, errors, before) if not ran else "WRONG"
    else:
        verdict = judge_trace(one, lines)
    return verdict if verdict != "WRONG" else f"WRONG {code} {errors}"


def main() -> None:
    """Damage copies, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("copies", type=int, nargs="?", default=3000)
    parser.add_argument("--runs", type=int, default=20, help="real runs to copy")
    parser.add_argument("--real", type=int, default=10, help="resume each n-th copy in earnest")
    parser.add_argument("--minutes", type=float, default=60, help="begin no copy later than this")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw, until = random.Random(given.seed), time.monotonic() + 60 * given.minutes  # noqa: S311
    found: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="damage") as name:
        runs = []
        for number in range(given.runs):
            (Path(name) / str(number)).mkdir()
            runs.append(write_workflow(Path(name) / str(number), draw))
            execute(runs[-1], draw)
        logs = [one for one in runs if (one.journal / FILES[1]).exists()]
        for number in range(given.copies):
            if time.monotonic() > until:
                break
            verdict, what = _tried(Path(name) / "copy", runs, number, given)
            found[what, verdict.split()[0]] += 1
            if verdict.startswith("WRONG"):
                print(f"copy {number}: {what}: {verdict}")
    print(f"{found.total()} copies of {len(runs)} runs, {len(logs)} of them with a log left behind")
    print(f"{'':24}", *(f"{verdict:>8}" for verdict in VERDICTS))
    for what in sorted({what for what, _ in found}):
        print(f"{what:24}", *(f"{found[what, verdict]:8}" for verdict in VERDICTS))
    if any(verdict == "WRONG" for _, verdict in found):
        sys.exit(1)


def _tried(place: Path, runs: list[Run], number: int, given: argparse.Namespace) -> tuple[str, str]:
    """Damage one copy, and return the verdict and what was done to the copy."""
    draw = random.Random(f"{given.seed} {number}")  # noqa: S311
    whole = draw.choice(runs)
    shutil.copytree(whole.folder, place)
    one = Run(place, whole.file, whole.parents, whole.done)
    (one.journal / "reserve").unlink(missing_ok=True)
    damage = draw.choice(DAMAGES)
    damage(one.journal, draw)
    is_real = number % given.real == 0
    verdict = resumed(one) if is_real else planned(one)
    shutil.rmtree(place)
    return verdict, f"{damage.__name__}{' (resumed)' if is_real else ''}"


if __name__ == "__main__":
    main()
