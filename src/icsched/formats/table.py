"""The table of formats: every kind of file that icsched reads or writes.

A new format is a `Format`. List it here, with its functions by name, or make it an entry point in
the group ``icsched.formats`` of another package.
"""

from dataclasses import dataclass

from icsched.formats.dagman.entry import DAGMAN, DagmanOptions
from icsched.formats.dagman.writer import DagmanWriting
from icsched.formats.dagman.writer import Via as Via
from icsched.formats.port import KEPT, Format, Later
from icsched.tables import Table

_ALL = frozenset(KEPT)


def _here(place: str) -> Later:
    return Later(f"icsched.formats.{place}")


FORMATS: Table[Format] = Table(
    "format",
    "icsched.formats",
    Format,
    [
        DAGMAN,
        Format(
            "wfformat",
            "workflows and their traces as JSON of WfCommons, versions 1.0 to 1.6",
            suffixes=(".json",),
            read=_here("wfformat.reader:read_wfformat"),
            changes=_here("wfformat.writer:changes"),
            text=_here("wfformat.writer:wfformat_text"),
            keeps=frozenset({"run_times", "sizes", "commands", "priorities", "cores"}),
            takes_name=_here("wfformat.writer:is_task_id"),
        ),
        Format(
            "pegasus",
            "workflows of Pegasus 5 as YAML",
            suffixes=(".yml", ".yaml"),
            read=_here("pegasus.reader:read_pegasus"),
            changes=_here("pegasus.writer:changes"),
            text=_here("pegasus.writer:pegasus_text"),
            keeps=_ALL - {"done"},
            takes_name=_here("pegasus.writer:is_job_id"),
        ),
        Format(
            "dax",
            "workflows of Pegasus 2 to 4 (DAX)",
            suffixes=(".dax", ".xml"),
            read=_here("dax.reader:read_dax"),
            changes=_here("dax.writer:changes"),
            text=_here("dax.writer:workflow_text"),
            keeps=_ALL - {"done", "sizes"},
            takes_name=_here("dax.writer:is_name"),
        ),
        Format(
            "dot",
            "digraphs of Graphviz, and what Snakemake and Nextflow draw",
            suffixes=(".dot", ".gv"),
            read=_here("dot.reader:read_dot"),
            text=_here("dot.writer:workflow_text"),
            keeps=_ALL - {"resources"},
            takes_name=_here("dot.writer:takes_name"),
        ),
        Format(
            "edges",
            "lists of edges: a parent and a child on each line",
            suffixes=(".edges", ".edgelist"),
            read=_here("edges:read_edges"),
            text=_here("edges:edges_text"),
            takes_name=_here("edges:takes_name"),
        ),
        Format(
            "csv",
            "tables of comma- or tab-separated values",
            suffixes=(".csv", ".tsv"),
            read=_here("columns:read_columns"),
            text=_here("columns:columns_text"),
            keeps=_ALL - {"resources"},
            takes_name=_here("columns:takes_name"),
        ),
        Format(
            "slurm",
            "scripts that submit jobs to Slurm by sbatch",
            suffixes=(".sbatch", ".slurm", ".sh"),
            read=_here("slurm.reader:read_slurm"),
            changes=_here("slurm.writer:changes"),
            text=_here("slurm.writer:slurm_text"),
            keeps=_ALL - {"done", "run_times", "sizes"},
            takes_name=_here("slurm.writer:takes_name"),
            placeholder="task.sh",
        ),
    ],
)


@dataclass(frozen=True)
class OrderOptions(DagmanWriting):
    """The options of `icsched prio` for all formats of icsched; each format uses some of them."""


@dataclass(frozen=True)
class ReadOptions(DagmanOptions):
    """The options for reading all formats of icsched; each format uses some of them."""


def format_of(path: str, name: str | None = None) -> Format:
    """Return the format called *name*; without a name, the format with the suffix of *path*.

    A file with an unknown suffix is a DAGMan file, because DAGMan files may have any name. A format
    of another package that cannot be imported is ignored. Raises ArgumentError for an unknown name.

    >>> format_of("wf.dag").name, format_of("dag.dot").name, format_of("diamond").name
    ('dagman', 'dot', 'dagman')
    """
    return FORMATS.find(name) if name is not None else format_by_suffix(path) or DAGMAN


def format_by_suffix(path: str) -> Format | None:
    """Return the format with the suffix of *path*; None if no format has it."""
    lower = path.lower()
    return next((f for f in FORMATS.usable() if lower.endswith(f.suffixes)), None)
