"""The harness itself: what DAGMan read, and what it ran."""

import pytest

from tests.htcondor.pool import Rejection, submit_file

JOBS = "".join(f"JOB {name} task.sub\n" for name in "abcd")


@pytest.fixture
def place(condor):
    """A directory with a submit file."""
    directory = condor.fresh()
    submit_file(directory)
    return directory


@pytest.fixture
def dump(condor, place):
    """Have DAGMan read a text."""

    def reader(text: str, **options):
        (place / "wf.dag").write_text(text)
        return condor.dump(place, "wf.dag", **options)

    return reader


@pytest.fixture
def run(condor, place):
    """Have DAGMan run a text."""

    def runner(text: str, **options):
        (place / "wf.dag").write_text(text)
        return condor.run(place, "wf.dag", **options)

    return runner


# Reading


def test_a_diamond_is_dumped_as_it_was_written(dump):
    r"""
      a
     / \
    b   c
     \ /
      d
    """
    dag = dump(JOBS + "PARENT a CHILD b c\nPARENT b CHILD d\nPARENT c CHILD d\n")

    assert dag.jobs == ("a", "b", "c", "d")
    assert dag.arcs == {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}
    assert dag.joins == 0


def test_the_join_node_of_several_parents_and_children_is_drawn_past(dump):
    dag = dump(JOBS + "PARENT a b CHILD c d\n")

    assert dag.jobs == ("a", "b", "c", "d")
    assert dag.arcs == {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}
    assert dag.joins == 1


def test_a_dump_tells_what_was_said_of_each_job(dump):
    dag = dump(
        JOBS
        + "JOB e task.sub NOOP DONE\nSUBDAG EXTERNAL s in.dag\nFINAL f task.sub\n"
        + "PRIORITY a 5\nPRIORITY b -3\nRETRY c 2 UNLESS-EXIT 1\n"
        + r'VARS d one="1 2" two="say \"so\""'
    )

    assert dag.jobs == ("a", "b", "c", "d", "e", "s")
    assert dag.final == "f"
    assert dag.noop == dag.done == {"e"}
    assert dag.priorities == {"a": 5, "b": -3}
    assert dag.retries == {"c": 2}
    assert dag.vars == {"d": {"one": "1 2", "two": 'say "so"'}}


def test_a_bad_file_is_rejected_with_dagmans_reason(dump):
    assert dump("JOB a task.sub\nPARENT a CHILD q\n") == Rejection(
        1, "ERROR: job q not found!\nERROR: wf.dag (line 2): Unknown Job q"
    )


def test_splices_are_flattened_two_levels_deep(dump, place):
    """`a`, then in splice x: `a`, then in its splice y: all of `a b` before all of `c d`."""
    (place / "outer.dag").write_text("JOB a task.sub\nSPLICE y inner.dag\nPARENT a CHILD y\n")
    (place / "inner.dag").write_text(JOBS + "PARENT a b CHILD c d\n")

    dag = dump("JOB a task.sub\nSPLICE x outer.dag\nPARENT a CHILD x\n")

    assert dag.jobs == ("a", "x+a", "x+y+a", "x+y+b", "x+y+c", "x+y+d")
    assert dag.arcs == {
        *[("a", "x+a"), ("x+a", "x+y+a"), ("x+a", "x+y+b")],
        *[("x+y+a", "x+y+c"), ("x+y+a", "x+y+d"), ("x+y+b", "x+y+c"), ("x+y+b", "x+y+d")],
    }
    assert dag.joins == 1


def test_several_files_make_one_dag_with_numbered_names(condor, place):
    for name in ("one.dag", "two.dag"):
        (place / name).write_text("JOB a task.sub\nJOB b task.sub\nPARENT a CHILD b\n")

    dag = condor.dump(place, "one.dag", "two.dag")

    assert dag.arcs == {("0.a", "0.b"), ("1.a", "1.b")}


def test_a_rescue_file_is_read_first_if_asked_for(dump, place):
    (place / "wf.dag.rescue001").write_text("DONE a\n")

    assert dump(JOBS).done == set()
    assert dump(JOBS, rescue=1).done == {"a"}


def test_a_dump_leaves_nothing_behind(dump, place):
    dump(JOBS)

    assert {path.name for path in place.iterdir()} == {"task.sub", "wf.dag"}


def test_settings_reach_dagman(dump):
    assert isinstance(dump(JOBS, config={"DAGMAN_USE_STRICT": "3"}), Rejection)


def test_files_elsewhere_are_read_from_their_own_directory(condor, place):
    (place / "sub").mkdir()
    (place / "sub" / "wf.dag").write_text("SPLICE x inner.dag\n")
    (place / "sub" / "inner.dag").write_text("JOB a task.sub\n")

    assert isinstance(condor.dump(place, "sub/wf.dag"), Rejection)
    assert condor.dump(place, "sub/wf.dag", usedagdir=True).jobs == ("x+a",)


# Running

FIVE = "".join(f"JOB {name} task.sub\n" for name in "abcde") + "".join(
    f"PRIORITY {name} {priority}\n" for name, priority in zip("abcde", (1, 5, 2, 4, 3), strict=True)
)


@pytest.mark.parametrize("fast", [True, False])
def test_free_jobs_are_submitted_by_priority(run, fast):
    done = run(FIVE, fast=fast)

    assert done.status == 0
    assert done.submitted == ["b", "d", "e", "c", "a"]
    assert done.job_prio == {"a": [1], "b": [5], "c": [2], "d": [4], "e": [3]}


def test_the_pool_runs_jobs_on_its_slots_too(run, place):
    submit_file(place, lines=["universe = vanilla"])

    done = run(FIVE)

    assert done.status == 0
    assert done.submitted == ["b", "d", "e", "c", "a"]


def test_a_join_node_of_priority_0_waits_behind_lesser_jobs(run):
    r"""
    a   b          e
     \ /
    (join)         a and b free the join node, which has no priority of its own; so `e` goes
     / \           before it, although the jobs behind it have more.
    c   d
    """
    done = run(
        JOBS
        + "JOB e task.sub\nPARENT a b CHILD c d\n"
        + "PRIORITY a 9\nPRIORITY b 8\nPRIORITY c 7\nPRIORITY d 6\nPRIORITY e 1\n"
    )

    assert done.submitted == ["a", "b", "e", "_condor_join_node1", "c", "d"]


def test_a_failed_dag_says_so(run, place):
    submit_file(place, lines=["executable = /bin/false"])

    done = run("JOB a task.sub\nRETRY a 1\n")

    assert done.status == 1
    assert done.submitted == ["a", "a"]
    assert done.job_prio == {"a": [0, 0]}


def test_a_dag_that_does_not_end_is_removed(run, condor, place):
    submit_file(place, lines=["executable = /bin/sleep", "arguments = 600"])

    with pytest.raises(TimeoutError):
        run("JOB a task.sub\n", timeout_s=3)
    condor.clear()

    assert condor.command(place, "condor_q", "-allusers", "-af", "ClusterId").stdout == ""
