"""A resumed run says which completed jobs lack their outputs, and runs them again if asked."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from icsched import Dag, Workflow
from icsched.run.tasks import CommandTasks
from icsched.workflow import Command, OwnSource
from tests.cli.conftest import SCRIPT
from tests.run.conftest import complaints

EXAMPLES = Path(__file__).parents[2] / "examples" / "run"
FILES = ["words.json", "words.yml", "words.dag", "words.dax"]

# The same four jobs: `up` and `down` sort what `copy` has made, and `merge` merges both.
DAX = """<adag name="words" version="3.6">
<job id="copy" name="cp"><argument>words.txt copied.txt</argument>
  <uses name="words.txt" link="input"/><uses name="copied.txt" link="output"/></job>
<job id="up" name="sort"><argument>-o up.txt copied.txt</argument>
  <uses name="copied.txt" link="input"/><uses name="up.txt" link="output"/></job>
<job id="down" name="sort"><argument>-r -o down.txt copied.txt</argument>
  <uses name="copied.txt" link="input"/><uses name="down.txt" link="output"/></job>
<job id="merge" name="sort"><argument>-u -o merged.txt up.txt down.txt</argument>
  <uses name="up.txt" link="input"/><uses name="down.txt" link="input"/>
  <uses name="merged.txt" link="output"/></job>
<executable name="cp"><pfn url="/bin/cp"/></executable>
<executable name="sort"><pfn url="/usr/bin/sort"/></executable>
</adag>
"""


@pytest.fixture(params=FILES)
def words(request, folder):
    """Run the workflow of the page about runs, in one format, to its end."""
    for file in EXAMPLES.iterdir():
        shutil.copy(file, folder)
    Path("words.dax").write_text(DAX)
    for name, output in [("copy", "copied"), ("up", "up"), ("down", "down"), ("merge", "merged")]:
        submit = Path(f"{name}.sub")  # HTCondor brings these files back from the job
        lines = submit.read_text().replace("queue", f"transfer_output_files = {output}.txt\nqueue")
        submit.write_text(lines)
    done = ran(request.param)
    assert done.returncode == 0, done.stderr
    return request.param


def ran(file: str, *options: str) -> subprocess.CompletedProcess[str]:
    line = [SCRIPT, "run", file, "-j", "1", "--order", "fifo", *options]
    return subprocess.run(line, capture_output=True, text=True, timeout=100)


def test_a_resumed_run_says_which_outputs_are_gone_and_makes_them_again_if_asked(words):
    """Two jobs run again: the one that lacks its output, and the one that reads this output."""
    Path("up.txt").unlink()
    before = Path("down.txt").stat().st_mtime_ns

    told = "icsched: 1 completed job lacks output files: up (up.txt): "
    hint = "use --redo-missing as well to run them again, with all jobs that depend on them"
    for options in (["--resume", "--dry-run"], ["--resume"]):
        done = ran(words, *options)
        assert (done.returncode, complaints(done.stderr)) == (0, [told + hint])
    assert not Path("up.txt").exists()

    dry = ran(words, "--resume", "--redo-missing", "--dry-run", "--json")
    assert [job["name"] for job in json.loads(dry.stdout)["planned"]] == ["up", "merge"]
    done = ran(words, "--resume", "--redo-missing", "--json")
    assert complaints(done.stderr) == [f"{told}they run again, and all after them"]
    answer = json.loads(done.stdout)
    assert (answer["completed_before"], answer["completed"], answer["left"]) == (2, 2, 0)
    assert answer["missing_outputs"] == [{"name": "up", "file": "up.txt"}]
    assert Path("up.txt").exists()
    assert Path("down.txt").stat().st_mtime_ns == before
    done = ran(words, "--resume")
    assert (done.returncode, complaints(done.stderr)) == (0, [])


def test_what_was_forgotten_stays_so_if_the_run_does_not_end_well(folder):
    """`copy` cannot run again without its input; later it can, and what follows from it."""
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    assert ran("words.json").returncode == 0
    for name in ("words.txt", "copied.txt"):
        Path(name).unlink()

    assert ran("words.json", "--resume", "--redo-missing").returncode == 1
    shutil.copy(EXAMPLES / "words.txt", folder)
    done = ran("words.json", "--resume", "--json")

    assert json.loads(done.stdout)["completed"] == 4
    assert Path("merged.txt").exists()


def test_nothing_is_forgotten_if_no_order_can_be_made(folder):
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    assert ran("words.json").returncode == 0
    Path("copied.txt").unlink()
    Path("bad.order").write_text("merge\ncopy\nup\ndown\n")

    line = [SCRIPT, "run", "words.json", "--resume", "--redo-missing", "--order", "@bad.order"]
    refused = subprocess.run(line, capture_output=True, text=True, timeout=100)
    assert refused.returncode == 1
    assert "bad.order" in refused.stderr
    answer = json.loads(ran("words.json", "--resume", "--dry-run", "--json").stdout)
    assert answer["completed_before"] == 4


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "--redo-missing cannot be used without --resume"),
        (
            ["--resume", "--engine", "dask", "--address", "tcp://127.0.0.1:1"],
            "--redo-missing cannot be used with --address: output files may be on other machines",
        ),
    ],
)
def test_jobs_are_run_again_only_where_their_outputs_can_be_seen(options, complaint, folder):
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    done = ran("words.json", "--redo-missing", *options)

    assert (done.returncode, done.stderr) == (2, f"icsched: {complaint}\n")


def tasks_of(*outputs: str, directory: str | None = None, stdout: str | None = None):
    """One task with these outputs, of a workflow in this directory."""
    command = Command(("true",), directory, stdout=stdout)
    workflow = Workflow(
        Dag({"a": []}),
        np.zeros(1, bool),
        source=OwnSource([command], [outputs]),
    )
    return CommandTasks(workflow, "wf")


def missing(*outputs: str, **given: str | None) -> str | None:
    return tasks_of(*outputs, **given).missing_outputs({0}).get(0)


def test_outputs_are_looked_for_where_the_command_writes_them(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "out").touch()

    assert missing("out") == "out"
    assert missing("out", directory="sub") is None
    assert missing("sub/out") is None
    assert missing("gone/out") == "gone/out"
    assert missing(str(folder / "out")) == str(folder / "out")
    assert missing(stdout="printed") == "printed"


@pytest.mark.parametrize(
    "name",
    [
        *("https://host/out", "s3://bucket/out", "file:///no/such/out", "/no/such/place/out"),
        *("", "a\0b", "x" * 5000, "/dev/null"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_elsewhere_or_can_be_nowhere_is_not_missed(name):
    assert missing(name) is None


@pytest.mark.usefixtures("folder")
def test_no_output_is_opened():
    """A pipe would block who opens it, and the target of a link is not the business of a run."""
    os.mkfifo("pipe")
    Path("link").symlink_to("nowhere")

    assert missing("pipe", "link") is None


@pytest.mark.usefixtures("folder")
def test_only_completed_tasks_that_run_something_lack_outputs():
    assert tasks_of("out").missing_outputs(set()) == {}
    idle = Workflow(
        Dag({"a": []}),
        np.zeros(1, bool),
        source=OwnSource([None], [["out"]]),
    )
    assert CommandTasks(idle, "wf").missing_outputs({0}) == {}
