"""The page of `icsched report`: one HTML file that needs nothing else, neither files nor network.

The scripts are ES modules, so that editors and checkers read them as they are. `report_page` joins
them into one: there is no build step. No drawing library is used: plotly (4 MB) and bokeh (1 MB)
are larger than the whole page may be, and smaller ones draw neither lanes nor the game.
"""

import base64
import hashlib
import html
import re
from importlib import resources

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


def size_keys(subject: Subject, origin: str, *, done: int) -> Keys:
    """Return how large a workflow is, of which *done* tasks are not in *subject*.

    *origin* says where the run times come from.
    """
    dag, times = subject.dag, subject.workflow.run_times
    known = None
    if times is not None:
        longest = int(np.argmax(times))
        most = {"task": subject.name(longest), "time": times[longest]}
        known = {"words": origin, "total": times.sum(), "longest": most}
    return {
        "tasks": len(dag),
        "arcs": dag.arc_count,
        "done": done,
        "levels": dag.levels.max() + 1,
        "sources": len(dag.sources),
        "sinks": len(dag.sinks),
        "unit": subject.unit,
        "run_times": known,
    }


def plain_keys(keys: Keys) -> Keys:
    """Return *keys* as JSON takes them: lists in place of arrays."""
    import msgspec  # slow to import

    plain: Keys = msgspec.to_builtins(keys, enc_hook=lambda array: array.tolist())
    return plain


def pool_keys(pool: AnyPool, words: str) -> Keys:
    """Return a pool in *words* and as data; the visits of a large recorded pool are None."""
    data = pool_to_dict(pool)
    for name, value in data.items():
        if isinstance(value, list) and len(value) > _MOST_VISITS:
            data[name] = None
    return {"words": words, **data}


def report_page(name: str, data: str) -> str:
    """Return the page of the report *name* as HTML; *data* is its JSON.

    Names of tasks in the JSON are text, and can never become markup: without `<` neither
    `</script>` nor `<!--` can end or hide anything.
    """
    whole = "\n".join(map(_text, SCRIPTS))
    # One module: what scripts import from each other is then simply there.
    script = re.sub(r"^(import [^;]*;\n|export (?=\w))", "", whole, flags=re.M)
    style = _text("page.css")
    parts = {
        "title": html.escape(named(name)),
        # This style and this script are let in, and nothing from any network.
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        "style": style,
        "script": script,
        "report": data.rstrip("\n").replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text("page.html"))


def _text(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
