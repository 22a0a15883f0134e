"""`icsched prio` with the order auto: what is said about the choice."""

import pytest

from tests.cli.auto.late_chain import BEST, LATE_CHAIN, TWO
from tests.unstamped import unstamped

# What is said


def test_the_choice_is_told_with_its_interval_and_what_it_was_compared_with(icsched, wf):
    result = icsched("prio", "wf.dag", *TWO)

    lines = result.out.splitlines()
    assert lines[0].startswith("wf.dag: 15 jobs, 4 dependencies, ordered by auto in ")
    assert lines[1].startswith("auto chose prio: with run times drawn at random, the run")
    assert lines[1].endswith("%] earlier on your pool than with first come, first served.")
    assert lines[2].startswith("Simulated (")
    over = "time of the run over that of first come, first served, with 95% intervals:"
    assert lines[2].endswith(f" runs, seed 0, run times vary by 30%), {over}")
    assert lines[3].split()[0] == "prio"
    assert lines[3].endswith(" (checked in further runs)")
    assert lines[4].split("  ")[1:] == ["first come, first served", "1.000"]
    order = lines.index("Order: prio")
    assert lines[order + 1].startswith("IC-optimal: no order has more")
    assert wf.read_text() == LATE_CHAIN


@pytest.mark.usefixtures("wf")
def test_json_has_the_choice(answer):
    found = answer("wf.dag", *TWO)

    choice = found["choice"]
    assert found["ordered_by"] == "auto"
    assert found["order"][:2] == ["c0", "c1"]
    assert (choice["chosen"], choice["present"], choice["seed"]) == ("prio", "fifo", 0)
    assert choice["is_own_pool"] is choice["is_worth_it"] is True
    assert choice["is_timed"] is False
    assert choice["pools"][0]["count"] == 2
    ratio = choice["ratio"]
    assert ratio["low"] <= ratio["mean"] < 0.95
    assert ratio["high"] > 1, "run times that nobody knows may also make the run end later"
    assert choice["ends"] == {}, "no seconds without run times"


@pytest.mark.usefixtures("wf")
def test_without_a_pool_usual_pools_are_simulated(icsched, answer):
    assert answer("wf.dag")["choice"]["is_own_pool"] is False
    assert " usual pools, on average, than with first come" in icsched("prio", "wf.dag").out


@pytest.mark.usefixtures("wf")
def test_a_pool_may_come_from_a_file(answer, put):
    put({"pool.json": '{"schema": 1, "kind": "workers", "count": 3}'})

    assert answer("wf.dag", "--pool", "pool.json")["choice"]["pools"][0]["count"] == 3


@pytest.mark.usefixtures("wf")
def test_unknown_run_times_are_told_with_what_they_gain(icsched, put):
    put({"times.txt": "".join(f"{name} 2\n" for name in BEST)})
    told = "Run times are not known: each kind of job got a mean time at random, so the"

    untimed = icsched("prio", "wf.dag", *TWO).out
    assert f"{told} interval is wide.\n--run-times FILE gives" in untimed
    timed = icsched("prio", "wf.dag", *TWO, "--run-times", "times.txt").out
    assert told not in timed
    assert "auto chose prio: the run should end " in timed
    assert "without run times" not in timed


@pytest.mark.usefixtures("wf")
def test_run_times_that_are_all_0_are_told_as_such(icsched, put):
    put({"zero.txt": "* 0\n"})
    out = icsched("prio", "wf.dag", *TWO, "--run-times", "zero.txt").out

    assert "\nAll run times are 0, as if run times were not known" in out
    assert "Run times are not known" not in out


@pytest.mark.usefixtures("wf")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--order", "prio", "--workers", "2"), "--workers cannot be used with --order prio"),
        (("--order", "fifo", "--pool", "none"), "--pool cannot be used with --order fifo"),
        (("--memory", "9", "--workers", "2"), "--workers cannot be used with --memory"),
        (("--workers", "2", "--pool", "none"), "--pool cannot be used with --workers"),
        (("--workers", "0"), "workers: expected"),
        (("--diff", "--in-place"), "only one of -o, --in-place, --remove, --diff and --check"),
        (("--check", "--diff"), "only one of -o, --in-place, --remove, --diff and --check"),
        (("--check", "--force"), "--force needs --in-place or --remove"),
    ],
)
@pytest.mark.usefixtures("wf")
def test_options_without_a_use_are_one_line(icsched, words, complaint):
    result = icsched("prio", "wf.dag", *words)

    assert (result.code, result.complaint[: len(complaint)]) == (2, complaint)


def test_the_order_is_the_same_each_time(answer, put, wf):
    put({"pool.json": '{"schema": 1, "kind": "batches", "interval": 1, "batch": 3}'})
    words = ("wf.dag", "--pool", "pool.json")
    first, second = answer(*words), answer(*words)

    assert first["order"] == second["order"]
    assert first["choice"] == second["choice"]
    assert unstamped(wf.read_text()) == LATE_CHAIN


def test_priorities_are_not_kept_beside_an_order_that_was_simulated_without_them(icsched, wf):
    result = icsched("prio", "wf.dag", "--in-place", "--keep-existing")

    said = "--keep-existing needs --order NAME: auto does not simulate what is kept"
    assert (result.code, result.complaint) == (2, said)
    assert wf.read_text() == LATE_CHAIN
