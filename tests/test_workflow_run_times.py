"""Run times that meet a workflow: names, patterns, kinds, and tables of other workflows."""

from pathlib import Path

import numpy as np
import pytest

import icsched
from icsched.errors import ArgumentError, LimitError
from icsched.run_times import Origin, RunTimeTable, fit
from icsched.workflow import Workflow

DAG = icsched.Dag({"map_1": [], "map_2": [], "map_30": [], "end": ["map_1", "map_2"]})
MEASURED, PATTERN, KIND, ALL = Origin


def timed(
    seconds: dict[str, float], patterns: dict[str, float] | None = None, **more: object
) -> Workflow:
    workflow = Workflow(DAG, [False] * 4, **more)  # type: ignore[arg-type]
    table = RunTimeTable(tuple(seconds), np.array([*seconds.values()]), patterns or {})
    return workflow.with_run_times(table)


def test_a_job_without_a_time_gets_the_mean_of_its_kind_and_then_of_all():
    found = timed({"map_1": 2, "map_2": 6})
    assert found.run_times.tolist() == [2, 6, 4, 4]  # end: the mean of 2 and 6
    assert found.run_time_origins.tolist() == [MEASURED, MEASURED, KIND, ALL]
    assert found.unused_run_times == 0


def test_a_kind_that_only_other_runs_measured_gets_their_mean():
    found = timed({"map_7": 3, "map_8": 5, "end": 1})
    assert found.run_times.tolist() == [4, 4, 4, 1]
    assert found.run_time_origins.tolist() == [KIND, KIND, KIND, MEASURED]
    assert found.unused_run_times == 2


def test_a_name_wins_over_patterns_and_the_longest_pattern_over_others():
    found = timed({"map_1": 9}, {"map_*": 5, "map_3?": 7, "nothing*": 1, "*": 2})
    assert found.run_times.tolist() == [9, 5, 7, 2]
    assert found.run_time_origins.tolist() == [MEASURED, PATTERN, PATTERN, PATTERN]
    assert found.unused_run_times == 1


def test_a_job_that_is_called_like_a_pattern_has_that_time():
    work = Workflow(icsched.Dag({"a*": [], "ab": []}), [False, False])
    found = work.with_run_times(RunTimeTable((), np.array([]), {"a*": 3}))
    assert found.run_times.tolist() == [3, 3]
    assert found.run_time_origins.tolist() == [MEASURED, PATTERN]


def test_what_the_workflow_says_itself_comes_before_means():
    found = timed({"map_1": 2}, run_times=[10.0, 20.0, 30.0, 40.0])
    assert found.run_times.tolist() == [2, 20, 30, 40]


def test_jobs_that_are_done_count_in_the_means():
    workflow = Workflow(DAG, [True, False, False, False])
    found = workflow.with_run_times(RunTimeTable(("map_1",), np.array([8.0])))
    assert found.residual.run_times.tolist() == [8, 8, 8]
    assert found.unused_run_times == 0


def test_a_table_of_another_workflow_is_an_error():
    with pytest.raises(ArgumentError, match=r"no name fits .* of 2 given: .* another workflow"):
        timed({"reduce_1": 2, "reduce_2": 3})


def test_zero_seconds_is_a_time():
    found = timed({"map_1": 0, "map_2": 0, "map_30": 0, "end": 0})
    assert found.run_times.tolist() == [0, 0, 0, 0]


def test_too_many_patterns_for_so_many_names_are_refused():
    patterns = {f"*{number}x*": 1.0 for number in range(20_000)}
    names = [f"job{number}" for number in range(2_000)]
    table = RunTimeTable((), np.array([]), patterns)
    with pytest.raises(LimitError, match="too many patterns"):
        fit(table, names, lambda: np.zeros(len(names), np.int32))


def test_jobs_of_different_submit_files_are_of_different_kinds(tmp_path: Path):
    path = tmp_path / "wf.dag"
    path.write_text(
        "JOB a1 small.sub\nJOB a2 large.sub\nJOB a3 small.sub\nJOB a4 shard17.sub\n"
        "JOB a5 shard18.sub\nJOB n1 small.sub NOOP\n"
    )
    workflow = icsched.read(path)
    assert workflow.kinds.tolist() == [0, 1, 0, 2, 2, 3]
    found = workflow.with_run_times(RunTimeTable(("a1", "a2"), np.array([1.0, 9.0])))
    # The shards get the mean of a1 and a2, which have the same stem; a NOOP job takes no time.
    assert found.run_times.tolist() == [1, 9, 1, 5, 5, 0]
    assert found.run_time_origins.tolist() == [MEASURED, MEASURED, KIND, KIND, KIND, KIND]


def test_submit_descriptions_are_read_from_every_form_of_a_job(tmp_path: Path):
    path = tmp_path / "wf.dag"
    inner = tmp_path / "inner.dag"
    inner.write_text('JOB x "quoted name.sub"\n')
    path.write_text(
        "JOB a plain.sub\nJOB b {\nexecutable = /bin/true\n}\nSUBDAG EXTERNAL c other.dag\n"
        f"JOB d far.sub DIR sub\nSPLICE s {inner}\n"
    )
    workflow = icsched.read(path)
    found = dict(zip(workflow.names, workflow.source.descriptions(), strict=True))
    assert found == {
        "a": "plain.sub",
        "b": "b",
        "c": "other.dag",
        "d": "far.sub",
        "s+x": "quoted name.sub",
    }
