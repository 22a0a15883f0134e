"""Colour on terminals: the gain, a proof, warnings and headings, and nothing else.

Text is coloured after it was made and escaped, by what it says. So no name in a user's file can
bring colours of its own, and no report needs to know whether there is colour.
"""

_GOOD, _WARNING, _HEADING = "bold green", "yellow", "bold"

# Patterns of what a report says, and how it looks.
_STYLES = {
    r"(?m)^IC-optimal\b": _GOOD,
    r"(?<=  )IC-optimal(?=, nothing)": _GOOD,
    r"[\d.]+%\s+\[[^\]]*\]\s+earlier\b": _GOOD,
    r"(?m)(?<= )[\d.]+% less$": _GOOD,
    r"(?m)^(not worth it|not IC-optimal|not decided|not kept|Failed|Stalls)(?=:)": _WARNING,
    r"(?m)^icsched(?=: )": _WARNING,
    r"\bnot (found|installed)\b": _WARNING,
    r"(?m)^([A-Z]|\d\. )[^\n]*:$": _HEADING,
    r"(?m)^order {2,}time[^\n]*$": _HEADING,
    r"(?m)^run times by kind {2,}[^\n]*$": _HEADING,
}


def coloured(text: str) -> str:
    r"""Return *text* with the sequences of a terminal for colours.

    >>> coloured("a report\nIC-optimal: no order has more\n")
    'a report\n\x1b[1;32mIC-optimal\x1b[0m: no order has more\n'
    """
    from io import StringIO

    from rich.console import Console  # slow to import, and only terminals need it
    from rich.text import Text

    marked = Text(text)
    for pattern, style in _STYLES.items():
        marked.highlight_regex(pattern, style)
    page = StringIO()
    console = Console(
        file=page, force_terminal=True, color_system="standard", no_color=False, _environ={}
    )
    console.print(marked, end="", soft_wrap=True)
    return page.getvalue()
