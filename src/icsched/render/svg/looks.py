"""Colours and widths that all pictures share. Most people can tell these colours apart.

Each colour of `COLOURS` but the first can be read on white and on black.
"""

INK, QUIET, FAINT = "#1a1a1a", "#555555", "#999999"
COLOURS = (INK, "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
BAND = "#bbbbbb"  # below curves
SCALE = ("#fde725", "#5ec962", "#21918c", "#3b528b", "#440154")  # from the first task to the last

_THIN, _WIDER, _WIDEST = 1.0, 1.1, 4.5  # points: curves above, each below, the first at most


def line_widths(curves: int) -> list[float]:
    """Return the widths of curves, the lowest first, so that no curve hides another.

    >>> line_widths(3)
    [3.2, 2.1, 1.0]
    """
    wider = min(_WIDER, (_WIDEST - _THIN) / max(1, curves - 1))
    return [round(_THIN + wider * above, 3) for above in reversed(range(curves))]


def scale_colour(share: float) -> str:
    """Return the colour at *share* of the scale, from 0 to 1.

    >>> scale_colour(0.0), scale_colour(0.125), scale_colour(1.0)
    ('#fde725', '#aed844', '#440154')
    """
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    left = min(int(place), len(SCALE) - 2)
    ends = (bytes.fromhex(colour[1:]) for colour in SCALE[left : left + 2])
    mixed = (round(a + (b - a) * (place - left)) for a, b in zip(*ends, strict=True))
    return f"#{bytes(mixed).hex()}"
