"""`icsched simulate`."""

import json
import os
import pty
import resource
import signal
import subprocess
import sys

import pytest

from icsched import Dag, Pool, Times, Workers, prioritize, simulate
from icsched.compare import Paired, PaperSampling
from icsched.engines.dask import dask_order
from tests.cli.terminal import read_until

WORKFLOW = """\
JOB lone x.sub
JOB a x.sub
JOB b x.sub
JOB c x.sub
PARENT a CHILD b c
"""
DAG = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
QUICK = ["--runs", "60"]


@pytest.fixture
def workflow(put) -> str:
    r"""
    lone    a
           / \      First come, first served begins with lone, a good order with a.
          b   c
    """
    put({"wf.dag": WORKFLOW})
    return "wf.dag"


@pytest.fixture
def answer(icsched, workflow):
    """Simulate the workflow with options; return the JSON object."""

    def runner(*options: str):
        result = icsched("simulate", workflow, "--json", *QUICK, *options)
        assert (result.code, result.err) == (0, "")
        assert result.out.count("\n") == 1
        return json.loads(result.out)

    return runner


@pytest.fixture
def refused(icsched, workflow):
    """Simulate the workflow with options that cannot be; return exit code and complaint."""

    def runner(*options: str) -> tuple[int, str]:
        result = icsched("simulate", workflow, *options)
        return result.code, result.complaint

    return runner


def numbers(found) -> dict:
    """Means, ratios and runs of a Simulation, as the JSON object has them."""
    fields = ("time", "stall", "utilisation")
    return {
        "orders": {
            name: {f: vars(getattr(estimates, f)) for f in fields}
            for name, estimates in found.orders.items()
        },
        "ratio": {
            name: {f: (r := getattr(ratios, f)) and vars(r) for f in fields}
            for name, ratios in found.ratio.items()
        },
        "runs": found.runs,
        "seed": found.seed,
        "precise": found.precise,
    }


# What is simulated


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ([], {}),
        (["--interval", "0.5", "--batch", "2"], {"pool": Pool(0.5, 2)}),
        (
            ["--batch-law", "exponential", "--waiting"],
            {"pool": Pool(batch_law="exponential", waiting=True)},
        ),
        (["--speed-spread", "0.3", "--batch", "2"], {"pool": Pool(batch=2, speed_spread=0.3)}),
        (["--leave", "3", "--deadline", "1.1"], {"pool": Pool(leave=3, deadline=1.1)}),
        (["--workers", "2"], {"pool": Workers(2)}),
        (["--workers", "2", "--speeds", "1,0.5"], {"pool": Workers(2, [1, 0.5])}),
        (["--workers", "3", "--replicas", "2"], {"pool": Workers(3, replicas=2)}),
        (["--overhead", "0.5"], {"pool": Pool(overhead=0.5)}),
        (["--delay", "0.5"], {"pool": Pool(delay=0.5)}),
        (["--workers", "2", "--delay", "2"], {"pool": Workers(2, delay=2)}),
        (["--workers", "2", "--overhead", "2"], {"pool": Workers(2, overhead=2)}),
        (["--law", "constant"], {"times": Times("constant")}),
        (["--law", "lognormal", "--spread", "0.7"], {"times": Times("lognormal", 0.7)}),
        (["--seed", "7"], {"seed": 7}),
        (["--threads", "2"], {}),
        (["--half-width", "0.5"], {"sampling": Paired(0.5, 60)}),
    ],
)
def test_the_numbers_are_those_of_the_library(answer, options, model):
    orders = {name: prioritize(DAG, name) for name in ("prio", "critical-path")} | {"fifo": "fifo"}
    found = simulate(DAG, orders, **{"sampling": Paired(most_runs=60), **model})

    given = answer(*options)

    assert {key: given[key] for key in numbers(found)} == numbers(found)


def test_the_papers_statistics(icsched, workflow):
    result = icsched("simulate", workflow, "--paper-statistics", "--json")
    orders = {name: prioritize(DAG, name) for name in ("prio", "critical-path")} | {"fifo": "fifo"}
    found = simulate(DAG, orders, sampling=PaperSampling())

    given = json.loads(result.out)
    assert given["runs"] == 90_000
    assert {key: given[key] for key in numbers(found)} == numbers(found)


def test_every_order_by_name(answer):
    names = ["prio", "lifo", "random", "level", "critical-path", "critical-path-steps", "dask"]

    given = answer(*[word for name in names for word in ("--order", name)])

    assert list(given["orders"]) == [*names, "fifo"]
    assert list(given["ratio"]) == [f"{name}_over_fifo" for name in names]
    assert list(given["timeline"]) == list(given["orders"])
    dask = simulate(DAG, {"dask": dask_order(DAG)}, sampling=Paired(most_runs=60))
    assert given["orders"]["dask"] == numbers(dask)["orders"]["dask"]


def test_fifo_and_critical_path_are_always_there_and_only_once(answer):
    given = answer("--order", "fifo", "--order", "lifo")
    assert list(given["orders"]) == ["fifo", "lifo", "critical-path"]
    alone = answer("--order", "fifo")
    assert list(alone["orders"]) == ["fifo", "critical-path"]
    assert list(alone["ratio"]) == ["critical-path_over_fifo"]


def test_an_order_from_a_file_is_one_of_the_orders(answer, put):
    put({"order.txt": "# mine\na\nlone\nb\nc\n"})
    mine = simulate(DAG, {"@order.txt": [1, 0, 2, 3]}, sampling=Paired(most_runs=60))

    given = answer("--order", "prio", "--order", "@order.txt")

    assert list(given["orders"]) == ["prio", "@order.txt", "critical-path", "fifo"]
    names = ["prio", "@order.txt", "critical-path"]
    assert list(given["ratio"]) == [f"{name}_over_fifo" for name in names]
    assert given["orders"]["@order.txt"] == numbers(mine)["orders"]["@order.txt"]


def test_a_ratio_over_nothing_is_null(icsched, put):
    """Two jobs that do not depend on each other never stall a batch of 16."""
    put({"wf.dag": "JOB a x\nJOB b x\n"})

    result = icsched("simulate", "wf.dag", "--batch-law", "fixed", "--json", *QUICK)

    ratio = json.loads(result.out)["ratio"]["prio_over_fifo"]
    assert ratio["stall"] is None
    assert ratio["utilisation"]["median"] == 1.0


def test_the_json_says_what_was_simulated(answer):
    assert answer("--interval", "2")["pool"] == {
        "schema": 1,
        "kind": "batches",
        "interval": 2.0,
        "batch": 16.0,
        "batch_law": "geometric",
        "waiting": False,
        "speed_spread": 0.0,
        "leave": None,
        "deadline": None,
        "replicas": 1,
        "overhead": 0.0,
        "delay": 0.0,
    }
    assert answer("--workers", "2", "--leave", "9", "--law", "constant")["pool"] == {
        "schema": 1,
        "kind": "workers",
        "count": 2,
        "speeds": None,
        "leave": 9.0,
        "deadline": None,
        "replicas": 1,
        "overhead": 0.0,
        "delay": 0.0,
    }


def test_the_timeline_has_what_requests_found(answer):
    """Two workers, constant times: fifo runs lone and a until 1, then b and c until 2."""
    line = answer("--workers", "2", "--law", "constant")["timeline"]["fifo"]

    assert len(line["time"]) == len(line["eligible"]) == len(line["idle"]) == 48
    assert line["time"][:2] == [0.0, pytest.approx(2 / 48)]
    assert line["eligible"][0] == 2.0
    assert line["eligible"][24] == 2.0
    assert line["idle"] == pytest.approx([0.0] * 48)


def test_the_same_command_prints_the_same_on_any_hash_seed(icsched_process, workflow):
    words = ["simulate", workflow, "--order", "prio", "--order", "dask", *QUICK]
    first, second = (icsched_process(*words, PYTHONHASHSEED=seed) for seed in "01")

    assert first.code == 0
    assert first == second


# Words


def test_the_report(icsched, workflow):
    """One worker: every order takes the four jobs' times one after the other."""
    result = icsched("simulate", workflow, "--workers", "1", "--law", "constant", *QUICK)

    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "wf.dag: 4 jobs, 2 dependencies"
    assert lines[1] == "Simulated: 1 worker."
    assert lines[2] == "Run times: constant, mean 1."
    assert lines[4].split() == ["order", "time", "stall", "probability", "utilisation"]
    for line, name in zip(lines[5:8], ["prio", "critical-path", "fifo"], strict=True):
        same = "4.0000 [4.0000, 4.0000]  0.0000 [0.0000, 0.0000]  1.0000"
        assert line.startswith(f"{name:<13}  {same}")
    assert "prio takes 1.0000 [0.9975, 1.0025] of fifo's time: no difference to be seen" in lines
    assert "60 runs of each order, seed 0; 95% intervals" in lines
    assert "Idle workers (a full bar is 0):" in lines


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


def test_overhead_comes_on_top_of_each_job(answer):
    """One worker, four jobs of 1, each handed out in 0.5: 6 in all, of which 4 are work."""
    options = ["--workers", "1", "--law", "constant", "--overhead", "0.5"]
    fifo = answer(*options)["orders"]["fifo"]

    assert fifo["time"]["mean"] == 6.0
    assert fifo["utilisation"]["mean"] == pytest.approx(4 / 6)


def test_jobs_can_be_taken_only_after_the_delay(answer):
    """Four workers: `lone` and `a` at 0; `b` and `c` at 1.5."""
    options = ["--workers", "4", "--law", "constant", "--delay", "0.5"]

    assert answer(*options)["orders"]["fifo"]["time"]["mean"] == 2.5


def test_a_pool_from_a_file(answer, icsched, put, workflow):
    """One worker leaves at once, and the other does all four jobs from 3 on."""
    visits = {"starts": [0.0, 3.0], "ends": [0.5, None], "delay": 0.0, "overhead": 0.0}
    pool = {"schema": 1, "kind": "recorded", **visits}
    put({"pool.json": json.dumps(pool)})

    found = answer("--pool", "pool.json", "--law", "constant")

    assert found["orders"]["fifo"]["time"]["mean"] == 7.0
    assert found["pool"] == pool
    told = icsched("simulate", workflow, "--pool", "pool.json", *QUICK).out
    assert "Simulated: 2 recorded visits of workers." in told
    assert "Idle workers" in told


def test_a_pool_from_a_file_cannot_be_used_with_other_options(refused, put):
    put({"pool.json": '{"schema": 1, "kind": "workers", "count": 2}', "bad.json": "{}"})
    alone = "--pool cannot be used with other options of the pool"

    assert refused("--pool", "pool.json", "--workers", "2") == (2, alone)
    assert refused("--pool", "pool.json", "--delay", "2") == (2, alone)
    assert refused("--pool", "bad.json") == (1, "bad.json: schema: expected 1, got null")


def test_the_report_says_how_much_less_time_it_takes(icsched, workflow):
    result = icsched("simulate", workflow, "--batch", "1", "--seed", "1")
    found = simulate(
        DAG, {"prio": prioritize(DAG, "prio"), "fifo": "fifo"}, pool=Pool(batch=1), seed=1
    )
    ratio = found.ratio["prio_over_fifo"].time

    assert ratio.high < 0.95
    less = 100 * (1 - ratio.median)
    size = f"{less:.0f}%" if less >= 10 else f"{less:.1f}%"
    assert f" of fifo's time: {size} less" in result.out
    assert "not reached" not in result.out
    assert "Requests a time unit that got nothing" in result.out


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


def test_stalls_that_were_never_seen_are_said(icsched, put):
    """Two jobs that do not depend on each other never stall a batch of 16."""
    put({"wf.dag": "JOB a x\nJOB b x\n"})

    result = icsched("simulate", "wf.dag", "--batch-law", "fixed", *QUICK)

    assert "  of fifo's: utilisation 1.0000 [0.9975, 1.0025]\n  stalls: never seen\n" in result.out


@pytest.mark.parametrize(
    ("jobs", "calm"), [(["x", "y", "a", "b"], "prio"), (["a", "b", "x", "y"], "fifo")]
)
def test_the_report_names_who_never_stalled(icsched, put, jobs, calm):
    """Two workers: x and y first leave only a for one of them, a first leaves b and y for both."""
    lines = [*(f"JOB {job} x.sub" for job in jobs), "PARENT a CHILD b"]
    put({"wf.dag": "\n".join(lines), "order.txt": "x\ny\na\nb\n"})
    model = ["--workers", "2", "--law", "constant", *QUICK]

    report = icsched("simulate", "wf.dag", *model, "--order", "prio", "--order", "@order.txt").out

    assert f"\n  stalls: never seen with {calm}\n" in report


def test_a_half_width_that_was_not_reached_is_said(icsched, workflow):
    runs = ["--runs", "500", "--threads", "1"]
    result = icsched("simulate", workflow, "--batch", "1", "--half-width", "0.001", *runs)

    assert result.code == 0
    assert "The half-width asked for was not reached: it is 0." in result.out
    assert " of the ratio of times; --runs allows more runs\n" in result.out


def test_of_few_runs_it_says_that_intervals_are_not_to_be_trusted(icsched, workflow):
    """However wide the intervals may be: there are too few runs to know."""
    runs = ["--runs", "400", "--threads", "1"]
    result = icsched("simulate", workflow, "--batch", "1", "--half-width", "0.9", *runs)

    assert "\nFewer than 500 runs: do not trust the intervals\n" in result.out
    assert "was not reached" not in result.out


def test_the_papers_ranges_come_without_a_verdict(icsched, workflow):
    """One worker: all times are equal, and every ratio of two is 1."""
    model = ["--workers", "1", "--law", "constant"]
    lines = icsched("simulate", workflow, *model, "--paper-statistics").out.splitlines()

    spread = "(mean 1.0000, standard deviation 0.0000)"
    assert f"prio takes 1.0000 [1.0000, 1.0000] of fifo's time {spread}" in lines
    assert (
        "90,000 runs of each order, seed 0; in brackets, as in Malewicz et al. 2007, the range of"
        " 95% of the means of 300 runs, or of their ratios: these are not confidence intervals"
    ) in lines


# Run times


def test_run_times_from_a_file(answer, put):
    put({"times.txt": "# job seconds\na 3\nb  2.5\n\n c 1e1\nlone\t4\r\n"})
    times = Times(means=[4, 3, 2.5, 10])
    found = simulate(
        DAG,
        {"critical-path": "critical-path", "fifo": "fifo"},
        times=times,
        sampling=Paired(most_runs=60),
    )

    given = answer("--run-times", "times.txt", "--interval", "1", "--order", "critical-path")

    assert {key: given[key] for key in numbers(found)} == numbers(found)


def test_the_report_names_the_file_of_run_times(icsched, workflow, put):
    put({"times.txt": "a 1\nb 2\nc 3\nlone 4\n"})
    result = icsched("simulate", workflow, "--run-times", "times.txt", "--workers", "2", *QUICK)

    assert "Run times: normal, means from times.txt (4 measured), spread 0.1.\n" in result.out


# What cannot be

UNIT = (
    "--run-times: run times are in seconds: say --interval, the mean seconds between batches,"
    " --workers or --pool"
)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--interval", "0"], "interval: expected a positive number, got 0.0"),
        (["--interval", "-1"], "interval: expected a positive number, got -1.0"),
        (["--interval", "nan"], "interval: expected a positive number, got nan"),
        (["--batch", "0"], "batch: expected 1 to 1,000,000,000, got 0.0"),
        (["--speed-spread", "-1"], "speed_spread: expected 0 to 1,000, got -1.0"),
        (["--spread", "nan"], "spread: expected 0 to 1,000, got nan"),
        (["--leave", "0"], "leave: expected a positive number, got 0.0"),
        (["--workers", "0"], "workers: expected a whole number from 1 to 10,000,000, got 0"),
        (
            ["--workers", "2", "--replicas", "3"],
            "replicas: expected at most 2, the number of workers, got 3",
        ),
        (["--workers", "2", "--speeds", "1"], "speeds: expected 2, one per worker, got 1"),
        (["--overhead", "-1"], "overhead: expected 0 to 1e+100, got -1.0"),
        (["--runs", "0"], "runs: expected a whole number from 20 to 10,000,000, got 0"),
        (["--half-width", "0"], "half-width: expected 1e-06 to 1, got 0.0"),
        (["--seed", "-1"], f"seed: expected a whole number from 0 to {2**64 - 1:,}, got -1"),
    ],
)
def test_a_model_that_cannot_be_is_one_line_and_exit_2(refused, options, complaint):
    assert refused(*options) == (2, complaint)


@pytest.mark.parametrize(
    "options", [["--order", "@missing"], ["--run-times", "missing", "--workers", "2"]]
)
def test_a_missing_file_is_one_line_and_exit_1(refused, options):
    assert refused(*options) == (1, "missing: no such file or directory")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--workers", "2", "--interval", "1"],
            "--interval cannot be used with --workers",
        ),
        (["--workers", "2", "--batch", "1"], "--batch cannot be used with --workers"),
        (["--workers", "2", "--batch-law", "fixed"], "--batch-law cannot be used with --workers"),
        (["--workers", "2", "--waiting"], "--waiting cannot be used with --workers"),
        (["--speeds", "1,2"], "--speeds needs --workers; --speed-spread is for batches"),
        (["--run-times", "times.txt"], UNIT),
        (["--run-times", "times.txt", "--batch", "4", "--waiting"], UNIT),
        (
            ["--workers", "2", "--speeds", "1,x"],
            "--speeds: expected numbers separated by commas, got '1,x'",
        ),
        (["--threads", "0"], "--threads: expected 1 to 1,024, got 0"),
        (["--threads", "1025"], "--threads: expected 1 to 1,024, got 1025"),
        (
            ["--law", "constant", "--spread", "1"],
            "--spread cannot be used with --law constant",
        ),
        (
            ["--paper-statistics", "--runs", "9"],
            "--half-width and --runs cannot be used with --paper-statistics, 300 x 300 runs",
        ),
    ],
)
def test_options_that_do_not_go_together_are_one_line_and_exit_2(refused, options, complaint):
    assert refused(*options) == (2, complaint)


@pytest.mark.parametrize(
    "options",
    [
        ["--order", "best"],
        ["--order"],
        ["--empty-policy"],
        ["--batch-law", "normal"],
        ["--law", "x"],
        ["--runs", "many"],
        ["--no-json"],
    ],
)
def test_bad_usage_is_one_line_and_exit_2(refused, options):
    code, complaint = refused(*options)

    assert code == 2
    assert complaint


def test_a_workflow_without_jobs_is_one_line(icsched, put):
    put({"wf.dag": "", "done.dag": "JOB a x DONE\n"})

    for file in ("wf.dag", "done.dag"):
        result = icsched("simulate", file)
        assert result.code == 1
        assert result.complaint == f"{file}: expected at least one job that is left to run"
    assert icsched("simulate").code == 2


def test_without_dask_one_line_names_the_extra(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.task_spec", None)

    code, complaint = refused("--order", "dask")

    assert (code, complaint) == (1, "dask is not installed: run pip install 'icsched[dask]'")


def test_files_are_read_as_by_other_commands(icsched, put):
    put({"wf.dag": "JOB a x\nFROBNICATE a\n", "sub/wf.dag": "INCLUDE in.dag\n"})
    put({"sub/in.dag": "JOB a x\n"})

    assert icsched("simulate", "wf.dag", *QUICK).code == 1
    assert icsched("simulate", "wf.dag", "--lenient", *QUICK).code == 0
    assert icsched("simulate", "sub/wf.dag", *QUICK).code == 1
    assert icsched("simulate", "sub/wf.dag", "--usedagdir", *QUICK).code == 0


# What only a process can show

ENDLESS = ["--half-width", "0.000001", "--runs", "10000000", "--interval", "1e-7"]


@pytest.fixture
def interruptible():
    """Let new processes take SIGINT, even where the tests run with it ignored."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


def test_work_under_a_second_shows_no_bar(script, workflow):
    terminal, end = pty.openpty()
    words = [script, "simulate", workflow, "--json", *QUICK]
    subprocess.run(words, stdout=subprocess.PIPE, stderr=end, check=True, timeout=60)
    os.write(end, b"over")
    shown = read_until(terminal, b"over")
    os.close(end)
    os.close(terminal)

    assert b"simulating" not in shown


def test_a_pool_that_does_not_fit_into_memory_is_one_line_and_exit_1(script, workflow):
    """Jobs are overdue as soon as they run, and requests that wait take them again and again."""
    options = ["--waiting", "--deadline", "1e-9", "--batch", "1000000000"]
    limit = resource.RLIMIT_AS, (1 << 30, 1 << 30)  # so that it is soon over
    done = subprocess.run(
        [script, "simulate", workflow, *options, "--threads", "1", *QUICK],
        preexec_fn=lambda: resource.setrlimit(*limit),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    complaint = "icsched: simulation: this pool needs more memory than there is\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", complaint)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_on_a_terminal_ends_it_with_130_after_a_bar_was_shown(script, workflow):
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [script, "simulate", workflow, *ENDLESS],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(end)
        try:
            shown = read_until(terminal, b"simulating 4 jobs")
            process.send_signal(signal.SIGINT)
            out = process.communicate(timeout=60)[0]
        finally:
            process.kill()
    os.close(terminal)

    assert b"simulating 4 jobs" in shown
    assert out == b""
    assert process.returncode == 130
