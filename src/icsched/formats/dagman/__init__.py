"""HTCondor DAGMan files, in and out."""

from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.entry import DagmanOptions, read_dagman
from icsched.formats.dagman.staleness import sections
from icsched.formats.dagman.submission import Submission, read_submission
from icsched.formats.dagman.workflow_files import submission_of
from icsched.formats.dagman.writer import (
    Change,
    changes,
    copies,
    dagman_text,
    flat_file,
    has_variables,
    job_priorities,
    overridden,
    removals,
    submit_files,
    submit_removals,
    write_dagman,
)
from icsched.workflow import Remark

__all__ = [
    "Change",
    "DagmanOptions",
    "Remark",
    "Submission",
    "changes",
    "copies",
    "dagman_text",
    "flat_file",
    "has_variables",
    "job_priorities",
    "overridden",
    "read_dagman",
    "read_submission",
    "removals",
    "sections",
    "submission_of",
    "submit_files",
    "submit_removals",
    "write_clustered",
    "write_dagman",
]
