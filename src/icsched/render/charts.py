"""Charts made of bars on one line of text, for terminals."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from icsched.pebble import Profile
from icsched.render.layout import current_screen, room

_BARS = " ▁▂▃▄▅▆▇█"
_ASCII_BARS = " .:-=+*#@"  # where there are no blocks: the darker, the more
_INDENT = 4  # columns before and between labels and bars
_FEWEST_BARS = 24  # beside a label; with less room the label stands above


def profile_chart(profiles: dict[str, Profile], *, columns: int = 48) -> str:
    """Draw profiles one below the other, on one scale, as rows of bars.

    Each column shows its lowest step, because there workers leave empty-handed.
    """
    beside = _beside(profiles)
    columns = min(columns, room(beside, columns))
    return curves({label: _lowest(profile, columns) for label, profile in profiles.items()})


def _lowest(profile: Profile, columns: int) -> list[int]:
    steps = profile[:-1] if len(profile) > 1 else profile
    return [int(part.min()) for part in np.array_split(steps, min(columns, len(steps)))]


def curves(rows: Mapping[str, Sequence[float]]) -> str:
    """Draw rows of numbers one below the other, on one scale, with one bar for each number.

    >>> print(curves({"a": [0, 1, 8], "bc": [4]}), end="")
      a    ▁█
      bc  ▄
    """
    beside = _beside(rows)
    rows = {label: _fewer(row, room(beside, len(row))) for label, row in rows.items()}
    ceiling = max(max(row) for row in rows.values()) or 1
    width = max(map(len, rows))
    bars = {label: "".join(_bar(value / ceiling) for value in row) for label, row in rows.items()}
    if beside <= _INDENT:
        return "".join(f"  {label}\n    {row}\n" for label, row in bars.items())
    return "".join(f"  {label:{width}}  {row}\n" for label, row in bars.items())


def _beside(labels: Iterable[str]) -> int:
    """Return the columns beside the bars: those of the labels, unless that leaves too few."""
    beside = _INDENT + max(map(len, labels))
    return beside if room(beside, _FEWEST_BARS) == _FEWEST_BARS else _INDENT


def _fewer(row: Sequence[float], columns: int) -> list[float]:
    """Return *row* if it has room, else the means of as many parts as there are columns."""
    if len(row) <= columns:
        return list(row)
    return [float(part.mean()) for part in np.array_split(np.asarray(row), columns)]


def _bar(share: float) -> str:
    """Return the bar for a share of the full height; only 0 has no bar."""
    bars = _ASCII_BARS if current_screen().is_ascii else _BARS
    return bars[math.ceil(share * 8)]
