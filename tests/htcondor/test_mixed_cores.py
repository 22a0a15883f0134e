"""Jobs of unlike cores on a real pool: how a run ends, and what its log says.

The run ends when `icsched simulate` says, and what `icsched prio` advises does not make it later.
"""

import json
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from icsched.commands.main import run as icsched
from tools.real_pool import (
    ADVISED,
    CORES,
    PLAIN,
    SETTINGS,
    Job,
    Record,
    machine,
    read_records,
    run_one,
)

SEEDS = (1, 2)  # a run of twenty ends outside its interval, so that one more may show what is true
LATER = 1.08  # what a run may take longer by chance


def small(seed: int) -> list[Job]:
    """Return 12 jobs of one core, 3 of five cores and a merge of all, of 2 to 4 s.

    `learn` takes slots for used at once only if that lasted for more than a second.
    """
    draw = Random(seed)  # noqa: S311  no secret
    jobs = [Job(f"small{i}", draw.randint(2, 4)) for i in range(12)]
    jobs += [Job(f"large{i}", draw.randint(2, 4), cores=5) for i in range(3)]
    return [*jobs, Job("merge", 2, parents=tuple(job.name for job in jobs))]


@dataclass
class Ran:
    """A run on the pool, its forecast, and the folder of both."""

    place: Path
    seconds: float
    forecast: dict[str, float]

    @property
    def is_as_forecast(self) -> bool:
        return self.forecast["low"] <= self.seconds <= self.forecast["high"]


def ran(pool, runs: Path, order: str, seed: int) -> Ran:
    """Run the workflow in an order."""
    how = Namespace(runs=runs, logs=False, prio="")
    run_one(pool, Record("small", seed, order, (), SETTINGS, (), small(seed)), how)
    place = runs / f"small-{seed}-{order}"
    (record,) = (r for r in read_records(runs) if (r.order, r.seed) == (order, seed))
    return Ran(place, record.seconds, json.loads((place / "forecast.json").read_text()))


@pytest.fixture(scope="module")
def runs(pool, tmp_path_factory) -> dict[str, list[Ran]]:
    """The runs by order, plain and as advised; the last of each is to be as forecast."""
    folder = tmp_path_factory.mktemp("runs")
    found: dict[str, list[Ran]] = {PLAIN: [], ADVISED: []}
    with machine(pool, SETTINGS):
        for seed in SEEDS:
            for order, before in found.items():
                if not before or not before[-1].is_as_forecast:
                    before.append(ran(pool, folder, order, seed))
    return found


@pytest.mark.parametrize("order", [PLAIN, ADVISED])
def test_a_run_ends_in_the_interval_that_was_forecast(runs, order):
    assert runs[order][-1].is_as_forecast, runs[order]


def test_doing_all_that_prio_advises_makes_no_run_later(runs):
    plain, advised = (runs[order][0] for order in (PLAIN, ADVISED))

    assert advised.seconds <= LATER * plain.seconds


def test_the_log_shows_one_machine_of_8_cores(runs, monkeypatch, capsys):
    monkeypatch.chdir(runs[PLAIN][0].place)

    assert icsched(["learn", "wf.dag.nodes.log", "wf.dag", "--json"]) == 0

    (kind,) = json.loads(capsys.readouterr().out)["machines"]
    assert (kind["count"], kind["cores"], kind["is_partitionable"]) == (1, CORES, True)
