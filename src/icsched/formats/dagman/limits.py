"""The limits on categories of jobs that DAGMan applies once it has lifted all splices."""

from icsched.formats.dagman.commands import MaxJobs
from icsched.formats.dagman.scope import Scope


def category_name(prefix: str, category: str) -> str:
    """Return the name of a splice's category outside the splice; one that begins with + is global.

    >>> category_name("S+", "big"), category_name("S+", "+all")
    ('S+big', '+all')
    """
    return category if category.startswith("+") else prefix + category


def category_limits(scope: Scope) -> dict[str, int]:
    """Return the limit on each category.

    A MAXJOBS line of the scope itself counts; the last of several wins. Without one, the limit of
    the splice that DAGMan lifts first counts. DAGMan lifts splices at the end of each file, in the
    order of their names.
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
