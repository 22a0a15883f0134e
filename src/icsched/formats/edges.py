"""Plain lists of edges: a parent and a child on each line."""

import re
from collections.abc import Sequence

from icsched.files import read_text
from icsched.formats.draft import Draft
from icsched.formats.facts import MOST_READ, written_names
from icsched.formats.port import NoOptions
from icsched.workflow import Workflow

_WEIGHT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_LINE = re.compile("[^\n]+")
_EXPECTED = "expected PARENT CHILD, or one TASK"


def read_edges(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Return the workflow in a list of edges.

    A line has two words, a parent and a child; a line of one word is a task. A word that begins
    with ``#`` starts a comment. Weights and data of networkx are ignored with a remark.
    Raises FormatError for a line with more words.
    """
    [path] = paths
    draft = Draft(path, read_text(path, MOST_READ).removeprefix("\ufeff"))
    task, arc = draft.task, draft.arc
    for match in _LINE.finditer(draft.text):  # a list of all lines would be three times the text
        line, place = match[0], match.start()
        words = line.split()
        if "#" in line:
            words = words[: next((i for i, word in enumerate(words) if word[0] == "#"), None)]
        if len(words) > 2:
            words = _pair(words, line, place, draft)
        if len(words) == 2:
            arc(task(words[0]), task(words[1]), place)
        elif words:
            task(words[0])
    return draft.workflow("edges")


def _pair(words: list[str], line: str, place: int, draft: Draft) -> list[str]:
    """Return parent and child of a line with more words: weights or data."""
    is_weight = len(words) == 3 and _WEIGHT.fullmatch(words[2])
    is_data = words[2].startswith("{") and words[-1].endswith("}")
    if not is_weight and not is_data:
        got = line.strip() if len(line) < 80 else f"{len(words)} words"
        raise draft.error(place, f"{_EXPECTED}, got {got!r}")
    draft.remark("icsched does not read weights and data of edges", place)
    return words[:2]


def takes_name(name: str) -> bool:
    """Whether *name* is one word that does not start a comment.

    >>> takes_name("map_1"), takes_name("map 1"), takes_name("map#1")
    (True, False, False)
    """
    return "#" not in name and "\0" not in name and name.split() == [name] and name[0] != "\ufeff"


def edges_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    r"""Return a workflow as a list of edges; raises FormatError for a name that is not one word.

    The tasks come first, each on a line, in the order of their ids.

    >>> from icsched.dag import Dag
    >>> edges_text(Workflow(Dag({"a": [], "b": ["a"]})))
    'a\nb\na b\n'
    """
    names = written_names(workflow, path, takes_name, "one word without '#'")
    lines = [f"# {line}" for line in title.splitlines()]
    lines += names
    lines += [f"{names[parent]} {names[child]}" for parent, child in workflow.dag.arcs.tolist()]
    return "".join(f"{line}\n" for line in lines)
