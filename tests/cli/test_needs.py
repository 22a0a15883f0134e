"""Jobs that ask for different cores or memory: no forecast, unless machines are given."""

import json

import pytest

# A good order starts a, which frees the long b; the file starts the two others first.
DAG = "JOB c x\nJOB d x\nJOB a x\nJOB b y\nPARENT a CHILD b\n"
TIMES = "task,seconds\na,10\nb,50\nc,40\nd,40\n"
FORECAST = "no forecast: jobs ask for different {}, and only machines show how such jobs run"
QUEUE = "queue\n"


@pytest.fixture
def ask(icsched, put):
    """Run a command on a workflow whose last job asks for *lines*, and read JSON if there is."""

    def run(lines, *words):
        put({"wf.dag": DAG, "x": QUEUE, "y": lines + QUEUE, "times.csv": TIMES})
        found = icsched(*words)
        assert (found.code, found.err) == (0, "")
        return json.loads(found.out) if "--json" in words else found.out

    return run


POOLS = [(), ("--workers", "2")]
TIMED = ("wf.dag", "--run-times", "times.csv")


@pytest.mark.parametrize("pool", POOLS, ids=["usual", "workers"])
@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ("request_cpus = 4\n", "cores"),
        ("request_memory = 2G\n", "memory"),
        ("request_cpus = 4\nrequest_gpus = 1\n", "cores and gpus"),
    ],
)
def test_prio_says_no_gain_and_writes_nothing_if_jobs_ask_for_different_amounts(
    ask, folder, pool, lines, what
):
    said = ask(lines, "prio", *TIMED, *pool, "--in-place")

    assert FORECAST.format(what) in " ".join(said.split())
    assert "the run should end" not in said
    assert (folder / "wf.dag").read_text() == DAG


def test_jobs_that_all_ask_for_the_same_get_a_forecast(ask, folder):
    """A job that says nothing of its cores gets one, so 1 is the same."""
    said = ask("request_cpus = 1\n", "prio", *TIMED, "--workers", "2", "--in-place")

    assert "auto chose prio" in said
    assert "PRIORITY a" in (folder / "wf.dag").read_text()


def test_jobs_that_are_done_may_have_asked_for_more(icsched, put):
    put(
        {"wf.dag": "JOB a y DONE\nJOB b x\nJOB c x\n", "x": QUEUE, "y": "request_cpus = 4\nqueue\n"}
    )

    assert "no forecast" not in icsched("prio", "wf.dag").out


def test_an_order_that_the_user_names_is_written_all_the_same(ask, folder):
    ask("request_cpus = 4\n", "prio", *TIMED, "--order", "critical-path", "--in-place")

    assert "PRIORITY a" in (folder / "wf.dag").read_text()


@pytest.mark.parametrize("writing", [(), ("--in-place",)], ids=["", "in-place"])
def test_json_says_it_among_the_notes_and_has_no_choice(ask, writing):
    found = ask("request_cpus = 4\n", "prio", *TIMED, *writing, "--json")

    assert found["choice"] is None
    assert found["advice"] is None
    assert found["ordered_by"] == "fifo"
    assert [note for note in found["notes"] if "give --machines" in note] != []


def test_what_only_htcondor_can_work_out_is_not_forecast_on_machines_either(ask):
    lines = "request_cpus = ifthenelse(x, 1, 2)\n"

    said = ask(lines, "prio", *TIMED, "--machines", "2x4")

    assert "no forecast: icsched cannot read what 1 job asks for, as in y:1" in said
    assert "the run should end" not in said


def test_check_finds_nothing_to_write_if_there_is_no_forecast(ask, icsched):
    ask("request_cpus = 4\n", "show", "wf.dag")

    found = icsched("prio", *TIMED, "--check")

    assert found.code == 0
    assert "nothing would be written, because jobs ask for different cores" in found.out


def test_simulate_tells_no_gain_that_workers_cannot_show(ask):
    said = ask("request_cpus = 4\n", "simulate", *TIMED, "--workers", "2", "--runs", "20")

    assert "No gain is told, because even its sign may be wrong:\nJobs ask for different" in said
    assert "of fifo's time" not in said
    assert "of single runs" not in said


def test_the_report_tells_no_gain_that_workers_cannot_show(ask, folder):
    ask("request_cpus = 4\n", "report", *TIMED, "--workers", "2", "-o", "page.html")
    page = (folder / "page.html").read_text()

    assert "No forecast: jobs ask for different cores, and only machines show" in page
    assert "this run should end" not in page


# Submit files that do not exist

ABSENT = (
    "The submit files of 2 jobs were not found, such as gone.sub: each counts as 1 core; go to the"
    " directory you submit in, or give --usedagdir.\n"
)
COMMANDS = [
    ("prio", "--run-times", "times.csv"),  # without seconds prio forecasts nothing on machines
    ("simulate", "--runs", "20"),
    ("plot", "lanes", "-o", "lanes.svg"),
]


@pytest.fixture
def absent(put):
    """Four jobs that are left: two have no submit file, one is described, one does nothing."""
    jobs = "JOB old gone.sub DONE\nJOB a gone.sub\nJOB b gone.sub\nJOB c x\n"
    others = "SUBMIT-DESCRIPTION y {\nrequest_cpus = 2\n}\nJOB d y\nJOB e gone.sub NOOP\n"
    put({"wf.dag": jobs + others + "PARENT a CHILD b\n", "x": QUEUE, "times.csv": TIMES})


@pytest.mark.usefixtures("absent")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_on_machines_it_is_told_how_many_jobs_count_as_one_core_for_want_of_a_file(
    icsched, command
):
    found = icsched(*command, "wf.dag", "--machines", "1x4")

    assert (found.code, found.err) == (0, "")
    assert found.out.count(ABSENT) == 1


def test_submit_files_that_do_not_exist_withhold_no_forecast(icsched, put):
    put({"wf.dag": DAG, "times.csv": TIMES})

    on_machines, on_workers = (
        icsched("prio", *TIMED, *pool).out for pool in (("--machines", "1x2"), ("--workers", "2"))
    )

    assert "The submit files of 4 jobs were not found, such as x:" in on_machines
    assert "auto chose" in on_machines
    assert "auto chose" in on_workers
    assert "were not found" not in on_workers


def test_from_the_directory_of_the_workflow_all_submit_files_are_found(icsched, put):
    put({"in/wf.dag": DAG, "in/x": QUEUE, "in/y": QUEUE})
    command = ("simulate", "in/wf.dag", "--machines", "1x2", "--runs", "20")

    assert "were not found" in icsched(*command).out
    assert "were not found" not in icsched(*command, "--usedagdir").out


# A run that goes on


def test_an_order_written_beside_a_lock_of_dagman_does_not_change_that_run(icsched, put):
    put({"wf.dag": DAG, "wf.dag.lock": "", "x": QUEUE, "y": QUEUE})

    written = icsched("prio", "wf.dag", "--order", "prio", "--in-place").out
    shown = icsched("prio", "wf.dag", "--order", "prio").out

    assert "wf.dag.lock is there: if DAGMan runs this workflow now, that run keeps its" in written
    assert "lock" not in shown


def test_without_seconds_nothing_is_forecast_beside_the_delays_of_htcondor(ask):
    said = ask("request_cpus = 2\n", "prio", "wf.dag", "--machines", "1x4")

    assert "no forecast: HTCondor's delays are in seconds, and run times are not known" in said
    assert "keep_claim_idle" not in said


def test_gpus_that_no_machine_names_are_told_beside_the_gain(ask):
    said = ask("request_gpus = 1\n", "simulate", *TIMED, "--machines", "1x4", "--runs", "20")

    assert "Jobs ask for gpus, and no machine of the pool names gpus: any number runs at" in said
    assert "of fifo's time" in said
