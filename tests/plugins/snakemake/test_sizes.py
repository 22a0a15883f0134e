"""Sizes of temporary files, as a run shows them."""

from icsched.plugins.snakemake.measurements import TemporarySizes
from tests.plugins.snakemake.fakes import FakeJob


def test_a_file_has_its_own_size_else_the_mean_of_its_rule_else_of_all():
    jobs = [FakeJob(f"{rule}{at}", temp=True, rule=rule) for rule in "abc" for at in range(3)]
    plain = FakeJob("plain", rule="a")
    readers = [FakeJob(f"reader{at}", inputs=job.output) for at, job in enumerate(jobs)]
    sizes = TemporarySizes()
    sizes.expect([*jobs, plain])
    seen = {"a0": 10, "a1": 20, "b0": 60, "c0": None}

    assert sizes.learn(readers[:2], seen)  # rule a is news
    assert not sizes.learn(readers[:2], seen)
    assert sizes.learn(readers, seen)  # rule b is

    # A job counts 1 more than its bytes. Rule c takes the mean of 10, 20 and 60.
    assert sizes.of([*jobs, plain]).tolist() == [11, 21, 16, 61, 61, 61, 31, 31, 31, 1]


def test_before_anything_is_known_every_temporary_file_counts_the_same():
    jobs = [FakeJob("a", temp=True), FakeJob("b", temp=True), FakeJob("c")]

    assert TemporarySizes().of(jobs).tolist() == [1_000_001, 1_000_001, 1]
