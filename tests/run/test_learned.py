"""Run times that a run has measured reach the next run."""

import numpy as np
import pytest

from icsched import Dag
from icsched.run.crew import Outcome
from icsched.run.journal import Journal
from icsched.run.tasks import with_learned, write_learned
from icsched.workflow import Workflow


def journal_of(**seconds: float) -> Journal:
    """A journal in which each of some jobs has taken its seconds."""
    journal = Journal.in_memory()
    for task, (name, taken) in enumerate(seconds.items()):
        [number] = journal.begin([(task, name)])
        journal.end([Outcome(number, taken)])
    return journal


def workflow_of(*names: str) -> Workflow:
    return Workflow(Dag.from_arcs(len(names), [], names=names), np.zeros(len(names), bool))


@pytest.mark.parametrize("strange", ["two\nlines", "b ", " b", "", "a\0b"])
def test_a_name_that_no_table_can_hold_costs_the_other_jobs_nothing(strange, tmp_path):
    """The table has no line for the strange job, which gets the mean of all."""
    write_learned(journal_of(**{strange: 8.0, "b": 2.0}), tmp_path)

    assert with_learned(workflow_of(strange, "b"), tmp_path).run_times.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["a,b", "a\rb", 'a"b', "a;b", "a b", "a*", "[1]", "é", "-a"])
def test_any_other_name_has_its_own_seconds(name, tmp_path):
    write_learned(journal_of(**{name: 8.0, "b": 2.0}), tmp_path)

    assert with_learned(workflow_of(name, "b"), tmp_path).run_times.tolist() == [8.0, 2.0]


def test_the_seconds_of_a_job_called_as_a_pattern_are_its_own_alone(tmp_path):
    """Nothing is known of `ab`, which gets the mean of 8 and 2."""
    write_learned(journal_of(**{"a*": 8.0, "b": 2.0}), tmp_path)

    found = with_learned(workflow_of("a*", "ab", "b"), tmp_path).run_times
    assert found.tolist() == [8.0, 5.0, 2.0]


def test_a_job_that_did_not_run_again_keeps_its_seconds(tmp_path):
    write_learned(journal_of(a=8.0, b=2.0), tmp_path)
    write_learned(journal_of(b=4.0), tmp_path)

    assert with_learned(workflow_of("a", "b"), tmp_path).run_times.tolist() == [8.0, 4.0]


def test_no_table_is_written_while_nothing_is_known(tmp_path):
    assert write_learned(journal_of(), tmp_path, instant=["a"]) is None
    assert list(tmp_path.iterdir()) == []
