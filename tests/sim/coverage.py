"""How often stated intervals hold the long-run value; run in processes of its own."""

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from icsched import Dag, Pool, Times, Workers, prioritize, simulate
from icsched.sim import METRICS, Paired, Played, Simulation
from tests.sim.models import simulate_runs

FORK = Dag({"lone": [], "other": [], "root": [], **{f"leaf {i}": ["root"] for i in range(4)}})

# Dag, pool, times and half-width. The second takes two rounds of runs or more.
MODELS = {
    "batches": (FORK, Pool(0.5, 3, "exponential"), Times("normal", 0.1), 0.03),
    "workers": (FORK, Workers(2), Times("lognormal", 0.5), 0.005),
}
REPETITIONS = 1000
LONG_RUN = 10**6


PlayedByName = dict[str, Played]
Hits = tuple[Counter[str], list[int]]


def hits(model: str, truth: dict[str, float], seeds: range) -> Hits:
    """Count for each estimate how many of the repetitions hold the truth; also their runs."""
    dag, pool, times, half_width = MODELS[model]
    held: Counter[str] = Counter()
    runs = []
    for seed in seeds:
        found = simulate(
            *(dag, ways_to_play(dag)),
            pool=pool,
            times=times,
            seed=seed,
            sampling=Paired(half_width),
            threads=1,
        )
        runs.append(found.runs)
        held.update(key for key, low, high in intervals(found) if low <= truth[key] <= high)
    return held, runs


def ways_to_play(dag: Dag) -> PlayedByName:
    return {"prio": Played("static", prioritize(dag, "prio").order), "fifo": Played("fifo")}


def long_run(model: str) -> dict[str, float]:
    """Means of very many runs with another seed, and their ratios."""
    dag, pool, times, _ = MODELS[model]
    truth = {}
    for name, played in ways_to_play(dag).items():
        runs = simulate_runs(dag, played, pool, times, seed=987654321, runs=LONG_RUN)
        truth |= {f"{name} {metric}": float(getattr(runs, metric).mean()) for metric in METRICS}
    for metric in METRICS:
        truth[f"ratio {metric}"] = truth[f"prio {metric}"] / truth[f"fifo {metric}"]
    return truth


def intervals(found: Simulation) -> Iterable[tuple[str, float, float]]:
    """Every interval that was stated."""
    stated = {**found.orders, "ratio": found.ratio["prio_over_fifo"]}
    for name, estimates in stated.items():
        for metric in METRICS:
            estimate = getattr(estimates, metric)
            yield f"{name} {metric}", estimate.low, estimate.high


def all_hits() -> dict[str, Hits]:
    """Count for all models, the repetitions of each split over two processes."""
    halves = [range(REPETITIONS // 2), range(REPETITIONS // 2, REPETITIONS)]
    truth = {model: long_run(model) for model in MODELS}
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        parts = {
            model: list(processes.map(partial(hits, model, truth[model]), halves))
            for model in MODELS
        }
    return {
        model: (first + second, runs + more_runs)
        for model, ((first, runs), (second, more_runs)) in parts.items()
    }
