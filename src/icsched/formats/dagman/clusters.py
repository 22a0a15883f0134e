"""A workflow written with its jobs in clusters: one DAGMan job runs the jobs of a cluster.

Beside the DAGMan file is a directory. For each cluster of several jobs it has a list of the
members, a submit description, and what running the cluster leaves behind. A cluster of one job is
written as the job itself.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import groupby
from operator import and_, itemgetter

import numpy as np

from icsched.dag import Dag
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


def write_clustered(
    workflow: Submission, clusters: Sequence[Sequence[int]], output: str | os.PathLike[str]
) -> list[str]:
    r"""Write *workflow* to *output* as a DAGMan file with *clusters* for jobs; return the files.

    A cluster is a list of ids of jobs that are left, in the order in which they will run. The
    clusters come in the order in which they will be handed out. *output* is written last. New files
    are not more readable than the files that they are made of.

    Raises ScheduleError if the clusters one after the other are not a legal order, MemberError for
    what a cluster of several jobs cannot do, and FormatError for what cannot be read, and for what
    must not be replaced. After an error, nothing has been written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from icsched.formats.dagman.submission import read_submission
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
        sources = [*workflow.read, *(file.path for file in submit_files(workflow))]
        modes = (os.stat(source).st_mode for source in sources if os.path.isfile(source))
        shared = reduce(and_, modes, 0o077)  # with the group and with others
    write_with_directory(path, dag, path + DIRECTORY, inside, executable={SCRIPT}, shared=shared)
    return list(files)


def clustered_files(
    workflow: Submission, clusters: Sequence[Sequence[int]], output: str
) -> dict[str, bytes]:
    """Return what `write_clustered` writes and seals, by the names of the files."""
    _check_workflow(workflow, output)
    for number, cluster in enumerate(clusters, 1):
        if not len(cluster):
            raise ScheduleError(f"cluster {number}: expected tasks, got none")
    known = Workflow(workflow.dag, workflow.done)
    check_order(known, [task for cluster in clusters for task in cluster])
    flat, directory = Flat(workflow), output + DIRECTORY
    names = _names(workflow, clusters, flat.names)
    groups = {
        name: [str(workflow.dag.names[task]) for task in tasks]
        for name, tasks in zip(names, clusters, strict=True)
    }
    several = {name: group for name, group in groups.items() if len(group) > 1}
    jobs = workflow.jobs_called({job for group in several.values() for job in group})
    descriptions = Descriptions()
    files = {output: b"", os.path.join(directory, SCRIPT): read_bytes(_SCRIPT_SOURCE)}
    lines: list[str] = []
    for name, group in several.items():
        stem = os.path.join(directory, name)
        lines += [f"JOB {name} {stem}.sub", *job_statements(name, [jobs[job] for job in group])]
        members = [as_member(jobs[job], descriptions) for job in group]
        files[f"{stem}.members"] = as_file(_member_lines(members, stem))
        files[f"{stem}.sub"] = as_file(_submit_file(members, stem, directory))
    alone = groups.keys() - several.keys()
    files[output] = as_file(
        [
            _header(workflow, len(clusters)),
            *flat.directives(),
            *flat.jobs(alone),
            *lines,
            *flat.about_jobs(alone, priorities=False),
            *_dependencies(workflow.dag, clusters, names),
            *(f"PRIORITY {name} {len(names) - number}" for number, name in enumerate(names)),
        ]
    )
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
    for place in workflow.places:
        if weak := place.scope.first_weak:  # the job runs although a parent has failed
            raise weak.error("WEAK parents cannot be used in clusters")


def _names(
    workflow: Submission, clusters: Sequence[Sequence[int]], taken: Sequence[str]
) -> list[str]:
    """Return the names that clusters get as jobs; *taken* are all other names."""
    prefix = "cluster_"
    while any(name.startswith(prefix) for name in taken):
        prefix = f"clusters_of_{prefix}"
    width = max(4, len(str(len(clusters))))
    return [
        f"{prefix}{number:0{width}}"
        if len(cluster) > 1
        else flat_name(str(workflow.dag.names[cluster[0]]))
        for number, cluster in enumerate(clusters, 1)
    ]


def _header(workflow: Submission, count: int) -> str:
    done = int(workflow.done.sum())
    by = f" by {os.path.basename(workflow.rescue)}" if workflow.rescue else ""
    left_out = f" Left out: {done:,} done{by}." if done else ""
    source = workflow.roots[0].path
    header = f"{len(workflow.dag) - done:,} jobs of {source} in {count:,} clusters.{left_out}"
    return f"{MARK} {' '.join(header.splitlines())}"  # a file's name may hold line ends


def _dependencies(
    dag: Dag[str], clusters: Sequence[Sequence[int]], names: Sequence[str]
) -> Iterator[str]:
    """Yield a PARENT line for each cluster that others wait for."""
    owner = np.full(len(dag), -1)  # of a job that is done
    for number, tasks in enumerate(clusters):
        owner[np.asarray(tasks)] = number
    arcs = owner[dag.arcs]
    goes_between = (arcs[:, 0] != arcs[:, 1]) & (arcs >= 0).all(axis=1)
    between = np.unique(arcs[goes_between], axis=0)
    for parent, run in groupby(between.tolist(), key=itemgetter(0)):
        yield f"PARENT {names[parent]} CHILD {' '.join(names[child] for _, child in run)}"


def _member_lines(members: Sequence[Member], stem: str) -> Iterator[str]:
    """Yield the list that the script reads; both number the members that run from 1."""
    running = [one for one in members if one.executable]
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


def _submit_file(members: Sequence[Member], stem: str, directory: str) -> Iterator[str]:
    ends = f"from {members[0].name} to {members[-1].name}"
    yield f"{MARK} {len(members):,} jobs one after the other, {ends}."
    yield f"executable = {os.path.join(directory, SCRIPT)}"
    yield f"arguments = {stem}"
    yield f"output = {stem}.out"
    yield f"error = {stem}.err"
    yield f"log = {stem}.events"
    yield "should_transfer_files = NO"
    yield from submit_lines(members)
    yield f"+IcschedClusterSize = {len(members)}"
    yield "queue"
