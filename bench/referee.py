"""How far the exact referee reaches, and how it compares with its plain Python twin."""

import sys
from pathlib import Path

from harness import seconds, show

from icsched import Dag, families
from icsched.errors import LimitError
from icsched.pebble import ic_optimal_order, optimal_profile

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.twins import Referee

LIMIT = 50_000_000
CASES = {
    "mesh 13": families.mesh(13),
    "mesh 14": families.mesh(14),
    "tree 4": families.tree(4),
    "fft 3": families.fft(3),
    "airsn 10": families.airsn(10),
    "airsn 12": families.airsn(12),
    "w 24 3": families.w(24, 3),
    "clique 22": families.clique(22),
    "matmul": families.matmul(),
    "prefix 8": families.prefix(8),
    "cordasco2007-fig6 right": families.cordasco2007_fig6("right"),
    "chain of 1,025": Dag.from_arcs(1025, [(i, i + 1) for i in range(1024)]),
}


def attempt(question: object, dag: Dag) -> str | float:
    try:
        return seconds(lambda: question(dag, limit=LIMIT), repeat=1)
    except LimitError:
        return "over limit"


def main() -> None:
    rows = [
        [
            name,
            len(dag),
            len(dag.nonsinks),
            attempt(optimal_profile, dag),
            attempt(ic_optimal_order, dag),
        ]
        for name, dag in CASES.items()
    ]
    head = ["dag", "tasks", "nonsinks", "optimal_profile s", "ic_optimal_order s"]
    show(f"the referee's reach, limit {LIMIT:,} sets", head, rows)

    rows = []
    for name, dag in (("mesh 5", families.mesh(5)), ("w 8 2", families.w(8, 2))):
        slow = seconds(lambda d=dag: Referee(d).optimal_profile, repeat=1)
        fast = seconds(lambda d=dag: optimal_profile(d))
        rows.append([name, slow, fast, slow / fast])
    show("against the plain twin", ["dag", "twin s", "referee s", "x"], rows)


if __name__ == "__main__":
    main()
