"""Groups of tasks that an edge may begin or end at."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Group:
    """A subgraph: the tasks that it mentions, and the subgraphs in it."""

    tasks: list[int] = field(default_factory=list)
    parts: list["Group"] = field(default_factory=list)
    named: dict[str, "Group"] = field(default_factory=dict)

    def members(self) -> list[int]:
        """Return each task of the group and of its parts once."""
        found: dict[int, None] = {}
        waiting, seen = [self], {id(self)}
        while waiting:
            group = waiting.pop()
            found.update(dict.fromkeys(group.tasks))
            parts = [part for part in group.parts if id(part) not in seen]
            seen.update(map(id, parts))
            waiting += parts
        return list(found)
