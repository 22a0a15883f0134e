"""Charts made of bars on one line of text, for terminals."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from icsched.pebble import Profile

_BARS = " ▁▂▃▄▅▆▇█"


def profile_chart(profiles: dict[str, Profile], *, columns: int = 48) -> str:
    """Draw profiles one below the other, on one scale, as rows of bars.

    Each column shows its lowest step, because there workers leave empty-handed.
    """
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
    ceiling = max(max(row) for row in rows.values()) or 1
    width = max(map(len, rows))
    bars = {label: "".join(_bar(value / ceiling) for value in row) for label, row in rows.items()}
    return "".join(f"  {label:{width}}  {row}\n" for label, row in bars.items())


def _bar(share: float) -> str:
    """Return the bar for a share of the full height; only 0 has no bar."""
    return _BARS[math.ceil(share * 8)]
