"""What `icsched make` writes."""

from collections.abc import Mapping

from icsched import formats
from icsched.answers.make import MakeAnswer
from icsched.families.registry import Family


def text(found: MakeAnswer) -> str:
    """Return the dag as a DAGMan file, under a title that says how it was made."""
    dag = found.dag
    size = f"{len(dag)} jobs, {dag.arc_count} dependencies"
    return formats.dagman_text(dag, title=f"icsched make {' '.join(found.words)}: {size}")


def listing(families: Mapping[str, Family]) -> str:
    """Return the families, one on each line."""
    rows = [(family.usage, family.summary) for family in families.values()]
    width = max(len(usage) for usage, _ in rows)
    return "".join(f"{usage:{width}}  {summary}\n" for usage, summary in rows)
