r"""A report of ten tasks, made by hand: what the page must show whatever made its numbers.

    a           One task that all others wait for, then three that free two each,
  / | \         then a join of all. `now` runs b's children last, `auto` as they
 b  c  d        come. The names are hostile where a name may be.
/| /| /|
e f g h i
 \ \|/ /
    j
"""

from typing import Any

from icsched.commands.terminal import json_text
from icsched.report.page import report_page

HOSTILE = '</script><img src=x onerror="document.title=1"><!--\u2028\u202e\x1bx'
SHOWN = HOSTILE.replace("\u2028\u202e\x1b", r"\u2028\u202e\x1b")  # what readers must see of it
NAMES = ["a", "b", "c", "d", HOSTILE, "f", "g", "h", "i", "j"]
ARCS = [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (2, 6), (2, 7), (3, 8)]
ARCS += [(4, 9), (5, 9), (6, 9), (7, 9), (8, 9)]
ORDERS = {
    "now": [0, 3, 8, 2, 6, 7, 1, 4, 5, 9],
    "auto": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
}


def parents() -> list[set[int]]:
    return [{above for above, below in ARCS if below == task} for task in range(len(NAMES))]


def game(order: list[int]) -> dict[str, list[int]]:
    """When each task runs, and after how many executions it is eligible."""
    place = {task: step for step, task in enumerate(order)}
    ready = [max((place[one] + 1 for one in above), default=0) for above in parents()]
    return {"rank": [place[task] for task in range(len(NAMES))], "ready": ready}


def profile(order: list[int]) -> list[int]:
    """Eligible tasks after each step, by playing the game."""
    counts = []
    for step in range(len(order) + 1):
        done = set(order[:step])
        waiting = [task for task in range(len(NAMES)) if task not in done]
        counts.append(sum(parents()[task] <= done for task in waiting))
    return counts


def _spread(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean * 0.97, "high": mean * 1.03}


def _order(name: str, mean: float, ratio: float | None) -> dict[str, Any]:
    compared = ratio and {"median": ratio, "low": ratio - 0.02, "high": ratio + 0.02}
    words = {"now": "the priorities that the file has", "auto": "chosen by simulation"}
    return {
        "name": name,
        "words": words.get(name, "another order"),
        "time": _spread(mean),
        "stall": _spread(0.2),
        "utilisation": _spread(0.7),
        "ratio": compared,
    }


def report() -> dict[str, Any]:
    """The keys of `icsched report --json`, as the page takes them."""
    steps = list(range(len(NAMES) + 1))
    curves = {name: {"step": steps, "eligible": profile(order)} for name, order in ORDERS.items()}
    return {
        "name": f"sample {HOSTILE}.dag",
        "files": ["sample.dag"],
        "version": "0.1.0",
        "to_repeat": "To repeat it, save the pool as pool.json and run this:",
        "repeat": "icsched report wf.dag --pool pool.json -o report.html",
        "word": "job",
        "notes": ["This report was made by hand."],
        "size": {
            "tasks": 10,
            "arcs": len(ARCS),
            "done": 0,
            "levels": 4,
            "sources": 1,
            "sinks": 1,
            "unit": "s",
            "run_times": {
                "words": "10 measured run times",
                "total": 550.0,
                "longest": {"task": "j", "time": 100.0},
            },
        },
        "pool": {"words": "3 workers.", "kind": "workers", "workers": 3},
        "worth": _worth(),
        "stalls": _stalls(),
        "curves": {
            "steps": 10,
            "orders": curves,
            "ceiling": {"step": steps, "eligible": [1, 3, 4, 5, 5, 4, 3, 2, 1, 1, 0]},
            "words": "The order auto reaches the ceiling at every step.",
        },
        "memory": {
            "words": "The order that the file has now holds fewer results at once.",
            "unit": "results",
            "orders": {
                "now": {"step": [0, 5, 10], "held": [0, 4, 1], "peak": 4},
                "auto": {"step": [0, 4, 10], "held": [0, 6, 1], "peak": 6},
            },
        },
        "dag": _dag(),
        "game": {"orders": {name: game(order) for name, order in ORDERS.items()}},
        "lanes": _lanes(),
        "proof": _proof(),
        "clusters": {
            "size": 3,
            "words": "Clusters of at most 3 jobs.",
            "count": 4,
            "cluster": [0, 1, 2, 3, 1, 1, 2, 2, 3, 0],
        },
    }


def _worth() -> dict[str, Any]:
    return {
        "baseline": "now",
        "best": "auto",
        "is_clear": True,
        "words": "In the order auto this run should end 9.1% earlier [8.0%, 10.2%] than now.",
        "cautions": ["MAXJOBS limits of categories are not simulated."],
        "runs": 100,
        "seed": 0,
        "orders": [
            _order("now", 330.0, None),
            _order("auto", 300.0, 0.909),
            _order("critical-path", 310.0, 0.94),
            _order("prio", 304.0, 0.92),
            _order("fifo", 345.0, 1.045),
        ],
    }


def _stalls() -> dict[str, Any]:
    return {
        "words": "Workers leave with nothing in 20% of their requests.",
        "recorded": {
            "words": "Stalls: for 60 s slots were free; 18.2% of the slots' time was lost.",
            "share": 0.182,
            "periods": ["10 to 70 s: 60 slot seconds lost, all waited for a"],
        },
        "timelines": {
            "now": {"time": [0, 50, 150, 330], "eligible": [1, 3, 2, 0], "idle": [2, 0, 1, 3]},
            "auto": {"time": [0, 50, 120, 300], "eligible": [1, 3, 5, 0], "idle": [2, 0, 0, 3]},
        },
        "waits": {
            "now": {
                "words": "In one run a free worker finds nothing to take for 60 s.",
                "time": 60.0,
                "share": 0.18,
                "tasks": [{"task": "a", "node": 0, "words": "Everybody waits 50 s.", "time": 50}],
            },
            "auto": {"words": "Nothing.", "time": 0.0, "share": 0.0, "tasks": []},
        },
        "bottlenecks": [
            {"task": "a", "node": 0, "words": "9 jobs wait for it.", "waiting": 9, "share": 0.9},
            {"task": NAMES[4], "node": 4, "words": "1 job waits.", "waiting": 1, "share": 0.1},
        ],
        "critical_path": {"time": 220.0, "tasks": 4, "nodes": [0, 1, 4, 9]},
    }


def _dag() -> dict[str, Any]:
    return {
        "is_grouped": False,
        "words": "10 jobs in 4 levels.",
        "width": 5,
        "height": 4,
        "x": [2.5, 0.5, 2.5, 4.5, 0.5, 1.5, 2.5, 3.5, 4.5, 2.5],
        "y": [0.5, 1.5, 1.5, 1.5, 2.5, 2.5, 2.5, 2.5, 2.5, 3.5],
        "label": NAMES,
        "tasks": [1] * 10,
        "level": [0, 1, 1, 1, 2, 2, 2, 2, 2, 3],
        "kind": [0, 1, 1, 1, 2, 2, 2, 2, 2, 3],
        "kinds": ["start", "split", "work", "join"],
        "run_time": [10.0, 20.0, 20.0, 20.0, 90.0, 70.0, 80.0, 60.0, 80.0, 100.0],
        "block": [0, 1, 2, 3, 1, 1, 2, 2, 3, 4],
        "blocks": [
            {"words": "W(1,3)", "nodes": 4},
            {"words": "W(1,2)", "nodes": 3},
            {"words": "W(1,2)", "nodes": 3},
            {"words": "W(1,1)", "nodes": 2},
            {"words": "M(1,5)", "nodes": 6},
        ],
        "is_bottleneck": [1, 0, 0, 0, 1, 0, 0, 0, 0, 0],
        "priority": [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
        "arcs": {
            "parent": [above for above, _ in ARCS],
            "child": [below for _, below in ARCS],
            "count": None,
        },
    }


def _lanes() -> dict[str, Any]:
    run = {
        "source": "simulated",
        "end": 330.0,
        "workers": 3,
        "is_cut": False,
        "lane": [0, 0, 1, 2, 0, 1],
        "node": [0, 1, 2, 3, 4, 5],
        "start": [0.0, 10.0, 10.0, 10.0, 30.0, 30.0],
        "end_of": [10.0, 30.0, 30.0, 25.0, 120.0, 100.0],
        "ending": [0, 0, 0, 1, 0, 0],
        "endings": ["result", "loss"],
    }
    # A log may know a job that is not left to run: it has no node.
    recorded = {**run, "source": "recorded", "node": [0, 1, 2, 3, 4, None]}
    recorded["endings"] = ["done", "evicted"]
    runs = {"now": run, "auto": {**run, "end": 300.0}, "recorded": recorded}
    return {"unit": "s", "words": "One simulated run of each order.", "runs": runs}


def _proof() -> dict[str, Any]:
    leaf = {"rule": "w", "name": "W(1,2)", "words": "runs in any order.", "count": 2, "parts": []}
    root = {
        "rule": "composition",
        "name": "Composition",
        "words": "Blocks in an order of priority make the best order of the whole.",
        "count": 1,
        "parts": [leaf, {**leaf, "name": "W(1,3)", "count": 1}],
    }
    return {
        "status": "optimal",
        "words": "At every step no order has more eligible jobs than auto.",
        "min_ratio": 1.0,
        "mean_ratio": 1.0,
        "area_ratio": 1.0,
        "tree": root,
        "is_cut": False,
    }


def page(keys: dict[str, Any] | None = None) -> str:
    """The page that shows these keys, by default those of the report."""
    keys = report() if keys is None else keys
    return report_page(keys["name"], json_text(keys))
