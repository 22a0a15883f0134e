"""The attributes of nodes that a GraphML or GEXF file declares, by their ids."""

from collections import Counter
from dataclasses import replace

from icsched.formats.nodes import Nodes, Places, free_id, is_fact


class Attributes:
    """Collects the declarations of attributes, and which values icsched does not use."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._open: str | None = None  # the id of the declaration that is open
        self._facts: dict[str, str] = {}  # of the attributes that icsched uses
        self._others: dict[str, tuple[str, int]] = {}  # names, and offsets of the declarations
        self._defaults: dict[str, tuple[str, int]] = {}
        self._unused: Counter[tuple[str, bool]] = Counter()  # values, by id and `is_of_node`

    def declare(self, key: str, name: str, kind: str | None, at: int, what: str) -> None:
        """Note the declaration of *key*; *what* is its element. Raises FormatError for a second."""
        if key in self._facts or key in self._others:
            raise self._nodes.error(at, f"{what} {key!r} is in the file already")
        self._open = key
        if is_fact(name, kind) and name not in self._facts.values():
            self._facts[key] = name
        else:
            self._others[key] = name or key, at

    def close(self) -> None:
        """Note that a declaration has ended."""
        self._open = None

    def default(self, text: str, at: int) -> None:
        """Note the default value in the declaration that is open."""
        if self._open is not None and self._open in self._facts:
            self._defaults[self._open] = text, at

    def fact(self, key: str) -> str | None:
        """Return which of `FACTS` the values of *key* are, or None."""
        return self._facts.get(key)

    def name(self, key: str) -> str:
        """Return the name of another attribute."""
        return self._others.get(key, (key, -1))[0]

    def pass_over(self, key: str, *, is_of_node: bool = True) -> None:
        """Count a value that is not used; not *is_of_node* if nobody declares the key here."""
        self._unused[key, is_of_node] += 1

    def finish(self) -> None:
        """Give all nodes their defaults, and add remarks about values that are not used."""
        for key, (text, at) in self._defaults.items():
            self._nodes.say_rest(self._facts[key], text, at)
        remarks = self._nodes.remarks
        for (key, is_of_node), count in self._unused.items():
            name, at = self._others.get(key, (key, -1)) if is_of_node else (key, -1)
            told = f"icsched does not use attribute {name!r}"
            told = remarks.kind(told, "icsched does not use other attributes")
            line = self._nodes.line(at) if at >= 0 and told not in remarks else 0
            remarks.add(told, count, line)

    def places(self, graph: int, head: int) -> Places:
        """Return where priorities are; *graph* and *head* are offsets of tags, see `Places`."""
        known = next((key for key, fact in self._facts.items() if fact == "priority"), None)
        taken = {*self._facts, *self._others, *(key for key, _ in self._unused)}
        key = free_id(taken) if known is None else known
        return replace(self._nodes.places(graph), key=key, has_key=known is not None, head=head)
