"""The workflows that are simulated: traces in WfFormat, and dags of icsched.families."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from icsched import Dag, families
from icsched.arrays import Floats, Ids

TRACES = Path(__file__).parents[3] / "shared" / "data" / "wfinstances"
SHORTEST = 1e-3  # seconds: the clock of the traces
WRONG = 0.5  # sigma of the factor by which a guessed run time is wrong
DRAWN = 1.0  # sigma of the run times that are drawn for the dags of families
SEED = 12


@dataclass(frozen=True, eq=False)
class World:
    """A workflow with the run times that it really has, and what is known of them.

    `known` has the run times from which orders are made, by what they are: "nothing" has None.
    """

    workflow: str
    source: str  # "trace" or "family"
    times: str  # "real", "unit" or "drawn"
    dag: Dag
    means: Floats
    known: dict[str, Floats | None]


def trace_worlds(folder: Path) -> Iterator[World]:
    """Yield each trace in *folder* with its real times, and with unit times."""
    for path in sorted(folder.glob("*.json")):
        dag, seconds, kinds = read_trace(path)
        known = {
            "nothing": None,
            "kinds": mean_of_kind(seconds, kinds),
            "wrong": wrong_times(seconds),
            "exact": seconds,
        }
        name = path.stem.removesuffix("-001").replace("-chameleon", "").replace("-dirt02", "")
        yield World(name, "trace", "real", dag, seconds, known)
        yield World(name, "trace", "unit", dag, np.ones(len(dag)), {"nothing": None})


def read_trace(path: Path) -> tuple[Dag, Floats, Ids]:
    """Return the dag of a trace, the seconds of each task, and the kind of each task."""
    workflow = json.loads(path.read_text())["workflow"]
    tasks = workflow["specification"]["tasks"]
    ran = {task["id"]: task["runtimeInSeconds"] for task in workflow["execution"]["tasks"]}
    dag = Dag({task["id"]: task.get("parents", []) for task in tasks})
    seconds = np.array([max(ran.get(name, 0.0), SHORTEST) for name in dag.names])
    kind = {task["id"]: re.sub(r"\d+", "", task.get("name", task["id"])) for task in tasks}
    names = [kind[name] for name in dag.names]
    place = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return dag, seconds, np.array([place[name] for name in names], np.int32)


def mean_of_kind(seconds: Floats, kinds: Ids) -> Floats:
    """Return, for each task, the mean time of the tasks of its kind."""
    means: Floats = np.bincount(kinds, seconds) / np.bincount(kinds)
    return means[kinds]


def wrong_times(seconds: Floats) -> Floats:
    """Return *seconds*, each wrong by a lognormal factor."""
    rng = np.random.default_rng(SEED)
    return seconds * np.exp(rng.normal(0.0, WRONG, len(seconds)))


def family_worlds() -> Iterator[World]:
    """Yield known dags with unit times, and with times that are drawn."""
    rng = np.random.default_rng(SEED)
    for name, dag in _family_dags().items():
        yield World(name, "family", "unit", dag, np.ones(len(dag)), {"nothing": None})
        drawn = np.exp(rng.normal(0.0, DRAWN, len(dag)))
        yield World(name, "family", "drawn", dag, drawn, {"nothing": None, "exact": drawn})


def _family_dags() -> dict[str, Dag]:
    return {
        "airsn 250": families.airsn(250),
        "airsn 250 handle": families.airsn(250, "handle"),
        "inspiral 100": families.inspiral(100),
        "montage 15 15": families.montage(15, 15),
        "sdss 30": families.sdss(30),
        "fft 6": families.fft(6),
        "mesh 30": families.evolving_mesh(30),
        "prefix 64": families.prefix(64),
        "out-tree 2 8": families.out_tree(2, 8),
        "random-layered 300 20": families.random_layered(300, 20, seed=1),
        "random-layered 1000 40": families.random_layered(1000, 40, seed=2),
        "random-series-parallel 1000": families.random_series_parallel(1000, seed=3),
    }
