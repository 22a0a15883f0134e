"""`icsched prio` killed, or refused something, at every system call that it makes.

Whatever happens, each of the user's files is the old one or the new one, whole; and running the
command once more gives what it would have given at once.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.campaign import READS

PROJECT = Path(__file__).parents[2]
ALL_STRIKES = ["kill after", "EIO", "ENOSPC", "EACCES"]
SOME_STRIKES = ["kill after", "EACCES"]

FORK = """\
JOB a a.sub
JOB b b.sub
JOB c b.sub
PARENT a CHILD b c
"""
SUBMIT = "executable = /bin/true\nqueue\n"
FILES = {"wf.dag": FORK, "a.sub": SUBMIT, "b.sub": SUBMIT}
SPLICED = {
    "wf.dag": "SPLICE s inner.dag\nSPLICE t inner.dag\nPARENT s CHILD t\n",
    "inner.dag": FORK,
    "wf.dag.bak": "something of the user's own\n",
    "wf.dag.rescue001": "DONE s+a\nDONE s+c\n",
}


def prio(*options: str) -> str:
    """Return code that works as `icsched prio wf.dag` does."""
    return f"""
from icsched.commands.main import run
def work(): return run(["prio", "--order", "prio", "wf.dag", *{options}])
"""


def parsed_prio(*options: str) -> str:
    """Return the same code, but its words are parsed beforehand: that is slow, touches no file."""
    return f"""
from icsched.commands import app
from icsched.commands import main
words = ["prio", "--order", "prio", "wf.dag", *{options}]
command, bound, _ = app.app.parse_args(words)
app.app = lambda *_, **__: command(*bound.args, **bound.kwargs)
def work(): return main.run(words)
"""


BACKUP = re.compile(r"\.bak[0-9]*$")
NOTHING = "def work(): return 0"
VIA_VARS = prio("--in-place", "--via", "vars")

# Files, what is done to them beforehand, what is struck, and how.
CAMPAIGNS = {
    "--in-place": (FILES, NOTHING, parsed_prio("--in-place"), ALL_STRIKES),
    "--in-place --via vars": (
        FILES,
        NOTHING,
        parsed_prio("--in-place", "--via", "vars"),
        ALL_STRIKES,
    ),
    "--remove": (FILES, VIA_VARS, parsed_prio("--remove"), ALL_STRIKES),
    "--in-place after vars": (FILES, VIA_VARS, parsed_prio("--in-place"), SOME_STRIKES),
    "--in-place with splices": (SPLICED, NOTHING, parsed_prio("--in-place"), SOME_STRIKES),
    "--remove with splices": (
        SPLICED,
        prio("--in-place"),
        parsed_prio("--remove"),
        SOME_STRIKES,
    ),
}


class Campaign:
    """A campaign under way in a process of its own; see campaign.py."""

    def __init__(
        self,
        output: Path,
        files: dict[str, str],
        before: str,
        code: str,
        strikes: list[str],
        *,
        again: tuple[str, ...] = (),
        edited: str = "wf.dag",
        refused: dict[str, str] | None = None,
    ) -> None:
        self._output = output
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.campaign"],
                cwd=PROJECT,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # a fork takes no threads along
                stdin=subprocess.PIPE,
                stdout=file,
            )
        order = {"files": files, "before": before, "code": code, "strikes": strikes}
        order |= {"again": again, "edited": edited, "refused": refused or {}}
        with self._process.stdin as pipe:
            pipe.write(json.dumps(order).encode())

    def report(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return how it went undisturbed, and how each strike ended."""
        assert self._process.wait(timeout=600) == 0
        first, *points = map(json.loads, self._output.read_text().splitlines())
        if "refused" in first:
            pytest.skip(f"ptrace is not permitted here: {first['refused']}")
        return first, points

    def stop(self) -> None:
        """End it, if nobody waited for its report."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait()


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory) -> Iterator[dict[str, Campaign]]:
    """All campaigns against icsched, under way at once."""
    home = tmp_path_factory.mktemp("campaigns")
    under_way = {
        name: Campaign(home / str(number), *campaign)
        for number, (name, campaign) in enumerate(CAMPAIGNS.items())
    }
    yield under_way
    for campaign in under_way.values():
        campaign.stop()


# What may be wrong after a strike


def problems(whole: dict[str, Any], points: list[dict[str, Any]]) -> list[str]:
    """Return all that is wrong with how the strikes ended."""
    return [
        f"{point['strike']} {', '.join(point['calls'][at] for at in point['struck'])}"
        f" (call {point['struck']}): {problem}"
        for point in (without_spares(whole, point) for point in points)
        for check in (missed, torn, littered, rude, lying, stuck, strewn)
        for problem in check(whole, point)
    ]


def is_kill(point: dict[str, Any]) -> bool:
    return point["strike"].startswith("kill")


def is_temporary(name: str) -> bool:
    return name.startswith(".icsched-")


def lasting(files: dict[str, Any]) -> dict[str, Any]:
    return {name: file for name, file in files.items() if not is_temporary(name)}


def without_spares(whole: dict[str, Any], point: dict[str, Any]) -> dict[str, Any]:
    """Leave out a further backup, old or new.

    One may be there if a recovery failed itself, or if it cannot be told (by fcntl) whether a
    program still has the old file open for writing.
    """
    if len(point["struck"]) < 2 and point["calls"][point["struck"][0]] != "fcntl":
        return point
    known = {**whole["start"], **whole["files"]}
    bytes_of = [text for _, text in (*whole["start"].values(), *whole["files"].values())]

    def spared(files: dict[str, Any]) -> dict[str, Any]:
        return {
            name: file
            for name, file in files.items()
            if name in known or not BACKUP.search(name) or file[1] not in bytes_of
        }

    again = {**point["again"], "files": spared(point["again"]["files"])}
    return {**point, "files": spared(point["files"]), "again": again}


def missed(whole: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """Until the strike, the run was not that of the undisturbed one."""
    until = slice(point["struck"][0] + 1)
    if point["calls"][until] != whole["calls"][until]:
        yield f"the calls were other ones: {point['calls'][until]}"
    if is_kill(point) and (point["code"], point["calls"]) != (-9, whole["calls"][until]):
        yield f"it was not killed: exit code {point['code']}"


def torn(whole: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """A file is neither the old nor the new one, in its bytes and permissions."""
    old, new, now = whole["start"], whole["files"], lasting(point["files"])
    for name in sorted({*old, *new, *now}):
        if now.get(name) not in (old.get(name), new.get(name)):
            yield f"{name} is neither old nor new: {now.get(name)}"


def littered(_: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """A temporary file is left, though nothing kept the command from removing it."""
    if not is_kill(point) and len(point["struck"]) == 1:
        yield from (f"{name} is left behind" for name in point["files"] if is_temporary(name))


def rude(_: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """A failure ends neither in success nor in one line and exit 1."""
    code, err = point["code"], point["err"]
    complains = code == 1 and err.startswith("icsched: ") and err.count("\n") == 1
    if not is_kill(point) and not complains and (code, err) != (0, ""):
        yield f"exit code {code}, and it said {err!r}"


def lying(whole: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """A failure ends in success, but not in the same files."""
    if point["code"] == 0 and lasting(point["files"]) != whole["files"]:
        yield f"it says that all went well, but left {point['files']}"


def stuck(whole: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """Running once more is no success, or gives something else."""
    again = point["again"]
    if (again["code"], again["err"]) != (0, "") or lasting(again["files"]) != whole["files"]:
        yield f"running once more ends in {again}"


def strewn(_: dict[str, Any], point: dict[str, Any]) -> Iterator[str]:
    """Running once more leaves what a kill, or a failure to remove it, left there."""
    left = sorted(filter(is_temporary, point["again"]["files"]))
    yield from (f"{name} is there after one more run" for name in left)


@pytest.mark.parametrize("command", CAMPAIGNS)
def test_a_kill_or_failure_at_any_call_leaves_whole_files(campaigns, command, record_property):
    whole, points = campaigns[command].report()
    kills = sum(map(is_kill, points))
    record_property("kill points", kills)
    record_property("failure points", len(points) - kills)
    sys.stdout.write(f"{command}: {kills} kill points, {len(points) - kills} failure points\n")

    assert (whole["code"], whole["err"]) == (0, "")
    assert whole["files"] != whole["start"]
    assert len(whole["calls"]) > 40
    assert kills >= sum(not READS.match(name) for name in whole["calls"]) > 15
    assert problems(whole, points) == []


WRITES = """
from icsched.files import write_bytes
def work():
    write_bytes("wf.dag", b"new")
    return 0
"""


def test_bytes_and_then_the_name_of_a_new_file_are_put_on_the_disk(tmp_path):
    """A power cut after the rename would else bring back the old file, though the work is done."""
    whole, _ = Campaign(tmp_path / "report", {"wf.dag": "old"}, NOTHING, WRITES, []).report()

    calls = [re.sub("at2?$", "", name) for name in whole["calls"]]
    renamed = calls.index("rename")
    before, after = calls[:renamed], calls[renamed + 1 :]
    assert whole["files"] == {"wf.dag": ["640", "new"]}
    assert before[before.index("write") :].count("fsync") == 1
    assert after.index("open") < after.index("fsync")  # of the directory, which is opened for that


# Would it be seen if something were wrong?

REMOVES = """
import os
def work():
    os.remove("wf.dag")
    return 0
"""
TWO_STEPS = """
def work():
    with open("wf.dag", "w", buffering=1) as file:
        file.write("the new\\n")
        file.write("file\\n")
    return 0
"""
REMOVES_FIRST = """
import os
def work():
    open(".icsched-1", "w").write("the new file")
    os.remove("wf.dag")
    os.rename(".icsched-1", "wf.dag")
    return 0
"""
TELLS_NOTHING = """
import contextlib, pathlib
def work():
    with contextlib.suppress(OSError):
        pathlib.Path(".icsched-1").write_text("the new file")
        pathlib.Path(".icsched-1").rename("wf.dag")
    return 0
"""
CANNOT_START_AGAIN = """
import os, pathlib
def work():
    os.mknod(".icsched-lock")
    pathlib.Path(".icsched-1").write_text("the new file")
    pathlib.Path(".icsched-1").rename("wf.dag")
    os.remove(".icsched-lock")
    return 0
"""
NEVER_TIDIES_UP = """
import itertools, pathlib
def work():
    new = next(p for n in itertools.count(1) if not (p := pathlib.Path(f".icsched-{n}")).exists())
    new.write_text("the new file")
    new.rename("wf.dag")
    return 0
"""


def test_a_call_is_made_only_where_the_strike_comes_after_it(tmp_path):
    strikes = ["kill before", *ALL_STRIKES]
    campaign = Campaign(tmp_path / "report", {"wf.dag": "old"}, NOTHING, REMOVES, strikes)

    whole, points = campaign.report()

    assert (len(whole["calls"]), whole["files"]) == (1, {})
    assert [point["strike"] for point in points if not point["files"]] == ["kill after"]
    assert [point["code"] for point in points] == [-9, -9, 1, 1, 1]


@pytest.mark.parametrize(
    ("code", "strike", "problem"),
    [
        (TWO_STEPS, "kill", "wf.dag is neither old nor new: ['640', '']"),
        (TWO_STEPS, "kill", "wf.dag is neither old nor new: ['640', 'the new\\n']"),
        (TWO_STEPS, "ENOSPC", "wf.dag is neither old nor new: ['640', 'the new\\n']"),
        (TWO_STEPS, "ENOSPC", "exit code 1, and it said 'Traceback (most recent call last)"),
        (REMOVES_FIRST, "kill", "wf.dag is neither old nor new: None"),
        (REMOVES_FIRST, "EACCES", ".icsched-1 is left behind"),
        (TELLS_NOTHING, "EIO", "it says that all went well"),
        (CANNOT_START_AGAIN, "kill", "running once more ends in {'code': 1"),
        (NEVER_TIDIES_UP, "kill", ".icsched-1 is there after one more run"),
    ],
)
def test_a_careless_writer_is_found_out(tmp_path, code, strike, problem):
    campaign = Campaign(tmp_path / "report", {"wf.dag": "old"}, NOTHING, code, ALL_STRIKES)

    found = problems(*campaign.report())

    assert [line for line in found if line.startswith(strike) and problem in line]
