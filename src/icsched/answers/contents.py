"""What a file is that users give beside others: a workflow, or what past runs say."""

import re

from icsched import files, logs
from icsched.formats.table import format_by_suffix

_WORKFLOW_KEY = re.compile(rb'"workflow"\s*:')
_TABLES = "csv"  # the format of workflows whose files are tables of run times, too


def is_workflow(path: str, data: bytes) -> bool:
    """Whether a file is a workflow: it has no events, and a suffix of a format or no JSON.

    A history is JSON too, and may have the suffix of workflows in JSON.
    """
    has_suffix = format_by_suffix(path) is not None
    if has_suffix and data.lstrip().startswith(b"<"):  # no log is XML
        return True
    content = logs.content_of(path, data)
    if content is logs.Content.HISTORY:
        return has_suffix and (not path.lower().endswith(".json") or _has_workflow(data))
    return content is logs.Content.TABLE


def _has_workflow(data: bytes) -> bool:
    """Whether JSON begins as an object, and has the key "workflow": no history is like that."""
    return data.lstrip()[:1] == b"{" and _WORKFLOW_KEY.search(data) is not None


def is_trace(path: str) -> bool:
    """Whether a file with run times is a workflow, by its suffix; a table of any kind is not.

    Only JSON is looked into, because a history may have the same suffix.
    """
    chosen = format_by_suffix(path)
    if chosen is None or chosen.name == _TABLES:
        return False
    return not path.lower().endswith(".json") or is_workflow(path, files.read_bytes(path))
