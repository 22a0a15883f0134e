"""Another program edits a file while icsched changes it, at every system call in turn.

Whenever the edit comes, its line is in the file or in a backup; and running once more works.
"""

from typing import Any

import pytest

from tests.faults.test_in_place import (
    BACKUP,
    FILES,
    NOTHING,
    VIA_VARS,
    Campaign,
    is_temporary,
    lasting,
    parsed_prio,
    prio,
)

EDITS = ["append", "hold", "replace"]
OLD = {"wf.dag": "# old\n"}


def rewrite(keep: str) -> str:
    """Return code that rewrites a file, and says in one line why it cannot."""
    return f"""
import os, sys
from icsched import FormatError
from icsched.files import read_bytes, rewrite, temporary
def work():
    temporary._sweep.cache_clear()
    old = read_bytes("wf.dag")
    new = b"# new\\n" + old.replace(b"# old\\n", b"").replace(b"# new\\n", b"")
    try:
        rewrite("wf.dag", old, new, keep={keep})
    except FormatError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
"""


KEPT = {"the old file": "old", "nothing": "None", "something else": "b'# first\\n'"}
WITHOUT_EXCHANGE = {"renameat2": "EINVAL"}
WITHOUT_LEASES = {"fcntl": "EAGAIN"}


def lines(files: dict[str, Any]) -> str:
    """Return all that is in the file and its backups."""
    return "".join(
        text for name, (_, text) in files.items() if name == "wf.dag" or BACKUP.search(name)
    )


def problems(whole: dict[str, Any], points: list[dict[str, Any]]) -> list[str]:
    """Return all that is wrong with how runs with edits ended."""
    return [
        f"{point['strike']}, {point['second']} (call {point['struck']}): {problem}, {point}"
        for point in points
        for problem in wrong(whole, point)
    ]


def wrong(whole: dict[str, Any], point: dict[str, Any]) -> list[str]:
    found, files, again = [], point["files"], point["again"]
    if missing := [line for line in point["edits"] if line not in lines(files)]:
        found.append(f"lost {missing}")
    if missing := [line for line in point["edits"] if line not in lines(again["files"])]:
        found.append(f"one more run lost {missing}")
    if (again["code"], again["err"]) != (0, ""):
        found.append("one more run fails")
    if point["code"] not in (0, 1) or point["err"].count("\n") != point["code"]:
        found.append("it neither succeeds nor says why in one line")
    is_edited_only = set(point["second"].split()) <= {"append", "hold", "replace"}
    if point["code"] and len(point["struck"]) == 1 and "wf.dag: it changed" not in point["err"]:
        found.append("it gives another reason")
    if point["code"] and len(point["struck"]) == 1 and is_edited_only:
        old = whole["start"]["wf.dag"][1] + "".join(point["edits"])
        if files["wf.dag"][1] != old:
            found.append("the file is not as the other program left it")
    is_replaced_last = point["second"] == "replace" and len(point["edits"]) == 2
    if is_replaced_last and point["edits"][1] not in files["wf.dag"][1]:
        found.append("the newest file is not in its place")
    if len(point["struck"]) == 1 and any(map(is_temporary, files)):
        found.append("something temporary is left")
    return found


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("refused", [{}, WITHOUT_EXCHANGE, WITHOUT_LEASES], ids=str)
def test_an_edit_at_any_call_is_in_the_file_or_in_a_backup(tmp_path, kept, refused):
    edits = EDITS if refused != WITHOUT_EXCHANGE else ["append", "hold"]
    code = rewrite(KEPT[kept])

    whole, points = Campaign(
        tmp_path / "report", OLD, NOTHING, code, edits, refused=refused
    ).report()

    assert whole["files"]["wf.dag"][1] == "# new\n"
    assert len(points) == len(edits) * len(whole["calls"]) > 100
    assert {point["code"] for point in points} == {0, 1}
    assert problems(whole, points) == []


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("refused", [{}, WITHOUT_EXCHANGE], ids=str)
def test_another_icsched_that_sweeps_at_any_call_disturbs_nothing(tmp_path, kept, refused):
    code = rewrite(KEPT[kept])

    whole, points = Campaign(
        tmp_path / "report", OLD, NOTHING, code, ["sweep"], refused=refused
    ).report()

    assert len(points) > 60
    ends = [(point["code"], point["files"]) for point in points]
    assert ends == [(0, whole["files"])] * len(points)


# Not a held file that the other program itself replaces: then no name is left to icsched.
PAIRS = [
    ("the old file", "append", ("append", "hold", "replace")),
    ("the old file", "replace", ("append", "hold", "replace")),
    ("the old file", "hold", ("append", "hold")),
    ("nothing", "hold", ("append", "hold")),
]


@pytest.mark.parametrize(("kept", "first", "second"), PAIRS)
def test_an_edit_while_an_earlier_edit_is_put_back_is_not_lost(tmp_path, kept, first, second):
    code = rewrite(KEPT[kept])

    whole, points = Campaign(
        tmp_path / "report", OLD, NOTHING, code, [first], again=second
    ).report()

    assert sum(len(point["edits"]) == 2 for point in points) > 100
    assert problems(whole, points) == []


def test_an_edit_is_not_lost_if_putting_it_back_fails(tmp_path):
    whole, points = Campaign(
        tmp_path / "report", OLD, NOTHING, rewrite("old"), EDITS, again=("EIO",)
    ).report()

    assert problems(whole, points) == []


def test_a_file_system_without_exchange_and_links_still_takes_the_new_file(tmp_path):
    refused = {"renameat2": "EINVAL", "linkat": "EPERM"}

    whole, points = Campaign(
        tmp_path / "report",
        OLD,
        NOTHING,
        rewrite("old"),
        ["kill after", "EIO", "append"],
        refused=refused,
    ).report()

    assert (whole["code"], whole["err"]) == (0, "")
    assert lasting(whole["files"]) == {
        "wf.dag": ["640", "# new\n"],
        "wf.dag.bak": ["640", "# old\n"],
    }
    for point in points:
        assert texts(point) in ends(point)


def texts(point: dict[str, Any]) -> tuple[int, str, str | None]:
    """Return the exit code, and what the file and its backup hold."""
    found = lasting(point["files"])
    return point["code"], found["wf.dag"][1], found.get("wf.dag.bak", ("", None))[1]


def ends(point: dict[str, Any]) -> list[tuple[int, str, str | None]]:
    """Return how a strike may end. Here an edit can be lost, if it comes just before the rename."""
    old, new = "# old\n", "# new\n"
    if not point["edits"]:
        failed = [(point["code"], old, None), (point["code"], old, old), (point["code"], new, old)]
        return [(0, new, old)] if point["code"] == 0 else failed
    [edit] = point["edits"]
    noticed = [(1, old + edit, backup) for backup in (None, old)]
    return noticed + [(0, new + late, old + kept) for late in ("", edit) for kept in ("", edit)]


COMMANDS = {
    "--in-place": (NOTHING, parsed_prio("--in-place")),
    "--remove": (prio("--in-place"), parsed_prio("--remove")),
    "--in-place after vars": (VIA_VARS, parsed_prio("--in-place")),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_loses_no_edit(tmp_path, command):
    before, code = COMMANDS[command]

    whole, points = Campaign(tmp_path / "report", FILES, before, code, ["hold", "replace"]).report()

    assert sum(len(point["edits"]) for point in points) >= 2 * len(whole["calls"]) > 200
    lost = [
        (point["strike"], point["struck"])
        for point in points
        if not all(line in lines(point["files"]) for line in point["edits"])
    ]
    assert lost == []
