"""`icsched prio` says how to submit: what to put into submit files, and with which throttle."""

import json
from pathlib import Path

import pytest

from icsched.orders.launches import EXACT, NO_HOLD

# b needs the whole machine, and HTCondor holds the claim of a, which is too small for b.
DAG = "JOB a small.sub\nJOB b large.sub\nPARENT a CHILD b\n"
SMALL, LARGE = "request_cpus = 1\nqueue\n", "request_cpus = 2\nqueue\n"
POOL = ("--machines", "1x2")
TIMES = ("--run-times", "t.csv")


@pytest.fixture
def files(put):
    put(
        {"wf.dag": DAG, "small.sub": SMALL, "large.sub": LARGE, "t.csv": "task,seconds\na,1\nb,1\n"}
    )


def prio(icsched, *words):
    found = icsched("prio", "wf.dag", *POOL, *TIMES, *words)
    assert (found.code, found.err) == (0, "")
    return json.loads(found.out)["advice"] if "--json" in words else found.out


@pytest.mark.usefixtures("files")
def test_the_steps_are_numbered_and_end_with_the_command(icsched):
    said = prio(icsched)

    _, steps = said.split("To submit, in this order:\n")
    assert steps.startswith("  1. put into each submit file, directly above the line queue:\n")
    assert f"\n       {NO_HOLD}\n" in steps
    assert "requirements" not in steps
    assert "  2. condor_submit_dag wf.dag\n     no throttle: there are fewer jobs than" in steps
    last, runs = steps.splitlines()[-2:]
    assert last.startswith("After all steps the run should end")
    assert runs.startswith("A run should take ")


@pytest.mark.usefixtures("files")
def test_json_has_all_that_a_script_needs_to_do_it(icsched):
    found = prio(icsched, "--json")

    assert found["submit_lines"] == [NO_HOLD]
    assert found["submit_files"] == [
        {"file": name, "line": 0, "lines": [NO_HOLD]} for name in ("small.sub", "large.sub")
    ]
    assert (found["max_jobs"], found["command"]) == (None, "condor_submit_dag wf.dag")
    assert found["run_again"] is False
    assert found["ratio"]["high"] < 0.7


@pytest.mark.usefixtures("files")
def test_who_does_what_icsched_says_is_asked_for_nothing_more(icsched, put):
    for file in prio(icsched, "--json")["submit_files"]:
        text = SMALL if file["file"] == "small.sub" else LARGE
        put({file["file"]: text.replace("queue", "\n".join([*file["lines"], "queue"]))})

    after = prio(icsched, "--json")

    assert after["submit_lines"] == []
    assert after["ratio"] is None


def test_requirements_of_the_user_stay(icsched, put):
    """20 small jobs after 2 large ones need both lines."""
    jobs = [f"JOB l{i} large.sub" for i in range(2)] + [f"JOB s{i} small.sub" for i in range(20)]
    own = f'requirements = Arch == "X86_64"\n{SMALL}'
    table = ["task,seconds", *(f"{job.split()[1]},30" for job in jobs)]
    put({"wf.dag": "\n".join(jobs) + "\n", "small.sub": own, "large.sub": LARGE})
    put({"t.csv": "\n".join(table) + "\n"})

    found = prio(icsched, "--json")
    lines = {file["file"]: file["lines"] for file in found["submit_files"]}

    assert lines["large.sub"] == [NO_HOLD, EXACT]
    assert lines["small.sub"] == [
        NO_HOLD,
        f"requirements = ($(requirements)) && ({EXACT.removeprefix('requirements = ')})",
    ]


def test_a_throttle_of_the_config_file_is_not_lifted_but_raised(icsched, put):
    """condor_submit_dag cannot take away the limit of a CONFIG file, but can set another."""
    jobs = "".join(f"JOB j{i} x\n" for i in range(20))
    config = "DAGMAN_MAX_JOBS_SUBMITTED = 1\n"
    put({"wf.dag": f"CONFIG wf.config\n{jobs}", "wf.config": config, "x": "queue\n"})
    put({"t.csv": "task,seconds\n" + "".join(f"j{i},1\n" for i in range(20))})

    found = prio(icsched, "--json")

    assert found["max_jobs"] == 4
    assert found["command"] == "condor_submit_dag -maxjobs 4 wf.dag"


@pytest.mark.usefixtures("files")
def test_a_copy_is_what_the_command_names(icsched):
    assert prio(icsched, "-o", "copy.dag", "--json")["command"] == "condor_submit_dag copy.dag"


def test_plain_workers_and_other_formats_get_no_advice(icsched, put):
    put({"wf.dag": "JOB a x\nJOB b x\n", "x": "queue\n", "wf.edges": "a b\n"})

    by_workers = json.loads(icsched("prio", "wf.dag", "--workers", "2", "--json").out)

    assert by_workers["advice"] is None


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--machines", "8 cores"), "machines: expected COUNTxCORES or COUNTxCORESxMEMORY"),
        (("--machines", "8", "--workers", "2"), "--machines cannot be used with --workers"),
        (("--machines", "8", "--pool", "p"), "--pool cannot be used with --machines"),
        (("--machines", "1"), "machines: none is large enough for 'b', which needs 2 cores"),
    ],
)
@pytest.mark.usefixtures("files")
def test_wrong_machines_are_refused(icsched, words, complaint):
    assert complaint in icsched("prio", "wf.dag", *TIMES, *words).complaint


def test_limits_of_categories_are_simulated_on_machines(icsched, put):
    """Six jobs of 100 s on six cores, two at once: three rounds."""
    jobs = "".join(f"JOB j{i} x\n" for i in range(6))
    table = "task,seconds\n" + "".join(f"j{i},100\n" for i in range(6))
    put(
        {"wf.dag": f"{jobs}CATEGORY ALL_NODES few\nMAXJOBS few 2\n", "x": "queue\n", "t.csv": table}
    )

    words = ("simulate", "wf.dag", "--run-times", "t.csv", "--law", "constant", "--json")
    limited = json.loads(icsched(*words, *("--machines", "1x6", "--runs", "20")).out)
    plain = json.loads(icsched(*words, *("--workers", "6", "--runs", "20")).out)

    assert 300 < limited["orders"]["fifo"]["time"]["mean"] < 400
    assert limited["notes"] == []
    assert plain["notes"] == ["MAXJOBS limits of categories are not simulated"]


def test_a_section_that_is_out_of_date_is_written_again_before_the_workflow_is_submitted(
    icsched, put
):
    """The new job would run last with the section, too: DAGMan takes it for priority 0."""
    jobs = [f"JOB s{i} small.sub" for i in range(10)]
    dag = "\n".join([*jobs, "JOB last small.sub", "PARENT s9 CHILD last", ""])
    table = ["task,seconds", *(f"s{i},60" for i in range(10)), "last,600", "new,1", ""]
    put({"wf.dag": dag, "small.sub": SMALL, "t.csv": "\n".join(table)})
    prio(icsched, "--in-place")
    written = Path("wf.dag").read_text()
    assert "PRIORITY s9" in written
    assert "write the order" not in prio(icsched)

    put({"wf.dag": f"{written}JOB new small.sub\nPARENT last CHILD new\n"})
    said = prio(icsched)

    assert "icsched's section is out of date" in said
    assert "  1. write the order: repeat this command with --in-place\n" in said
