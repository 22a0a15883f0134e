"""Snakemake's graph in memory: the parts that a plugin may use."""

from collections.abc import Collection, Iterable, Mapping

from icsched import Dag


class FakeFile(str):
    """A path that may be temporary."""

    __slots__ = ("is_temp",)

    def __new__(cls, path: str, *, temp: bool = False):
        file = super().__new__(cls, path)
        file.is_temp = temp
        return file

    def is_flagged(self, flag: str) -> bool:
        return flag == "temp" and self.is_temp


class FakeRule:
    def __init__(self, name: str) -> None:
        self.name = name


class FakeJob:
    def __init__(self, name: str, *, priority=0, needs=None, rule="rule", temp=False, inputs=()):
        self.input = list(inputs)
        self.output = [FakeFile(name, temp=temp)]
        self.log: list[FakeFile] = []
        self.priority = priority
        self.rule = FakeRule(rule)
        self.scheduler_resources: Mapping[str, object] = needs if needs is not None else {}
        self.resources = self.scheduler_resources

    def __repr__(self) -> str:
        return self.output[0]


class FakeGroup:
    def __init__(self, jobs: Collection[FakeJob], needs: Mapping[str, object]) -> None:
        self.jobs = frozenset(jobs)  # a property in Snakemake, not a method
        self.priority = max(job.priority for job in jobs)
        self.scheduler_resources = needs
        self.input = [file for job in jobs for file in job.input]
        self.output = [file for job in jobs for file in job.output]


class FakeGraph:
    """Jobs with their parents; a job is ready when all of its parents have finished."""

    def __init__(self, parents_of: Mapping[FakeJob, Iterable[FakeJob]]) -> None:
        self.parents_of = {job: list(parents) for job, parents in parents_of.items()}
        self.done: set[FakeJob] = set()

    @classmethod
    def of(cls, dag: Dag, jobs: list[FakeJob]) -> "FakeGraph":
        return cls({jobs[at]: [jobs[above] for above in dag.parents(at)] for at in range(len(dag))})

    def needrun_jobs(self) -> list[FakeJob]:
        return [job for job in self.parents_of if job not in self.done]

    def job_dependencies(self, job: FakeJob) -> list[FakeJob]:
        return self.parents_of[job]

    def ready(self, running: Collection[FakeJob] = ()) -> set[FakeJob]:
        return {
            job
            for job in self.needrun_jobs()
            if job not in running and self.done.issuperset(self.parents_of[job])
        }
