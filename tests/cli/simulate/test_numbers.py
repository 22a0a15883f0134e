"""`icsched simulate`: what is simulated, and its numbers."""

import json

import pytest

from icsched import Pool, Times, Workers, prioritize, simulate
from icsched.plugins.dask import dask_order
from icsched.sim import Paired, PaperSampling
from tests.cli.simulate.samples import DAG, QUICK


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
        (["--half-width", "0.5"], {"sampling": Paired(0.5, 60)}),
    ],
)
def test_the_numbers_are_those_of_the_library(answer, options, model):
    orders = {name: prioritize(DAG, name) for name in ("prio", "critical-path")} | {"fifo": "fifo"}
    found = simulate(DAG, orders, **{"sampling": Paired(most_runs=60), **model})

    given = answer("--order", "prio", *options)

    assert {key: given[key] for key in numbers(found)} == numbers(found)


def test_the_papers_statistics(icsched, workflow):
    result = icsched("simulate", workflow, "--order", "prio", "--paper-statistics", "--json")
    orders = {name: prioritize(DAG, name) for name in ("prio", "critical-path")} | {"fifo": "fifo"}
    found = simulate(DAG, orders, sampling=PaperSampling())

    given = json.loads(result.out)
    assert given["runs"] == 90_000
    assert {key: given[key] for key in numbers(found)} == numbers(found)


def test_by_default_auto_is_simulated_and_the_answer_has_what_auto_chose(icsched, workflow, answer):
    """One worker runs the four jobs one after the other, so no order gains anything."""
    given = answer("--workers", "1", "--law", "constant")

    assert list(given["orders"]) == ["auto", "critical-path", "fifo"]
    assert given["chosen"] == "fifo"
    assert "\nauto chose fifo.\n" in icsched("simulate", workflow, "--workers", "1", *QUICK).out
    assert answer("--order", "prio")["chosen"] is None


def test_every_order_by_name(answer):
    names = ["prio", "lifo", "random", "level", "critical-path", "critical-path-steps", "dask"]

    given = answer(*[word for name in names for word in ("--order", name)])

    assert list(given["orders"]) == [*names, "fifo"]
    assert list(given["ratio"]) == [f"{name}_over_fifo" for name in names]
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


LATE_CHAIN = "JOB x x.sub\nJOB y x.sub\nJOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n"
PAIR = ["--workers", "2", "--law", "constant", "--json", *QUICK]


@pytest.mark.parametrize("is_section", [False, True], ids=["own line", "section of icsched"])
def test_the_order_that_the_file_has_now_is_simulated_too(icsched, put, is_section):
    """
    x  y  a    Two workers, each job takes 1. By the priority of `a`: a and x, then b and y, in 2.
          |    First come, first served: x and y, then a, then b, in 3.
          b
    """
    put({"wf.dag": LATE_CHAIN if is_section else f"{LATE_CHAIN}PRIORITY a 1\n"})
    if is_section:
        icsched("prio", "wf.dag", "--order", "critical-path", "--in-place")

    given = json.loads(icsched("simulate", "wf.dag", "--order", "lifo", *PAIR).out)

    assert list(given["orders"]) == ["lifo", "now", "critical-path", "fifo"]
    times = [given["orders"][name]["time"]["mean"] for name in ("now", "fifo")]
    assert times == [2.0, 3.0]
    assert "now_over_fifo" in given["ratio"]


@pytest.mark.parametrize("lines", ["", "PRIORITY ALL_NODES 5\n"])
def test_priorities_that_put_no_job_before_another_are_not_simulated(icsched, put, lines):
    put({"wf.dag": f"{LATE_CHAIN}{lines}"})

    given = json.loads(icsched("simulate", "wf.dag", "--order", "lifo", *PAIR).out)

    assert list(given["orders"]) == ["lifo", "critical-path", "fifo"]


def test_what_auto_chose_is_one_of_the_orders_if_the_file_has_the_best(icsched, put):
    put({"wf.dag": f"{LATE_CHAIN}PRIORITY a 1\n"})

    given = json.loads(icsched("simulate", "wf.dag", *PAIR).out)
    told = icsched("simulate", "wf.dag", *PAIR[:2], *QUICK).out

    assert given["chosen"] == "now"
    assert "\nnow is the order by the priorities in the file.\nauto chose now.\n" in told


@pytest.mark.parametrize(("line", "kept"), [("", "fifo"), ("PRIORITY j3 1\n", "now")])
def test_auto_is_played_as_the_order_that_it_keeps(icsched, put, line, kept):
    """Which of two jobs is ready first differs from run to run, so a list is another order."""
    jobs = "".join(f"JOB j{n} x.sub\nJOB k{n} x.sub\nPARENT j{n} CHILD k{n}\n" for n in range(8))
    put({"wf.dag": f"{jobs}{line}"})

    given = json.loads(icsched("simulate", "wf.dag", "--workers", "3", "--json", *QUICK).out)

    assert given["chosen"] == kept
    assert given["orders"]["auto"] == given["orders"][kept]


def test_a_ratio_over_nothing_is_null(icsched, put):
    """Two jobs that do not depend on each other never stall a batch of 16."""
    put({"wf.dag": "JOB a x\nJOB b x\n"})

    result = icsched("simulate", "wf.dag", "--batch-law", "fixed", "--json", *QUICK)

    ratio = json.loads(result.out)["ratio"]["auto_over_fifo"]
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


def test_the_same_command_prints_the_same_on_any_hash_seed(icsched_process, workflow):
    words = ["simulate", workflow, "--order", "prio", "--order", "dask", *QUICK]
    first, second = (icsched_process(*words, PYTHONHASHSEED=seed) for seed in "01")

    assert first.code == 0
    assert first == second


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


def test_a_pool_from_a_file_cannot_be_used_with_other_options(refused, put):
    put({"pool.json": '{"schema": 1, "kind": "workers", "count": 2}', "bad.json": "{}"})
    alone = "--pool cannot be used with other options of the pool"

    assert refused("--pool", "pool.json", "--workers", "2") == (2, alone)
    assert refused("--pool", "pool.json", "--delay", "2") == (2, alone)
    assert refused("--pool", "bad.json") == (1, "bad.json: schema: expected 1, got null")


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
