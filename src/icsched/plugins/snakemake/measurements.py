"""Measurements of jobs: seconds in past runs, and sizes of temporary files in this run."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean  # raises ValueError for no rows
from typing import Any, TypeVar

import numpy as np

from icsched.arrays import LONGEST, SHORTEST, Floats, Sizes
from icsched.plugins.snakemake.jobs import File, Graph, Job, members, name_of, rule_of

T = TypeVar("T")

PROBE = 32  # jobs to look up before a rule counts as never recorded
MOST_LOOKUPS = 20_000  # jobs to look up in total: each may be a file to read


def recorded_seconds(graph: Graph, jobs: Sequence[Job]) -> dict[Job, float]:
    """Return the seconds that *jobs*, and jobs that are done, took in past runs.

    The seconds come from the job's benchmark file, else from the metadata of its outputs. Some jobs
    of each rule are looked up first, then more jobs of the rules that have records.
    """
    workflow = getattr(graph, "workflow", None)
    if workflow is None:  # the graph is not from a run of Snakemake
        return {}
    everything = {*jobs, *graph.jobs}  # type: ignore[attr-defined]  # jobs that are done count, too
    of_rule: dict[str, list[Job]] = defaultdict(list)
    for job in sorted(everything, key=name_of):  # the order of a set is random
        of_rule[rule_of(job)].append(job)
    known: dict[Job, float] = {}
    share = MOST_LOOKUPS // max(1, len(of_rule))
    for _, alike in sorted(of_rule.items()):
        probe = spread(alike, PROBE)
        found = _found(probe, workflow.persistence)
        if found and len(alike) > PROBE:
            found |= _found(set(spread(alike, share)) - set(probe), workflow.persistence)
        known |= found
    return known


def run_times(jobs: Sequence[Job], known: dict[Job, float]) -> Floats | None:
    """Return the seconds of each job: its own, else the mean of its rule, else the mean of all.

    None if nothing is known.
    """
    if not known:
        return None
    of_rule: dict[str, list[float]] = defaultdict(list)
    for job, seconds in known.items():
        of_rule[rule_of(job)].append(seconds)
    means = {rule: float(np.mean(times)) for rule, times in of_rule.items()}
    usual = float(np.mean(list(known.values())))
    return np.array([known.get(job, means.get(rule_of(job), usual)) for job in jobs])


def spread(alike: list[T], count: int) -> list[T]:
    """Return at most *count* of some jobs that are alike, spread evenly; at least one.

    >>> spread([0, 1, 2, 3, 4], 3)
    [0, 2, 4]
    """
    return alike[:: max(1, -(-len(alike) // max(1, count)))]


def _found(jobs: Iterable[Job], persistence: Any) -> dict[Job, float]:
    seconds = ((job, _recorded(job, persistence)) for job in jobs)
    return {job: found for job, found in seconds if found is not None}


def _recorded(job: Job, persistence: Any) -> float | None:
    """Return the seconds of a job from its benchmark file or metadata; None if neither has them.

    A broken file is ignored, because it may be half-written.
    """
    try:
        benchmark = getattr(job, "benchmark", None)
        seconds = benchmark_seconds(Path(str(benchmark))) if benchmark else None
        if seconds is None:
            seconds = _metadata_seconds(job, persistence)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return seconds if seconds is not None and SHORTEST <= seconds <= LONGEST else None


def _metadata_seconds(job: Job, persistence: Any) -> float | None:
    for record in map(persistence.metadata, job.output):
        if record is not None and None not in (record.starttime, record.endtime):
            return float(record.endtime - record.starttime)
    return None


def benchmark_seconds(path: Path) -> float | None:
    """Return the mean of the column "s" of a benchmark file, tab-separated or JSON lines.

    None if the file does not exist. Raises ValueError or LookupError if it is not a benchmark file.
    """
    if not path.is_file():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".jsonl":
        return fmean(float(json.loads(line)["s"]) for line in lines if line)
    column = lines[0].split("\t").index("s")
    return fmean(float(line.split("\t")[column]) for line in lines[1:])


class TemporarySizes:
    """The size of each temporary file, and the mean size for each rule."""

    def __init__(self) -> None:
        self._rule_of: dict[str, str] = {}  # the rule that makes each temporary file
        self._bytes: dict[str, int] = {}
        self._sums: dict[str, list[int]] = defaultdict(list)

    def expect(self, jobs: Iterable[Job]) -> None:
        """Note which rules make the temporary files."""
        for job in jobs:
            for file in _temporary(job.output):
                self._rule_of[str(file)] = rule_of(job)

    def learn(self, ready: Iterable[Job], sizes: Mapping[File, int | None]) -> bool:
        """Note sizes of the temporary inputs of *ready*; return whether a rule is new."""
        rules = len(self._sums)
        singles = (single for job in ready for single in members(job))
        for file in (file for single in singles for file in _temporary(single.input)):
            name, size = str(file), sizes.get(file)
            rule = self._rule_of.get(name)
            if rule is not None and size is not None and name not in self._bytes:
                self._bytes[name] = size
                self._sums[rule].append(size)
        return len(self._sums) > rules

    def of(self, jobs: Sequence[Job]) -> Sizes:
        """Return the bytes of temporary files that each job writes, plus 1 so that none is 0.

        A file of unknown size counts as the mean of its rule, else the mean of all files, else one
        megabyte.
        """
        means = {rule: int(np.mean(sizes)) for rule, sizes in self._sums.items()}
        usual = int(np.mean(list(self._bytes.values()))) if self._bytes else 10**6
        totals = [
            sum(
                self._bytes.get(str(file), means.get(rule_of(job), usual))
                for file in _temporary(job.output)
            )
            for job in jobs
        ]
        return np.array(totals, np.int64) + 1


def _temporary(files: Iterable[File]) -> list[File]:
    return [file for file in files if file.is_flagged("temp")]
