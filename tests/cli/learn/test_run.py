"""`icsched learn`: what the logs of a run tell."""

import json
import math

import pytest

from icsched.commands.notes import about_pool
from icsched.commands.pool_options import GivenPool
from icsched.history import read_run_times
from icsched.sim import Machines, Recorded, Workers, read_pool
from tests.cli.learn.dags import FORK_DAG
from tests.history.lines import end, execute, submit
from tests.history.test_learning import FORK_LOG
from tests.history.test_machine_pools import WIDE_NAMES, wide_log
from tests.history.test_machines import CLAIMS_LOG, fan

CLAIMS_DAG = "JOB a a.sub\nJOB b b.sub\nJOB w w.sub\nJOB c c.sub\nPARENT w CHILD c\n"
FAN_DAG = "".join(f"JOB {name} x.sub\n" for name in ("r", *(f"c{i}" for i in range(8))))
FAN_DAG += "PARENT r CHILD " + " ".join(f"c{i}" for i in range(8)) + "\n"


def test_the_report_says_what_the_run_tells(icsched):
    found = icsched("learn", "wf.log", "wf.dag").out

    assert "wf.log: 5 jobs, 5 attempts\n" in found
    assert "took 200 s, from the first start to the last end" in found
    assert "Run times: 5 measured.\n" in found
    assert "Jobs waited 7.0 s from submission to start on average" in found
    assert "Stalls: for 140 s slots were free and no job could be taken; 40.0% of" in found
    assert "  70 to 140 s: 80 slot seconds lost, all waited for join\n" in found
    assert "Pool: 2 workers, 10.0 s until a job can be taken after its last parent.\n" in found
    assert "DAGMan submitted a job 5.0 s after its last parent.\n" in found
    assert "takes 200 s on 2 workers (+0.0%) and 200 s on the recorded slots (+0.0%)" in found


def test_the_fitted_pool_reproduces_the_run_and_tries_other_orders(learn):
    found = learn("wf.log", "wf.dag")

    assert found["replay"] == {
        "actual": 200,
        "workers": pytest.approx(200),
        "recorded": pytest.approx(200),
        "machines": None,  # the log has slots that are not divided
        "error": pytest.approx(0),
        "running_error": pytest.approx(0),
        "cores_error": pytest.approx(0),
    }
    assert list(found["orders"]) == ["used", "critical-path", "prio", "critical-path-steps", "fifo"]
    assert found["orders"]["fifo"]["ratio"] is None
    ratio = found["orders"]["prio"]["ratio"]
    assert ratio["low"] <= 1 <= ratio["high"]  # two slots for two jobs: no order matters
    assert (found["submission_delay"], found["start_delay"]) == (5, 10)


def test_a_pool_that_does_not_explain_the_run_is_told(icsched, put):
    """DAGMan submitted b 100 s after a was done, so two jobs of 10 s took 120 s, and not 20 s."""
    log = submit("1", "10:00:00", "a") + execute("1", "10:00:00") + end("1", "10:00:10")
    log += submit("2", "10:01:50", "b") + execute("2", "10:01:50") + end("2", "10:02:00")
    put({"slow.log": log, "slow.dag": "JOB a x.sub\nJOB b x.sub\n"})

    told = (
        "The pool does not explain the run that it was learned from: simulated, that run ends 83.3%"
        " too early. Do not trust the gains. Perhaps a throttle such as -maxjobs held jobs back.\n"
    )  # 20 s of 120 s
    assert told in icsched("learn", "slow.log", "slow.dag").out
    assert "does not explain" not in icsched("learn", "wf.log", "wf.dag").out


def test_a_log_alone_tells_run_times_and_slots(learn):
    found = learn("wf.log")

    assert (found["jobs"], found["length"], found["peak"]) == (5, 200, 2)
    nothing = ("stalls", "replay", "orders", "run_times", "submission_delay")
    assert [found[key] for key in nothing] == [None] * len(nothing)
    assert found["pool"]["count"] == 2


def test_the_docs_have_exactly_the_keys_that_the_json_has(learn):
    import re

    from tests.test_project import section  # here, because it loads all commands

    table = section("json.md", "learn").partition("| key of `--json` |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE)
    documented = {key for cell in cells for key in re.findall(r"`(\w+)", cell)}

    assert {"schema"} | documented == set(learn("wf.log", "wf.dag"))


def test_a_pool_that_shrinks_is_played_from_the_recorded_slots(learn):
    found = learn("five.log", "five.dag", "--pool-file", "pool.json")

    # One worker takes 500 seconds for five jobs of 100; the run took 400.
    assert found["replay"]["workers"] == pytest.approx(500)
    assert found["replay"]["recorded"] == pytest.approx(400)
    assert found["pool"]["kind"] == "recorded"
    pool = read_pool("pool.json")
    assert isinstance(pool, Recorded)
    assert sorted(pool.ends.tolist()) == [100, math.inf]


def test_the_replay_on_recorded_slots_is_the_mean_over_who_gets_which_slot(learn, put):
    """Slot 1 runs a and leaves at 100. Slot 2 runs b, c and d, until 200.

    If a gets slot 2, slot 1 runs b until 50 and then loses c. Slot 2 runs c from 100 to 210 and d
    until 250. So the mean is 225. It is of 100 runs, so its deviation is 25 / sqrt(100) = 2.5.
    """
    log = "".join(submit(str(at), "10:00:00", job) for at, job in enumerate("abcd", start=1))
    log += execute("1", "10:00:00", "slot1@ep") + execute("2", "10:00:00", "slot2@ep")
    log += end("2", "10:00:50") + execute("3", "10:00:50", "slot2@ep") + end("1", "10:01:40")
    log += end("3", "10:02:40") + execute("4", "10:02:40", "slot2@ep") + end("4", "10:03:20")
    put({"leaves.log": log, "leaves.dag": "".join(f"JOB {job} x.sub\n" for job in "abcd")})

    found = learn("leaves.log", "leaves.dag", "--recorded")

    assert (found["pool"]["starts"], found["pool"]["ends"]) == ([0, 0], [100, None])
    assert found["replay"]["actual"] == 200
    assert abs(found["replay"]["recorded"] - 225) < 4 * 2.5


def test_recorded_slots_can_be_asked_for(learn):
    assert learn("wf.log", "wf.dag", "--recorded")["pool"]["kind"] == "recorded"
    assert learn("wf.log", "wf.dag")["pool"]["kind"] == "workers"


def test_what_is_written_is_taken_by_other_commands(learn, icsched, put):
    put({"more.dag": FORK_DAG + "JOB map_3 map.sub\nJOB fetch f.sub\n"})
    found = learn("wf.log", "more.dag", "-o", "times.csv", "--pool-file", "pool.json")

    assert found["written"] == ["times.csv", "pool.json"]
    assert read_pool("pool.json") == Workers(2, delay=10)
    table = read_run_times("times.csv")  # the means of kinds are left out, and made again
    assert dict(zip(table.names, table.seconds.tolist(), strict=True)) == {
        "map_1": 60,
        "map_2": 30,
        "join": 60,
        "out_1": 30,
        "out_2": 60,
    }
    words = ("--run-times", "times.csv", "--pool", "pool.json", "--runs", "20", "--json")
    again = json.loads(icsched("simulate", "more.dag", *words).out)["run_times"]
    assert again == {"measured": 5, "pattern": 0, "kind": 1, "all": 1, "unused": 0}


def test_the_table_says_where_times_come_from(learn, put, tmp_path):
    put({"more.dag": FORK_DAG + "JOB map_3 map.sub\n"})
    learn("wf.log", "more.dag", "-o", "times.csv")
    lines = (tmp_path / "times.csv").read_text().splitlines()

    assert lines[0] == "name,seconds,origin"
    assert "map_1,60.0,measured" in lines
    assert lines[-1] == "map_3,45.0,kind"


def test_files_are_told_apart_by_what_is_in_them(learn):
    assert learn("wf.dag", "wf.log")["files"] == ["wf.dag"]


def test_a_history_that_begins_with_the_newest_job_is_no_clock_that_goes_backwards(learn, put):
    ad = '{{"ClusterId": {0}, "ProcId": 0, "DAGNodeName": "{1}", "JobStatus": 4, "ExitCode": 0, '
    ad += '"QDate": {2}, "JobCurrentStartDate": {2}, "CompletionDate": {3}}}'
    rows = [(2, "job_2", 2000, 2050), (1, "job_1", 1000, 1100)]
    put({"history.json": f"[{', '.join(ad.format(*row) for row in rows)}]"})

    found = learn("history.json", "five.dag")

    assert (found["jobs"], found["length"]) == (2, 1050)


def test_a_rescue_file_does_not_hide_the_jobs_of_the_run(learn, put):
    put({"wf.dag.rescue001": "DONE map_1\nDONE map_2\n"})

    assert learn("wf.log", "wf.dag")["run_times"]["measured"] == 5


def test_a_run_that_still_goes_on_is_compared_by_what_has_ended(learn, put):
    going = FORK_LOG[: FORK_LOG.index(submit("4", "12:02:25", "out_1"))]
    put({"going.log": going})
    found = learn("going.log", "wf.dag")

    assert found["replay"]["actual"] == 130  # the join ends
    assert found["replay"]["workers"] == pytest.approx(130)
    assert found["run_times"] == {"measured": 3, "pattern": 0, "kind": 0, "all": 2, "unused": 0}


@pytest.mark.parametrize(
    ("lines", "baseline", "head"),
    [
        ("", "fifo", "against fifo"),
        ("PRIORITY map_1 3\n", "used", "against the order used"),
        ("ALL_NODES 7\n", "fifo", "against fifo"),
    ],
)
def test_a_run_without_priorities_is_compared_as_fifo(icsched, learn, put, lines, baseline, head):
    put({"ranked.dag": FORK_DAG + lines.replace("ALL_NODES", "PRIORITY ALL_NODES")})
    found = learn("wf.log", "ranked.dag")

    assert found["baseline"] == baseline
    assert [n for n, o in found["orders"].items() if o["ratio"] is None] == [baseline]
    report = icsched("learn", "wf.log", "ranked.dag").out
    assert head in report
    assert "used: the recorded order of the starts, as a fixed list" in report


def test_a_run_has_one_length(learn, icsched, put):
    """One slot takes 4 seconds between two jobs; the run is from 0 to 98 seconds."""
    log = "".join(submit(str(i), "12:00:00", f"job_{i}") for i in (1, 2, 3))
    times = [("00:00", "00:30"), ("00:34", "01:04"), ("01:08", "01:38")]
    for i, (begin, over) in enumerate(times, 1):
        log += execute(str(i), f"12:{begin}") + end(str(i), f"12:{over}")
    put({"gaps.log": log, "three.dag": "".join(f"JOB job_{i} x.sub\n" for i in (1, 2, 3))})
    found = learn("gaps.log", "three.dag")

    assert found["pool"]["overhead"] == 4
    assert (found["length"], found["replay"]["actual"]) == (98, 98)
    assert found["replay"]["workers"] == pytest.approx(98)
    assert "98.0 s in fact.\n" in icsched("learn", "gaps.log", "three.dag").out


def test_a_pool_below_the_most_jobs_at_once_says_so(icsched):
    found = icsched("learn", "five.log").out

    assert "Pool: 1 worker.\nUp to 2 jobs ran at once, but usually fewer slots were there" in found


def test_the_report_says_what_machines_there_were_and_what_their_cores_did(icsched, learn, put):
    put({"claims.log": CLAIMS_LOG, "claims.dag": CLAIMS_DAG})
    found = icsched("learn", "claims.log", "claims.dag").out

    assert (
        "Machines, at least: 1 machine of 8 cores.\n"
        "Cores: jobs used 45.7% of 416 core seconds; the rest was lost:\n"  # 190
        "  24.5%: no job was ready\n"  # 102
        "  16.8%: slots had more cores than their jobs asked for\n"  # 70
        "  10.6%: HTCondor had not started a job that fitted\n"  # 44
        "  2.4%: DAGMan had not submitted ready jobs yet\n"  # 10
    ) in found
    kinds = {kind["name"]: kind["needs"] for kind in learn("claims.log", "claims.dag")["kinds"]}
    assert {name: needs["cores"] for name, needs in kinds.items()} == {
        "a": 8,
        "b": 1,
        "w": 8,
        "c": 2,
    }
    (machine,) = learn("claims.log")["machines"]
    assert (machine["count"], machine["cores"], machine["is_partitionable"]) == (1, 8, True)


def test_a_run_of_jobs_of_different_cores_is_played_on_the_machine_that_it_had(learn, icsched, put):
    put({"wide.log": wide_log(22), "wide.dag": "".join(f"JOB {n} x.sub\n" for n in WIDE_NAMES)})
    found = learn("wide.log", "wide.dag", "--pool-file", "pool.json")

    assert found["pool"]["machines"] == [{"count": 1, "cores": 8}]
    assert abs(found["replay"]["machines"] - 42) < 3
    assert found["replay"]["error"] == pytest.approx(found["replay"]["machines"] / 42 - 1)
    # In other runs the wide job waits for one more round of narrow ones, or for none.
    assert 30 < found["orders"]["fifo"]["time"]["mean"] < 55
    told = icsched("learn", "wide.log", "wide.dag").out
    assert "Pool: 1 machine with 8 cores, filled as by HTCondor.\n" in told
    assert " s on the machines (" in told
    fit = "Of the settings that HTCondor may have had, these fit best: quick intervals"
    assert fit in told
    pool = read_pool("pool.json")
    assert isinstance(pool, Machines)
    assert (pool.cores, pool.htcondor.negotiator_interval) == (8, 2)


def test_the_machines_that_are_written_are_taken_by_other_commands(learn, icsched, put):
    """The submit files say what the jobs ask for. Alone, the wide job runs for 20 s."""
    lines = "".join(f"JOB {n} {'wide' if n == 'wide' else 'x'}.sub\n" for n in WIDE_NAMES)
    put({"wide.log": wide_log(22), "wide.dag": lines})
    put({"wide.sub": "request_cpus = 8\nqueue\n", "x.sub": "request_cpus = 1\nqueue\n"})
    learn("wide.log", "wide.dag", "-o", "times.csv", "--pool-file", "pool.json")
    words = ("wide.dag", "--run-times", "times.csv", "--pool", "pool.json")

    found = icsched("simulate", *words, "--runs", "20", "--law", "constant", "--json")
    assert found.code == 0
    fifo = json.loads(found.out)["orders"]["fifo"]["time"]["mean"]
    assert 40 < fifo < 46  # 20 s of narrow jobs, then 20 s, with delays
    assert icsched("prio", *words).code == 0


def test_the_earlier_run_gives_the_forecast_its_machine(learn, put):
    put({"wide.log": wide_log(22), "wide.dag": "".join(f"JOB {n} x.sub\n" for n in WIDE_NAMES)})
    found = learn("wide.log", "wide.dag", "--against", "wide.log")["against"]

    assert (found["before"], found["happened"]) == (42, 42)
    assert 30 < found["forecast"] < 55


def test_the_report_names_a_throttle(icsched, learn, put):
    log = fan((11, 11, 21), (22, 22, 32), (33, 33, 43), (44, 44, 54))
    put({"fan.log": log, "fan.dag": FAN_DAG})

    assert learn("fan.log", "fan.dag")["dagman"]["max_jobs"] == 2
    told = "the queue never had more than 2 jobs, as with -maxjobs 2.\n"
    assert told in icsched("learn", "fan.log", "fan.dag").out
    assert "throttle" not in icsched("learn", "wf.log", "wf.dag").out


def test_a_log_that_says_no_cores_shows_no_machines(icsched, learn, put):
    put({"none.log": FORK_LOG.replace("\tCpus = 1\n", "")})

    assert (learn("none.log")["machines"], learn("none.log")["cores"]) == (None, None)
    assert "Machines" not in icsched("learn", "none.log").out


def test_a_replay_that_ends_in_time_with_other_jobs_running_does_not_explain_the_run(icsched, put):
    told = about_pool(GivenPool(Workers(1), 0.0, 0.51))
    assert "the number of running jobs is off by 51% of its mean" in told[0].text
    assert about_pool(GivenPool(Workers(1), 0.2, 0.5)) == ()
    put({"pool.json": '{"schema": 1, "kind": "workers", "count": 2, "running_error": 0.75}'})
    found = icsched("simulate", "wf.dag", "--pool", "pool.json", "--runs", "20")

    assert "off by 75% of its mean" in found.out


def test_a_run_is_compared_with_an_earlier_one_and_its_forecast(icsched, learn, put):
    """Before, the five jobs ran on one slot, for 500 s. Now two slots run them in 400 s."""
    before = "".join(
        submit(str(i), "10:00:00", f"job_{i}")
        + execute(str(i), f"10:{start // 60:02}:{start % 60:02}")
        + end(str(i), f"10:{(start + 100) // 60:02}:{(start + 100) % 60:02}")
        for i, start in enumerate(range(0, 500, 100), start=1)
    )
    put({"before.log": before})
    found = learn("five.log", "five.dag", "--against", "before.log")["against"]

    assert (found["before"], found["happened"]) == (500, 400)
    assert found["change"] == pytest.approx(-0.2)
    assert (found["order"], found["logs"]) == ("fifo", ["before.log"])
    assert found["low"] < 500 < found["high"]  # five jobs of 100 s, one after another
    assert (
        abs(found["forecast"] - 500) < 30
    )  # 500 s with a deviation of 67 s, over 100 runs or more
    assert found["error"] == found["forecast"] / 400 - 1
    told = icsched("learn", "five.log", "five.dag", "--against", "before.log").out
    assert "Against before.log: that run took 500 s. The forecast from it is " in told
    assert "It took 400 s: -20.0% against the run before, and the forecast was off by +" in told


def test_an_earlier_log_must_be_of_the_same_workflow(icsched):
    found = icsched("learn", "wf.log", "wf.dag", "--against", "five.log")
    assert (found.code, "five.log: only 0 of 5 names fit" in found.complaint) == (1, True)
    alone = icsched("learn", "wf.log", "--against", "five.log")
    assert "--against needs the workflow's file" in alone.complaint
