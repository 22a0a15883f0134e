"""What every bench needs: best-of timing and a plain table."""

import gc
import time
from collections.abc import Callable, Sequence


def seconds(act: Callable[[], object], *, repeat: int = 3) -> float:
    """Least wall time of *repeat* runs of *act*, without garbage collection in between."""
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - start)
    return best


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table with a title; numbers to three significant digits."""
    text = [head, *[[_cell(value) for value in row] for row in rows]]
    widths = [max(len(row[i]) for row in text) for i in range(len(head))]
    print(f"\n{title}")
    for row in text:
        first, *rest = zip(row, widths, strict=True)
        print("  ".join([f"{first[0]:<{first[1]}}", *[f"{cell:>{w}}" for cell, w in rest]]))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
