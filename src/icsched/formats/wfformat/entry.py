"""WfFormat in the table of formats; the rest is imported only when it is needed."""

from collections.abc import Sequence

from icsched.files import Change
from icsched.formats.entry import Format, NoOptions
from icsched.workflow import Workflow


def _read(paths: Sequence[str], options: NoOptions) -> Workflow:
    from icsched.formats.wfformat.reader import read_wfformat

    return read_wfformat(paths, options)


def _changes(workflow: Workflow, order: Sequence[int]) -> list[Change]:
    from icsched.formats.wfformat.edits import changes

    return changes(workflow, order)


def _text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    from icsched.formats.wfformat.text import wfformat_text

    return wfformat_text(workflow, title=title, path=path)


def _takes_name(name: str) -> bool:
    from icsched.formats.wfformat.text import is_task_id

    return is_task_id(name)


WFFORMAT = Format(
    "wfformat",
    "workflows and their traces as JSON of WfCommons, versions 1.0 to 1.6",
    suffixes=(".json",),
    read=_read,
    changes=_changes,
    text=_text,
    keeps=frozenset({"run_times", "sizes", "commands", "priorities"}),
    takes_name=_takes_name,
)
