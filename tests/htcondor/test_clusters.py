"""Clusters on a real pool: each member runs once, in order, and as HTCondor itself would run it."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from icsched import Dag, families
from icsched.commands.main import run
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.programs import commands_of
from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import dagman_text
from icsched.workflow import Command

# Fails unless the files of all its parents are there; then makes its own, and notes it.
WORK = """#!/bin/sh
name=$1
shift
for parent; do [ -e "made/$parent" ] || exit 9; done
if [ -e "fail-$name" ]; then echo "$name failed" >>trace; exit 7; fi
: >"made/$name"
echo "$name" >>trace
"""
# What it was given, each with a NUL behind it.
SHOW = '#!/bin/sh\nprintf "%s\\0" "$@" "V:$V" "W:$W" "$PWD"\ncat\n'


@pytest.fixture
def place(condor, monkeypatch) -> Path:
    """A directory to be in, with programs."""
    directory = condor.fresh()
    monkeypatch.chdir(directory)
    for name, text in {"work": WORK, "show": SHOW}.items():
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
    (directory / "made").mkdir()
    return directory


def put_workflow(dag: Dag, universe: str, said: str = "") -> None:
    """Write wf.dag, whose jobs check that their parents have run."""
    names = [str(name) for name in dag.names]
    parents = {
        name: " ".join(names[p] for p in dag.parents(t).tolist()) for t, name in enumerate(names)
    }
    Path("task.sub").write_text(
        f"universe = {universe}\nexecutable = work\narguments = $(JOB) $(parents)\nqueue\n"
    )
    variables = "".join(f'VARS {name} parents="{known}"\n' for name, known in parents.items())
    Path("wf.dag").write_text(f"{dagman_text(dag)}{variables}{said}")


def write(size: int) -> Dag:
    """Cut the order first come, first served into clusters of *size*; return the dag."""
    workflow = read_submission("wf.dag")
    order = workflow.dag.fifo_order.tolist()
    clusters = [order[at : at + size] for at in range(0, len(order), size)]
    write_clustered(workflow, clusters, "out.dag")
    return workflow.dag


def trace() -> list[str]:
    return Path("trace").read_text().splitlines()


@pytest.mark.parametrize(
    ("dag", "universe"),
    [(families.airsn(5), "vanilla"), (families.montage(3, 3), "local")],
    ids=["airsn", "montage"],
)
def test_every_member_runs_once_and_after_its_parents(condor, place, dag, universe):
    """The programs themselves see that their parents have run; the trace shows it again."""
    put_workflow(dag, universe)
    write(6)

    done = condor.run(place, "out.dag", options=())

    assert done.status == 0
    assert sorted(trace()) == sorted(map(str, dag.names))
    at = {name: place for place, name in enumerate(trace())}
    assert all(at[str(dag.names[a])] < at[str(dag.names[b])] for a, b in dag.arcs.tolist())
    assert len(done.submitted) == -(-len(dag) // 6)


def test_clusters_are_submitted_in_the_order_that_was_given(condor, place):
    put_workflow(families.w(3, 4), "local")
    write(4)

    done = condor.run(place, "out.dag")

    assert done.submitted == ["cluster_0001", "cluster_0002", "cluster_0003", "12"]
    assert list(done.job_prio.values()) == [[4], [3], [2], [1]]


def test_the_command_line_writes_what_the_pool_runs(condor, place):
    """Every member runs once, by programs that check for their parents."""
    dag = families.montage(2, 2)
    put_workflow(dag, "local")
    assert run(["cluster", "wf.dag", "--size", "5", "-o", "out.dag"]) == 0

    done = condor.run(place, "out.dag", options=())

    assert done.status == 0
    assert sorted(trace()) == sorted(map(str, dag.names))
    assert len(done.submitted) == -(-len(dag) // 5)


CHAIN = Dag({"a": [], "b": ["a"], "c": ["b"], "d": ["c"]})


def test_a_failed_member_stops_its_cluster_and_the_rescue_goes_on_after_those_before(condor, place):
    """a, b, c together, then d: b fails; once it can, the rescue runs b, c and d."""
    put_workflow(CHAIN, "vanilla")
    write(3)
    (place / "fail-b").touch()

    failed = condor.run(place, "out.dag", options=())

    assert failed.status == 1
    assert trace() == ["a", "b failed"]
    error = (place / "out.dag.clusters" / "cluster_0001.err").read_text()
    assert error == "run-members: job b failed with exit code 7\n"
    assert re.search(r"Node cluster_0001 .*failed with status 7|return value 7", failed.log)

    (place / "fail-b").unlink()
    rescued = condor.run(place, "out.dag", options=())

    assert rescued.status == 0
    assert trace() == ["a", "b failed", "b", "c", "d"]


def test_a_retry_goes_on_after_the_members_that_ended_well(condor, place):
    """b fails the first time: it takes its own file of failure away."""
    put_workflow(CHAIN, "local", "RETRY ALL_NODES 1\n")
    (place / "work").write_text(WORK.replace("exit 7;", 'rm "fail-$name"; exit 7;'))
    write(3)
    (place / "fail-b").touch()

    done = condor.run(place, "out.dag", options=())

    assert done.status == 0
    assert done.submitted == ["cluster_0001", "cluster_0001", "d"]
    assert trace() == ["a", "b failed", "b", "c", "d"]


# Has the pool take the machine away from it the first time.
EVICTED = """if [ "$name" = b ] && [ ! -e was-here ]; then
  : >was-here
  echo "b evicted" >>trace
  condor_vacate_job "$(sed -n 's/^ClusterId = //p' "$_CONDOR_JOB_AD")"
  sleep 60
fi
"""


def test_an_evicted_cluster_goes_on_after_the_members_that_ended_well(condor, place):
    put_workflow(CHAIN, "vanilla")
    (place / "work").write_text(WORK.replace("if [ -e", f"{EVICTED}if [ -e", 1))
    write(3)

    done = condor.run(place, "out.dag", options=())

    assert done.status == 0
    assert trace() == ["a", "b evicted", "b", "c", "d"]
    log = (place / "out.dag.clusters" / "cluster_0001.log").read_text()
    assert [line.split(" ", 1)[1] for line in log.splitlines() if "seconds" not in line] == [
        *("start a", "start b", "stopped b", "skip a, which ended well", "start b", "start c")
    ]


def test_a_workflow_that_is_forced_to_run_again_runs_whole(condor, place):
    put_workflow(CHAIN, "local")
    write(3)

    first = condor.run(place, "out.dag", options=())
    again = condor.run(place, "out.dag", options=("-force",))

    assert (first.status, again.status) == (0, 0)
    assert trace() == [*"abcd", *"abcd"]


# Each is a submit description; what HTCondor makes of it is compared with what the script does.
DESCRIBED = {
    "old": "arguments = a 'b c' \\\"q\\\" d\\n",
    "new": """arguments = "a 'b c' ""q"" 'it''s' '' x'y z'w" """,
    "shell": "arguments = $HOME `id` *.sub ~ ; & | $(DOLLAR)(id) ${x} !",
    "tabs": "arguments = a\tb  \t c",
    "continued": "arguments = a\\\n   b \\\n  c",
    "comment": "arguments = a # no comment",
    "macros": "x = 1\nx = $(x)2\narguments = $(x) $(y) $(z:none) $(X) $(Process)\ny = later",
    "no macros": "arguments = $ $5 $(a b) $( a ) $(q",
    "nested": "a = b\nb = deep\narguments = $(a) $($(a)) $(q:$(b))",
    "twice": "arguments = 1\nArguments = 2\nargs = 3",
    "alias": "args = 1 2\nenv = V=3\nstdin = in",
    "old environment": "environment = V=1; W=two words",
    "new environment": """environment = "V='x y' W='it''s' X=""q"" " """,
    "environment twice": 'environment = "V=1 V=2"',
    "directory": "initialdir = sub\ninput = in",
    "input": "input = in",
    "percent": "arguments = %s %d \\\\ x\\y",
    "equals": 'arguments = "a=b =c"\nenvironment = "V=a=b"',
    "job": "arguments = $(JOB) $(dag_node_name)",
    "variable": "arguments = $(given) $(GIVEN) $(overridden)\noverridden = own",
    "appended": "arguments = $(last)\nlast = own",
    "letters": "arguments = ä € \x01",
    "empty": "arguments =\ninput =",
    "spaces": "arguments =    a   b   ",
    "self": "arguments = a\narguments = $(arguments) b",
}
SAID = """VARS variable given="it's $(JOB)" overridden="no"
VARS appended APPEND last="word"
"""


def described(lines: str, name: str) -> str:
    return f"universe = local\nexecutable = show\noutput = {name}.out\n{lines}\nqueue\n"


def outputs(place: Path, names: Mapping[str, str]) -> dict[str, bytes]:
    return {name: next(place.rglob(f"{name}.out")).read_bytes() for name in names.values()}


def shown(place: Path, command: Command) -> bytes:
    """Run a command of a job of *place* without HTCondor, and return what it prints."""
    stdin = (place / command.stdin).read_bytes() if command.stdin else b""
    return subprocess.run(
        command.argv,
        cwd=place / (command.directory or ""),
        env={"PATH": "/usr/bin:/bin", **dict(command.environment)},
        input=stdin,
        capture_output=True,
        check=True,
    ).stdout


def test_members_and_commands_are_given_what_htcondor_gives_to_jobs(condor, place):
    """The same jobs as HTCondor runs them, in one cluster, and as plain commands, write the same.

    Paths of plain commands are the host's.
    """
    names = {key: key.replace(" ", "_") for key in DESCRIBED}
    (place / "sub").mkdir()
    for folder in (place, place / "sub"):
        (folder / "in").write_text(f"{folder.name == 'sub'}\n")
    for key, lines in DESCRIBED.items():
        (place / f"{names[key]}.sub").write_text(described(lines, names[key]))
    jobs = "".join(f"JOB {name} {name}.sub\n" for name in names.values())
    (place / "wf.dag").write_text(jobs + SAID)

    alone = condor.run(place, "wf.dag", options=())
    assert alone.status == 0, alone.log
    expected = outputs(place, names)
    workflow = read_submission("wf.dag")
    write_clustered(workflow, [range(len(names))], "out.dag")
    together = condor.run(place, "out.dag", options=())

    assert together.status == 0
    assert len(alone.submitted) == len(names)
    got = outputs(place, names)
    assert {n for n in got if got[n] != expected[n]} == set()
    commands = dict(zip(workflow.names, commands_of(workflow), strict=True))
    root = os.fsencode(condor.root)
    plain = {name: shown(place, commands[name]).replace(root, b"") for name in commands}
    assert {n for n in got if plain[n] != expected[n]} == set()
    assert {n: place / c.stdout for n, c in commands.items()} == {
        name: next(place.rglob(f"{name}.out")) for name in commands
    }
