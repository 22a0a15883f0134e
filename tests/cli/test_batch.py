"""`icsched batch`: its answer, its options, and what it refuses."""

import json
import subprocess
import sys

import pytest

#   a   b   c
#    \ / \ / \
#     d   e   f
WORKFLOW = """
JOB a x
JOB b x
JOB c x
JOB d x
JOB e x
JOB f x
PARENT a CHILD d
PARENT b CHILD d e
PARENT c CHILD e f
"""


@pytest.fixture
def batch(icsched, put):
    """Ask about the workflow above, in JSON or not."""
    put({"wf.dag": WORKFLOW})

    def ask(*words: str):
        return icsched("batch", "wf.dag", *words)

    return ask


def answer(result) -> dict:
    assert result.code == 0
    assert result.err == ""
    return json.loads(result.out)


def test_the_best_jobs_are_named_and_counted(batch):
    """b and c enable e and f; with a that makes three."""
    assert answer(batch("--take", "2", "--json")) == {
        "schema": 1,
        "take": ["b", "c"],
        "eligible_after": 3,
        "method": "tree",
        "guarantee": "exact",
        "done": 0,
        "left": 6,
        "eligible": 3,
        "running": 0,
    }
    assert batch("--take", "2").out == "b\nc\n3 jobs eligible after them (tree: exact)\n"


def test_jobs_that_have_run_and_that_run_count(batch):
    """With a done, b enables d; with c running, it enables e too, and f comes by itself."""
    assert answer(batch("--done", "a", "--take", "1", "--json"))["take"] == ["b"]
    both = answer(batch("--done", "a", "--running", "c", "--take", "1", "--json"))
    assert (both["take"], both["eligible_after"]) == (["b"], 3)


def test_names_may_come_from_a_file_with_comments(batch, put):
    put({"done.txt": "# these have run\na\n\n  b \n"})

    from_file = batch("--done", "@done.txt", "--take", "1", "--json")
    assert from_file == batch("--done", "b, a", "--take", "1", "--json")
    assert answer(from_file)["take"] == ["c"]


def test_jobs_that_the_rescue_file_says_are_done_have_run(batch, put):
    put({"wf.dag.rescue001": "DONE a\n"})

    assert answer(batch("--take", "1", "--json"))["take"] == ["b"]
    assert answer(batch("--take", "1", "--done", "a", "--json"))["take"] == ["b"]
    assert answer(batch("--take", "1", "--no-rescue", "--json"))["take"] == ["c"]
    assert batch("--take", "1").out.splitlines()[-1] == (
        "1 job done by wf.dag.rescue001; 5 jobs left to hand out (--no-rescue ignores that file)"
    )
    counts = answer(batch("--take", "1", "--done", "b", "--json"))
    assert (counts["done"], counts["left"]) == (2, 4)
    assert batch("--take", "1", "--running", "a").complaint == "--running: job 'a' is done already"


def test_more_than_there_is_takes_all_and_nothing_left_is_an_answer(batch):
    assert answer(batch("--take", "99", "--json"))["take"] == ["a", "b", "c"]
    done = batch("--take", "1", "--done", "a,b,c,d,e,f")
    assert (done.code, done.out) == (0, "no job is eligible: all jobs are done\n")


def test_nothing_eligible_because_all_runs_is_told_from_nothing_left(batch):
    """With a, b and c out, d, e and f wait."""
    waiting = batch("--take", "1", "--running", "a,b,c")
    assert waiting.out == "no job is eligible: all eligible jobs are running\n"

    counts = answer(batch("--take", "1", "--done", "a,a", "--running", "c", "--json"))
    assert (counts["left"], counts["eligible"], counts["running"]) == (5, 1, 1)


def test_a_job_cannot_be_both_done_and_running(batch):
    both = batch("--take", "1", "--done", "a", "--running", "a")

    assert (both.code, both.complaint) == (1, "--running: job 'a' is done already")


MAIN = "from icsched.commands.main import main; main()"


def test_names_may_come_from_standard_input_once(put):
    put({"wf.dag": WORKFLOW})

    def piped(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", MAIN, "batch", *words, "--take", "1"]
        return subprocess.run(command, input="a\nb\n", capture_output=True, text=True, check=False)

    assert piped("wf.dag", "--done", "@-").stdout.startswith("c\n")
    for twice in (["wf.dag", "--done", "@-", "--running", "@-"], ["-", "--done", "@-"]):
        result = piped(*twice)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert "can be read from standard input" in result.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--take", "1", "--done", "z"), "--done: unknown job 'z'"),
        (("--take", "1", "--done", "@done.txt"), "done.txt:2: unknown job 'z'"),
        (("--take", "1", "--done", "@none.txt"), "none.txt: no such file or directory"),
        (("--take", "1", "--running", "y"), "--running: unknown job 'y'"),
        (
            ("--take", "1", "--done", "d,a"),
            "--done: job 'd' cannot have run: its parent 'b' has not",
        ),
        (
            ("--take", "1", "--running", "d"),
            "--running: job 'd' is not eligible: its parent 'a' has not run",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_1(batch, put, words, complaint):
    put({"done.txt": "a\nz\n"})

    for options in [(), ("--json",)]:
        result = batch(*words, *options)
        assert result.code == 1
        assert result.complaint == complaint


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--take", "many"),
        ("--take", "1", "--bogus"),
        ("--take", "-1"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(batch, words):
    result = batch(*words)

    assert result.code == 2
    assert result.complaint


def test_a_workflow_is_needed(icsched):
    assert icsched("batch", "--take", "1").complaint == "expected a workflow file"


def test_a_batch_is_chosen_without_loading_orders_simulator_and_logs(put):
    put({"wf.dag": WORKFLOW})
    unneeded = "icsched.orders", "icsched.sim", "icsched.history"
    script = (
        "import sys; from icsched.commands.main import run;"
        " run(['batch', 'wf.dag', '--take', '1']);"
        f" sys.exit(any(name in sys.modules for name in {unneeded}))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
