"""`icsched report`: its JSON, its page, and what cannot be reported."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from icsched import Dag, Pool, Workers, bound, families, prioritize, simulate
from icsched.formats import write_dagman
from icsched.pebble import eligibility_profile, memory_profile
from icsched.sim import Paired, Played, Times
from tests.cli.learn.dags import FORK_DAG
from tests.cli.report.samples import ONE_BY_ONE, WORKFLOW, workflow_json
from tests.history.test_learning import FORK_LOG
from tests.sim.models import trace

DAG = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
ORDERS = ["auto", "critical-path", "prio", "fifo"]
HOSTILE = ["</script><b>", "'\"&amp;", "\u2028\x1b[31m", "<!--", "a\\u003c"]


def order_of(found: dict, name: str) -> list[int]:
    return np.argsort(found["game"]["orders"][name]["rank"]).tolist()


def test_times_are_those_of_a_simulation_of_the_same_orders(report, fork):
    found = report(fork, pool=ONE_BY_ONE)

    assert [each["name"] for each in found["worth"]["orders"]] == ORDERS
    orders = {name: order_of(found, name) for name in ORDERS[:3]} | {"fifo": "fifo"}
    sampling = Paired(most_runs=2000)
    model = {"pool": Pool(batch=1), "times": Times("lognormal", 0.3)}
    own = simulate(DAG, orders, **model, baseline="fifo", sampling=sampling)
    assert found["worth"]["runs"] == own.runs
    for each in found["worth"]["orders"]:
        assert each["time"]["mean"] == pytest.approx(own.orders[each["name"]].time.mean)
    best = found["worth"]["best"]
    ratio = own.ratio[f"{best}_over_fifo"].time
    assert f"{100 * (1 - ratio.median):.1f}% earlier" in found["worth"]["words"]
    assert found["worth"]["is_clear"] == (ratio.high < 1)


def test_prio_uses_run_times_as_everywhere(report, put):
    """Without run times `prio` would take a, the first of two sources with one child each."""
    jobs = "".join(f"JOB {name} t.sub\n" for name in "abcd")
    put({"wf.dag": f"{jobs}PARENT a CHILD c\nPARENT b CHILD d\n"})
    put({"times.csv": "a,1\nb,1\nc,1\nd,100\n"})
    found = report("wf.dag", "--workers", "1", "--run-times", "times.csv")

    assert order_of(found, "prio")[0] == 1  # b


def test_the_priorities_of_the_file_are_what_orders_are_compared_with(report, put):
    put({"wf.dag": f"{WORKFLOW}PRIORITY lone 9\n"})
    found = report("wf.dag", pool=ONE_BY_ONE)

    assert [each["name"] for each in found["worth"]["orders"]] == ["now", *ORDERS]
    assert found["worth"]["baseline"] == "now"
    assert order_of(found, "now")[0] == 0  # lone
    assert found["worth"]["orders"][0]["ratio"] is None
    assert "with the priorities that the file has now" in found["worth"]["words"]


def test_jobs_that_are_done_are_counted_and_not_ordered(report, put):
    """The done job comes first in the file, and "auto" takes the order "prio" of the others."""
    put({"wf.dag": f"JOB begin t.sub DONE\n{WORKFLOW}PARENT begin CHILD lone a\n"})
    found = report("wf.dag", pool=ONE_BY_ONE)

    assert (found["size"]["tasks"], found["size"]["done"]) == (4, 1)
    assert found["worth"]["orders"][0]["words"].endswith("here it is prio")
    ranks = found["game"]["orders"]
    assert ranks["prio"] == ranks["auto"]
    assert sorted(ranks["prio"]["rank"]) == [0, 1, 2, 3]


@pytest.mark.usefixtures("put")
def test_curves_and_memory_are_the_profiles_of_the_orders_under_the_certified_bound(report):
    dag = families.airsn(8)
    write_dagman(dag, "wf.dag")
    found = report("wf.dag")

    ceiling = found["curves"]["ceiling"]
    steps = np.arange(len(dag) + 1)
    most = np.interp(steps, ceiling["step"], ceiling["eligible"])
    assert most.tolist() == bound(dag).certificate(prioritize(dag, "prio")).bound.tolist()
    for name in ORDERS:
        order = np.array(order_of(found, name), np.int32)
        curve, held = found["curves"]["orders"][name], found["memory"]["orders"][name]
        eligible = eligibility_profile(dag, order)
        assert np.interp(steps, curve["step"], curve["eligible"]).tolist() == eligible.tolist()
        assert (eligible <= most).all()
        memory = memory_profile(dag, order)
        assert np.interp(steps, held["step"], held["held"]).tolist() == memory.tolist()
        assert held["peak"] == memory.max()


@pytest.mark.usefixtures("put")
def test_lanes_are_the_first_simulated_run(report):
    dag = families.airsn(8)
    write_dagman(dag, "wf.dag")
    found = report("wf.dag", "--workers", "3")

    run = found["lanes"]["runs"]["fifo"]
    model = dag, Played("fifo"), Workers(3), Times("lognormal", 0.3)
    given = trace(*model, seed=0, run=0).assignments
    assert run["node"] == given.task.tolist()
    assert run["lane"] == given.request.tolist()
    assert run["start"] == pytest.approx(given.time.tolist(), abs=1e-3)
    assert run["end_of"] == pytest.approx(given.end.tolist(), abs=1e-3)
    assert (run["source"], run["workers"], run["is_cut"]) == ("simulated", 3, False)


def test_a_log_gives_the_recorded_run_its_pool_and_its_run_times(report, put):
    put({"wf.dag": FORK_DAG, "wf.log": FORK_LOG})
    found = report("wf.dag", "--log", "wf.log")

    run = found["lanes"]["runs"]["recorded"]
    label = found["dag"]["label"]
    assert [label[node] for node in run["node"]] == ["map_1", "map_2", "join", "out_1", "out_2"]
    assert (run["source"], run["workers"], run["end"]) == ("recorded", 2, 200)
    assert (found["pool"]["kind"], found["pool"]["count"]) == ("workers", 2)
    assert found["size"]["unit"] == "s"
    assert found["size"]["run_times"]["total"] == sum(
        end - start for start, end in zip(run["start"], run["end_of"], strict=True)
    )


@pytest.mark.usefixtures("put")
def test_workflows_with_very_many_arcs_are_grouped_and_their_page_is_small(icsched, tmp_path):
    dag = families.complete_bipartite(150, 150)
    write_dagman(dag, "wf.dag")
    result = icsched("report", "wf.dag", "-o", "page.html", "--workers", "50")

    assert (result.code, result.out) == (0, "wrote page.html: open it in a browser\n")
    page = (tmp_path / "page.html").read_text()
    assert len(page) < 2_000_000
    found = embedded(page)
    assert found["dag"]["is_grouped"]
    assert sum(found["dag"]["tasks"]) == len(dag)
    done = found["game"]["orders"]["auto"]["done"]
    assert [sum(row) for row in done] == found["game"]["steps"]


def embedded(page: str) -> dict:
    """Return the JSON in a page, as a browser finds it."""
    script = '<script type="application/json" id="report">'
    return json.loads(page.partition(script)[2].partition("</script>")[0])


def test_hostile_names_survive_in_json_and_in_the_page(icsched, report, put, tmp_path):
    tasks = [{"name": name, "id": name, "parents": []} for name in HOSTILE]
    put({"wf.json": json.dumps(workflow_json(tasks))})

    assert report("wf.json")["dag"]["label"] == HOSTILE
    assert icsched("report", "wf.json", "-o", "page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert embedded(page)["dag"]["label"] == HOSTILE
    assert "<b>" not in page
    assert not re.search("[\x1b\u2028]", page)


def test_the_name_of_a_file_that_is_not_utf8_survives(icsched, report, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "wf\udcff.dag"
    (tmp_path / name).write_text(WORKFLOW)

    assert report(name)["files"] == [name]
    assert icsched("report", name, "-o", "page.html").code == 0
    assert embedded((tmp_path / "page.html").read_text())["name"] == name


def test_jobs_of_one_name_and_two_submit_files_are_two_kinds(report, put):
    put({"wf.dag": "JOB m1 a.sub\nJOB n b.sub\nJOB m2 b.sub\nJOB m3 a.sub\n"})
    found = report("wf.dag")["dag"]

    assert (found["kind"], found["kinds"]) == ([0, 2, 1, 0], ["m#", "m# (2)", "n"])


def test_an_order_that_icsched_wrote_is_what_the_file_has_now(icsched, report, put):
    put({"wf.dag": WORKFLOW, "order.txt": "lone\na\nc\nb\n"})
    assert icsched("prio", "wf.dag", "--order", "@order.txt", "--in-place").code == 0
    found = report("wf.dag", pool=ONE_BY_ONE)

    assert found["worth"]["baseline"] == "now"
    assert order_of(found, "now") == [0, 1, 3, 2]
    assert order_of(found, "auto")[0] == 1
    told = json.dumps(found)
    assert "no eligible job in the order that the file has now" in told
    assert "One run in the order that the file has now stalls for" in told
    assert "order now" not in told  # as if now were an adverb


def test_a_proof_names_its_theorem_with_a_sentence_and_its_parts(report, fork):
    proof = report(fork, pool=ONE_BY_ONE)["proof"]

    assert proof["status"] == "ic-optimal"
    assert proof["words"].startswith("IC-optimal: no order has more eligible jobs at any step. ")
    assert not re.search(r"\(theorem", proof["words"])
    assert proof["tree"]["words"]
    assert (proof["min_ratio"], proof["mean_ratio"], proof["area_ratio"]) == (1, 1, 1)


def test_clusters_are_shown_if_asked_for(report, fork):
    found = report(fork, "--clusters", "2")["clusters"]

    sizes = np.bincount(found["cluster"])
    assert found["count"] == len(sizes)
    assert (found["size"], sizes.max()) == (2, 2)
    assert report(fork)["clusters"] is None


def test_run_times_without_a_pool_get_a_usual_pool_in_seconds(report, put):
    put({"wf.dag": WORKFLOW, "t.csv": "name,seconds\nlone,10\na,20\nb,30\nc,60\n"})
    found = report("wf.dag", "--run-times", "t.csv")

    assert found["size"]["unit"] == "s"
    assert found["size"]["run_times"]["longest"] == {"task": "c", "time": 60}
    assert found["stalls"]["critical_path"]["time"] == 80
    assert found["pool"]["words"].startswith("Nothing is known of your pool.")


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["wf.dag"], 2, "expected -o FILE, or --json"),
        (["wf.dag", "-o", "x.html", "--json"], 2, "-o cannot be used with --json"),
        (["wf.dag", "-o", "wf.dag"], 2, "wf.dag is a file of the workflow: use another name"),
        (["wf.dag", "--json", "--clusters", "9"], 2, "--clusters: expected"),
        (["wf.dag", "--json", "--log", "wf.dag"], 1, "wf.dag: expected an event log or a history"),
        (
            ["wf.dag", "--json", "--workers", "4", "--pool", "none.json"],
            2,
            "--pool cannot be used with --workers",
        ),
        (["done.dag", "--json"], 1, "done.dag: expected at least one job that is left to run"),
    ],
)
def test_what_cannot_be_reported_is_one_line(icsched, put, words, code, complaint):
    done = "".join(f"{line} DONE\n" for line in WORKFLOW.splitlines()[:4])
    put({"wf.dag": WORKFLOW, "done.dag": done, "t.csv": "name,seconds\nlone,10\n"})
    result = icsched("report", *words)

    assert (result.code, result.complaint[: len(complaint)]) == (code, complaint)


def test_nothing_is_written_if_the_workflow_cannot_be_read(icsched, put, tmp_path):
    put({"wf.dag": "JOB a\n", "page.html": "old"})

    assert icsched("report", "wf.dag", "-o", "page.html").code == 1
    assert (tmp_path / "page.html").read_text() == "old"


def test_a_page_never_replaces_a_file_that_is_read(icsched, fork, put):
    put({"times.csv": "a,1\nb,1\nc,1\nlone,1\n"})
    result = icsched(
        "report", fork, "--workers", "2", "--run-times", "times.csv", "-o", "times.csv"
    )

    assert result.code == 2
    assert result.complaint == "times.csv is a file that is read: use another name"
    assert Path("times.csv").read_text().startswith("a,1")


@pytest.mark.usefixtures("fork")
def test_standard_output_has_the_page_and_nothing_else(icsched):
    result = icsched("report", "wf.dag", "-o", "/dev/stdout")

    assert "open it in a browser" not in result.out


def test_json_is_ascii_where_the_stream_is(icsched_process, put):
    put({"wf.dag": "JOB caf\u00e9 t.sub\n"})
    found = json.loads(icsched_process("report", "wf.dag", "--json", PYTHONIOENCODING="ascii").out)

    assert found["dag"]["label"] == ["caf\u00e9"]


@pytest.mark.usefixtures("put")
def test_auto_is_what_prio_would_write(icsched, report):
    """Without a pool, both choose on the same usual pools."""
    for seed in range(4):
        dag = families.random_layered(60, 6, seed=seed)
        write_dagman(dag, "random.dag")
        ordered = json.loads(icsched("prio", "random.dag", "--json").out)["order"]
        found = report("random.dag")
        assert [str(dag.names[task]) for task in order_of(found, "auto")] == ordered
