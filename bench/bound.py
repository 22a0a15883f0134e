"""Bounds, certificates and the order "area": seconds, growth and memory.

Bars: sdss below 1 s, montage and layered of a million tasks below 20 s.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

from icsched import Dag, bound, families
from icsched.orders.area import area_order
from icsched.orders.prio import prio_order


def nextflow(tasks: int) -> Dag:
    """Return samples that each go through a chain with reports; all reports are joined at the end.

    A sample has five steps. The second and the fourth also feed a report of their own.
    """
    samples = tasks // 7
    steps = np.arange(samples)[:, None] * 7 + np.arange(7)
    chain = np.stack([steps[:, :4], steps[:, 1:5]], axis=-1).reshape(-1, 2)
    reports = np.concatenate([steps[:, [1, 5]], steps[:, [3, 6]]])
    ends = steps[:, 4:].reshape(-1)
    joined = np.stack([ends, np.full(len(ends), 7 * samples)], axis=-1)
    return Dag.from_arcs(7 * samples + 1, np.concatenate([chain, reports, joined]))


MADE: dict[str, Callable[[int], Dag]] = {
    "montage": lambda tasks: families.montage(*[round(0.5 + (tasks / 6) ** 0.5)] * 2),
    "sdss": lambda tasks: families.sdss(round(tasks / 60)),
    "layered": lambda tasks: families.random_layered(tasks, tasks // 100, 3, 3, seed=1),
    "nextflow": nextflow,
}


def main() -> None:
    """Print a row for each family and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=50_000, help="the most tasks")
    most = parser.parse_args().most
    for name, make in MADE.items():
        for tasks in (1_000, 10_000, 50_000, 1_000_000):
            if tasks <= most:
                print(row(name, make(tasks)), flush=True)


def row(name: str, dag: Dag) -> str:
    start = time.perf_counter()
    found = bound(dag)
    bounded = time.perf_counter()
    prio = prio_order(dag)
    ordered = time.perf_counter()
    area = area_order(dag, prio)
    done = time.perf_counter()
    ratios = [found.certificate(order).area_ratio for order in (prio.order, area.order)]
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    seconds = f"bound {bounded - start:6.2f} s  prio {ordered - bounded:5.2f} s"
    shares = f"area over bound: prio {ratios[0]:.4f} area {ratios[1]:.4f}"
    area_s = f"area {done - ordered:5.2f} s"
    return f"{name:8} {len(dag):9,} {seconds}  {area_s}  {gigabytes:5.2f} GB  {shares}"


if __name__ == "__main__":
    main()
