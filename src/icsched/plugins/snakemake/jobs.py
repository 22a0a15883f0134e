"""The parts of Snakemake's jobs and job graph that icsched uses."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

NODES, CORES, COUNT = "_nodes", "_cores", "_job_count"  # Snakemake's names of resources


class File(Protocol):
    """A path with flags; also a string."""

    def is_flagged(self, flag: str, /) -> bool:
        """Whether the Snakefile has put *flag* on the file, such as "temp"."""


class Job(Protocol):
    """A single job, or a group of jobs. A group also has `jobs`."""

    @property
    def priority(self) -> int:
        """The priority of the rule, or the largest of a group."""

    @property
    def scheduler_resources(self) -> Mapping[str, Any]:
        """The amount of each resource that the job needs while it runs."""

    @property
    def resources(self) -> Mapping[str, Any]:
        """The same, and words; functions in the Snakefile may be called for it."""

    @property
    def input(self) -> Iterable[File]:
        """The input files."""

    @property
    def output(self) -> Iterable[File]:
        """The output files."""


class Graph(Protocol):
    """Snakemake's dag of jobs."""

    def needrun_jobs(self) -> Iterable[Job]:
        """Return the single jobs that must still run, or that run now."""

    def job_dependencies(self, job: Job, /) -> Iterable[Job]:
        """Return the single jobs that *job* needs files of."""


def name_of(job: Job) -> tuple[str, ...]:
    """Return a name for *job* that is the same in every run; Snakemake's sets have no order.

    The words are the output files, the log files and the name of the rule.
    """
    return (*map(str, job.output), "", *map(str, getattr(job, "log", ())), "", repr(job))


def rule_of(job: Job) -> str:
    """Return the name of the rule of a single job."""
    return str(getattr(getattr(job, "rule", None), "name", ""))


def is_group(job: Job) -> bool:
    """Whether *job* is a group of jobs."""
    return hasattr(job, "jobs")


def members(job: Job) -> Collection[Job]:
    """Return the single jobs of a group, or the job itself.

    `GroupJob.jobs` is a property, though the interface of plugins says that it is a method.
    """
    singles: Any = getattr(job, "jobs", (job,))
    return singles() if callable(singles) else singles  # type: ignore[no-any-return]
