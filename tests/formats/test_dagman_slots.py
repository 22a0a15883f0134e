"""What the files of a DAGMan workflow say of HTCondor's slots, and how it is submitted."""

import pytest

from icsched import read
from icsched.formats.dagman.submit_slots import lines_of

EXACT = "(TARGET.PartitionableSlot =?= True) || (TARGET.Cpus == MY.RequestCpus)"


def settings(file="wf.dag", **options):
    return read(file, **options).source.slot_settings()


def test_the_config_file_says_how_dagman_submits(put):
    config = "DAGMAN_USER_LOG_SCAN_INTERVAL = 1\nDAGMAN_MAX_JOBS_SUBMITTED = 7\n"
    put({"wf.dag": "CONFIG wf.config\nJOB a x\n", "wf.config": config, "x": "queue\n"})

    assert settings().dagman == {"scan_interval": 1, "max_jobs": 7}


def test_a_limit_of_0_is_no_limit_but_a_hold_of_0_is_one(put):
    config = "DAGMAN_MAX_JOBS_SUBMITTED = 0\nDAGMAN_HOLD_CLAIM_TIME = 0\n"
    put({"wf.dag": "CONFIG wf.config\nJOB a x\n", "wf.config": config})

    found = settings()

    assert found.dagman == {"hold": 0}
    assert found.holds_nothing
    assert not found.is_exact


@pytest.mark.parametrize(
    ("y", "expected"),
    [("keep_claim_idle = 0\nqueue\n", True), ("queue\nkeep_claim_idle = 0\n", False), ("", False)],
)
def test_all_submit_files_must_say_that_no_slot_is_held(put, y, expected):
    """A setting after the queue statement is about later jobs."""
    put({"wf.dag": "JOB a x\nJOB b y\n", "x": "keep_claim_idle = 0\nqueue\n", "y": y})

    assert settings().holds_nothing is expected


def test_descriptions_inside_the_workflow_count_too(put):
    inside = "JOB a {\n keep_claim_idle = 0\n}\nSUBMIT-DESCRIPTION d {\n}\nJOB b d\nJOB c d\n"
    put({"wf.dag": inside})

    found = settings().submits

    assert [(one.line, one.holds_nothing) for one in found] == [(1, True), (4, False)]


def test_jobs_that_are_done_or_run_nothing_do_not_count(put):
    put({"wf.dag": "JOB a x DONE\nJOB b y NOOP\nJOB c z\n", "z": "keep_claim_idle = 0\n"})

    found = settings()

    assert [one.path for one in found.submits] == ["z"]
    assert found.holds_nothing


@pytest.mark.parametrize(
    ("text", "is_exact"),
    [
        (f"requirements = {EXACT}\n", True),
        (f'Requirements = (Arch == "X") && \\\n  ({EXACT})\n', True),
        ("requirements = TARGET.Cpus >= RequestCpus\n", False),
        (f'requirements = {EXACT}\nrequirements = Arch == "X"\n', False),  # the last one counts
        (f"# requirements = {EXACT}\n", False),
    ],
)
def test_requirements_may_ask_for_slots_of_the_same_cores(text, is_exact):
    found = lines_of("a.sub", text.encode())

    assert found.is_exact is is_exact
    assert found.has_requirements is not text.startswith("#")


def test_the_command_names_the_files_as_a_shell_reads_them(put):
    put({"my wf.dag": "JOB a x\n"})

    workflow = read("my wf.dag")

    assert workflow.source.command(["-maxjobs", "8"]) == (
        "condor_submit_dag -maxjobs 8 'my wf.dag'"
    )


def test_the_lock_of_dagman_says_that_it_runs(put):
    put({"wf.dag": "JOB a x\n"})
    before = read("wf.dag").source.is_running()
    put({"wf.dag.lock": ""})

    assert (before, read("wf.dag").source.is_running()) == (None, "wf.dag.lock")


# Categories


def categories(file="wf.dag"):
    found = read(file).residual.source.categories()
    return None if found is None else [column.tolist() for column in found]


def test_a_category_counts_if_it_has_a_limit(put):
    """The last CATEGORY line of a job counts; other has no limit, and nobody is in empty."""
    put(
        {
            "wf.dag": "JOB a x\nJOB b x\nJOB c x\nJOB d x\nCATEGORY a other\nCATEGORY b few\n"
            "CATEGORY c few\nCATEGORY c other\nCATEGORY d one\n"
            "MAXJOBS empty 5\nMAXJOBS few 2\nMAXJOBS one 1\n"
        }
    )

    assert categories() == [[-1, 0, -1, 1], [2, 1]]


def test_jobs_that_are_done_have_no_category(put):
    put({"wf.dag": "JOB a x DONE\nJOB b x\nCATEGORY ALL_NODES few\nMAXJOBS few 2\n"})

    assert categories() == [[0], [2]]


def test_a_category_of_a_splice_is_its_own_unless_it_is_global(put):
    put(
        {
            "wf.dag": "SPLICE S in.dag\nJOB a x\nCATEGORY a few\nMAXJOBS few 2\nMAXJOBS +all 3\n",
            "in.dag": "JOB b x\nJOB c x\nCATEGORY b few\nCATEGORY c +all\nMAXJOBS few 1\n",
        }
    )

    of_job, limits = categories()
    by_name = dict(zip(read("wf.dag").names, of_job, strict=True))

    assert {name: limits[number] for name, number in by_name.items()} == {
        "a": 2,
        "S+b": 1,
        "S+c": 3,
    }


def test_without_limits_there_are_no_categories(put):
    put({"wf.dag": "JOB a x\nCATEGORY a few\n"})

    assert categories() is None


def test_a_limit_of_0_is_left_out(put):
    limits = "MAXJOBS none 0\nMAXJOBS few 2\n"
    put({"wf.dag": f"JOB a x\nJOB b x\nCATEGORY a none\nCATEGORY b few\n{limits}"})

    assert categories() == [[-1, 0], [2]]
