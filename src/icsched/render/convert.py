"""What `icsched convert` says."""

from collections.abc import Iterator

from icsched.answers.convert import ConvertAnswer
from icsched.formats.entry import KEPT
from icsched.render.visible import named
from icsched.render.words import counted, size

_MOST_NAMES = 5  # that are shown; --json has all


def text(found: ConvertAnswer) -> str:
    """Return what was written, and what was not, one sentence on each line."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: ConvertAnswer) -> Iterator[str]:
    pair = f"{found.from_format} to {found.to_format}"
    what = f"{size(found.tasks, found.arcs)}, {pair}"
    yield f"{named(found.output)}: {what}"
    for word in found.lost:
        reason = f": {found.unreadable}" if word == "commands" and found.unreadable else ""
        held = "" if reason else f", which format {found.to_format} cannot hold"
        yield f"not kept: {KEPT[word]}{held}{reason}"
    if found.renamed:
        yield from _renamed(found)
    for remark in found.remarks:
        place = f"{remark.path}:{remark.line}" if remark.line else remark.path
        more = f" ({remark.count:,} times)" if remark.count > 1 else ""
        yield f"{place}: {remark.text}{more}"


def _renamed(found: ConvertAnswer) -> Iterator[str]:
    names = counted(len(found.renamed), "name")
    yield f"{names} changed, because format {found.to_format} cannot hold them:"
    for old, new in found.renamed[:_MOST_NAMES]:
        yield f"  {named(repr(old))} -> {named(new)}"
    if len(found.renamed) > _MOST_NAMES:
        yield "  ... (--json lists all)"


def keys(found: ConvertAnswer) -> dict[str, object]:
    """Return the answer for JSON."""
    return {
        "file": found.file,
        "output": found.output,
        "from": found.from_format,
        "to": found.to_format,
        "tasks": found.tasks,
        "arcs": found.arcs,
        "lost": list(found.lost),
        "commands_unreadable": found.unreadable,
        "renamed": dict(found.renamed),
        "remarks": [
            {"path": one.path, "line": one.line, "text": one.text, "count": one.count}
            for one in found.remarks
        ],
    }
