"""The order phase against its peers: dask's order, two transitive reductions, a bare sort.

Our time is that of `prioritize`, the best of three on fresh copies of the dag. "from names"
is the time of the whole call, including building the dag from a mapping of strings. Dask's time is
that of its best hash seed of five, each in a process of its own, on Task objects with string keys.
The bare sort is Kahn's algorithm in C++ on the same rows. Nothing is asserted: titles and the last
table state the bars.
"""

import argparse
import ctypes
import gc
import importlib
import multiprocessing
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
from harness import seconds, show
from harness.alone import peak_mb

from icsched import Dag, families
from icsched.orders import prioritize
from icsched.plugins.dask import dask_graph
from icsched.theory import without_shortcuts

SEEDS = range(5)
MOST_GB = 8  # for a peer's process; on random layers dask needs memory quadratic in tasks
DASK_S = 8  # the limit for one order of dask's
MILLION_S = 600  # the limit for all of --million


def montage(tasks: int) -> Dag:
    side = round(0.5 + (tasks / 6) ** 0.5)
    return families.montage(side, side)


def forks(tasks: int) -> Dag:
    """Half of the tasks are below the source, half of the rest below the last of these, ..."""
    parents: list[int] = []
    while len(parents) < tasks - 1:
        parents += [len(parents)] * ((tasks - len(parents)) // 2)
    return Dag.from_arcs(tasks, np.column_stack([parents, np.arange(1, tasks)]))


def random_pairs(tasks: int) -> Dag:
    pairs = np.random.default_rng(1).integers(tasks, size=(30 * tasks, 2))
    return Dag.from_arcs(tasks, np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1))


SPARSE: Mapping[str, Callable[[int], Dag]] = {
    "airsn": lambda tasks: families.airsn(tasks // 3 - 7),
    "montage": montage,
    "sdss": lambda tasks: families.sdss(round(tasks / 60)),
    "inspiral": lambda tasks: families.inspiral(round(tasks / 9)),
    "layered": lambda tasks: families.random_layered(tasks, 1000, 3, 3, seed=1),
    "chain": lambda tasks: families.random_layered(tasks, 1, 1, 1, seed=1),
    "forks": forks,
}
DENSE: Mapping[str, Callable[[int], Dag]] = {
    "every arc": lambda tasks: Dag.from_arcs(tasks, np.transpose(np.triu_indices(tasks, k=1))),
    "dense layered": lambda tasks: families.random_layered(tasks, 200, 100, 3, seed=1),
    "random pairs": random_pairs,
}
Case = tuple[str, int]  # a family and about how many tasks


def make(case: Case) -> Dag:
    return {**SPARSE, **DENSE}[case[0]](case[1])


@dataclass(frozen=True)
class Sizes:
    """Numbers of tasks: against dask, for growth (up to ten times the first), and dense."""

    dask: Sequence[int]
    growth: Sequence[int]
    dense: Mapping[str, Sequence[int]]
    reduction_s: float  # the limit for one reduction of a peer

    def cases(self, tasks: Sequence[int], *, dense: slice) -> list[Case]:
        """Cases of every sparse family at *tasks* and of every dense one at its own sizes."""
        sparse = [(family, n) for family in SPARSE for n in tasks]
        return sparse + [(family, n) for family in DENSE for n in self.dense[family][dense]]


FULL = Sizes(
    (10_000, 100_000),
    (100_000, 125_000, 250_000, 500_000, 1_000_000),
    {
        "every arc": (375, 750, 1_500, 3_000),
        "dense layered": (1_250, 2_500, 5_000, 10_000),
        "random pairs": (625, 1_250, 2_500, 5_000),
    },
    reduction_s=6,
)
QUICK = Sizes(
    (1_000, 10_000),
    (10_000, 12_500, 25_000, 50_000, 100_000),
    {"every arc": (375, 750), "dense layered": (625, 1_250), "random pairs": (625, 1_250)},
    reduction_s=2,
)


@dataclass(frozen=True)
class Run:
    """What one dag cost us, and what the bare sort cost."""

    size: tuple[int, int]  # tasks and arcs
    order_s: float
    sort_s: float


@cache
def ours(case: Case) -> Run:
    dag = make(case)
    # A copy has nothing cached, so every call computes all that it needs.
    order_s = best_of(lambda fresh: prioritize(fresh, "prio"), [copy(dag) for _ in range(3)])
    return Run((len(dag), dag.arc_count), order_s, bare_sort_s(dag))


def bare_sort_s(dag: Dag) -> float:
    sort, order, rows = bare_sort(), np.empty(len(dag), np.int32), dag.child_rows
    counts = [dag.in_degrees.copy() for _ in range(5)]  # a sort uses them up
    arrays = [[a.ctypes.data for a in (rows.offsets, rows.targets, c, order)] for c in counts]
    return best_of(lambda addresses: sort(len(order), *addresses), arrays)


@cache
def bare_sort() -> Callable[..., int]:
    source = Path(__file__).parent / "native" / "topological_sort.cpp"
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "topological_sort.so"
        compiler = os.environ.get("CXX", "c++").split()
        command = [*compiler, "-O3", "-shared", "-fPIC", source, "-o", library]
        subprocess.run(command, check=True)  # noqa: S603 (the user's compiler on our source)
        sort = ctypes.CDLL(str(library)).topological_sort  # stays loaded without its file
    sort.argtypes = [ctypes.c_int32, *[ctypes.c_void_p] * 4]
    return sort


def best_of(act: Callable[..., object], inputs: Sequence[object]) -> float:
    """Least seconds of *act* over *inputs*; each input is used once."""
    rest = iter(inputs)
    return seconds(lambda: act(next(rest)), repeat=len(inputs))


def in_process(act: Callable[..., object], *arguments: object, limit_s: float = 3600) -> object:
    with multiprocessing.get_context("spawn").Pool(1) as pool:  # leaving it ends the process
        return pool.apply_async(act, arguments).get(limit_s)


@dataclass(frozen=True)
class Peer:
    """Seconds of dask's order; if *over* names a limit, dask hit it and needs more."""

    seconds: float
    seed: int
    over: str = ""

    def cells(self, ours_s: float) -> list[object]:
        """Seconds, seed and how many times our seconds that is."""
        more = "> " if self.over else ""
        took = f"over {self.seconds:.3g} s ({self.over})" if self.over else self.seconds
        return [took, self.seed, f"{more}{self.seconds / ours_s:.3g}"]


def dask_best(cases: Sequence[Case]) -> dict[Case, Peer]:
    """Best seed of each case; over a limit only if all are; slower seeds are cut short."""
    best: dict[Case, Peer] = {}
    for seed in SEEDS:
        limits = [best[c].seconds if c in best and not best[c].over else DASK_S for c in cases]
        for case, peer in zip(cases, dask_orders(cases, limits, seed), strict=True):
            best[case] = min(best.get(case, peer), peer, key=lambda p: (bool(p.over), p.seconds))
    return best


def dask_orders(cases: Sequence[Case], limits: Sequence[float], seed: int) -> list[Peer]:
    os.environ["PYTHONHASHSEED"] = str(seed)
    return in_process(time_dask, cases, limits, seed)


def time_dask(cases: Sequence[Case], limits: Sequence[float], seed: int) -> list[Peer]:
    limit_memory()
    signal.signal(signal.SIGALRM, stop)
    return [dask_order(case, limit, seed) for case, limit in zip(cases, limits, strict=True)]


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_GB << 30, MOST_GB << 30))


def stop(*_: object) -> None:
    raise TimeoutError


def dask_order(case: Case, limit_s: float, seed: int) -> Peer:
    from dask.order import order  # here, so that the other processes do not load dask

    graph = dask_graph(parents_by_name(make(case)))
    gc.collect()
    start = time.perf_counter()
    took, over = limit_s, "time"
    with suppress(TimeoutError):  # it may also come while memory is released
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        try:
            order(graph)
            took, over = time.perf_counter() - start, ""
        except MemoryError:
            took, over = time.perf_counter() - start, f"{MOST_GB} GB"
        signal.setitimer(signal.ITIMER_REAL, 0)
    return Peer(took, seed, over)


def parents_by_name(dag: Dag) -> dict[str, list[str]]:
    names = [f"task-{task}" for task in range(len(dag))]
    return {name: [names[p] for p in dag.parent_rows[task]] for task, name in enumerate(names)}


def show_dask(title: str, peers: Mapping[Case, Peer]) -> None:
    rows = []
    for case, peer in peers.items():
        run, by_name = ours(case), parents_by_name(make(case))
        named_s = seconds(lambda m=by_name: prioritize(Dag(m), "prio"))
        rows.append([case[0], *run.size, run.order_s, *peer.cells(run.order_s)])
        rows[-1] += [named_s, peer.cells(named_s)[-1]]
    head = ["dag", "tasks", "arcs", "icsched s", "dask s", "seed", "x", "from names s", "x"]
    show(title, head, rows)


def dask_million(known: Mapping[Case, Peer]) -> dict[Case, Peer]:
    """Montage and layers at 10^6, each under its best seed at the largest size before."""
    deadline, peers = time.monotonic() + MILLION_S, {}
    for left, family in ((2, "montage"), (1, "layered")):
        case, limit = (family, 10**6), (deadline - time.monotonic()) / left
        seed = [peer.seed for (name, _), peer in known.items() if name == family][-1]
        # A minute of each share goes to building the graph.
        peers[case] = dask_orders([case], [limit - 60], seed)[0]
    return peers


def show_reductions(sizes: Sizes) -> None:
    pace: dict[tuple[str, str], float] = {}  # seconds divided by tasks * (tasks + arcs)
    rows = []
    for case in sizes.cases(sorted({1_000, *sizes.dask}), dense=slice(0, 3)):
        dag = make(case)
        work = len(dag) * (len(dag) + dag.arc_count)
        ours_s = best_of(without_shortcuts, [copy(dag) for _ in range(3)])
        rows.append([case[0], len(dag), dag.arc_count, ours_s])
        for key in ((case[0], "networkx"), (case[0], "rustworkx")):
            hopeless = pace.get(key, 0) * work > 3 * sizes.reduction_s
            took = np.inf
            with suppress(multiprocessing.TimeoutError):
                if not hopeless:
                    took = in_process(reduction_s, key[1], case, limit_s=sizes.reduction_s)
            pace[key] = took / work
            rows[-1] += ["capped", ""] if took == np.inf else [took, took / ours_s]
    head = ["dag", "tasks", "arcs", "icsched s", "networkx s", "x", "rustworkx s", "x"]
    show(f"transitive reduction (capped: over {sizes.reduction_s} s, or likely to be)", head, rows)


def reduction_s(peer: str, case: Case) -> float:
    limit_memory()
    dag = make(case)
    dag = Dag.from_arcs(len(dag), dag.arcs)  # names are numbers: the best case for networkx
    graph = getattr(dag, f"to_{peer}")()
    return best_of(importlib.import_module(peer).transitive_reduction, [graph])


def show_growth(cases: Iterable[Case]) -> None:
    rows = []
    for family, sizes in groupby(cases, key=lambda case: case[0]):
        before = None
        for run in map(ours, sizes):
            before = before or run
            grown = [run.order_s / before.order_s, sum(run.size) / sum(before.size)]
            sort = [run.sort_s, run.order_s / run.sort_s]
            rows.append([family, *run.size, run.order_s, *grown, *sort])
            before = run
    head = ["dag", "tasks", "arcs", "icsched s", "x previous", "size x", "bare sort s", "x sort"]
    show("growth (size: tasks + arcs; bar: montage of 10^6 within 25 x sort)", head, rows)


def memory_mb(case: Case) -> tuple[float, float]:
    """Peak memory of this process after the dag is built, and after it is ordered."""
    dag = make(case)
    built = peak_mb()
    prioritize(dag, "prio")
    return built, peak_mb()


def show_bars(sizes: Sizes, dask: Mapping[Case, Peer], peak: Mapping[str, tuple]) -> None:
    first, *_, last = sizes.growth
    faster = {f: dask[f, first].seconds / ours((f, first)).order_s for f in SPARSE}
    growth = {f: ours((f, last)).order_s / ours((f, first)).order_s for f in SPARSE}
    montage_run, sdss_s = ours(("montage", last)), ours(("sdss", 48_013)).order_s
    bars = [
        ("dask at 10^5 takes 50 x or more", *min((x, f) for f, x in faster.items()), 50, -1),
        ("montage of 10^6 within 25 x sort", montage_run.order_s / montage_run.sort_s, "", 25, 1),
        ("10^5 to 10^6 costs 12 x or less", *max((x, f) for f, x in growth.items()), 12, 1),
        ("sdss of 48,013 tasks under 0.1 s", sdss_s, "", 0.1, 1),
        ("10^6 tasks in under 1,000 MB", *max((mb, f) for f, (_, mb) in peak.items()), 1000, 1),
    ]
    rows = [[bar, x, f, "yes" if s * x <= s * most else "NO"] for bar, x, f, most, s in bars]
    tenth = "" if sizes is FULL else ", here at a tenth of the tasks they are meant for"
    show(f"the bars{tenth}", ["bar", "worst", "of", "met"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    parser.add_argument("--million", action="store_true", help="also dask at 10^6, ten minutes")
    options = parser.parse_args()
    sizes = QUICK if options.quick else FULL
    # Memory first: a new process starts with the peak of the process that started it.
    peaks = {family: in_process(memory_mb, (family, sizes.growth[-1])) for family in SPARSE}
    dask = dask_best(sizes.cases(sizes.dask, dense=slice(1, 3)))
    show_dask("dask's order, best of five seeds (bar: x is 50 at 10^5 tasks, more at 10^6)", dask)
    if options.million:
        show_dask(f"dask's order at 10^6, that seed only, {MILLION_S} s in all", dask_million(dask))
    show_reductions(sizes)
    show_growth(sizes.cases(sizes.growth, dense=slice(None)))
    rows = [[family, built, total - built, total] for family, (built, total) in peaks.items()]
    title = f"peak memory of the process, {sizes.growth[-1]:,} tasks (bar: under 1,000 MB)"
    show(title, ["dag", "built MB", "added MB", "peak MB"], rows)
    show_bars(sizes, dask, peaks)


if __name__ == "__main__":
    main()
