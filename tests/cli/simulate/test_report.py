"""`icsched simulate`: the words of its report."""

import pytest

from icsched import Pool, prioritize, simulate
from tests.cli.simulate.samples import DAG, QUICK

# Words


def test_the_report(icsched, workflow):
    """One worker: every order takes the four jobs' times one after the other."""
    model = ["--workers", "1", "--law", "constant"]
    result = icsched("simulate", workflow, "--order", "prio", *model, *QUICK)

    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "wf.dag: 4 jobs, 2 dependencies"
    assert lines[1] == "Simulated: 1 worker."
    assert lines[2] == "Mean run times: 1 for each job; run times do not vary."
    assert lines[4].split() == ["order", "time", "found", "nothing", "utilisation"]
    for line, name in zip(lines[5:8], ["prio", "critical-path", "fifo"], strict=True):
        assert line.split() == [name, "4", "0.0%", "100.0%"]  # exact: no interval
    assert "prio takes 1.0000 [0.9975, 1.0025] of fifo's time: no difference to be seen" in lines
    assert "60 runs of each order, seed 0; 95% intervals" in lines


def test_jobs_that_take_no_time_take_0(icsched, workflow, put):
    """They are simulated as 1e-100 s, which the report does not show."""
    put({"times.csv": "".join(f"{name},0\n" for name in DAG.names)})
    model = ["--workers", "2", "--run-times", "times.csv"]
    lines = icsched("simulate", workflow, *model, *QUICK).out.splitlines()

    [fifo] = [line.split() for line in lines if line.startswith("fifo ")]
    assert fifo[1] == "0"
    assert fifo[2].endswith("%")  # no interval


@pytest.fixture
def rescue(put):
    """A rescue file beside the workflow: a is done, and lone, b and c are eligible."""
    put({"wf.dag.rescue001": "DONE a\n"})
    return "wf.dag.rescue001"


def test_the_report_says_what_a_rescue_file_left(icsched, workflow, rescue):
    lines = icsched("simulate", workflow, *QUICK).out.splitlines()

    assert lines[:2] == [
        "wf.dag: 3 jobs, 0 dependencies",
        f"1 job done by {rescue}; 3 jobs left to simulate.",
    ]


@pytest.mark.usefixtures("rescue")
def test_the_json_counts_jobs_that_are_done(answer):
    assert [answer()[key] for key in ("jobs", "done")] == [3, 1]
    assert [answer("--no-rescue")[key] for key in ("jobs", "done")] == [4, 0]


def test_with_nothing_left_the_complaint_names_the_rescue_file(refused, put, rescue):
    put({rescue: "DONE lone\nDONE a\nDONE b\nDONE c\n"})
    left = "expected at least one job that is left to run"

    assert refused() == (1, f"wf.dag: {left}; all are done by {rescue}")


@pytest.mark.usefixtures("rescue")
def test_an_order_file_may_have_jobs_that_are_done(answer, put):
    put({"order.txt": "a\nlone\nb\nc\n"})

    assert list(answer("--order", "@order.txt")["orders"]) == [
        "@order.txt",
        "critical-path",
        "fifo",
    ]


def test_the_report_says_how_much_less_time_it_takes(icsched, workflow):
    result = icsched("simulate", workflow, "--order", "prio", "--batch", "1", "--seed", "1")
    found = simulate(
        DAG, {"prio": prioritize(DAG, "prio"), "fifo": "fifo"}, pool=Pool(batch=1), seed=1
    )
    ratio = found.ratio["prio_over_fifo"].time

    assert ratio.high < 0.95
    less = 100 * (1 - ratio.median)
    size = f"{less:.0f}%" if less >= 10 else f"{less:.1f}%"
    assert f" of fifo's time: {size} less" in result.out
    assert "not reached" not in result.out


def test_the_report_says_what_the_pool_was(icsched, workflow):
    options = [
        "--waiting",
        "--speed-spread",
        "0.5",
        "--leave",
        "9",
        "--deadline",
        "2",
        "--replicas",
        "2",
    ]
    result = icsched("simulate", workflow, *options, "--overhead", "0.25", *QUICK)

    assert result.out.splitlines()[1] == (
        "Simulated: batches of 16 requests on average (geometric), 1 apart on average,"
        " requests wait, speeds vary by 0.5, workers leave after 9 on average, deadline 2,"
        " 2 replicas of each job, overhead 0.25 for each job."
    )
    fixed = icsched("simulate", workflow, "--batch-law", "fixed", "--batch", "2", *QUICK)
    assert "Simulated: batches of 2 requests, 1 apart on average.\n" in fixed.out
    some = icsched("simulate", workflow, "--workers", "2", "--speeds", "1,0.5", *QUICK)
    assert "Simulated: 2 workers of speeds 1, 0.5.\n" in some.out


def test_numbers_are_short_and_have_their_nouns(icsched, workflow):
    few = icsched("simulate", workflow, "--batch", "1", *QUICK)
    many = icsched("simulate", workflow, "--batch", "2500000", "--interval", "1e30", *QUICK)

    assert "Simulated: batches of 1 request on average (geometric), 1 apart" in few.out
    assert "batches of 2,500,000 requests on average (geometric), 1e+30 apart" in many.out
    assert max(map(len, many.out.splitlines())) < 120
    crowd = icsched("simulate", workflow, "--workers", "2000", "--replicas", "1500", *QUICK)
    assert "Simulated: 2,000 workers, 1,500 replicas of each job.\n" in crowd.out


def test_times_of_a_learned_pool_have_three_digits_or_whole_seconds(icsched, workflow):
    times = ["--leave", "50725.69231", "--overhead", "3.14159", "--delay", "123.456"]
    result = icsched("simulate", workflow, "--workers", "2", *times, *QUICK)

    assert result.out.splitlines()[1] == (
        "Simulated: 2 workers, workers leave after 50,726 on average, overhead 3.14 for each job,"
        " results and losses known after 123."
    )


def test_that_every_request_was_served_is_said(icsched, put):
    """Two jobs that do not depend on each other never leave a batch of 16 with nothing."""
    put({"wf.dag": "JOB a x\nJOB b x\n"})

    result = icsched("simulate", "wf.dag", "--batch-law", "fixed", *QUICK)

    told = "\n  utilisation 1.0000 [0.9975, 1.0025] of fifo's; found nothing: never any\n"
    assert told in result.out


@pytest.mark.parametrize(
    ("jobs", "calm"), [(["x", "y", "a", "b"], "prio"), (["a", "b", "x", "y"], "fifo")]
)
def test_the_report_names_who_served_every_request(icsched, put, jobs, calm):
    """Two workers: x and y first leave only a for one of them, a first leaves b and y for both."""
    lines = [*(f"JOB {job} x.sub" for job in jobs), "PARENT a CHILD b"]
    put({"wf.dag": "\n".join(lines), "order.txt": "x\ny\na\nb\n"})
    model = ["--workers", "2", "--law", "constant", *QUICK]

    report = icsched("simulate", "wf.dag", *model, "--order", "prio", "--order", "@order.txt").out

    assert f"; found nothing: never any with {calm}\n" in report


def test_a_half_width_that_was_not_reached_is_said(icsched, workflow):
    runs = ["--runs", "500"]
    result = icsched("simulate", workflow, "--batch", "1", "--half-width", "0.001", *runs)

    assert result.code == 0
    assert "The half-width asked for was not reached: it is 0." in result.out
    assert " of the ratio of times; --runs allows more runs\n" in result.out


def test_of_few_runs_it_says_that_intervals_are_not_to_be_trusted(icsched, workflow):
    """However wide the intervals may be: there are too few runs to know."""
    runs = ["--runs", "400"]
    result = icsched("simulate", workflow, "--batch", "1", "--half-width", "0.9", *runs)

    assert "\nFewer than 500 runs: do not trust the intervals\n" in result.out
    assert "was not reached" not in result.out


def test_the_papers_ranges_come_without_a_verdict(icsched, workflow):
    """One worker: all times are equal, and every ratio of two is 1."""
    model = ["--order", "prio", "--workers", "1", "--law", "constant"]
    lines = icsched("simulate", workflow, *model, "--paper-statistics").out.splitlines()

    spread = "(mean 1.0000, standard deviation 0.0000)"
    assert f"prio takes 1 of fifo's time {spread}" in lines
    assert (
        "90,000 runs of each order, seed 0; in brackets, as in Malewicz et al. 2007, the range of"
        " 95% of the means of 300 runs, or of their ratios: these are not confidence intervals"
    ) in lines


def test_the_report_names_the_file_of_run_times(icsched, workflow, put):
    put({"times.txt": "a 1\nb 2\nc 3\nlone 4\n"})
    result = icsched("simulate", workflow, "--run-times", "times.txt", "--workers", "2", *QUICK)

    line = "Mean run times: from times.txt (4 measured); run times vary by 30% (lognormal).\n"
    assert line in result.out
