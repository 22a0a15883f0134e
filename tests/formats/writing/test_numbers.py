"""The priorities that jobs get by their place in the order."""

import pytest

from icsched import FormatError
from icsched.formats.dagman.writer import job_priorities
from tests.formats.writing.sections import CHAIN

# Numbers


def test_jobs_are_numbered_down_to_one_in_their_order(read):
    workflow = read("JOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b c\n")

    assert job_priorities(workflow, [0, 2, 1]) == {"a": 3, "c": 2, "b": 1}


def test_jobs_are_numbered_below_zero_where_dagman_has_nodes_of_its_own(read):
    """DAGMan's node between a, b and c, d has priority 0 and must not wait behind e."""
    workflow = read("JOB a x\nJOB b x\nJOB c x\nJOB d x\nJOB e x\nPARENT a b CHILD c d\n")

    assert job_priorities(workflow, [1, 0, 2, 3, 4]) == {
        "b": -1,
        "a": -2,
        "c": -3,
        "d": -4,
        "e": -5,
    }


def test_nodes_of_dagmans_own_inside_splices_count_too(read):
    fan = "JOB p x\nJOB q x\nJOB r x\nJOB s x\nPARENT p q CHILD r s\n"
    workflow = read("SPLICE S in.dag\n", {"in.dag": fan})

    assert job_priorities(workflow, [0, 1, 2, 3])["S+p"] == -1


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("PRIORITY ALL_NODES -100\n", {}),
        ("PRIORITY ALL_NODES -100\nPRIORITY ALL_NODES 3\n", {}),
        ("INCLUDE more.dag\n", {"more.dag": "PRIORITY ALL_NODES -100\n"}),
        ("SPLICE S in.dag\n", {"in.dag": "PRIORITY ALL_NODES -100\n"}),
        ("PRIORITY ALL_NODES -5\nSPLICE S in.dag\n", {"in.dag": "PRIORITY ALL_NODES -100\n"}),
    ],
)
def test_numbers_start_below_what_dagmans_own_nodes_may_be_given(read, text, files):
    fan = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"

    assert job_priorities(read(fan + text, files), [0, 1, 2, 3]) == {
        "a": -101,
        "b": -102,
        "c": -103,
        "d": -104,
    }


def test_a_word_for_all_nodes_matters_only_if_it_is_negative_and_there_are_such_nodes(read):
    fan = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"

    assert job_priorities(read(f"{fan}PRIORITY ALL_NODES 7\n"), [0, 1, 2, 3])["a"] == -1
    assert job_priorities(read(f"{CHAIN}PRIORITY ALL_NODES -100\n"), [0, 1])["a"] == 2


def test_numbers_that_would_not_fit_are_refused(read):
    fan = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"

    with pytest.raises(FormatError) as caught:
        job_priorities(read(f"{fan}PRIORITY ALL_NODES -2147483646\n"), [0, 1, 2, 3])

    assert str(caught.value) == (
        "wf.dag: expected PRIORITY ALL_NODES to leave room for lower priorities"
    )


def test_jobs_that_are_done_come_first(read):
    """Of a, b, c only a and c, 0 and 2, remain."""
    workflow = read("JOB a x\nJOB b x DONE\nJOB c x\n")

    assert job_priorities(workflow, [2, 0]) == {"b": 3, "c": 2, "a": 1}


def test_a_workflow_without_jobs_has_no_priorities(read):
    assert job_priorities(read(""), []) == {}
