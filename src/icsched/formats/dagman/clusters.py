"""A workflow written with its jobs in clusters: one DAGMan job runs the jobs of a cluster.

Beside the DAGMan file is a directory. For each cluster of several jobs it has a list of the
members, a submit description, and what running the cluster leaves behind. A cluster of one job is
written as the job itself.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

import numpy as np

from icsched.errors import FormatError, ScheduleError
from icsched.files import naming, read_bytes, write_with_directory
from icsched.formats.dagman.flat import Flat, as_file, flat_name
from icsched.formats.dagman.members import Member, as_member, job_statements, submit_lines
from icsched.formats.dagman.seal import (
    DIRECTORY,
    MARK,
    SCRIPT,
    check_original,
    check_output,
    with_seal,
)
from icsched.formats.dagman.submission import Submission
from icsched.formats.dagman.submit import Descriptions
from icsched.formats.dagman.writer import submit_files
from icsched.pebble import check_order
from icsched.workflow import Workflow

_SCRIPT_SOURCE = os.path.join(os.path.dirname(__file__), "run_members.sh")


@dataclass(frozen=True, slots=True)
class _Cluster:
    """A cluster of several jobs."""

    name: str
    members: tuple[Member, ...]
    lines: tuple[str, ...]  # DAGMan statements about it
    wishes: tuple[str, ...]  # lines of its submit description


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be written: clusters of a workflow's jobs."""

    workflow: Submission
    flat: Flat
    clusters: dict[str, Sequence[int]]  # by their names as jobs
    directory: str


def write_clustered(
    workflow: Submission, clusters: Sequence[Sequence[int]], output: str | os.PathLike[str]
) -> list[str]:
    r"""Write *workflow* to *output* as a DAGMan file with *clusters* for jobs; return the files.

    A cluster is a list of ids of jobs that are left, in the order in which they will run. The
    clusters come in the order in which they will be handed out, and get their priorities by it. The
    first file returned is *output*. It is written last, so until then there is none. New files
    are not more readable than the files that they are made of.

    Raises ScheduleError if the clusters one after the other are not a legal order. Raises
    MemberError, with the line, for what a cluster of several jobs cannot do. Raises FormatError for
    a workflow that is made of clusters, an output that has been run, existing files that icsched
    did not write or that the workflow needs, or what cannot be read or written. After an error,
    nothing has been written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from icsched.formats.dagman import read_submission
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "x.sub").write_text("executable = /bin/true\nqueue\n")
    ...     text = f"JOB a x.sub DIR {folder}\nJOB b x.sub DIR {folder}\nPARENT a CHILD b\n"
    ...     _ = Path(folder, "wf.dag").write_text(text)
    ...     workflow = read_submission(Path(folder, "wf.dag"))
    ...     files = write_clustered(workflow, [[0, 1]], Path(folder, "out.dag"))
    ...     [Path(file).name for file in files]
    ['out.dag', 'run-members', 'cluster_0001.members', 'cluster_0001.sub']
    """
    path = os.fspath(output)
    files = clustered_files(workflow, clusters, path)
    check_output(workflow, path)
    inside = {os.path.basename(name): data for name, data in files.items() if name != path}
    # If a power cut empties some of these, DAGMan or the script reports it: no job is skipped.
    dag = with_seal(files[path], inside)
    with naming(path):
        shared = _shared([*workflow.read, *(file.path for file in submit_files(workflow))])
    write_with_directory(path, dag, path + DIRECTORY, inside, executable={SCRIPT}, shared=shared)
    return list(files)


def _shared(paths: Sequence[str]) -> int:
    """Return the permissions that all these files give to their group and to others."""
    modes = (os.stat(path).st_mode for path in paths if os.path.isfile(path))
    return reduce(and_, modes, 0o077)


def clustered_files(
    workflow: Submission, clusters: Sequence[Sequence[int]], output: str
) -> dict[str, bytes]:
    """Return what `write_clustered` writes and seals, by the names of the files.

    Raises as `write_clustered` does.
    """
    _check_workflow(workflow, output)
    _check_clusters(workflow, clusters)
    flat = Flat(workflow)
    plan = _Plan(workflow, flat, _named(workflow, clusters, flat.names), output + DIRECTORY)
    several = _several(plan)
    files = {output: as_file(_dag_lines(plan, several))}
    files[os.path.join(plan.directory, SCRIPT)] = read_bytes(_SCRIPT_SOURCE)
    for cluster in several:
        stem = os.path.join(plan.directory, cluster.name)
        files[f"{stem}.members"] = as_file(_member_lines(cluster, stem))
        files[f"{stem}.sub"] = as_file(_submit_file(cluster, stem, plan.directory))
    return files


def _check_workflow(workflow: Submission, output: str) -> None:
    path = workflow.roots[0].path
    if len(workflow.roots) > 1:
        raise FormatError(path, None, "expected one DAGMan file to cluster, got several")
    if workflow.use_dag_directory:
        problem = "expected names of files from the directory you submit in, got --usedagdir"
        raise FormatError(path, None, problem)
    if re.search(r"[\s\"'$\\()]", output):
        problem = "expected a name without blanks, quotes, $, \\ and parentheses for the clusters'"
        raise FormatError(output, None, f"{problem} files")
    check_original(workflow)
    _check_weak(workflow)


def _check_weak(workflow: Submission) -> None:
    """Raise FormatError at a dependency that lets a job run whose parent has failed."""
    for place in workflow.places:
        if weak := place.scope.first_weak:
            raise weak.error("WEAK parents cannot be used in clusters")


def _check_clusters(workflow: Submission, clusters: Sequence[Sequence[int]]) -> None:
    for number, cluster in enumerate(clusters, 1):
        if not len(cluster):
            raise ScheduleError(f"cluster {number}: expected tasks, got none")
    known = Workflow(workflow.dag, workflow.done)
    order = [task for cluster in clusters for task in cluster]
    check_order(known, known.order_left(order))


def _named(
    workflow: Submission, clusters: Sequence[Sequence[int]], taken: Sequence[str]
) -> dict[str, Sequence[int]]:
    """Return the clusters by the names that they get as jobs; *taken* are all other names."""
    prefix = "cluster_"
    while any(name.startswith(prefix) for name in taken):
        prefix = f"clusters_of_{prefix}"
    width = max(4, len(str(len(clusters))))
    return {
        f"{prefix}{number:0{width}}"
        if len(cluster) > 1
        else flat_name(str(workflow.dag.names[cluster[0]])): cluster
        for number, cluster in enumerate(clusters, 1)
    }


def _several(plan: _Plan) -> list[_Cluster]:
    """Return the clusters of several jobs, with everything that their members' files say."""
    names = plan.workflow.dag.names
    together = {
        name: [str(names[task]) for task in tasks]
        for name, tasks in plan.clusters.items()
        if len(tasks) > 1
    }
    jobs = plan.workflow.jobs_called({job for group in together.values() for job in group})
    descriptions = Descriptions()
    clusters = []
    for name, group in together.items():
        lines = tuple(job_statements(name, [jobs[job] for job in group]))
        members = tuple(as_member(jobs[job], descriptions) for job in group)
        clusters.append(_Cluster(name, members, lines, tuple(submit_lines(members))))
    return clusters


def _dag_lines(plan: _Plan, several: Sequence[_Cluster]) -> Iterator[str]:
    names, flat = list(plan.clusters), plan.flat
    alone = {name for name, tasks in plan.clusters.items() if len(tasks) == 1}
    jobs, source = sum(map(len, plan.clusters.values())), plan.workflow.roots[0].path
    header = f"{jobs:,} jobs of {source} in {len(names):,} clusters.{_left_out(plan.workflow)}"
    yield f"{MARK} {' '.join(header.splitlines())}"  # a file's name may hold line ends
    yield from flat.directives()
    yield from flat.jobs(alone)
    for cluster in several:
        yield f"JOB {cluster.name} {os.path.join(plan.directory, cluster.name)}.sub"
        yield from cluster.lines
    yield from flat.about_jobs(alone, priorities=False)
    for parent, children in _arcs(plan):
        yield f"PARENT {names[parent]} CHILD {' '.join(names[child] for child in children)}"
    for number, name in enumerate(names):
        yield f"PRIORITY {name} {len(names) - number}"


def _left_out(workflow: Submission) -> str:
    """Say how many jobs are done and therefore in no cluster."""
    done = int(workflow.done.sum())
    by = f" by {os.path.basename(workflow.rescue)}" if workflow.rescue else ""
    return f" Left out: {done:,} done{by}." if done else ""


def _arcs(plan: _Plan) -> Iterator[tuple[int, list[int]]]:
    """Yield each cluster that others wait for, with those that wait, each once."""
    dag = plan.workflow.dag
    owner = np.full(len(dag), -1)  # of a job that is done
    for number, tasks in enumerate(plan.clusters.values()):
        owner[np.asarray(tasks)] = number
    arcs = owner[dag.arcs]
    goes_between = (arcs[:, 0] != arcs[:, 1]) & (arcs >= 0).all(axis=1)
    between = np.unique(arcs[goes_between], axis=0)
    starts = np.flatnonzero(np.diff(between[:, 0], prepend=-1))
    for run in np.split(between, starts[1:]) if len(between) else []:
        yield int(run[0, 0]), run[:, 1].tolist()


def _member_lines(cluster: _Cluster, stem: str) -> Iterator[str]:
    """Yield the list that the script reads; both number the members that run from 1."""
    running = [one for one in cluster.members if one.executable]
    for number, one in enumerate(running, 1):
        yield f"member {one.name}"
        yield f"directory {one.directory or '.'}"
        yield f"input {one.input}"
        yield f"output {one.output or f'{stem}.{number}.out'}"
        yield f"error {one.error or f'{stem}.{number}.err'}"
        yield from (f"environment {pair}" for pair in one.environment)
        yield f"executable {one.executable}"
        yield from (f"argument {word}" for word in one.arguments)
        yield "run"
    yield "end"


def _submit_file(cluster: _Cluster, stem: str, directory: str) -> Iterator[str]:
    names = [one.name for one in cluster.members]
    yield f"{MARK} {len(names):,} jobs one after the other, from {names[0]} to {names[-1]}."
    yield f"executable = {os.path.join(directory, SCRIPT)}"
    yield f"arguments = {stem}"
    yield f"output = {stem}.out"
    yield f"error = {stem}.err"
    yield f"log = {stem}.events"
    yield "should_transfer_files = NO"
    yield from cluster.wishes
    yield f"+IcschedClusterSize = {len(names)}"
    yield "queue"
