"""`icsched verify`."""

import json

import pytest


@pytest.fixture
def verify(icsched, workflow, tmp_path):
    """Verify an order file of the given text against the workflow."""

    def runner(order: str | bytes, *options: str):
        path = tmp_path / "order.txt"
        path.write_bytes(order if isinstance(order, bytes) else order.encode())
        return icsched("verify", str(workflow), "--order", f"@{path}", *options)

    return runner


def test_an_optimal_order_is_called_optimal(verify, workflow, tmp_path):
    result = verify("c\na\nb\nd\ne\n")

    assert (result.code, result.err) == (0, "")
    assert result.out == (
        f"IC-optimal: no order of {workflow} (5 jobs) has more eligible jobs at any step"
        f" than the order @{tmp_path / 'order.txt'}\n"
    )


def test_another_optimal_order_is_called_optimal_too(verify):
    assert verify("c\na\ne\nb\nd\n").out.startswith("IC-optimal: ")


def test_a_worse_order_is_refuted_with_names(verify, tmp_path):
    result = verify("a\nb\nc\nd\ne\n")

    assert (result.code, result.err) == (3, "")
    assert result.out == (
        f"not IC-optimal: after 1 job the order @{tmp_path / 'order.txt'} has 2 eligible,"
        " but 3 are possible by running c first\n"
        "At every step at least 33.3% of the eligible jobs that any order could have,"
        " 80.0% on average (certified).\n"
    )


def test_a_refutation_names_the_first_step_and_all_its_jobs(verify, tmp_path):
    """c d a: after two jobs 2 eligible (a, e); c and a would have 3 (b, d, e)."""
    assert verify("c\nd\na\nb\ne\n").out == (
        f"not IC-optimal: after 2 jobs the order @{tmp_path / 'order.txt'} has 2 eligible,"
        " but 3 are possible by running a, c first\n"
        "At every step at least 66.6% of the eligible jobs that any order could have,"
        " 93.3% on average (certified).\n"
    )


def test_a_dag_without_an_ic_optimal_order_is_told(icsched, tmp_path):
    r"""
    a    b   c
    |    |\\ /|     After one job a is best, after two b and c: no order has both.
    x    y   z
    """
    path = tmp_path / "none.dag"
    jobs = "".join(f"JOB {name} x\n" for name in "abcxyz")
    path.write_text(jobs + "PARENT a CHILD x\nPARENT b CHILD y z\nPARENT c CHILD y z\n")

    result = icsched("verify", str(path))

    assert result.code == 3
    assert result.out.splitlines()[1] == "No order is IC-optimal (exact)."
    assert "No order is" not in icsched("verify", str(path), "--order", "fifo").out


def test_json_of_an_optimal_order_has_nothing_to_refute_it(verify, tmp_path):
    result = verify("c\na\nb\nd\ne\n", "--json")

    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == {
        "schema": 1,
        "jobs": 5,
        "arcs": 3,
        "ordered_by": f"@{tmp_path / 'order.txt'}",
        "ic_optimal": True,
        "step": None,
        "eligible": None,
        "best_eligible": None,
        "better": None,
        "min_ratio": 1.0,
        "mean_ratio": 1.0,
        "bound_area_ratio": 1.0,
    }
    assert result.out.count("\n") == 1


def test_json_of_a_worse_order_says_where_it_falls_short(verify, tmp_path):
    result = verify("a\nc\nb\nd\ne\n", "--json")

    assert (result.code, result.err) == (3, "")
    assert json.loads(result.out) == {
        "schema": 1,
        "jobs": 5,
        "arcs": 3,
        "ordered_by": f"@{tmp_path / 'order.txt'}",
        "ic_optimal": False,
        "step": 1,
        "eligible": 2,
        "best_eligible": 3,
        "better": ["c"],
        "min_ratio": pytest.approx(2 / 3),
        "mean_ratio": pytest.approx(14 / 15),
        "bound_area_ratio": pytest.approx(10 / 11),
    }


def test_comments_blank_lines_and_blanks_around_names_are_skipped(verify):
    assert verify("# best first\n\n  c \n\ta\r\n b\n#d\nd\ne").out.startswith("IC-optimal: ")


def test_the_empty_order_of_an_empty_workflow_is_optimal(verify, workflow):
    workflow.write_text("")

    assert verify("").out.startswith("IC-optimal: ")


@pytest.mark.parametrize(
    ("order", "complaint"),
    [
        ("c\nx\n", ":2: unknown job 'x'"),
        ("C\n", ":1: unknown job 'C'"),
        ("c a\n", ":1: unknown job 'c a'"),
        ("c\n# comment\na\nc\n", ":4: job 'c' is already on line 1"),
        ("c\na\nb\nd\n", ": expected all 5 jobs, got 4; 'e' is missing"),
        ("", ": expected all 5 jobs, got 0; 'a' is missing"),
        ("# nothing\n\n", ": expected all 5 jobs, got 0; 'a' is missing"),
        ("b\nc\na\nd\ne\n", ":1: job 'b' comes before its parent 'a' (line 3)"),
        ("a\nb\n\nd\n\nc\ne\n", ":4: job 'd' comes before its parent 'c' (line 6)"),
        (b"c\na\xff\n", ":2: expected UTF-8 text, got byte 0xff"),
        (b"c\n\0\n", ":2: expected text, got a NUL byte"),
    ],
)
def test_a_bad_order_file_is_one_line_with_its_place_and_exit_1(verify, tmp_path, order, complaint):
    for options in [(), ("--json",)]:
        result = verify(order, *options)

        assert result.code == 1
        assert result.complaint == f"{tmp_path / 'order.txt'}{complaint}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("JOB a x\nJOB a x\n", ":2: job a is already on line 1"),
        ("JOB a x\nPARENT a CHILD a\n", ":2: dependency cycle: a -> a"),
        ("JOB a x\n\nSPLICE s t\n", ":3: t: no such file or directory"),
    ],
)
def test_a_bad_workflow_is_one_line_with_its_place_and_exit_1(verify, workflow, text, complaint):
    workflow.write_text(text)

    result = verify("a\n")

    assert result.code == 1
    assert result.complaint == f"{workflow}{complaint}"


def test_a_missing_file_is_one_line_and_exit_1(icsched, workflow, tmp_path):
    missing = tmp_path / "missing"
    for words in [(missing, "--order", f"@{workflow}"), (workflow, "--order", f"@{missing}")]:
        result = icsched("verify", *map(str, words))
        assert result.code == 1
        assert result.complaint == f"{missing}: no such file or directory"

    result = icsched("verify", str(workflow), "--order", f"@{tmp_path}")
    assert (result.code, result.complaint) == (1, f"{tmp_path}: is a directory")


@pytest.mark.parametrize("limit", ["1", "3"])
def test_with_a_limit_that_is_too_small_the_bound_says_how_close_the_order_comes(verify, limit):
    """Of the jobs that free others, a and c, four sets can have run: {}, a, c, and both.

    The order has 2, 2, 1, 2, 1 eligible jobs before its five steps, where 2, 3, 3, 2, 1 are
    possible. The mean of the ratios is (1 + 2/3 + 1/3 + 1 + 1) / 5.
    """
    result = verify("a\nb\nc\nd\ne\n", "--limit", limit)

    assert result.code == 4
    undecided, share = result.out.splitlines()
    assert undecided.startswith("not decided: whether the order @")
    assert f" is IC-optimal; the exact referee gave up at {limit} sets of" in undecided
    assert share == (
        "At every step at least 33.3% of the eligible jobs that any order could have,"
        " 80.0% on average (certified)."
    )
    found = json.loads(verify("a\nb\nc\nd\ne\n", "--limit", limit, "--json").out)
    assert (found["ic_optimal"], found["step"], found["better"]) == (None, None, None)
    assert found["mean_ratio"] == pytest.approx(0.8)


@pytest.mark.parametrize("limit", ["4", "1000", str(10**30)])
def test_a_limit_that_is_large_enough_changes_nothing(verify, limit):
    assert verify("c\na\nb\nd\ne\n", "--limit", limit).out.startswith("IC-optimal: ")


@pytest.mark.parametrize("limit", ["-1", "0"])
def test_a_limit_below_1_is_refused(verify, limit):
    result = verify("c\na\nb\nd\ne\n", "--limit", limit)

    assert result.code == 2
    assert result.complaint == f"--limit: expected a whole number, 1 or more, got {limit}"


def test_a_workflow_too_large_for_the_referee_may_still_meet_a_bound(verify, workflow):
    """A chain of 5,000 jobs has 4,999 that free others, more than the referee takes."""
    jobs = range(5_000)
    chain = [f"PARENT {job} CHILD {job + 1}" for job in jobs[:-1]]
    workflow.write_text("\n".join([*(f"JOB {job} x" for job in jobs), *chain]))

    result = verify("\n".join(map(str, jobs)))

    assert result.code == 0
    assert result.out.startswith("IC-optimal: ")


def test_an_order_may_be_given_by_its_name_and_is_ours_by_default(icsched, workflow):
    """c frees two jobs and a only one, so first come, first served is behind after one job."""
    ours = icsched("verify", str(workflow), "--json")
    fifo = icsched("verify", str(workflow), "--order", "fifo", "--json")

    assert json.loads(ours.out)["ordered_by"] == "prio"
    assert json.loads(ours.out)["ic_optimal"] is True
    assert json.loads(fifo.out)["ordered_by"] == "fifo"
    assert json.loads(fifo.out)["better"] == ["c"]


@pytest.mark.parametrize(
    "words",
    [
        ("verify",),
        ("verify", "--order", "@order.txt"),
        ("verify", "wf.dag", "--order"),
        ("verify", "wf.dag", "order.txt", "--order", "@order.txt"),
        ("verify", "wf.dag", "--order", "@order.txt", "--limit", "many"),
        ("verify", "wf.dag", "--order", "@order.txt", "--bogus"),
        ("verify", "wf.dag", "--order", "@order.txt", "--no-json"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(icsched, words):
    result = icsched(*words)

    assert result.code == 2
    assert result.complaint


def test_verify_reads_what_make_wrote(icsched, tmp_path):
    r"""
    0   1   2
    |\ / \ /|      W(3, 2) is IC-optimal from end to end, not from its middle.
    3 4   5 6
    """
    path, order = tmp_path / "w.dag", tmp_path / "order.txt"
    assert icsched("make", "w", "3", "2", "-o", str(path)).code == 0

    order.write_text("0\n1\n2\n3\n4\n5\n6\n")
    assert icsched("verify", str(path), "--order", f"@{order}").out.startswith("IC-optimal: ")
    order.write_text("1\n0\n2\n3\n4\n5\n6\n")
    assert icsched("verify", str(path), "--order", f"@{order}").out.startswith("not IC-optimal: ")


# What only a process can show


def test_a_complaint_in_a_process_is_one_line_and_the_json_stays_empty(icsched_process, workflow):
    result = icsched_process("verify", str(workflow), "--order", "@missing.txt", "--json")

    assert result.code == 1
    assert result.complaint == "missing.txt: no such file or directory"


@pytest.mark.parametrize("name", ["é.dag", b"\xff.dag"], ids=["é", "0xff"])
@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii"])
def test_a_file_name_that_the_terminal_cannot_show_is_no_bug(
    icsched_process, tmp_path, name, encoding
):
    path = tmp_path / (name if isinstance(name, str) else name.decode(errors="surrogateescape"))
    path.write_text("JOB a x\n")
    order = tmp_path / "order.txt"
    order.write_text("a\n")

    result = icsched_process("verify", str(path), "--order", f"@{order}", PYTHONIOENCODING=encoding)

    assert "Traceback" not in result.err
    assert result.code == 0
    assert result.out.startswith("IC-optimal: ")


# How files are read


@pytest.fixture
def order(put):
    """An order of one job."""
    put({"order.txt": "a\n"})
    return ["--order", "@order.txt"]


def test_jobs_that_are_done_are_not_in_the_order_unless_asked(icsched, put, order):
    put({"wf.dag": "JOB a x\nJOB b x\n", "wf.dag.rescue001": "DONE b\n"})

    assert icsched("verify", "wf.dag", *order).out.startswith("IC-optimal: ")
    assert icsched("verify", "wf.dag", *order, "--no-rescue").complaint == (
        "order.txt: expected all 2 jobs, got 1; 'b' is missing"
    )


def test_jobs_that_are_done_may_be_in_the_order_anywhere(icsched, put):
    """b is done, so its line says nothing, even before that of its parent."""
    put({"wf.dag": "JOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b\n"})
    put({"wf.dag.rescue001": "DONE b\n", "order.txt": "b\na\nc\n", "twice.txt": "b\na\nb\n"})

    result = icsched("verify", "wf.dag", "--order", "@order.txt", "--json")

    assert json.loads(result.out)["jobs"] == 2
    assert icsched("verify", "wf.dag", "--order", "@twice.txt").complaint == (
        "twice.txt:3: job 'b' is already on line 1"
    )


def test_unknown_commands_are_refused_or_skipped(icsched, put, order):
    put({"wf.dag": "JOB a x\nFROBNICATE a\n"})

    assert icsched("verify", "wf.dag", *order).code == 1
    assert icsched("verify", "wf.dag", *order, "--lenient").code == 0


def test_files_are_found_from_the_workflows_own_directory_when_asked(icsched, put, order):
    put({"sub/wf.dag": "INCLUDE in.dag\n", "sub/in.dag": "JOB a x\n"})

    assert icsched("verify", "sub/wf.dag", *order).code == 1
    assert icsched("verify", "sub/wf.dag", *order, "--usedagdir").code == 0
