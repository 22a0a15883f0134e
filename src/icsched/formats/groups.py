"""Groups of tasks that an edge may begin or end at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Union

_VISIT = 10  # entries that take as long as to go to a group


@dataclass(slots=True, eq=False)
class Group:
    """A subgraph: the tasks that it mentions, and the subgraphs in it.

    `known` has its members once they were looked for. A reader that adds something to the group, or
    to one of its parts, forgets them.
    """

    tasks: dict[int, None] = field(default_factory=dict)
    parts: dict["Group", None] = field(default_factory=dict)
    named: dict[str, "Group"] = field(default_factory=dict)
    known: list[int] | None = None

    def members(self, count: Callable[[int], None]) -> list[int]:
        """Return each task of the group and of its parts once; *count* gets what is walked."""
        if self.known is not None:
            return self.known
        found: dict[int, None] = {}
        waiting, seen = [self], {self}
        while waiting:
            group = waiting.pop()
            count(_VISIT + len(group.tasks) + len(group.parts))
            found.update(group.tasks)
            parts = [part for part in group.parts if part not in seen]
            seen.update(parts)
            waiting += parts
        self.known = list(found)
        return self.known


End = Union[int, Group]  # noqa: UP007  of an edge: a task or a group


def members_of(ends: Sequence[End], count: Callable[[int], None]) -> list[int]:
    """Return each task among the *ends* of an edge once."""
    if len(ends) == 1 and isinstance(ends[0], Group):
        return ends[0].members(count)
    found: dict[int, None] = {}
    for end in ends:
        several = [end] if isinstance(end, int) else end.members(count)
        count(len(several))
        found.update(dict.fromkeys(several))
    return list(found)
