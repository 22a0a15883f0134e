"""A dag of a known family."""

from collections.abc import Sequence
from dataclasses import dataclass

from icsched import families
from icsched.dag import Dag


@dataclass(frozen=True, eq=False)
class MakeAnswer:
    """A dag, and the words of the command line that make it."""

    words: tuple[str, ...]
    dag: Dag


def make_answer(family: str, arguments: Sequence[str], *, seed: int | None) -> MakeAnswer:
    """Make a dag of *family*; raises ArgumentError for arguments that it does not take."""
    dag = families.make(family, arguments, seed=seed)
    seeded = [] if seed is None else ["--seed", str(seed)]
    return MakeAnswer((family, *arguments, *seeded), dag)
