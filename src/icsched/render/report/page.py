"""The page of a report: one HTML file."""

from icsched.render.visible import json_text


def page(keys: dict[str, object]) -> str:
    """Return the page with the JSON of *keys* in it."""
    data = json_text(keys).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>icsched report</title>\n'
        f'<script type="application/json" id="report">{data}</script>\n</html>\n'
    )
