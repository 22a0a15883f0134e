"""Pegasus in the table of formats; the rest is imported only when it is needed."""

from collections.abc import Sequence

from icsched.files import Change
from icsched.formats.entry import Format, NoOptions
from icsched.workflow import Workflow


def _read(paths: Sequence[str], options: NoOptions) -> Workflow:
    from icsched.formats.pegasus.reader import read_pegasus

    return read_pegasus(paths, options)


def _changes(workflow: Workflow, order: Sequence[int]) -> list[Change]:
    from icsched.formats.pegasus.edits import changes

    return changes(workflow, order)


def _text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    from icsched.formats.pegasus.text import pegasus_text

    return pegasus_text(workflow, title=title, path=path)


def _takes_name(name: str) -> bool:
    from icsched.formats.pegasus.text import is_job_id

    return is_job_id(name)


PEGASUS = Format(
    "pegasus",
    "workflows of Pegasus 5 as YAML",
    suffixes=(".yml", ".yaml"),
    read=_read,
    changes=_changes,
    text=_text,
    keeps=frozenset({"run_times", "sizes", "commands", "priorities", "streams", "environment"}),
    takes_name=_takes_name,
)
