"""`icsched show`: what a workflow is made of, and what may disturb an order of it."""

import json
import time

import pytest

from tests.cli.workflows import PAIR_AND_FORK

SHIFTS = "shifts the whole workflow against your others; its own order stays"


@pytest.fixture
def workflow(tmp_path):
    path = tmp_path / "wf.dag"
    path.write_text(PAIR_AND_FORK)
    return path


def test_show_lists_the_blocks_by_family(icsched, workflow):
    result = icsched("show", str(workflow))

    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[:6] == [
        f"{workflow}: 5 jobs, 3 dependencies (0 superfluous), 2 levels, 2 sources, 3 sinks",
        "2 blocks:",
        "          1 x N(1)             1 source, 1 sink",
        "          1 x W(1,2)           1 source, 2 sinks",
        "Order: prio (icsched prio takes auto unless --order names an order)",
        "IC-optimal, no order has more eligible jobs at any step"
        " (Cordasco et al. 2011, theorem 2.1: W(1,2) > N(1)).",
    ]


def test_show_json_has_the_keys_that_scripts_rely_on(icsched, put):
    r"""
    a
    |\
    b |      a -> c is superfluous; what is left is two arcs in a row.
    |/
    c
    """
    put({"wf.dag": "JOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b c\nPARENT b CHILD c\n", "x": ""})

    assert json.loads(icsched("show", "wf.dag", "--json").out) == {
        "schema": 1,
        "jobs": 3,
        "arcs": 3,
        "levels": 3,
        "sources": 1,
        "sinks": 1,
        "shortcuts": 1,
        "blocks": [{"family": "N(1)", "count": 2, "sources": 1, "sinks": 1}],
        "linear": True,
        "ordered_by": "prio",
        "run_times": None,
        "needs": [],
        "proof": {
            "status": "ic-optimal",
            "method": "theorem 2.1",
            "chain": "N(1) x 2",
            "min_ratio": 1.0,
            "mean_ratio": 1.0,
            "bound_area_ratio": 1.0,
        },
        "done": 0,
        "rescue": None,
        "priorities": 0,
        "sections": [],
        "strict": None,
        "advice": [],
    }


def test_show_counts_jobs_that_are_done_and_leaves_them_out(icsched, put):
    put({"wf.dag": PAIR_AND_FORK, "wf.dag.rescue001": "DONE c\nDONE d\n"})

    answer = json.loads(icsched("show", "wf.dag", "--json").out)
    whole = json.loads(icsched("show", "wf.dag", "--json", "--no-rescue").out)

    assert (answer["jobs"], answer["done"]) == (3, 2)
    assert (whole["jobs"], whole["done"]) == (5, 0)


def test_show_reads_several_files_as_one_workflow(icsched, put):
    put({"one.dag": "JOB a x\n", "two.dag": "JOB a x\nJOB b x\n"})

    result = icsched("show", "one.dag", "two.dag")

    assert result.out.startswith("one.dag two.dag: 3 jobs, 0 dependencies")


def test_show_finds_files_from_the_workflows_own_directory_when_asked(icsched, put):
    put({"sub/wf.dag": "SPLICE S in.dag\n", "sub/in.dag": "JOB p p.sub\n", "sub/p.sub": "prio=3\n"})

    assert icsched("show", "sub/wf.dag").code == 1
    answer = json.loads(icsched("show", "sub/wf.dag", "--usedagdir", "--json").out)
    assert answer["jobs"] == 1
    assert [(advice["file"], advice["line"]) for advice in answer["advice"]] == [("sub/p.sub", 1)]


# What may disturb an order

DISTURBED = {
    "wf.dag": "JOB a a.sub\nJOB b b.sub\nJOB c b.sub\nSCRIPT PRE a check\nCATEGORY b big\n"
    "MAXJOBS big 2\nCONFIG my.config\nSCRIPT PRE b check\n",
    "a.sub": "executable = x\n  Priority=5\nqueue\n",
    "b.sub": "executable = x\n# priority = 1\n\nprio = 7 # low\nqueue\nprio = 9\n",
    "my.config": "X = 1\ndagman_default_priority = 3\n",
}
PRE = "SCRIPT PRE: the job waits for its script before DAGMan considers its priority"
MAXJOBS = (
    "MAXJOBS big 2: a job held back by the limit lets later ones pass, and comes back out of order"
)


@pytest.fixture(autouse=True)
def undisturbed(monkeypatch):
    monkeypatch.delenv("_CONDOR_DAGMAN_DEFAULT_PRIORITY", raising=False)
    monkeypatch.delenv("_CONDOR_DAGMAN_USE_STRICT", raising=False)


def test_show_tells_what_may_disturb_an_order_with_file_and_line(icsched, put):
    put(DISTURBED)

    _, advice = icsched("show", "wf.dag").out.split("\nWhat may disturb an order:\n")

    assert set(advice.splitlines()) == {
        f"  wf.dag:4: {PRE} (and 1 more such line)",
        f"  wf.dag:6: {MAXJOBS}",
        "  a.sub:2: 'Priority=5': the pool orders job a by this, not by DAGMan's priority",
        "  b.sub:4: 'prio = 7 # low': the pool orders 2 jobs by this, not by DAGMan's priority",
        f"  my.config:2: 'dagman_default_priority = 3' {SHIFTS}",
    }


def test_show_json_has_the_advice_with_file_and_line(icsched, put):
    put(DISTURBED)

    advice = json.loads(icsched("show", "wf.dag", "--json").out)["advice"]

    assert sorted((entry["file"], entry["line"]) for entry in advice) == [
        ("a.sub", 2),
        ("b.sub", 4),
        ("my.config", 2),
        ("wf.dag", 4),
        ("wf.dag", 6),
    ]
    assert {"file": "wf.dag", "line": 6, "text": MAXJOBS, "count": 1} in advice
    assert {"file": "wf.dag", "line": 4, "text": PRE, "count": 2} in advice


def test_show_looks_at_the_environment_too(icsched, put, monkeypatch):
    put({"wf.dag": "JOB a a.sub\n", "a.sub": "queue\n"})
    monkeypatch.setenv("_CONDOR_DAGMAN_DEFAULT_PRIORITY", "4")
    text = f"_CONDOR_DAGMAN_DEFAULT_PRIORITY=4 {SHIFTS}"

    assert icsched("show", "wf.dag").out.endswith(
        f"\nWhat may disturb an order:\n  environment: {text}\n"
    )
    assert json.loads(icsched("show", "wf.dag", "--json").out)["advice"] == [
        {"file": "environment", "line": None, "text": text, "count": 1}
    ]


def test_show_remarks_once_on_a_submit_file_at_its_last_priority(icsched, put, folder):
    """A hundred thousand lines, and two names for the one file."""
    put({"wf.dag": "JOB a a.sub\nJOB b b.sub\n", "a.sub": "priority = 1\n" * 100_000})
    (folder / "b.sub").symlink_to("a.sub")

    start = time.process_time()
    advice = json.loads(icsched("show", "wf.dag", "--json").out)["advice"]

    text = "'priority = 1': the pool orders 2 jobs by this, not by DAGMan's priority"
    assert advice == [{"file": "a.sub", "line": 100_000, "text": text, "count": 1}]
    assert time.process_time() - start < 5


def test_show_says_nothing_more_of_a_workflow_that_nothing_disturbs(icsched, put):
    put({"wf.dag": "JOB a a.sub\nCONFIG my\n", "my": "", "a.sub": "queue\n"})

    assert "disturb" not in icsched("show", "wf.dag").out


def test_show_does_not_complain_of_what_icsched_wrote(icsched, put):
    put({"wf.dag": "JOB a a.sub\n", "a.sub": "queue\n"})
    assert icsched("prio", "wf.dag", "--in-place", "--via", "vars").code == 0

    assert "disturb" not in icsched("show", "wf.dag").out


def test_show_tells_of_submit_files_that_do_not_exist(icsched, put):
    """The remark counts jobs. DAGMan submits neither c, which is done, nor the NOOP job d."""
    put(
        {
            "wf.dag": "JOB e e.sub\nJOB a x\nJOB b x\nJOB c y DONE\nJOB d y NOOP\n",
            "e.sub": "queue\n",
        }
    )

    [remark] = json.loads(icsched("show", "wf.dag", "--json").out)["advice"]

    assert remark == {
        "file": "wf.dag",
        "line": 2,
        "text": "the submit file x does not exist: "
        "job a fails unless something makes the file first",
        "count": 2,
    }


def test_show_says_where_a_missing_submit_file_is_if_it_is_beside_the_workflow(icsched, put):
    put({"sub/wf.dag": "JOB a a.sub\n", "sub/a.sub": "queue\n"})

    assert "the submit file a.sub does not exist (DAGMan looks from" in (
        icsched("show", "sub/wf.dag").out
    )
    assert "disturb" not in icsched("show", "sub/wf.dag", "--usedagdir").out


AS_ONE = "icsched counts them as one job, and learns the mean of their run times"


@pytest.mark.parametrize(
    ("statement", "submits"),
    [
        ("queue 2", "submits all these jobs"),
        ("QUEUE 10", "submits all these jobs"),
        ("queue 02", "submits all these jobs"),
        ("queue $(n)", "may submit several jobs"),
        ("Queue $INT(n)", "may submit several jobs"),
        ("queue $(n) x in (1 2)", "submits all these jobs"),
        ("queue x from x.txt", "submits all these jobs"),
        ("queue x in (1 2)", "submits all these jobs"),
    ],
)
def test_show_tells_of_a_submit_file_that_queues_several_jobs(icsched, put, statement, submits):
    put({"wf.dag": "JOB a x\n", "x": f"executable = x\n  {statement} \n"})

    [remark] = json.loads(icsched("show", "wf.dag", "--json").out)["advice"]

    assert (remark["file"], remark["line"]) == ("x", 2)
    assert remark["text"] == f"'{statement}': DAGMan {submits} as job a; {AS_ONE}"


NEEDY = {
    "wf.dag": 'JOB map_1 m.sub\nJOB map_2 m.sub\nJOB end e.sub\nVARS map_1 n="2"\n',
    "m.sub": "executable = x\nrequest_cpus = $(n:4)\nrequest_memory = 2G\nqueue\n",
    "e.sub": "executable = x\nrequest_licences = 1\nrequest_memory = $$(Memory)\nqueue\n",
}


def test_show_has_a_line_for_the_needs_of_each_kind(icsched, put):
    put(NEEDY)

    out = icsched("show", "wf.dag").out

    assert out.partition("What jobs need:\n")[2].splitlines()[:3] == [
        "          2 x map_#            2 to 4 cores, 2 GiB of memory",
        "          1 x end              1 of licences, memory hidden",
        "              e.sub:3: request_memory = $$(Memory): only the engine can work this out"
        " (1 job)",
    ]


def test_show_json_has_the_needs_of_each_kind(icsched, put):
    put(NEEDY)

    kinds = json.loads(icsched("show", "wf.dag", "--json").out)["needs"]

    assert kinds[0] == {
        "kind": "map_#",
        "jobs": 2,
        "needs": [
            {"resource": "cores", "jobs": 2, "least": 2, "most": 4},
            {"resource": "memory_bytes", "jobs": 2, "least": 2**31, "most": 2**31},
        ],
        "hidden": [],
    }
    text = "request_memory = $$(Memory): only the engine can work this out"
    place = {"file": "e.sub", "line": 3, "text": text}
    assert kinds[1]["hidden"] == [{"resource": "memory_bytes", "jobs": 1, **place}]


def test_show_counts_the_jobs_whose_submit_file_queues_several(icsched, put):
    put({"wf.dag": "JOB a x\nJOB b x\nJOB c x DONE\n", "x": "queue 3\n"})

    assert f"as each of 2 jobs; {AS_ONE}" in icsched("show", "wf.dag").out


@pytest.mark.parametrize("end", ["", "\n", "\r\n", " \n"])
@pytest.mark.parametrize("statement", ["queue", "queue 1", "queue  1", "queue 01"])
def test_show_says_nothing_of_a_submit_file_that_queues_one_job(icsched, put, statement, end):
    put({"wf.dag": "JOB a x\n", "x": f"executable = x\n{statement}{end}"})

    assert "disturb" not in icsched("show", "wf.dag").out


def test_show_tells_which_commands_it_skipped(icsched, put):
    put({"wf.dag": "JOB a x\nFROBNICATE a\n"})

    assert icsched("show", "wf.dag").complaint == "wf.dag:2: unknown command, got 'FROBNICATE a'"
    assert "  wf.dag:2: unknown command skipped: FROBNICATE a\n" in (
        icsched("show", "wf.dag", "--lenient").out
    )


def test_show_lists_twenty_remarks_and_counts_the_others(icsched, put):
    limits = "".join(f"MAXJOBS c{number} 1\n" for number in range(25))
    put({"wf.dag": f"JOB a x\n{limits}", "x": "queue\n"})

    out = icsched("show", "wf.dag").out

    assert out.count("MAXJOBS") == 20
    assert out.endswith("  and 5 more: --json has all\n")
    assert len(json.loads(icsched("show", "wf.dag", "--json").out)["advice"]) == 25


def test_show_can_tell_of_names_that_are_no_utf_8(icsched_process, put):
    put({"wf.dag": b"JOB a x\nMAXJOBS caf\xe9 3\n"})

    text, answer = icsched_process("show", "wf.dag"), icsched_process("show", "wf.dag", "--json")

    assert (text.code, text.err, answer.code, answer.err) == (0, "", 0, "")
    assert json.loads(answer.out)["advice"][0]["line"] == 2
