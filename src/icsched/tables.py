"""Tables of entries by name, to which other packages can add.

`ORDERS`, `FORMATS`, `CLUSTERERS` and `ENGINES` are tables. An entry is a frozen dataclass with a
`name` and a `sentence` for help. Another package adds an entry by an entry point in the table's
group. The entry point has the name of the entry, and loads the entry. A table reads the entry
points to find a name that icsched does not define, and to list all names.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from icsched.errors import ArgumentError, EngineError, IcschedError
from icsched.messages import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Entry(Protocol):
    """An entry of a table."""

    @property
    def name(self) -> str:
        """The name that users type."""

    @property
    def sentence(self) -> str:
        """What the entry is, for help and documentation."""


E = TypeVar("E", bound=Entry)
R = TypeVar("R")


class Table(Mapping[str, E], Generic[E]):
    """Entries by name: icsched's own first, then the entries of other packages, sorted.

    *what* is the word for an entry in messages. *group* is the group of entry points, *kind* the
    class of entries.
    """

    def __init__(self, what: str, group: str, kind: type[E], own: Iterable[E]) -> None:
        self._what = what
        self._group = group
        self._kind = kind
        self._own = {entry.name: entry for entry in own}

    def __getitem__(self, name: str) -> E:
        return self._own[name] if name in self._own else self._loaded(self._others[name])

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from sorted(set(self._others) - set(self._own))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def find(self, name: str) -> E:
        """Return the entry called *name*; raises ArgumentError if there is none."""
        if isinstance(name, str):  # objects other than strings may not be hashable
            with suppress(KeyError):
                return self[name]
        raise ArgumentError(f"{self._what}: {self.expected(name)}")

    def expected(self, name: object, also: str = "") -> str:
        """Return the text of an error for *name*: the existing names, and the names close to it.

        *also* names other values of the option.
        """
        names = list(self)
        expected = f"expected {', '.join(names)}{also and f' or {also}'}, got {name!r}"
        question = did_you_mean(name, names) if isinstance(name, str) else ""
        return f"{expected}{question and f': {question}'}"

    def is_own(self, name: str) -> bool:
        """Whether the entry called *name* is icsched's own."""
        return name in self._own

    def origin(self, name: str) -> str:
        """Return the name of an entry and of its package, for messages.

        Raises KeyError if no other package has it.
        """
        return f"{self._what} {name!r} of {self._others[name].value}"

    def result(
        self, name: str, function: Callable[..., R], *given: object, kind: type = object
    ) -> R:
        """Call a *function* of the entry called *name* with *given*, and return the result.

        If the function of another package fails, or does not return a *kind*, raises EngineError
        with the name of the package. Errors of icsched are not changed.
        """
        if self.is_own(name):
            return function(*given)
        where = self.origin(name)
        try:
            found = function(*given)
        except IcschedError:
            raise
        except Exception as error:  # code of other packages may raise any exception
            raise EngineError(f"{where} failed: {type(error).__name__}: {error}") from error
        if not isinstance(found, kind):
            got = type(found).__name__
            raise EngineError(f"{where}: expected it to return a {kind.__name__}, got {got}")
        return found

    def usable(self) -> Iterator[E]:
        """Yield the entries that can be imported, in their order."""
        for name in self:
            try:
                yield self[name]
            except EngineError:
                continue

    def others(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield each entry of another package: its name, its object, and why it cannot be used.

        The last is None for an entry that can be used. Entry points of icsched are left out.
        """
        for name, point in sorted(self._others.items()):
            if point.dist is not None and point.dist.name == "icsched":
                continue
            problem = "icsched has its own entry of that name" if name in self._own else None
            try:
                self._loaded(point)
            except EngineError as error:
                problem = str(error).removeprefix(f"{self.origin(name)}: ")
            yield name, point.value, problem

    def described(self) -> str:
        """Return all names with their sentences, for help; broken entries are marked."""
        return "; ".join(f"{name}, {self._sentence(name)}" for name in self)

    def _sentence(self, name: str) -> str:
        try:
            return self[name].sentence
        except EngineError:
            return "cannot be used: its package is broken"

    @cached_property
    def _others(self) -> "dict[str, EntryPoint]":
        from importlib.metadata import entry_points  # slow to import, and seldom needed

        return {point.name: point for point in entry_points(group=self._group)}

    def _loaded(self, point: "EntryPoint") -> E:
        """Import an entry of another package.

        Raises EngineError if the import fails, or if the object is not an entry called *name*.
        """
        where = self.origin(point.name)
        try:
            entry = point.load()
        except Exception as error:  # a module of another package may raise any exception
            is_missing = isinstance(error, (ImportError, AttributeError))
            problem = error if is_missing else f"{type(error).__name__}: {error}"
            raise EngineError(f"{where}: cannot be imported: {problem}") from error
        if not isinstance(entry, self._kind):
            raise EngineError(f"{where}: expected a {self._kind.__name__}, got {entry!r}")
        if entry.name != point.name:
            raise EngineError(f"{where}: expected an entry of that name, got {entry.name!r}")
        return entry
