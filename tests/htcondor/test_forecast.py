"""A run on a real pool, what `learn` says of it, and a second run that ends as the forecast says.

Jobs sleep for unequal times. Two jobs run at a time, by -maxjobs. The file names the short jobs
first, so first come, first served begins the long chain last.
"""

import json

import numpy as np
import pytest

from icsched.commands.main import run as icsched
from icsched.history import read_log
from tests.htcondor.pool import submit_file

SLEEPER = ("executable = /bin/sleep", "arguments = $(seconds)")
AT_ONCE = ("-maxjobs", "2")


def workflow(seed: int) -> tuple[str, dict[str, int]]:
    """Return a DAGMan file with the seconds of its jobs: six alone, and a chain of three."""
    rng = np.random.default_rng(seed)
    alone = {f"lone{i}": int(rng.integers(2, 6)) for i in range(6)}
    chain = {f"link{letter}": int(rng.integers(5, 8)) for letter in "abc"}
    seconds = alone | chain
    lines = [f"JOB {name} task.sub" for name in seconds]
    lines += [f'VARS {name} seconds="{count}"' for name, count in seconds.items()]
    lines += ["PARENT linka CHILD linkb", "PARENT linkb CHILD linkc", ""]
    return "\n".join(lines), seconds


def answer(capsys, *words: str) -> dict:
    assert icsched([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def length(place, file: str) -> float:
    """Seconds from the first start to the last end of a run."""
    past = read_log([str(place / f"{file}.nodes.log")])
    return float(past.ended.max() - past.started.min())


@pytest.mark.parametrize("seed", [1, 2])
def test_a_second_run_ends_earlier_as_the_forecast_says(condor, monkeypatch, capsys, seed):
    place = condor.fresh()
    monkeypatch.chdir(place)
    submit_file(place, lines=SLEEPER)
    text, seconds = workflow(seed)
    (place / "wf.dag").write_text(text)
    assert condor.run(place, "wf.dag", options=AT_ONCE).status == 0
    first = length(place, "wf.dag")

    outputs = ("-o", "times.csv", "--pool-file", "pool.json")
    answer(capsys, "learn", "wf.dag.nodes.log", "wf.dag", *outputs)
    rows = (place / "times.csv").read_text().splitlines()[1:]
    learned = {name: float(time) for name, time, _ in (row.split(",") for row in rows)}
    known = ("--run-times", "times.csv", "--pool", "pool.json")
    ordered = answer(capsys, "prio", "wf.dag", *known, "--in-place")
    assert condor.run(place, "wf.dag", options=(*AT_ONCE, "-force")).status == 0
    second = length(place, "wf.dag")

    assert all(abs(learned[name] - seconds[name]) <= 2 for name in seconds)  # starting takes time
    forecast = ordered["choice"]["ratio"]
    clock = 2 / first  # stamps are whole seconds
    assert forecast["high"] < 1
    assert forecast["low"] - clock <= second / first <= forecast["high"] + clock
