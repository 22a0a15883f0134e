"""What `icsched make` writes."""

from collections.abc import Mapping

from icsched import formats
from icsched.answers.make import MakeAnswer
from icsched.families.registry import Family
from icsched.render import layout
from icsched.render.words import size
from icsched.workflow import Workflow


def text(found: MakeAnswer, path: str = "<text>") -> str:
    """Return the dag in the format of the file at *path*, under a title that says how it was made.

    Raises FormatError if the format cannot hold a dag.
    """
    dag = found.dag
    chosen = formats.format_of(path)
    if chosen.text is None:
        raise chosen.cannot("text", path)
    title = f"icsched make {' '.join(found.words)}: {size(len(dag), dag.arc_count)}"
    return chosen.text(Workflow.bare(dag), title=title, path=path)


def listing(families: Mapping[str, Family]) -> str:
    """Return the families, one on each line."""
    return layout.listing([(family.usage, family.summary) for family in families.values()])
