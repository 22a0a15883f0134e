"""The model of partitionable slots follows its rules; each expected time is worked by hand."""

import json
import sys
from dataclasses import asdict, replace

import pytest

from tools import slot_model
from tools.real_pool import Job, Record
from tools.slot_model import NO_DELAYS, Machine, Pool, Settings

# Cycles at 0, 2, 4 ... s and passes at 0, 1, 2 ... s; nothing takes time but jobs and intervals.
QUICK = Settings(
    scan_interval=1,
    schedd_interval=1,
    heartbeat_s=0,
    negotiator_interval=2,
    cycle_delay=0,
    delays=NO_DELAYS,
)


def played(jobs, settings=QUICK, cores=8, memory_mib=8192):
    """Start and end of each job on one machine."""
    pool = Pool(jobs, [Machine(cores, memory_mib)], settings)
    return {job.name: (job.started, job.ended) for job in pool.run()}


WIDE_FIRST = [Job("wide", 4, 8, priority=1), *(Job(f"narrow{i}", 4) for i in range(3))]


def test_narrow_jobs_run_one_by_one_in_the_claim_of_a_wide_job():
    """
    8 cores | wide | n0 | n1 | n2 |    the claim keeps its size, so 7 cores have nothing to do
            0      4    8    12   16
    """
    assert played(WIDE_FIRST) == {
        "wide": (0, 4),
        "narrow0": (4, 8),
        "narrow1": (8, 12),
        "narrow2": (12, 16),
    }


def test_narrow_jobs_that_refuse_a_wide_claim_run_side_by_side():
    """The claim is given back at 4, and the cycle at 4 makes three of it."""
    exact = played(WIDE_FIRST, replace(QUICK, exact_cores=True))

    assert exact == {"wide": (0, 4), "narrow0": (4, 8), "narrow1": (4, 8), "narrow2": (4, 8)}


def test_claims_of_narrow_jobs_become_a_wide_claim_if_the_wide_job_is_last():
    """No idle job fits into a claim of one core, so all three are given back at 4."""
    last = [replace(job, priority=-job.priority) for job in WIDE_FIRST]

    assert played(last) == {
        "narrow0": (0, 4),
        "narrow1": (0, 4),
        "narrow2": (0, 4),
        "wide": (4, 8),
    }


def test_a_wide_job_of_high_priority_starves_while_narrow_jobs_are_idle():
    """
    core 1 | first | n1   | n3      |    wide is submitted at 3, before all others by priority,
    core 2 | n0       | n2   |      |    but it fits into no claim of one core
           0       2  3   5  6      8    wide starts at 9: the cycle at 3, then each 2 s
    """
    jobs = [
        Job("first", 2),
        *(Job(f"narrow{i}", 3) for i in range(4)),
        Job("wide", 1, 2, parents=("first",), priority=9),
    ]

    assert played(jobs, replace(QUICK, hold_s=0), cores=2) == {
        "first": (0, 2),
        "narrow0": (0, 3),
        "narrow1": (2, 5),
        "narrow2": (3, 6),
        "narrow3": (5, 8),
        "wide": (9, 10),
    }


def test_a_claim_keeps_the_memory_of_its_first_job():
    """Two claims have all the memory; the other six cores have none for a job."""
    large = [Job(f"large{i}", 4, memory_mib=4000, priority=1) for i in range(2)]
    small = [Job(f"small{i}", 2) for i in range(4)]

    assert played([*large, *small]) == {
        "large0": (0, 4),
        "large1": (0, 4),
        "small0": (4, 6),
        "small1": (4, 6),
        "small2": (6, 8),
        "small3": (6, 8),
    }


@pytest.mark.parametrize(
    ("hold_s", "schedd_interval", "start"),
    [
        (20, 300, 300),  # the hold is over at 23, but the next pass is at 300
        (20, 1, 24),  # the pass at 23 gives it back, and the cycle at 24 makes the wide claim
        (0, 300, 4),  # given back at 3
    ],
)
def test_a_held_claim_is_given_back_at_the_first_pass_after_its_hold(
    hold_s, schedd_interval, start
):
    """`small` has a child, so its claim is held when it ends at 3. `wide` needs both cores."""
    jobs = [Job("small", 3), Job("wide", 1, 2), Job("merge", 1, parents=("small", "wide"))]
    settings = replace(QUICK, hold_s=hold_s, schedd_interval=schedd_interval)

    assert played(jobs, settings, cores=2)["wide"] == (start, start + 1)


@pytest.mark.parametrize(("parent", "start"), [("small", 300), ("last", 6)])
def test_the_first_job_of_a_shadow_decides_whether_its_claim_is_held(parent, start):
    """
    core 1 | small | last |    the shadow of `small` also runs `last`
    core 2 | other |           given back at 3
           0       3      6    `wide` needs both cores
    """
    jobs = [
        Job("small", 3, priority=2),
        Job("other", 3, priority=2),
        Job("last", 3, priority=1),
        Job("wide", 1, 2),
        Job("merge", 1, parents=(parent, "wide")),
    ]
    settings = replace(QUICK, schedd_interval=300)

    assert played(jobs, settings, cores=2)["wide"] == (start, start + 1)


@pytest.mark.parametrize(("scan_interval", "start"), [(5, 10), (2, 6)])
def test_a_child_is_submitted_at_the_scan_after_the_one_that_reads_its_parents_end(
    scan_interval, start
):
    """The parent ends at 3. The next scan, at 5 or 4, submits before it reads."""
    jobs = [Job("parent", 3), Job("child", 1, parents=("parent",))]

    assert played(jobs, replace(QUICK, scan_interval=scan_interval))["child"] == (start, start + 1)


def test_jobs_over_the_limit_of_their_category_come_back_in_reverse():
    """s1 and s2 are refused at 0, 2 and 4, and reversed each time. The end at 3 is read at 4."""
    jobs = [Job(f"s{i}", 3) for i in range(3)]
    settings = replace(
        QUICK,
        scan_interval=2,
        categories={job.name: "one" for job in jobs},
        category_limits={"one": 1},
    )

    # s2 ends at 9; s1 is refused until the end is read at 10.
    assert played(jobs, settings) == {"s0": (0, 3), "s2": (6, 9), "s1": (12, 15)}


def test_the_next_job_takes_the_smallest_machine_that_has_room():
    """`two` goes where 2 cores are left, so that `four` finds a whole machine."""
    machines = [Machine(4, 4096), Machine(2, 4096)]
    jobs = [Job("two", 3, 2, priority=1), Job("four", 3, 4)]

    assert [job.started for job in Pool(jobs, machines, QUICK).run()] == [0, 0]


@pytest.fixture
def folder(tmp_path):
    """A run of one job of 4 s, as tools.real_pool keeps it; it started after 0.3 s."""
    job = Job("only", 4, submitted=100, started=100.3, ended=104.3)
    record = Record("made", 1, "plain", ("-maxidle", "40"), {"MEMORY": "8192"}, (), [job])
    (tmp_path / "run.json").write_text(json.dumps(asdict(record)))
    (tmp_path / "wf.dag").write_text("JOB only only.sub\nCONFIG dag.cfg\n")
    (tmp_path / "dag.cfg").write_text("DAGMAN_HOLD_CLAIM_TIME = 7\n")
    (tmp_path / "only.sub").write_text("executable = work\nqueue\n")
    return tmp_path


def test_a_replay_says_how_far_off_the_model_is(folder, monkeypatch, capsys):
    """The model: 0.158 s to the cycle, 0.15 s to the start, 4.045 s to the end; 4.353 s."""
    monkeypatch.setattr(sys, "argv", ["slot_model", str(folder)])

    slot_model.main()

    _, row, summary = capsys.readouterr().out.splitlines()
    assert row.split()[1:6] == ["4.3", "4.4", "1.2", "4.4", "4.4"]
    assert summary == "1 runs: median 1.2% off, mean +1.2%; 1 within 5%"


def test_settings_come_from_the_record_and_from_the_files_of_the_run(folder):
    record = Record("made", 1, "plain", ("-maxidle", "40"), {"NEGOTIATOR_INTERVAL": "60"}, (), [])

    settings = slot_model.settings_of(record, folder)

    assert (settings.negotiator_interval, settings.hold_s) == (60, 7)
    assert (settings.max_idle, settings.scan_submissions) == (40, 4)  # a tenth of -maxidle
    assert not settings.exact_cores


def test_keep_claim_idle_in_a_submit_file_comes_before_the_setting(folder):
    record = Record("made", 1, "plain", (), {}, (), [])
    (folder / "only.sub").write_text("keep_claim_idle = 0\nqueue\n")

    assert slot_model.settings_of(record, folder).hold_s == 0
