"""Recorded runs beside the simulation of HTCondor's slots; expected times are worked by hand."""

import json
import sys
from dataclasses import asdict

import pytest

from icsched.sim.machines import Machine
from tools import slot_model
from tools.real_pool import Job, Record


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


def test_a_replay_says_how_far_off_the_simulation_is(folder, monkeypatch, capsys):
    """The simulation: 0.158 s to the cycle, 0.15 s to the start, 4.045 s to the end; 4.353 s."""
    monkeypatch.setattr(sys, "argv", ["slot_model", str(folder)])

    slot_model.main()

    _, row, summary = capsys.readouterr().out.splitlines()
    assert row.split()[1:6] == ["4.3", "4.4", "1.2", "4.4", "4.4"]
    assert summary == "1 runs: median 1.2% off, mean +1.2%; 1 within 5%"


def made(**settings):
    """What a run has recorded."""
    jobs = [Job(name, 1) for name in ("first", "second", "third")]
    return Record("made", 1, "plain", ("-maxidle", "40"), {"MEMORY": "8192"} | settings, (), jobs)


def test_the_pool_comes_from_the_record_and_from_the_files_of_the_run(folder):
    pool = slot_model.pool_of(made(NEGOTIATOR_INTERVAL="60", NUM_SLOTS="2"), folder)

    assert pool.machines == (Machine({"cores": 4, "memory_bytes": 2**32}, 2),)
    assert (pool.htcondor.negotiator_interval, pool.htcondor.hold) == (60, 7)
    assert (pool.max_idle, pool.htcondor.scan_submissions) == (40, 4)  # a tenth of -maxidle
    assert not pool.htcondor.exact_cores


def test_keep_claim_idle_in_a_submit_file_comes_before_the_setting(folder):
    (folder / "only.sub").write_text("keep_claim_idle = 0\nqueue\n")

    assert slot_model.pool_of(made(), folder).htcondor.hold == 0


def test_categories_come_from_the_dagman_file(folder):
    lines = "CATEGORY first big\nCATEGORY third small\nMAXJOBS small 3\nMAXJOBS big 1\n"
    (folder / "wf.dag").write_text(lines)

    found = slot_model.categories_of(made(), folder)

    assert found.of_task.tolist() == [1, -1, 0]
    assert found.limits.tolist() == [3, 1]
