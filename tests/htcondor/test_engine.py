"""The engine htcondor on a real pool: DAGMan runs a workflow, and icsched follows it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from icsched import Dag, Workflow, prioritize
from icsched.commands import Command
from icsched.engines.entry import Terms
from icsched.engines.htcondor.running import stream
from icsched.errors import EngineError
from icsched.formats.dagman import read_dagman
from tests.htcondor.pool import await_true

# A command of HTCondor's, as the user tester has it in the chroot; who owns all files there.
WRAPPER = """#!/bin/sh
chown -Rh --reference={home} {home} 2>/dev/null
exec chroot --userspec=tester:tester {root} setpriv --ambient-caps=-all \\
  env -i -C "$PWD" HOME=/home/tester PATH=/usr/sbin:/usr/bin {settings} {name} {options} "$@"
"""


def put_wrappers(condor, directory: Path, settings: str = "") -> None:
    fast = "-dagman /usr/local/bin/fast_dagman"
    for name in ("condor_q", "condor_rm", "condor_submit_dag"):
        options = fast if name == "condor_submit_dag" else ""
        known = {"name": name, "options": options, "settings": settings}
        (directory / name).write_text(WRAPPER.format(home=condor.home, root=condor.root, **known))
        (directory / name).chmod(0o755)


@pytest.fixture
def place(condor, tmp_path, monkeypatch) -> Path:
    """A directory to be in, which has one name inside the chroot and outside."""
    inside = Path(f"{condor.root}{condor.root}")
    inside.parent.mkdir(parents=True, exist_ok=True)
    if not inside.is_symlink():
        inside.symlink_to("/")
    put_wrappers(condor, tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    directory = condor.fresh()
    monkeypatch.chdir(directory)
    condor.is_used_by_others()
    return directory


def traced() -> list[str]:
    return Path("trace").read_text().split()


ODD = """it's "$(JOB)" ${x} \\ 'y' *"""  # a word that nobody may read as anything else


def workflow_of(parents: dict[str, list[str]], script: str) -> Workflow:
    """Make a workflow whose tasks run *script*, with their names."""
    dag = Dag(parents)
    commands = [Command(("sh", "-c", script, str(name), ODD)) for name in dag.names]
    return Workflow(dag, [False] * len(dag), find_commands=lambda: commands)


@pytest.mark.usefixtures("place")
def test_a_workflow_of_commands_runs_in_the_order_of_the_plan():
    """Five sources and a sink; the order is no other's, and one name is not DAGMan's."""
    parents = {"a": [], "b": [], "c c": [], "d": [], "e": ["d"]}
    workflow = workflow_of(parents, 'printf "%s\\n" "$1"; echo "$0" | tr -d " " >>trace')
    plan = prioritize(workflow, order=["d", "b", "c c", "e", "a"])

    outcomes = list(stream(workflow, plan, Path("run"), Terms(workers=1)))

    assert traced() == ["d", "b", "cc", "e", "a"]
    assert [(one.number, one.problem) for one in outcomes] == [(t, None) for t in [3, 1, 2, 4, 0]]
    assert Path("run/logs/a.0.log").read_text() == f"{ODD}\n"
    again = list(stream(workflow, plan, Path("run"), Terms()))
    assert [one.number for one in again] == [3, 1, 2, 4, 0]
    assert len(traced()) == 5


WORK = """#!/bin/sh
[ ! -e "fail-$1" ] || exit 7
echo "$1" >>"$2/trace"
"""


def put_spliced(place: Path) -> None:
    """Write wf.dag: y, which is done, a, a splice of two jobs in the directory inner, then z."""
    (place / "inner").mkdir()
    for folder in (place, place / "inner"):
        (folder / "work").write_text(WORK)
        (folder / "work").chmod(0o755)
        (folder / "task.sub").write_text(
            "universe = local\nexecutable = work\narguments = $(JOB) $(top)\nqueue\n"
        )
    (place / "wf.dag").write_text(
        "JOB y task.sub DONE\nJOB a task.sub\nSPLICE S part.dag DIR inner\nJOB z task.sub\n"
        'PARENT y CHILD a\nPARENT a CHILD S\nPARENT S CHILD z\nVARS ALL_NODES top="."\nRETRY a 1\n'
    )
    (place / "inner" / "part.dag").write_text(
        'JOB p task.sub\nJOB q task.sub\nVARS ALL_NODES top=".."\n'
    )


def test_a_failed_job_is_told_and_the_next_run_goes_on_after_the_jobs_that_are_done(place):
    put_spliced(place)
    workflow = read_dagman("wf.dag")
    plan = prioritize(workflow, order=["a", "S+q", "S+p", "z"])
    ids = {name: task for task, name in enumerate(workflow.dag.names)}
    (place / "inner" / "fail-S+q").touch()

    first = list(stream(workflow, plan, Path("run"), Terms(workers=1)))

    assert traced() == ["a", "S+p"]
    ended = [(one.number, one.problem) for one in first]
    assert ended == [(ids["a"], None), (ids["S+q"], "exit code 7"), (ids["S+p"], None)]

    (place / "inner" / "fail-S+q").unlink()
    second = list(stream(workflow, plan, Path("run"), Terms(workers=1)))

    assert traced() == ["a", "S+p", "S+q", "z"]
    assert [one.number for one in second] == [ids[n] for n in ("a", "S+p", "S+q", "z")]
    assert {one.problem for one in second} == {None}


CLIENT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.htcondor.test_engine import WAITING, Terms, prioritize, stream, workflow_of
workflow = workflow_of(*WAITING)
for outcome in stream(workflow, prioritize(workflow), Path("run"), Terms()):
    print(outcome.number, flush=True)
"""
# The second task waits until it may go on.
WAITING = (
    {"a": [], "b": ["a"]},
    'echo "$0" >>trace; [ "$0" = a ] || until [ -e go ]; do sleep 0.1; done',
)


def test_a_killed_client_is_followed_by_another_and_closing_removes_the_run(condor, place):
    top = str(Path(__file__).parents[2])
    started = [sys.executable, "-c", CLIENT, top]
    with subprocess.Popen(started, stdout=subprocess.PIPE) as client:
        try:
            assert client.stdout.readline() == b"0\n"
        finally:
            client.kill()
    workflow = workflow_of(*WAITING)
    plan = prioritize(workflow)
    deadline = time.monotonic() + 60
    await_true(lambda: traced() == ["a", "b"], deadline, "b did not start")

    followed = stream(workflow, plan, Path("run"), Terms())

    assert next(followed).number == 0
    followed.close()
    await_true(condor.is_idle, deadline, "the queue does not empty")
    (place / "go").touch()
    last = list(stream(workflow, plan, Path("run"), Terms()))
    assert [(one.number, one.problem) for one in last] == [(0, None), (1, None)]
    assert traced() == ["a", "b", "b"]


@pytest.mark.usefixtures("place")
def test_a_queue_that_does_not_answer_is_one_line(condor, tmp_path):
    put_wrappers(condor, tmp_path, "_CONDOR_SCHEDD_HOST=nobody.invalid")
    workflow = workflow_of({"a": []}, "true")

    with pytest.raises(EngineError) as caught:
        list(stream(workflow, prioritize(workflow), Path("run"), Terms()))
    expected = "condor_q failed: Error: Can't find address for schedd nobody.invalid"
    assert str(caught.value) == expected
    assert not Path("run/workflow.dag").exists()
