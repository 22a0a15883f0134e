"""Clusters as files: what icsched did not write, or what is needed, stays."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.commands.main import run
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
from tests.formats.clustered_output.files import contents

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


# What icsched did not write, or what is needed, stays


def in_the_way(problem: str) -> str:
    return f"out.dag.clusters: {problem}"


INSTEAD = "take another name for -o, or remove"
FILES_CHANGED = in_the_way(
    "a file in it was changed, added or removed after icsched cluster wrote it:"
    f" {INSTEAD} out.dag and out.dag.clusters"
)
CHANGED = f"out.dag: it is not as icsched cluster wrote it: {INSTEAD} out.dag and out.dag.clusters"


@pytest.mark.parametrize("name", ["x_1.sub", "x_1.members", "cluster_0009.sub"])
def test_files_of_the_user_stay_though_they_are_named_as_ours(complaint, put, name):
    put({f"out.dag.clusters/{name}": "mine"})

    assert complaint() == in_the_way(
        "out.dag, which belongs to these files, is gone, so another may need them:"
        " take another name for -o, or remove them"
    )


@pytest.mark.parametrize("name", ["x_1.sub", "x_1.members", "cluster_0009.sub"])
def test_files_that_the_user_added_stay(write, complaint, put, name):
    write()
    put({f"out.dag.clusters/{name}": "mine"})

    assert complaint(clusters=[[0], [1, 2]]) == FILES_CHANGED


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("out.dag", CHANGED),
        ("out.dag.clusters/cluster_0001.sub", FILES_CHANGED),
        ("out.dag.clusters/run-members", FILES_CHANGED),
    ],
)
def test_files_that_the_user_changed_stay(write, complaint, name, told):
    write()
    with Path(name).open("a") as file:
        file.write("# mine\n")

    assert complaint(clusters=[[0], [1, 2]]) == told


@pytest.mark.parametrize("at", [0, 30, -70, -2])
def test_a_change_of_any_line_is_one_of_the_file_or_its_clusters(write, complaint, at):
    """The first line begins as icsched writes it, or the file is another's."""
    write()
    data = bytearray(Path("out.dag").read_bytes())
    data[at] ^= 1
    Path("out.dag").write_bytes(data)

    expected = "out.dag: expected a new file, or one that icsched cluster wrote"
    assert complaint() == {0: expected, -2: FILES_CHANGED}.get(at, CHANGED)


def test_priorities_that_prio_wrote_are_named_and_can_be_taken_out(write, complaint):
    write()
    before = Path("out.dag").read_bytes()
    assert run(["prio", "--order", "prio", "out.dag", "--in-place"]) == 0

    assert complaint() == (
        "out.dag: icsched prio changed it after icsched cluster wrote it:"
        " run icsched prio --remove on it, or take another name for -o"
    )
    assert run(["prio", "--order", "prio", "out.dag", "--remove"]) == 0
    assert Path("out.dag").read_bytes() == before
    write(clusters=[[0], [1, 2]])


def test_a_file_that_the_user_removed_is_noticed(write, complaint):
    write()
    Path("out.dag.clusters/cluster_0001.sub").unlink()

    assert complaint() == FILES_CHANGED


def test_a_workflow_that_was_given_another_name_keeps_its_clusters(write, complaint):
    write()
    Path("out.dag").rename("final.dag")
    gone = "out.dag, which belongs to these files, is gone, so another may need them"
    assert complaint() == in_the_way(f"{gone}: take another name for -o, or remove them")


MADE_OF_CLUSTERS = "it is made of clusters already: cluster the workflow they were made of"


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        (None, "final.dag"),
        ("SPLICE s out.dag\n", "out.dag"),
        ("INCLUDE out.dag\n", "out.dag"),
        ("JOB a out.dag.clusters/cluster_0001.sub\n", "out.dag.clusters/cluster_0001.sub"),
    ],
    ids=["copy", "splice", "include", "flattened"],
)
@pytest.mark.parametrize("output", ["out.dag", "other.dag"])
def test_clusters_are_not_clustered_again(write, folder, text, culprit, output):
    """Their lists of members would be replaced with out.dag, and jobs passed over in silence."""
    write()
    Path("final.dag").write_text(Path("out.dag").read_text() if text is None else text)
    before = contents(folder)

    with pytest.raises(FormatError) as caught:
        write_clustered(read_submission("final.dag"), [[0]], output)

    assert str(caught.value) == f"{culprit}: {MADE_OF_CLUSTERS}"
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("files", "culprit"),
    [
        ({"wf.dag": "JOB a jobs/cluster_0001.sub\n"}, "jobs/cluster_0001.sub"),
        (
            {"wf.dag": "SPLICE s in.dag\n", "in.dag": "JOB a jobs/cluster_0001.sub\n"},
            "jobs/cluster",
        ),
        ({"x.sub": "executable = out.dag.clusters/run-members\nqueue\n"}, "x.sub"),
        ({"wf.dag": "JOB a x.sub\nSCRIPT PRE a ./out.dag.clusters/run-members\n"}, "wf.dag"),
    ],
    ids=["submit file by a link", "inside a splice", "executable", "script"],
)
def test_what_the_workflow_uses_stays(write, put, folder, files, culprit):
    write()
    Path("jobs").symlink_to("out.dag.clusters")
    put(files)
    before = contents(folder)

    workflow = read_submission("wf.dag")
    with pytest.raises(FormatError) as caught:
        write_clustered(workflow, [[task] for task in range(len(workflow.dag))], "out.dag")

    assert str(caught.value).startswith(in_the_way("the workflow needs files that are here (see "))
    assert f"(see {culprit}" in str(caught.value)
    assert contents(folder) == before


def test_nothing_is_removed_through_a_link(write, complaint, folder):
    write()
    Path("out.dag.clusters").rename("elsewhere")
    Path("out.dag.clusters").symlink_to("elsewhere")

    assert complaint() == in_the_way(
        "expected a directory for the clusters, got a link: take another name for -o, or remove it"
    )
    assert (folder / "out.dag.clusters").is_symlink()


def test_a_link_among_the_files_is_noticed(write, complaint):
    write()
    file = Path("out.dag.clusters/cluster_0001.sub")
    file.rename("kept.sub")
    file.symlink_to("../kept.sub")

    assert complaint() == (
        "out.dag.clusters/cluster_0001.sub: expected a file that icsched cluster wrote, got a link"
        " or a directory: take another name for -o, or remove it"
    )


@pytest.mark.parametrize("how", ["symbolic link", "hard link", "dangling link"])
def test_a_link_in_the_place_of_the_workflow_is_left_alone(write, complaint, how):
    write()
    Path("out.dag").rename("final.dag")
    if how == "hard link":
        os.link("final.dag", "out.dag")
    else:
        Path("out.dag").symlink_to("final.dag" if how == "symbolic link" else "nowhere")

    assert complaint().startswith("out.dag: expected a new file, or one that icsched cluster wrote")


def test_a_workflow_without_its_clusters_is_left_alone(write, complaint):
    write()
    Path("out.dag.clusters").rename("elsewhere")

    assert complaint() == (
        "out.dag: its clusters in out.dag.clusters are gone, so it may be in use elsewhere:"
        " take another name for -o, or remove it"
    )


def test_what_a_killed_run_withdrew_is_replaced(write):
    """It moves out.dag into the directory before it touches that: so it can tell its own doing."""
    write(clusters=[[0, 1], [2]])
    Path("out.dag").rename("out.dag.clusters/dag")

    write(clusters=[[0], [1, 2]])

    assert sorted(path.name for path in Path("out.dag.clusters").iterdir()) == [
        *("cluster_0002.members", "cluster_0002.sub", "run-members")
    ]


BESIDE_ANOTHER = """
import subprocess, sys
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
def hook(event, arguments):
    if event == "os.rename" and sys.argv[1:]:
        subprocess.run([sys.executable, __file__], check=True)
if sys.argv[1:]:
    sys.addaudithook(hook)
    write_clustered(read_submission("wf.dag"), [[0, 1], [2]], "out.dag")
else:
    from icsched.files import write_text
    write_text("other.txt", "")
"""


def test_another_icsched_in_the_same_directory_takes_nothing_away_meanwhile(write, folder):
    """Before each rename another process writes a file there, and looks for what was left."""
    write()
    (folder / "beside.py").write_text(BESIDE_ANOTHER)

    subprocess.run([sys.executable, "beside.py", "first"], check=True)

    assert sorted(file.name for file in Path("out.dag.clusters").iterdir()) == [
        "cluster_0001.members",
        "cluster_0001.sub",
        "run-members",
    ]
    assert not list(folder.glob(".icsched*"))


LOCKS = """
import fcntl, os, sys
from pathlib import Path
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
def hook(event, arguments):
    for path in Path().glob(".icsched-tmp-*") if event == "os.rename" else ():
        handle = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            print(arguments[0], path)
        except BlockingIOError:
            pass
        finally:
            os.close(handle)
sys.addaudithook(hook)
write_clustered(read_submission("wf.dag"), [[0, 1], [2]], "out.dag")
"""


def test_all_that_is_temporary_is_locked_at_every_rename(write):
    """Another icsched would take what is not locked for left behind, even if it is empty now."""
    write()

    done = subprocess.run([sys.executable, "-c", LOCKS], check=True, capture_output=True, text=True)

    assert done.stdout == ""


@needs_root
def test_clusters_in_a_directory_of_a_shared_group_belong_to_that_group(write, folder):
    os.chown(folder, -1, 4242)
    folder.chmod(0o2775)

    write()

    files = [Path("out.dag"), Path("out.dag.clusters"), *Path("out.dag.clusters").iterdir()]
    assert {file.stat().st_gid for file in files} == {4242}
    assert Path("out.dag.clusters").stat().st_mode & stat.S_ISGID


@pytest.mark.parametrize("permissions", [0o660, 0o600])
def test_what_is_replaced_keeps_its_permissions(write, permissions):
    write()
    Path("out.dag").chmod(permissions)
    Path("out.dag.clusters").chmod(permissions | 0o2110)

    write(clusters=((0, 1), (2,)))

    assert stat.S_IMODE(Path("out.dag").stat().st_mode) == permissions
    assert stat.S_IMODE(Path("out.dag.clusters").stat().st_mode) == permissions | 0o2110


@needs_root
def test_what_is_replaced_stays_with_its_group(write):
    """The group of the directory is that of the files in it too."""
    write()
    os.chown("out.dag", -1, 4242)
    os.chown("out.dag.clusters", -1, 4343)

    write(clusters=((0, 1), (2,)))

    directory = Path("out.dag.clusters")
    assert Path("out.dag").stat().st_gid == 4242
    assert {file.stat().st_gid for file in (directory, *directory.iterdir())} == {4343}
    assert os.access(directory / "run-members", os.X_OK)


@needs_root
@pytest.mark.parametrize("name", ["out.dag", "out.dag.clusters"])
def test_clusters_of_another_user_are_not_replaced(write, complaint, name):
    write()
    os.chown(name, 65534, -1)

    assert complaint() == f"{name}: it belongs to user 65534: take another name for -o"


@pytest.mark.parametrize(("source", "mode"), [("wf.dag", 0o600), ("x.sub", 0o640)])
def test_new_files_are_not_more_readable_than_what_they_are_made_of(write, source, mode):
    """Arguments and variables of the jobs go into them; the script has nothing of the user's."""
    before = os.umask(0o022)
    for file in (Path("wf.dag"), Path("x.sub")):
        file.chmod(mode if file.name == source else 0o644)
    try:
        write()
    finally:
        os.umask(before)

    inside = Path("out.dag.clusters").iterdir()
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in [Path("out.dag"), *inside]}
    assert modes.pop("run-members") == 0o755
    assert set(modes.values()) == {mode}
