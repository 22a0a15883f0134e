"""Logs that a real HTCondor writes: all that happened to the jobs is found in them."""

import re
import time
from functools import partial

import pytest

from icsched.history import read_log, read_run_times
from tests.htcondor.logged import counted, job
from tests.htcondor.pool import await_true, submit_file, text_of

UNTIL_GO = "until test -e go; do sleep 0.1; done"
DAG = """\
JOB short short.sub
JOB retried retried.sub
JOB held held.sub
JOB evicted evicted.sub
JOB removed removed.sub
JOB suspended suspended.sub
JOB nothing short.sub NOOP
RETRY retried 1
SCRIPT POST short /bin/true
"""
WAITING = ("held", "evicted", "removed", "suspended")


def tell(condor, command: str, node: str, *options: str) -> None:
    constraint = f'DAGNodeName == "{node}"'
    done = condor.command(condor.home, command, *options, "-constraint", constraint)
    assert done.returncode == 0, done.stderr


def events_of(path, number: int) -> int:
    return text_of(path).count(f"\n{number:03} (")


def await_events(path, number: int, count: int) -> None:
    deadline = time.monotonic() + 60
    await_true(lambda: events_of(path, number) >= count, deadline, f"{count} of {number} in {path}")


RUNNING = {
    "short": ["DONE"],
    "retried": ["FAILED", "DONE"],
    "held": ["EVICTED", "RUNNING"],
    "evicted": ["EVICTED", "RUNNING"],
    "removed": ["REMOVED"],
    "suspended": ["RUNNING"],
}
ENDED = {
    **RUNNING,
    "held": ["EVICTED", "DONE"],
    "evicted": ["EVICTED", "DONE"],
    "suspended": ["DONE"],
}


@pytest.fixture(scope="module")
def written(pool):
    """A run in which all happens that can, then a run from its rescue file; the folder of both.

    While the first run goes on, `running.log` is a copy of DAGMan's log.
    """
    place = pool.fresh()
    job(place, "short", "sleep 2")
    job(place, "retried", "test -e tried || { touch tried; exit 1; }")
    for name in WAITING:
        job(place, name, UNTIL_GO)
    (place / "wf.dag").write_text(DAG)
    disturbed(pool, place)
    assert pool.run(place, "wf.dag", fast=False, options=()).status == 0
    for form in ("json", "jsonl"):
        said = pool.command(
            place, "condor_history", f"-{form}", "-constraint", f'Iwd == "{inside(place)}"'
        )
        (place / f"history.{form}").write_text(said.stdout)
    return place


def inside(place) -> str:
    return f"/home/tester/{place.name}"


def disturbed(pool, place) -> None:
    """Run the dag once; the removed node makes it fail, and DAGMan writes a rescue file."""
    log = place / "user.log"
    done = pool.command(place, "condor_submit_dag", "wf.dag")
    assert done.returncode == 0, done.stderr
    cluster = done.stdout.partition("submitted to cluster ")[2].split(".")[0]
    await_true(log.exists, time.monotonic() + 60, "no log")
    await_events(log, 1, 6)
    tell(pool, "condor_hold", "held")
    tell(pool, "condor_vacate_job", "evicted", "-fast")
    tell(pool, "condor_suspend", "suspended")
    await_events(log, 12, 1)
    await_events(log, 10, 1)
    tell(pool, "condor_release", "held")
    tell(pool, "condor_continue", "suspended")
    tell(pool, "condor_rm", "removed")
    await_events(log, 11, 1)
    await_events(log, 9, 1)
    await_events(log, 1, 9)  # held, evicted and retried have started again
    await_events(log, 5, 3)
    (place / "running.log").write_bytes((place / "wf.dag.nodes.log").read_bytes())
    (place / "go").touch()
    await_true(lambda: not pool.queue(cluster), time.monotonic() + 60, "the dag does not end")
    (place / "first.log").write_bytes((place / "wf.dag.nodes.log").read_bytes())


def test_the_log_of_a_run_that_goes_on(written):
    past = read_log(written / "running.log")

    assert counted(past) == RUNNING
    assert all(slot.startswith("slot1_") for slot in past.slots)


def test_all_that_happened_to_the_jobs_is_found(written):
    past = read_log(written / "first.log")

    assert counted(past) == ENDED
    assert past.suspended[past.job == past.names.index("suspended")][0] >= 0


def test_run_times_are_right_to_within_the_clock(written):
    """Stamps have whole seconds, and a job starts a moment after its event."""
    table = read_run_times(written / "first.log")
    seconds = dict(zip(table.names, table.seconds, strict=True))

    assert "removed" not in seconds
    assert 1 <= seconds["short"] <= 4


def test_dagman_empties_its_log_for_a_rescue_run_and_the_users_log_keeps_both(written):
    assert counted(read_log(written / "wf.dag.nodes.log")) == {"removed": ["DONE"]}

    past = read_log(written / "user.log")
    assert counted(past) == {**ENDED, "removed": ["REMOVED", "DONE"]}
    assert not past.run.any(), "a rescue run continues the run"


def test_both_logs_together_say_what_each_says(written):
    both = read_log([written / "wf.dag.nodes.log", written / "user.log", written / "first.log"])

    assert counted(both) == {**ENDED, "removed": ["REMOVED", "DONE"]}


def test_a_log_rotated_anywhere_says_the_same(written, tmp_path):
    data = (written / "first.log").read_bytes()
    whole = counted(read_log(written / "first.log"))
    ends = [at for at in range(len(data)) if data.startswith(b"\n...\n", at)]
    for at in ends[1:-1]:
        (tmp_path / "log.old").write_bytes(data[: at + 5])
        (tmp_path / "log").write_bytes(data[at + 5 :])
        assert counted(read_log([tmp_path / "log", tmp_path / "log.old"])) == whole


def test_a_log_cut_anywhere_is_read_up_to_the_cut(written, tmp_path):
    data = (written / "first.log").read_bytes()
    whole = len(read_log(written / "first.log"))
    found = []
    for length in range(data.index(b"\n..."), len(data), 61):
        (tmp_path / "log").write_bytes(data[:length])
        found.append(len(read_log(tmp_path / "log")))

    assert found == sorted(found)
    assert found[0] == 0
    assert found[-1] == whole


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_the_history_has_the_last_attempt_of_each_job(written, form):
    assert counted(read_log(written / f"history.{form}")) == {
        "short": ["DONE"],
        "retried": ["FAILED", "DONE"],
        "held": ["DONE"],
        "evicted": ["DONE"],
        "removed": ["REMOVED", "DONE"],
        "suspended": ["DONE"],
    }


FORMS = {
    "ISO_DATE UTC SUB_SECOND": r"\n005 \(000\.2147483647\.\d+\) \d{4}-\d\d-\d\d [\d:]+\.\d{3}Z ",
    "LEGACY": r"\n005 \(000\.2147483647\.\d+\) \d\d/\d\d [\d:]+ ",
    "JSON": r'"EventTypeNumber": 5,',
}


@pytest.mark.parametrize("options", FORMS)
def test_events_that_dagman_writes_in_another_form_beside_those_of_the_job(condor, options):
    """DAGMan writes the events of NOOP nodes itself, and cannot read them where they are JSON."""
    place = condor.fresh()
    submit_file(place)
    (place / "wf.dag").write_text("JOB a task.sub\nJOB none task.sub NOOP\n")
    settings = {"DEFAULT_USERLOG_FORMAT_OPTIONS": options}
    done = condor.command(place, "condor_submit_dag", "wf.dag", config=settings)
    assert done.returncode == 0, done.stderr
    cluster = done.stdout.partition("submitted to cluster ")[2].split(".")[0]
    log = place / "wf.dag.nodes.log"
    of_job, of_noop = r"\n005 \(\d+\.000\.000\)", FORMS[options]
    await_true(log.exists, time.monotonic() + 60, "no log")
    for form in (of_job, of_noop):
        seen = partial(lambda form: re.search(form, text_of(log)), form)
        await_true(seen, time.monotonic() + 60, f"no {form}")
    condor.command(condor.home, "condor_rm", cluster)
    await_true(lambda: not condor.queue(cluster), time.monotonic() + 60, "the dag does not end")

    assert counted(read_log(log)) == {"a": ["DONE"]}
