"""The priorities that a DAGMan file gives its jobs now, by its own lines and by our section."""

import numpy as np
import pytest

from icsched import ArgumentError, Dag, prioritize, read, write
from icsched.workflow import Workflow

JOBS = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\n"


def test_a_file_without_priorities_has_none(put):
    put({"wf.dag": JOBS})

    assert read("wf.dag").priorities is None


def test_a_job_without_a_line_has_0(put):
    put({"wf.dag": f"{JOBS}PRIORITY b -7\nPRIORITY c 3\n"})

    assert read("wf.dag").priorities.tolist() == [0, -7, 3]


def test_jobs_that_are_done_are_left_out(put):
    put({"wf.dag": "JOB a x.sub DONE\nJOB b x.sub\nPRIORITY a 4\nPRIORITY b 5\n"})

    assert read("wf.dag").residual.priorities.tolist() == [5]


def test_our_section_counts_and_comes_after_the_users_lines(put):
    put({"wf.dag": f"{JOBS}PRIORITY a 9\n"})
    write("wf.dag", prioritize(read("wf.dag").dag, ["c", "b", "a"]))

    assert read("wf.dag").priorities.tolist() == [1, 2, 3]


def test_variables_of_our_section_count(put):
    lines = 'VARS b jobpriority="2"\nPRIORITY c 8\nVARS gone jobpriority="1"\n'
    put({"wf.dag": f"{JOBS}# icsched: begin.\n{lines}# icsched: end.\n"})

    assert read("wf.dag").priorities.tolist() == [0, 2, 8]


def test_a_number_too_large_for_dagman_is_the_largest(put):
    put({"wf.dag": f"{JOBS}# icsched: begin.\nPRIORITY a 9999999999\n# icsched: end.\n"})

    assert read("wf.dag").priorities.tolist() == [2**31 - 1, 0, 0]


def test_auto_calls_them_present(put):
    """c is the only job with a child: two workers need 2 if c is first, else 3."""
    put({"wf.dag": f"{JOBS}JOB d x.sub\nPARENT c CHILD d\nPRIORITY c 1\n"})

    choice = prioritize(read("wf.dag")).choice

    assert choice.present == "present"
    assert "fifo" not in choice.ratios


@pytest.mark.parametrize("given", [[0.5], [2**31], "high", [[1]]])
def test_priorities_are_whole_numbers_of_32_bits(given):
    with pytest.raises(ArgumentError, match="priorities: expected"):
        Workflow(Dag({"a": []}), np.zeros(1, bool), priorities=given)
