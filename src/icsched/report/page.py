"""The page of `icsched report`: one HTML file that needs nothing else, neither files nor network.

The scripts are ES modules, so that editors and checkers read them as they are. `report_page` joins
them into one: there is no build step. No drawing library is used: plotly (4 MB) and bokeh (1 MB)
are larger than the whole page may be, and smaller ones draw neither lanes nor the game.
"""

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np

from icsched.messages import named
from icsched.report.subject import Keys, Subject
from icsched.sim import AnyPool, pool_to_dict

_MOST_VISITS = 1000  # of a recorded pool: more are left out

# Each file comes after those that it imports.
SCRIPTS = (
    "dom.js",
    "orders.js",
    "scale.js",
    "chart.js",
    "paint_svg.js",
    "paint_canvas.js",
    "dag_view.js",
    "dag_section.js",
    "player.js",
    "lanes.js",
    "worth.js",
    "sections.js",
    "main.js",
)


def size_keys(subject: Subject, origin: str) -> Keys:
    """Return how large a workflow is; *origin* says where its run times come from."""
    dag, times = subject.dag, subject.workflow.run_times
    known = None
    if times is not None:
        longest = int(np.argmax(times))
        most = {"task": subject.name(longest), "time": times[longest]}
        known = {"words": origin, "total": times.sum(), "longest": most}
    return {
        "tasks": len(dag),
        "arcs": dag.arc_count,
        "done": subject.workflow.done.sum(),
        "levels": dag.levels.max() + 1,
        "sources": len(dag.sources),
        "sinks": len(dag.sinks),
        "unit": subject.unit,
        "run_times": known,
    }


@dataclass(frozen=True, eq=False)
class Report:
    """All that a page shows: each field is a key of its JSON, and None is what is not known.

    Nodes are places in the arrays of `dag`. `repeat` is the command that makes the report again,
    and `word` is what the file calls a task.
    """

    name: str
    files: Sequence[str]
    version: str
    to_repeat: str
    repeat: str
    word: str
    notes: Sequence[str]
    size: Keys
    pool: Keys
    worth: Keys
    stalls: Keys
    curves: Keys
    memory: Keys
    dag: Keys
    game: Keys
    lanes: Keys
    proof: Keys
    clusters: Keys | None


def report_keys(report: Report) -> Keys:
    """Return a report as JSON shows it."""
    import msgspec  # slow to import

    keys: Keys = msgspec.to_builtins(report, enc_hook=_plain)
    return keys


def _plain(value: Any) -> object:
    return value.tolist()  # of numpy


def pool_keys(pool: AnyPool, words: str) -> Keys:
    """Return a pool in *words* and as data; the visits of a large recorded pool are None."""
    data = {name: None if _is_long(value) else value for name, value in pool_to_dict(pool).items()}
    return {"words": words, **data}


def _is_long(value: object) -> bool:
    return isinstance(value, list) and len(value) > _MOST_VISITS


def report_page(name: str, data: str) -> str:
    """Return the page of the report *name* as HTML; *data* is its JSON.

    Names of tasks in the JSON are text, and can never become markup: without `<` neither
    `</script>` nor `<!--` can end or hide anything.
    """
    style, script = _text("page.css"), _joined()
    parts = {
        "title": html.escape(named(name)),
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "report": data.rstrip("\n").replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text("page.html"))


def _text(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _joined() -> str:
    """Return all scripts as one module: what they import from each other is then simply there."""
    whole = "\n".join(map(_text, SCRIPTS))
    return re.sub(r"^(import [^;]*;\n|export (?=\w))", "", whole, flags=re.M)


def _policy(style: str, script: str) -> str:
    """Return the policy that lets this style and this script in, and nothing from any network."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
