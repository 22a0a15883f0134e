"""`icsched prio --memory`: orders within a limit of open results, or of bytes."""

import json

import pytest

from icsched import Schedule, read
from icsched.files import read_text
from icsched.pebble import memory_profile
from tests.cli.workflows import PAIR_AND_FORK

SIZES = "a 10\nb 1\nc 3\nd 1\ne 1\n"


@pytest.fixture
def workflow(tmp_path):
    r"""
    a    c
    |   / \      The best order, c a b d e, has the results of a and c open at once.
    b  d   e
    """
    path = tmp_path / "wf.dag"
    path.write_text(PAIR_AND_FORK)
    return path


@pytest.fixture
def prio(icsched, workflow, tmp_path):
    """Order the workflow, with a file of sizes if some are given."""

    def runner(*options: str, sizes: str | None = None):
        path = tmp_path / "sizes.txt"
        if sizes is not None:
            path.write_text(sizes)
            options = (*options, "--sizes", str(path))
        return icsched("prio", str(workflow), *options)

    return runner


def test_within_one_open_result_the_fork_is_finished_before_the_pair_begins(prio):
    answer = json.loads(prio("--memory", "1", "--json").out)

    assert answer["order"] == ["c", "d", "e", "a", "b"]
    assert answer["eligible"] == [2, 3, 2, 1, 1, 0]
    assert (answer["memory"], answer["proof"]["status"]) == (1, "unproved")
    assert answer["seconds"]["order"] >= 0


def test_the_report_says_what_memory_it_takes(prio):
    lines = prio("--memory", "1").out.splitlines()

    assert lines[-1] == (
        "Memory, if jobs run one at a time in this order: at most 1 of 1 open results;"
        " no order within that has more eligible jobs on average (exact)."
    )


def test_the_report_says_what_the_limit_costs(prio):
    """c d e a b has 2 3 2 1 1 eligible, 9 in all; without the limit c a b d e has 2 3 3 2 1, 11."""
    lines = prio("--memory", "1").out.splitlines()

    assert lines[-2] == "It has 0.82 times as many eligible jobs on average as without the limit."


def test_the_help_says_when_the_limit_holds(icsched):
    assert "one at a time" in " ".join(icsched("prio", "--help").out.replace("│", " ").split())


def test_a_limit_that_the_best_order_keeps_changes_nothing(prio):
    limited, free = (
        json.loads(prio(*o, "--json").out) for o in (("--memory", "2"), ("--order", "prio"))
    )

    assert limited["order"] == free["order"]
    assert limited["proof"] == free["proof"]
    assert limited["memory"] == free["memory"] == 2


def test_with_sizes_the_limit_is_in_bytes(prio):
    """a and c take 13 bytes together, a alone 10."""
    together = json.loads(prio("--memory", "13", "--json", sizes=SIZES).out)
    alone = json.loads(prio("--memory", "12", "--json", sizes=SIZES).out)

    assert (together["order"], together["memory"]) == (["c", "a", "b", "d", "e"], 13)
    assert (alone["order"], alone["memory"]) == (["c", "d", "e", "a", "b"], 10)


def test_an_order_within_a_limit_is_written_like_any_other(prio, workflow):
    prio("--memory", "1", "--in-place")

    assert "PRIORITY c 5" in workflow.read_text()
    assert "PRIORITY a 2" in workflow.read_text()


def test_a_limit_that_no_order_keeps_is_one_line_with_the_least(prio, workflow):
    result = prio("--memory", "9", "--in-place", sizes=SIZES)

    assert result.code == 1
    assert result.complaint == "proved impossible within 9 bytes: the least possible is 10"
    assert workflow.read_text() == PAIR_AND_FORK


@pytest.mark.parametrize("limit", ["0", "-3", "1.5", "many", "10GB", "1e3", ""])
def test_a_limit_is_a_positive_integer(prio, limit):
    result = prio(f"--memory={limit}")

    assert result.code == 2
    assert result.complaint == f"--memory: expected a whole number, 1 or more, got {limit!r}"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--order", "fifo"], "--memory cannot be used with --order fifo"),
        (["--remove"], "--memory cannot be used with --remove"),
        (
            ["--in-place", "--recursive"],
            "--memory cannot be used with --recursive",
        ),
    ],
)
def test_options_that_do_not_go_with_a_limit(prio, options, problem):
    result = prio("--memory", "5", *options)

    assert (result.code, result.complaint) == (2, problem)


def test_sizes_without_a_limit_are_bad_usage(prio):
    result = prio(sizes=SIZES)

    assert (result.code, result.complaint) == (2, "--sizes needs --memory")


def test_comments_and_empty_lines_are_skipped_and_done_jobs_may_have_sizes(
    icsched, workflow, tmp_path
):
    """With c done its children are left, and nothing of them is open."""
    workflow.write_text(PAIR_AND_FORK.replace("JOB c x", "JOB c x DONE"))
    sizes = tmp_path / "sizes.txt"
    sizes.write_text("# bytes\n\nc 7\na 10\nb 1\nd 1\ne 1\n")
    result = icsched("prio", str(workflow), "--memory", "10", "--sizes", str(sizes), "--json")

    assert json.loads(result.out)["memory"] == 10


def test_a_large_workflow_keeps_the_limit_in_its_file(icsched, tmp_path):
    path = tmp_path / "sdss.dag"
    icsched("make", "sdss", "30", "-o", str(path))
    dag = read(str(path)).dag
    free = json.loads(icsched("prio", str(path), "--json").out)
    limit = free["memory"] * 2 // 3
    answer = json.loads(icsched("prio", str(path), "--memory", str(limit), "--json").out)
    order = [dag.id_of(name) for name in answer["order"]]

    assert free["memory"] == Schedule(dag, [dag.id_of(n) for n in free["order"]]).peak_memory
    assert answer["memory"] == memory_profile(dag, order).max() <= limit
    assert (
        "the best order found within that."
        in icsched("prio", str(path), "--memory", str(limit)).out
    )
    assert "PRIORITY" not in read_text(str(path))
