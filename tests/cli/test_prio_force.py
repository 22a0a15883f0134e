"""`icsched prio --in-place` on files that are shared, read-only or have several names."""

import json
import os

import pytest

FORK = "JOB a a.sub\nJOB b b.sub\nJOB c b.sub\nPARENT a CHILD b c\n"
SUBMIT = "executable = /bin/true\nqueue\n"
LINKED = "it has other hard links, which keep the old content"
READ_ONLY = "it is read-only (mode 0444)"
INSTEAD = "give --force to change it all the same"


@pytest.fixture(autouse=True)
def files(put):
    put({"wf.dag": FORK, "a.sub": SUBMIT, "b.sub": SUBMIT})


@pytest.fixture
def state(folder):
    """Return bytes, permissions and number of names of all files."""

    def look() -> dict:
        status = {path: path.stat() for path in folder.iterdir()}
        return {p.name: (p.read_bytes(), s.st_mode, s.st_nlink) for p, s in status.items()}

    return look


def guard(folder, name: str, how: str) -> None:
    """Give a file another name, or make it read-only."""
    if how == LINKED:
        os.link(folder / name, folder / "another-name")
    else:
        (folder / name).chmod(0o444)


@pytest.mark.parametrize("how", [LINKED, READ_ONLY])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wf.dag", ["--in-place"]),
        ("b.sub", ["--in-place", "--via", "vars"]),
        ("wf.dag", ["--in-place", "--via", "vars"]),
    ],
)
def test_such_a_file_is_changed_only_by_force(icsched, folder, state, name, words, how):
    guard(folder, name, how)
    before = state()

    refused = icsched("prio", "--order", "prio", "wf.dag", *words)
    assert (refused.code, refused.complaint) == (
        1,
        f"{name}: {how}: {INSTEAD}",
    )
    assert state() == before, "no other file was changed either"

    forced = icsched("prio", "--order", "prio", "wf.dag", *words, "--force", "--json")
    assert forced.code == 0
    assert f"{name} was changed although {how}" in json.loads(forced.out)["notes"]
    assert b"icsched: begin" in (folder / name).read_bytes()
    if how == LINKED:
        assert (folder / "another-name").read_bytes() == before[name][0]
    else:
        assert state()[name][1:] == before[name][1:]


@pytest.mark.parametrize("how", [LINKED, READ_ONLY])
def test_removal_needs_force_as_well(icsched, folder, state, how):
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")
    guard(folder, "wf.dag", how)
    before = state()

    refused = icsched("prio", "--order", "prio", "wf.dag", "--remove")
    assert (refused.code, refused.complaint) == (
        1,
        f"wf.dag: {how}: {INSTEAD}",
    )
    assert state() == before

    assert icsched("prio", "--order", "prio", "wf.dag", "--remove", "--force").code == 0
    assert (folder / "wf.dag").read_text() == FORK


def test_an_inner_workflow_needs_force_as_well(icsched, put, folder, state):
    put({"outer.dag": "SUBDAG EXTERNAL inner wf.dag\n"})
    guard(folder, "wf.dag", READ_ONLY)
    before = state()

    refused = icsched("prio", "--order", "prio", "outer.dag", "--in-place", "--recursive")

    assert (refused.code, refused.complaint) == (
        1,
        f"wf.dag: {READ_ONLY}: {INSTEAD}",
    )
    assert state() == before


def test_a_file_that_says_it_already_needs_no_force(icsched, folder):
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")
    guard(folder, "wf.dag", READ_ONLY)

    assert icsched("prio", "--order", "prio", "wf.dag", "--in-place").code == 0


def test_a_symbolic_link_is_followed_without_force(icsched, folder):
    (folder / "link.dag").symlink_to("wf.dag")

    assert icsched("prio", "--order", "prio", "link.dag", "--in-place").code == 0
    assert (folder / "link.dag").is_symlink()
    assert b"icsched: begin" in (folder / "wf.dag").read_bytes()


def test_force_is_for_files_that_are_changed(icsched):
    refused = icsched("prio", "--order", "prio", "wf.dag", "--force")

    assert (refused.code, refused.complaint) == (2, "--force needs --in-place or --remove")
