"""A pool from a file that cannot finish the workflow: one line that names the file."""

import json

import pytest

# Two orders differ: `prio` simulates nothing where all are the same.
DAG = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT c CHILD d\n"
COMMANDS = [["simulate"], ["prio"], ["study", "-o", "out"]]
LEAVES = {"kind": "workers", "count": 2, "leave": 0.01}
HURRIES = {"kind": "batches", "interval": 1e-30}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_workers_that_leave_too_soon(icsched, put, folder, command):
    put({"wf.dag": DAG, "pool.json": json.dumps({"schema": 1, **LEAVES})})

    result = icsched(*command, "wf.dag", "--pool", "pool.json")

    said = "pool.json: leave: workers that stay 0.01 on average will never finish 'a', which takes"
    assert (result.code, result.complaint) == (1, f"{said} 1.0")
    assert not (folder / "out/study.csv").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_batches_that_come_too_often(icsched, put, command):
    put({"wf.dag": DAG, "pool.json": json.dumps({"schema": 1, **HURRIES})})

    result = icsched(*command, "wf.dag", "--pool", "pool.json")

    assert result.code == 1
    assert result.complaint.startswith("pool.json: interval")
    assert "task" not in result.complaint
    assert "\n" not in result.complaint


def test_without_a_file_the_option_alone_is_named(icsched, put):
    put({"wf.dag": DAG})

    said = icsched("simulate", "wf.dag", "--workers", "2", "--leave", "0.01").complaint

    assert said == "leave: workers that stay 0.01 on average will never finish 'a', which takes 1.0"


def test_a_workflow_without_jobs_is_not_the_fault_of_the_pool(icsched, put):
    put({"wf.dag": "# nothing\n", "pool.json": '{"schema": 1, "kind": "workers", "count": 2}'})

    assert "pool.json" not in icsched("simulate", "wf.dag", "--pool", "pool.json").complaint
