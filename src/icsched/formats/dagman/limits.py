"""The limits on categories of jobs that DAGMan follows once it has lifted all splices."""

from icsched.formats.dagman.commands import MaxJobs
from icsched.formats.dagman.scope import Scope


def category_name(prefix: str, category: str) -> str:
    """Return what a category of a splice is called around it; one with a + first is global.

    >>> category_name("S+", "big"), category_name("S+", "+all")
    ('S+big', '+all')
    """
    return category if category.startswith("+") else prefix + category


def category_limits(scope: Scope) -> dict[str, int]:
    """Return the limit on each category.

    A MAXJOBS line of the scope itself counts, the last of several. If there is none, the limit
    counts of the splice that DAGMan lifts first: splices are lifted at the end of each file, by
    name.
    """
    return _limits(scope, {})


def _limits(scope: Scope, known: dict[int, dict[str, int]]) -> dict[str, int]:
    if id(scope) not in known:
        found: dict[str, int] = {}
        for instance in scope.lifted:
            for category, limit in _limits(instance.scope, known).items():
                found.setdefault(category_name(f"{instance.name}+", category), limit)
        known[id(scope)] = found | _own_limits(scope)
    return known[id(scope)]


def _own_limits(scope: Scope) -> dict[str, int]:
    said = (statement.command for statement in scope.directives)
    return {one.argument: one.limit for one in said if isinstance(one, MaxJobs)}
