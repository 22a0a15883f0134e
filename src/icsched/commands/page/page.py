"""The page of `icsched report`: one HTML file that needs nothing else, neither files nor network.

The scripts are ES modules, so that editors and checkers read them as they are. `report_page` joins
them into one: there is no build step. No drawing library is used: plotly (4 MB) and bokeh (1 MB)
are larger than the whole page may be, and smaller ones draw neither lanes nor the game.
"""

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from importlib import resources

from icsched.commands.terminal import json_text
from icsched.messages import named

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


def report_page(keys: Mapping[str, object]) -> str:
    """Return the page that shows *keys*, what `icsched report --json` prints, as HTML.

    The page holds *keys* as JSON. Names of tasks are text there and can never become markup.
    """
    style, script = _text("page.css"), _joined()
    parts = {
        "title": html.escape(named(str(keys["name"]))),
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "report": _json(keys),
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


def _json(keys: Mapping[str, object]) -> str:
    """Return JSON without `<`: neither `</script>` nor `<!--` can end or hide anything."""
    return json_text(dict(keys)).rstrip("\n").replace("<", "\\u003c")
