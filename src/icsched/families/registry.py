"""The families by name; makes a member from words on a command line."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import get_type_hints

from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.families import bipartite, composites, paper_examples, randoms, scientific
from icsched.messages import did_you_mean


@dataclass(frozen=True)
class Family:
    """A named family of dags.

    *arguments* describes the words after the name, such as ``S D`` or ``[ROWS] [COLUMNS]``.
    *summary* is the first line of the function's documentation.
    """

    name: str
    function: Callable[..., Dag]
    arguments: str
    summary: str

    @property
    def is_random(self) -> bool:
        """Whether a member depends on a seed."""
        return "seed" in inspect.signature(self.function).parameters

    @property
    def usage(self) -> str:
        """The name and the arguments."""
        return f"{self.name} {self.arguments}".rstrip()


def make(name: str, arguments: Sequence[str], *, seed: int | None = None) -> Dag:
    """Return the member of the family *name* that the words *arguments* describe.

    A random family uses *seed*, by default 0. Raises ArgumentError for an unknown name, for a wrong
    number of words, for wrong numbers, and for a seed if the family is not random.

    >>> make("w", ["3", "2"])
    Dag(tasks=7, arcs=6)
    """
    if name not in FAMILIES:
        question = did_you_mean(name, FAMILIES)
        hint = f"{question} `icsched make` lists them all".lstrip()
        raise ArgumentError(f"unknown family {name!r}: {hint}")
    family = FAMILIES[name]
    options = {"seed": 0 if seed is None else seed} if family.is_random else {}
    if seed is not None and not family.is_random:
        raise ArgumentError(f"{name}: a seed cannot be used, the family is not random; got {seed}")
    values = _values(family, arguments)
    try:
        return family.function(*values, **options)
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from error


def _values(family: Family, words: Sequence[str]) -> list[int | str]:
    parameters = _positional(family.function)
    least, most = sum(p.default is p.empty for p in parameters), len(parameters)
    if not least <= len(words) <= most:
        number = f"{least} to {most}" if least < most else str(most or "no")
        wanted = f"{number} argument{'' if most == 1 else 's'}"
        raise ArgumentError(
            f"{family.name}: expected {wanted}, got {len(words)}; usage: {family.usage}"
        )
    types = get_type_hints(family.function)
    values: list[int | str] = []
    for parameter, word in zip(parameters, words, strict=False):
        try:
            values.append(int(word) if types[parameter.name] is int else word)
        except ValueError:
            raise ArgumentError(
                f"{family.name}: argument {parameter.name}: expected an integer, got {word!r}"
            ) from None
    return values


def _positional(function: Callable[..., Dag]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return [parameter for parameter in parameters if parameter.kind != parameter.KEYWORD_ONLY]


def _described(function: Callable[..., Dag]) -> Family:
    words = [
        p.name.upper() if p.default is p.empty else f"[{p.name.upper()}]"
        for p in _positional(function)
    ]
    summary = (function.__doc__ or "").partition("\n")[0]
    return Family(function.__name__.replace("_", "-"), function, " ".join(words), summary)


def _functions() -> Iterator[Callable[..., Dag]]:
    """Yield the public functions of the modules of families, in their order there."""
    for module in (bipartite, composites, paper_examples, randoms, scientific):
        for name, value in vars(module).items():
            is_own = inspect.isfunction(value) and value.__module__ == module.__name__
            if is_own and not name.startswith("_"):
                yield value


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {family.name: family for family in map(_described, _functions())}
)
