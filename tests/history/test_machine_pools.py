"""Pools of machines for runs whose logs are made by hand."""

import numpy as np
import pytest

from icsched import Dag, Workflow
from icsched.history import Losses, Submission, Usage, machines_of
from icsched.history.machine_fit import machine_pools, needs_of
from icsched.history.replay import learned_from
from icsched.sim.machines import Machine
from tests.history.lines import end_held, execute, held, submit
from tests.history.test_machines import CLAIMS, CLAIMS_LOG, FAN, fan, moment, one, text_of

MIB = 2**20


def pools_of(past, dag: Dag | None = None):
    """Return the pools, a list for each memory."""
    usage = Usage.of(past, dag)
    seen, told = machines_of(usage, past.slots), Submission.of(usage)
    return list(machine_pools(usage, seen, Losses.of(usage, seen, told), told))


def wide_log(starts_at: int) -> str:
    """Write a run on one machine of 8 cores: 8 narrow jobs, a wide one, and 8 narrow ones.

    slot1_1 to slot1_8 (1)   a 0 - 10   b 10 - 20
    slot1_9 (8)                                     wide, 20 s

    All jobs are submitted at 0, in this order. A claim of one core takes the next narrow job, so
    the wide job waits for all of them, and then for a negotiation.
    """
    jobs = [one(i, f"a{i}", (0, 0, 10), f"slot1_{i}@ep") for i in range(1, 9)]
    jobs += [one(9, "wide", (0, starts_at, starts_at + 20), "slot1_9@ep", 8)]
    jobs += [one(9 + i, f"b{i}", (0, 10, 20), f"slot1_{i}@ep") for i in range(1, 9)]
    return text_of(*jobs)


WIDE_NAMES = [*(f"a{i}" for i in range(1, 9)), "wide", *(f"b{i}" for i in range(1, 9))]
WIDE = Workflow(Dag({name: [] for name in WIDE_NAMES}))


def test_a_run_with_a_wide_job_is_learned_as_a_machine(log):
    """In the order of the starts, 8 workers would end the wide job at 40: they do not negotiate."""
    found = learned_from(log(wide_log(22)), WIDE)

    assert found.name == "machines"
    assert found.pool.machines == (Machine({"cores": 8}),)
    assert found.replays["workers"].end == 40
    assert found.replays["machines"].end == pytest.approx(42, abs=3)  # a second a claim, and 2 s
    assert found.pool.htcondor.negotiator_interval == 2
    assert found.needs["cores"].tolist() == [1] * 8 + [8] + [1] * 8


def test_a_wide_job_that_waits_for_the_usual_negotiation_shows_default_intervals(log):
    """The first negotiation is at 0, and the next one is a minute later."""
    found = learned_from(log(wide_log(60)), WIDE)

    assert found.pool.htcondor.negotiator_interval == 60
    assert found.replays["machines"].end == pytest.approx(80, abs=2)
    assert found.error == found.replays["machines"].error


def test_priorities_that_the_run_did_not_have_are_left_out(log):
    """With the priority that the file now has, the wide job would run from 0 to 20."""
    ranked = Workflow(WIDE.dag, priorities=np.array([name == "wide" for name in WIDE_NAMES]) * 1)

    assert not learned_from(log(wide_log(22)), ranked).replays["machines"].has_priorities
    assert learned_from(log(wide_log(22)), WIDE).replays["machines"].has_priorities


def test_the_recorded_slots_can_be_asked_for(log):
    assert learned_from(log(wide_log(22)), WIDE, recorded=True).name == "recorded"


def test_a_task_that_fits_on_no_machine_leaves_other_pools(log):
    """The job that has not run asks for 9 cores, and the machine had 8."""
    cores = np.full(18, np.nan)
    cores[17] = 9
    more = Workflow(Dag({name: [] for name in [*WIDE_NAMES, "huge"]}), needs={"cores": cores})
    found = learned_from(log(wide_log(22)), more)

    assert found.needs["cores"].tolist() == [1] * 8 + [8] + [1] * 8 + [9]
    assert "machines" not in found.replays


def test_static_slots_are_no_machines_to_divide(log):
    text = text_of(one(1, "a", (0, 0, 10), "slot1@ep"), one(2, "b", (0, 0, 10), "slot2@ep"))
    past = log(text)

    assert pools_of(past) == []
    assert list(learned_from(past, Workflow(Dag({"a": [], "b": []}))).replays) == [
        "workers",
        "recorded",
    ]


def test_jobs_in_slots_of_more_cores_did_not_refuse_them(log):
    """In CLAIMS_LOG a job of 1 core runs in a slot of 8; in a run with a wide job none does."""
    (with_larger,), (without,) = pools_of(log(CLAIMS_LOG), CLAIMS), pools_of(log(wide_log(22)))

    assert {pool.htcondor.exact_cores for pool in with_larger} == {False}
    assert {pool.htcondor.exact_cores for pool in without} == {False, True}
    settings = [(each.htcondor.negotiator_interval, each.htcondor.hold) for each in with_larger]
    assert settings == [(60, 20), (60, 0), (2, 20), (2, 0)]


def test_the_machines_of_a_run_have_its_throttle_and_interval(log):
    """Two jobs of one core at a time, in parts of one slot; DAGMan's interval is 1 / 1.1 s."""
    (pools,) = pools_of(log(fan((11, 11, 21), (22, 22, 32), (33, 33, 43), (44, 44, 54))), FAN)

    assert len(pools) == 4  # jobs of one size refuse nothing
    for pool in pools:
        assert pool.machines == (Machine({"cores": 2}),)  # no job waited for memory
        assert (pool.max_jobs, pool.max_idle) == (2, None)
        assert pool.htcondor.scan_interval == pytest.approx(1 / 1.1)


def test_with_maxidle_a_scan_submits_a_tenth(log):
    """As in the log with at most two idle jobs: a tenth is less than one."""
    (pools,) = pools_of(log(fan((11, 12, 22), (13, 22, 32), (23, 32, 42), (33, 42, 52))), FAN)

    assert {(pool.max_idle, pool.htcondor.scan_submissions) for pool in pools} == {(2, 1)}


def in_memory(number: int, seconds: tuple[int, int, int], mib: int) -> list[tuple[str, str]]:
    """Write a job of one core that asks for so much memory, and gets it."""
    word, (queued, start, end) = str(number), map(moment, seconds)
    return [
        (queued, submit(word, queued)),
        (start, execute(word, start, f"slot1_{number}@ep")),
        (end, end_held(word, end, *held(1, 1, mib))),
    ]


def test_memory_is_more_than_was_held_and_less_than_what_did_not_fit(log):
    """Until 10, two jobs of 3072 MiB and two of 128 run; a third large one waits, a core is free.

    From 12 on, five jobs run at once: the machine has five cores.
    """
    large = [in_memory(n, (0, start, start + 10), 3072) for n, start in ((1, 0), (2, 0), (3, 10))]
    small = [in_memory(n, (0, 0, 10), 128) for n in (4, 5)]
    later = [in_memory(n, (12, 12, 20), 128) for n in (6, 7, 8, 9)]
    found = pools_of(log(text_of(*large, *small, *later)))

    told = [pools[0].machines[0].resources for pools in found]
    too_much, least = 3 * 3072 + 2 * 128, 2 * 3072 + 2 * 128
    assert told == [  # HTCondor gives memory in steps of 128 MiB
        {"cores": 5, "memory_bytes": (too_much - 128) * MIB},
        {"cores": 5, "memory_bytes": least * MIB},
    ]


def test_memory_that_no_job_waited_for_limits_claims_alone(log):
    """Both jobs run at once. Without memory, the large one could take the claim of the small one.

    First comes more than two jobs can hold, then what they held.
    """
    found = pools_of(log(text_of(in_memory(1, (0, 0, 10), 3072), in_memory(2, (0, 0, 10), 128))))

    told = [pools[0].machines[0].resources["memory_bytes"] / MIB for pools in found]
    assert told == [2 * 3072, 3200]


def test_what_the_log_does_not_say_is_as_the_workflow_states(log):
    """b has not run; nobody says the memory of c."""
    dag = Dag({"a": [], "b": [], "c": []})
    past = log(text_of(one(1, "a", (0, 0, 10), "slot1_1@ep", 4)))
    usage = Usage.of(past, dag)
    stated = {"cores": np.array([9.0, 2, np.nan]), "memory_bytes": np.array([1.0, 2, np.nan])}
    found = needs_of(usage, machines_of(usage, past.slots), stated, 3)

    assert found["cores"].tolist()[:2] == [4, 2]
    assert found["memory_bytes"].tolist()[:2] == [128 * MIB, 2]
    assert np.isnan([found["cores"][2], found["memory_bytes"][2]]).all()
