"""Damaged journals are refused or resumed rightly: a sample of what tools/damage.py tries."""

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import damage

ROOT = Path(damage.__file__).parents[1]
PARENTS = {"a": [], "b": ["a"], "c": ["b"]}  # a, then b, then c


@pytest.fixture
def half_done(tmp_path):
    """A run in which a is completed, and b has begun."""
    one = damage.Run(tmp_path, "wf.dag", PARENTS, {"a"})
    one.journal.mkdir()
    (tmp_path / "trace").write_text("B a\nE a\nB b\n")
    return one


@pytest.mark.parametrize("words", [["--seed", "1"], ["--seed", "2", "--real", "1"]], ids=str)
def test_no_damaged_journal_is_believed(words):
    words = ["-m", "tools.damage", "12", "--runs", "2", *words]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("12 copies of 2 runs, ")
    counts = [list(map(int, re.findall(r"\d+", line))) for line in done.stdout.splitlines()[2:]]
    assert sum(map(sum, counts)) == 12
    assert [row[-1] for row in counts] == [0] * len(counts)


@pytest.mark.parametrize("harm", set(damage.DAMAGES) - {damage.change_value})
def test_damage_changes_the_files_of_a_journal(harm, tmp_path):
    """What is as it was by chance, such as a cut at the end, is another thing with another seed."""
    whole = bytes(range(256)) * 64
    changed = 0
    for seed in range(20):
        for name in damage.FILES:
            (tmp_path / name).write_bytes(whole)
        harm(tmp_path, random.Random(seed))  # noqa: S311
        files = [tmp_path / name for name in damage.FILES]
        changed += [path.read_bytes() for path in files if path.exists()] != [whole] * 3

    assert changed >= 5


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        (["b", "c"], "right"),
        (["a", "b", "c"], "again"),
        (["c"], "WRONG"),  # b never runs
        (["c", "b"], "WRONG"),
        (["a", "c"], "WRONG"),
        ([], "WRONG"),
    ],
)
def test_a_plan_is_right_if_all_that_is_left_runs_after_its_parents(plan, verdict, half_done):
    assert damage.judge_plan(half_done, plan) == verdict


def test_a_completed_job_may_not_stay_if_its_parent_runs_again(half_done):
    half_done.done |= {"b"}

    assert damage.judge_plan(half_done, ["a", "c"]) == "WRONG"


@pytest.mark.parametrize(
    ("trace", "verdict"),
    [
        ("B b\nE b\nB c\nE c\n", "right"),
        ("B a\nE a\nB b\nE b\nB c\nE c\n", "again"),
        ("B b\nE b\n", "WRONG"),  # c never runs
        ("B c\nE c\nB b\nE b\n", "WRONG"),
    ],
)
def test_a_resumed_run_is_judged_by_what_its_jobs_have_written(trace, verdict, half_done):
    with (half_done.folder / "trace").open("a") as file:
        file.write(trace)

    assert damage.judge_trace(half_done, before=3) == verdict


def test_a_refusal_is_one_line_with_a_remedy_and_changes_nothing(half_done):
    good = f"icsched: {half_done.journal}: it is damaged: start with --again\n"

    assert damage.judge_refusal(half_done, good, {}) == "refused"
    assert damage.judge_refusal(half_done, good + good, {}) == "WRONG"
    assert damage.judge_refusal(half_done, good.replace("--again", "-"), {}) == "WRONG"
    assert damage.judge_refusal(half_done, f"Traceback\n{good}", {}) == "WRONG"
    (half_done.journal / damage.FILE).touch()
    assert damage.judge_refusal(half_done, good, {}) == "WRONG"
