"""`icsched demo`: the guided tour."""

import sys

from icsched.answers.demo import TOUR
from icsched.render import demo as render


def demo() -> None:
    """Show what a good order does to a real workflow."""
    for stop in TOUR:
        sys.stdout.write(render.text(stop()))
        sys.stdout.flush()
