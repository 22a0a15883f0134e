"""What the recursion may still try with a part, and why it stops."""

from __future__ import annotations

from dataclasses import dataclass


class SpentError(Exception):
    """All looks are spent."""


class UnmetError(Exception):
    """The order of a part does not meet its bound."""


@dataclass(frozen=True)
class Ways:
    """What may still be tried with a part.

    The dual of a dual is the dag itself. The envelope of a dual is the envelope turned around, and
    that of a piece between two corners is a straight line.
    """

    turn: bool = True
    share: bool = True


ALL_WAYS = Ways()
IN_DUALS = Ways(turn=False, share=False)
IN_SEGMENTS = Ways(share=False)
