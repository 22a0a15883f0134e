"""HTCondor DAGMan files, in and out."""

from icsched.formats.dagman.advice import advise, refusal, strictness, unread_configs
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.entry import (
    DAGMAN,
    DagmanOptions,
    read_dagman,
)
from icsched.formats.dagman.section import is_in as has_section
from icsched.formats.dagman.staleness import present_priorities, sections
from icsched.formats.dagman.submission import Submission, inner_workflows, read_submission
from icsched.formats.dagman.workflow_files import submission_in, submission_of
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
    without_section,
    write_dagman,
)
from icsched.workflow import Remark

__all__ = [
    "DAGMAN",
    "Change",
    "DagmanOptions",
    "Remark",
    "Submission",
    "advise",
    "changes",
    "copies",
    "dagman_text",
    "flat_file",
    "has_section",
    "has_variables",
    "inner_workflows",
    "job_priorities",
    "overridden",
    "present_priorities",
    "read_dagman",
    "read_submission",
    "refusal",
    "removals",
    "sections",
    "strictness",
    "submission_in",
    "submission_of",
    "submit_files",
    "submit_removals",
    "unread_configs",
    "without_section",
    "write_clustered",
    "write_dagman",
]
