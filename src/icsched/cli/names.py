"""Names that shells complete: those in the tables, with their sentences."""

from collections.abc import Callable, Mapping
from typing import Protocol


class Named(Protocol):
    """What has a sentence for help."""

    @property
    def sentence(self) -> str:
        """What the entry is."""


def names_of(table: Callable[[], Mapping[str, Named]]) -> Callable[[object], dict[str, str]]:
    """Return a completer of the names in a table, which is loaded only when a shell asks."""
    return lambda _context: {name: entry.sentence for name, entry in table().items()}
