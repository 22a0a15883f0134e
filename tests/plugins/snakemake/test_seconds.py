"""Run times out of Snakemake's records."""

from types import SimpleNamespace

import pytest

from icsched.plugins.snakemake.measurements import benchmark_seconds, recorded_seconds, run_times
from tests.plugins.snakemake.fakes import FakeGraph, FakeJob


class Records:
    """Metadata by output file, as Snakemake's persistence returns them."""

    def __init__(self, seconds):
        self._seconds = seconds

    def metadata(self, file):
        found = self._seconds.get(str(file))
        return found and SimpleNamespace(starttime=100.0, endtime=100.0 + found)


def graph_with(jobs, records):
    graph = FakeGraph({job: [] for job in jobs})
    graph.jobs = jobs
    graph.workflow = SimpleNamespace(persistence=Records(records))
    return graph


def test_a_benchmark_file_gives_the_mean_of_its_repeats(folder):
    (folder / "b.tsv").write_text("s\th:m:s\tmax_rss\n1.5\t0:00:01\t3\n2.5\t0:00:02\t4\n")
    (folder / "b.jsonl").write_text('{"s": 4.0, "max_rss": 1}\n{"s": 8.0, "max_rss": 1}\n')

    assert benchmark_seconds(folder / "b.tsv") == 2.0
    assert benchmark_seconds(folder / "b.jsonl") == 6.0
    assert benchmark_seconds(folder / "missing.tsv") is None


def test_a_job_has_its_own_time_else_the_mean_of_its_rule_else_of_all():
    """The mean of 2, 4 and 9 is 5."""
    jobs = [FakeJob(name, rule=name[0]) for name in ("a1", "a2", "a3", "b1", "c1")]

    times = run_times(jobs, recorded_seconds(graph_with(jobs, {"a1": 2, "a2": 4, "b1": 9}), jobs))

    assert times.tolist() == [2, 4, 3, 9, 5]


@pytest.mark.parametrize("text", ["", "s\n", "x\n1\n", "s\nnothing\n", "s\n-3\n", "s\nnan\n"])
def test_a_broken_benchmark_file_says_nothing(folder, text):
    (folder / "b.tsv").write_text(text)
    job = FakeJob("a")
    job.benchmark = folder / "b.tsv"

    assert recorded_seconds(graph_with([job], {}), [job]) == {}


def test_without_records_or_without_a_run_nothing_is_known():
    job = FakeJob("a")

    assert recorded_seconds(graph_with([job], {}), [job]) == {}
    assert recorded_seconds(FakeGraph({job: []}), [job]) == {}
    assert run_times([job], {}) is None
