"""`icsched prio`: the order, and what is said of it. test_prio_write.py has what is written."""

import json

import pytest

from tests.cli.workflows import PAIR_AND_FORK


@pytest.fixture
def workflow(tmp_path):
    r"""
    a    c
    |   / \      Running c first frees two jobs, running a first only one.
    b  d   e
    """
    path = tmp_path / "wf.dag"
    path.write_text(PAIR_AND_FORK)
    return path


def test_prio_says_what_is_proved_and_how_far_it_is_ahead(icsched, workflow):
    result = icsched("prio", str(workflow), "--order", "prio")

    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].startswith(f"{workflow}: 5 jobs, 3 dependencies, ordered by prio in 0.")
    assert lines[1] == "IC-optimal: no order has more eligible jobs at any step (proved)."
    assert lines[2] == (  # 2 3 3 2 1, and 2 2 3 2 1
        "At best: after 1 job it has 3 eligible jobs, 1 more than first come, first served."
    )
    assert lines[3] == "It is never behind, with 1.10 times as many on average."  # 11 / 10
    assert lines[4:] == []
    assert workflow.read_text() == PAIR_AND_FORK


def test_prio_json_has_the_keys_that_scripts_rely_on(icsched, workflow):
    result = icsched("prio", str(workflow), "--order", "prio", "--json")
    answer = json.loads(result.out)

    assert (result.code, result.err, result.out.count("\n")) == (0, "", 1)
    seconds = answer.pop("seconds")
    assert list(seconds) == ["read", "order"]
    assert all(value >= 0 for value in seconds.values())
    assert answer == {
        "schema": 1,
        "jobs": 5,
        "arcs": 3,
        "done": 0,
        "ordered_by": "prio",
        "run_times": None,
        "order": ["c", "a", "b", "d", "e"],
        "priorities": {"c": 5, "a": 4, "b": 3, "d": 2, "e": 1},
        "eligible": [2, 3, 3, 2, 1, 0],
        "fifo_eligible": [2, 2, 3, 2, 1, 0],
        "proof": {
            "status": "ic-optimal",
            "method": "theorem 2.1",
            "chain": "W(1,2) > N(1)",
            "min_ratio": 1.0,
            "mean_ratio": 1.0,
            "bound_area_ratio": 1.0,
        },
        "area_ratio": 1.1,
        "choice": None,
        "choice_without_section": None,
        "memory": 2,  # c and a are open at once
        "advice": None,
        "written": [],
        "notes": [],
    }


def test_another_order_is_used_and_claims_only_what_the_referee_confirms(icsched, workflow):
    fifo = json.loads(icsched("prio", str(workflow), "--order", "fifo", "--json").out)

    assert fifo["order"] == ["a", "c", "b", "d", "e"]
    assert fifo["proof"]["status"] == "unproved"
    report = icsched("prio", str(workflow), "--order", "fifo").out
    share = "At every step at least 66.6% of the eligible jobs that any order could have"
    assert f"{share}, 93.3% on average (certified).\n" in report  # 2 of 3 after the first job
    assert "It has as many eligible as first come, first served at every step." in report


def test_an_unknown_order_is_one_line_that_names_the_known(icsched, workflow):
    result = icsched("prio", str(workflow), "--order", "magic")

    assert result.code == 2
    for word in ("--order", "magic", "prio", "fifo", "lifo", "level", "critical-path"):
        assert word in result.complaint


def test_a_workflow_without_an_ic_optimal_order_gets_the_largest_area_and_hears_so(
    icsched, tmp_path
):
    r"""
    a    b   c
    |    | X |     After a two are still eligible beside x, after b, c three: y, z and a.
    x    y   z
    """
    path = tmp_path / "wf.dag"
    jobs = "".join(f"JOB {name} x\n" for name in "abcxyz")
    path.write_text(jobs + "PARENT a CHILD x\nPARENT b CHILD y z\nPARENT c CHILD y z\n")

    assert "No order is IC-optimal; this one has the most eligible jobs on average (exact)." in (
        icsched("prio", str(path), "--order", "prio").out
    )
    assert (
        json.loads(icsched("prio", str(path), "--order", "prio", "--json").out)["proof"]["status"]
        == "unproved"
    )


def test_prio_says_where_an_order_is_ahead_and_where_it_is_behind(icsched, tmp_path):
    r"""
    a    c
    |   / \      fifo: a c b d e has 2 2 3 2 1 0 eligible.
    b  d   e     given: a b c d e has 2 2 1 2 1 0, behind by 2 after two jobs.
    """
    (tmp_path / "wf.dag").write_text(PAIR_AND_FORK)
    (tmp_path / "order.txt").write_text("a\nb\nc\nd\ne\n")

    order = f"@{tmp_path / 'order.txt'}"
    lines = icsched("prio", str(tmp_path / "wf.dag"), "--order", order).out.splitlines()

    assert lines[-2:] == [
        "At worst: after 2 jobs it has 1 eligible job, 2 fewer than first come, first served.",
        "It has 0.80 times as many on average.",
    ]


@pytest.mark.parametrize("command", ["prio", "show"])
@pytest.mark.parametrize(("text", "jobs"), [("", 0), ("JOB a x\n", 1)])
def test_the_smallest_workflows_are_fine(icsched, tmp_path, command, text, jobs):
    path = tmp_path / "wf.dag"
    path.write_text(text)

    assert json.loads(icsched(command, str(path), "--json").out)["jobs"] == jobs
    assert icsched(command, str(path)).code == 0


@pytest.mark.parametrize("command", ["prio", "show"])
def test_a_bad_file_is_one_line_with_its_place(icsched, tmp_path, command):
    path = tmp_path / "wf.dag"
    path.write_text("JOB a x\nPARENT a CHILD b\n")

    result = icsched(command, str(path))

    assert (result.code, result.out) == (1, "")
    assert result.complaint == f"{path}:2: unknown job b"
