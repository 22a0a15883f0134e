"""What a simulated gain leaves out, as lines below the gain."""

from collections.abc import Iterable

from icsched.answers.known import Note
from icsched.render.notes import sentence


def caution_lines(found: Iterable[Note]) -> list[str]:
    """Return each of the notes as a whole sentence."""
    return [f"{told[:1].upper()}{told[1:]}." for told in map(sentence, found)]


def caution_text(found: Iterable[Note]) -> str:
    """Return the notes as text, one on each line; "" without any."""
    return "".join(f"{line}\n" for line in caution_lines(found))
