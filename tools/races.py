r"""Change a file while another program edits it, and count edits that are lost.

``python -m tools.races 2000`` in the root of the repository, or ``python tools/races.py 2000``
anywhere, makes 2000 seeded trials. In each, `icsched.files.rewrite` replaces a file while another
process edits that file once, in one of these ways:

| edit | the other process |
| --- | --- |
| append | opens the file by its name, appends, closes |
| held | has the file open since before the trial, and appends |
| replace | renames another file over it, as sed -i does |

Both processes wait for the same instant. Then the edit waits a little longer. If icsched noticed
the last edit of this kind, the next waits longer; if not, it waits less. So most edits come within
microseconds of the last look that icsched has at the file. An edit is lost if it is neither in the
file nor in a file beside it whose name does not begin with a dot.
"""

import argparse
import mmap
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeAlias

from icsched import FormatError
from icsched.files import rewrite

Shared: TypeAlias = "memoryview[int]"

EDITS = ("append", "held", "replace")
OLD, NEW, ORIGINAL = b"the old file\n", b"the new file\n", b"what the user began with\n"
KEPT = (OLD, None, ORIGINAL)  # what the backup gets
_LEAD_NS = 500_000
_STEP_NS = 20_000  # at most, from one delay to the next
_TRIAL, _READY, _INSTANT, _DONE = range(4)  # what the two processes tell each other


@dataclass
class Count:
    """How the trials of one kind of edit ended; `delay_ns` is when the next edit comes."""

    ends: Counter[str] = field(default_factory=Counter)
    delay_ns: int = 200_000

    def note(self, end: str, rng: random.Random) -> None:
        """Count a trial, and let the next edit come later if this one was noticed."""
        self.ends[end] += 1
        sign = 1 if end == "noticed" else -1
        self.delay_ns = max(-_LEAD_NS, self.delay_ns + sign * rng.randrange(_STEP_NS))


def main() -> int:
    """Make the trials; return 1 if an edit was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("trials", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--directory", help="a directory on the file system to try")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.directory) as home:
        counts = trials(given.trials, given.seed, Path(home))
    for edit, edits in counts.items():
        ends = ", ".join(f"{number} {end}" for end, number in sorted(edits.ends.items()))
        sys.stdout.write(f"{edit}: {ends}\n")
    return int(any(edits.ends["lost"] for edits in counts.values()))


def trials(number: int, seed: int, home: Path) -> dict[str, Count]:
    """Return how *number* trials in the empty directory *home* ended, by kind of edit."""
    rng = random.Random(seed)  # noqa: S311
    counts = {edit: Count() for edit in EDITS}
    with _other_program(home) as shared:
        for trial in range(1, number + 1):
            edits = counts[EDITS[trial % len(EDITS)]]
            edits.note(_trial(home, trial, shared, edits.delay_ns), rng)
    return counts


def _trial(home: Path, trial: int, shared: Shared, delay_ns: int) -> str:
    """Change a file and have it edited meanwhile; return how that ended."""
    for path in home.iterdir():
        path.unlink()
    file = home / "file"
    file.write_bytes(OLD)
    shared[_TRIAL] = trial
    _wait_for(shared, _READY, trial)
    begin = time.monotonic_ns() + _LEAD_NS
    shared[_INSTANT] = begin + delay_ns
    _wait_until(begin)
    try:
        rewrite(file, OLD, NEW, keep=KEPT[trial // len(EDITS) % len(KEPT)])
        is_noticed = False
    except FormatError:
        is_noticed = True
    _wait_for(shared, _DONE, trial)
    found = [path.name for path in home.glob("[!.]*") if _token(trial) in path.read_bytes()]
    if not found:
        return "lost"
    if is_noticed:
        return "noticed"
    return "in the file" if "file" in found else "in a backup"


def _token(trial: int) -> bytes:
    return f"edit {trial}.\n".encode()


def _wait_for(shared: Shared, place: int, least: int) -> None:
    while shared[place] < least:
        os.sched_yield()


def _wait_until(instant_ns: int) -> None:
    while time.monotonic_ns() < instant_ns:
        pass


@contextmanager
def _other_program(home: Path) -> Iterator[Shared]:
    """Let another process edit the file in *home* once in each trial."""
    shared = memoryview(mmap.mmap(-1, 4 * 8)).cast("q")
    child = os.fork()
    if not child:
        try:
            _edit_for_ever(home, shared)
        finally:
            os._exit(1)
    try:
        yield shared
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def _edit_for_ever(home: Path, shared: Shared) -> None:
    file, other = home / "file", home / "other"
    for trial in count(1):
        _wait_for(shared, _TRIAL, trial)
        edit, early = EDITS[trial % len(EDITS)], shared[_INSTANT]
        handle = os.open(file, os.O_WRONLY | os.O_APPEND)
        if edit == "replace":
            other.write_bytes(OLD + _token(trial))
        shared[_READY] = trial
        _wait_for(shared, _INSTANT, early + 1)
        _wait_until(shared[_INSTANT])
        if edit == "append":
            os.close(handle)
            handle = os.open(file, os.O_WRONLY | os.O_APPEND)
        if edit == "replace":
            other.replace(file)
        else:
            os.write(handle, _token(trial))
        os.close(handle)
        shared[_DONE] = trial


if __name__ == "__main__":
    sys.exit(main())
