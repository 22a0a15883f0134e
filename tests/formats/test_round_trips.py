"""What icsched writes in a text format, it reads again."""

import os
import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import icsched
from icsched import prioritize
from icsched.formats import FORMATS
from icsched.formats.command_line import command_of, command_text
from tests.formats.workflows import commands, known, run_by, workflows
from tests.strategies import dags_with_orders

SEVERAL = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
pytestmark = pytest.mark.usefixtures("folder")
SUFFIXES = {"dot": "gv", "csv": "csv", "edges": "edges", "slurm": "sh"}


def written(name, workflow, suffix=None):
    path = Path(f"wf.{suffix or SUFFIXES[name]}")
    path.write_bytes(FORMATS.find(name).text(workflow, path=str(path)).encode())
    return icsched.read(path)


@pytest.mark.parametrize(("name", "suffix"), [("dot", "dot"), ("csv", "csv"), ("csv", "tsv")])
@SEVERAL
@given(st.data())
def test_a_format_that_keeps_all_gives_the_same_workflow(name, suffix, data):
    workflow = data.draw(workflows(FORMATS.find(name).takes_name))

    again = written(name, workflow, suffix)

    assert again.dag == workflow.dag
    assert again.done.tolist() == workflow.done.tolist()
    assert known(again.residual.run_times) == known(workflow.residual.run_times)
    assert known(again.residual.sizes) == known(workflow.residual.sizes)
    assert known(again.residual.priorities) == known(workflow.residual.priorities)
    assert run_by(again) == run_by(workflow)
    assert again.remarks == ()


@SEVERAL
@given(st.data())
def test_a_list_of_edges_gives_the_same_dag(data):
    workflow = data.draw(workflows(FORMATS.find("edges").takes_name))

    assert written("edges", workflow).dag == workflow.dag


@SEVERAL
@given(st.data())
def test_an_sbatch_script_gives_the_same_tasks_parents_and_commands(data):
    """The lines are in an order in which parents come first, so ids may be others."""
    workflow = data.draw(workflows(FORMATS.find("slurm").takes_name))

    again = written("slurm", workflow)

    parents = {name: {*names} for name, names in workflow.dag.to_mapping().items()}
    assert {name: {*names} for name, names in again.dag.to_mapping().items()} == parents
    if known(workflow.residual.priorities):
        largest = max(known(workflow.residual.priorities))
        expected = dict(
            zip(workflow.residual.names, known(workflow.residual.priorities), strict=True)
        )
        found = dict(zip(again.residual.names, known(again.residual.priorities), strict=True))
        assert {n: found[n] + largest for n in expected} == expected
    if workflow.commands is not None:
        assert_same_commands(again, workflow)


def assert_same_commands(again, workflow):
    """Slurm joins the standard streams if only one of them is named."""
    found = dict(zip(again.dag.names, again.commands, strict=True))
    for name, command in zip(workflow.dag.names, workflow.commands, strict=True):
        if command is None:
            assert found[name] is None
        else:
            same = ("argv", "directory", "environment")
            assert [getattr(found[name], f) for f in same] == [getattr(command, f) for f in same]
            files = (command.stdin, command.stdout, command.stderr or command.stdout)
            again_files = (found[name].stdin, found[name].stdout, found[name].stderr)
            assert [*map(placed, again_files)] == [*map(placed, files)]


def placed(file):
    """Slurm sees files from the directory of the job, so some names become longer."""
    return None if file is None else os.path.normpath(Path.cwd() / file)


@SEVERAL
@given(commands())
def test_a_command_as_text_is_the_same_command(command):
    again = command_of(command_text(command))

    assert (again.argv, again.environment) == (command.argv, command.environment)
    variables = [f"{name}={value}" for name, value in command.environment]
    assert shlex.split(command_text(command)) == [*variables, *command.argv]


@SEVERAL
@given(st.data())
def test_an_order_in_a_script_is_read_again_and_a_second_time_changes_nothing(data):
    dag, order = data.draw(dags_with_orders())
    path = "wf.sh"
    icsched.write(
        path, icsched.Dag.from_arcs(len(dag), dag.arcs, names=[f"t{i}" for i in range(len(dag))])
    )
    workflow = icsched.read(path)
    plan = prioritize(workflow, [workflow.dag.ids[f"t{task}"] for task in order])

    icsched.write(path, plan)

    again = icsched.read(path)
    assert again.dag == workflow.dag
    if len(dag):
        ranked = sorted(again.dag.names, key=lambda n: -again.priorities[again.dag.ids[n]])
        assert ranked == [f"t{task}" for task in order]
    assert icsched.write(path, plan) == []
