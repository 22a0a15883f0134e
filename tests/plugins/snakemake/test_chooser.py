"""Which jobs start: against the plain loop over sorted jobs."""

import asyncio
import logging
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.plugins.snakemake import Chooser, Supervisor
from icsched.plugins.snakemake.measurements import TemporarySizes
from icsched.plugins.snakemake.ranking import made_ranks
from icsched.plugins.snakemake.waiting import CHUNK, Waiting
from tests.plugins.snakemake.fakes import FakeFile, FakeGraph, FakeGroup, FakeJob
from tests.strategies import dags

LOGGER = logging.getLogger("test")
LIMITS = {"_cores": 4, "mem_mb": 10}
needs = st.fixed_dictionaries(
    {"_cores": st.integers(1, 4)}, optional={"mem_mb": st.integers(0, 10) | st.none()}
)


def chosen(jobs, limits):
    """The plain way: each job in turn, if it fits."""
    left, found = dict(limits), []
    for job in jobs:
        need = {name: job.scheduler_resources.get(name) or 0 for name in left}
        if all(need[name] <= left[name] for name in left):
            left = {name: left[name] - need[name] for name in left}
            found.append(job)
    return found


def select(chooser, graph, limits, running=()):
    ready = graph.ready(running)
    remaining = [job for job in graph.needrun_jobs() if job not in running]
    return chooser.select(ready, remaining, limits, {})


@given(st.lists(st.tuples(st.integers(-2, 2), needs), max_size=30), st.randoms())
def test_jobs_start_by_priority_and_rank_each_if_it_fits(drawn, random):
    jobs = [FakeJob(f"{at}", priority=p, needs=need) for at, (p, need) in enumerate(drawn)]
    ranks = random.sample(range(len(jobs)), len(jobs))
    waiting = Waiting(tuple(LIMITS))
    waiting.add(jobs, ranks)
    by_rank = sorted(jobs, key=lambda job: (-job.priority, ranks[jobs.index(job)]))

    picked = waiting.pick(LIMITS, set(jobs))

    assert picked == chosen(by_rank, LIMITS)
    assert len(waiting) == len(jobs) - len(picked)


def test_many_jobs_of_many_priorities_start_in_the_same_order_as_few():
    """More than one chunk, and most of the best jobs need too much."""
    count = 3 * CHUNK
    jobs = [
        FakeJob(f"{at:04}", priority=at * 7919 % 50, needs={"_cores": 1 + 3 * (at % 3 > 0)})
        for at in range(count)
    ]
    waiting = Waiting(("_cores",))
    waiting.add(jobs, range(count))
    by_rank = sorted(jobs, key=lambda job: -job.priority)  # the sort is stable

    assert waiting.pick({"_cores": 1501}, set(jobs)) == chosen(by_rank, {"_cores": 1501})


@given(dags(most_tasks=8), st.data())
def test_a_whole_run_follows_the_order_and_starves_no_job_that_fits(dag, data):
    """The order is fifo by name, and the ids of the dag are in the order of the names."""
    drawn = [data.draw(needs) for _ in range(len(dag))]
    jobs = [FakeJob(f"{at:02}", needs=need) for at, need in enumerate(drawn)]
    graph = FakeGraph.of(dag, jobs)
    rank = {jobs[task]: at for at, task in enumerate(dag.fifo_order.tolist())}
    chooser = Chooser(graph, "fifo", LOGGER)
    running: list[FakeJob] = []
    while len(graph.done) < len(jobs):
        free = {
            name: most - sum(job.scheduler_resources.get(name) or 0 for job in running)
            for name, most in LIMITS.items()
        }
        expected = chosen(sorted(graph.ready(running), key=rank.__getitem__), free)
        assert select(chooser, graph, free, running) == expected
        running += expected
        ended = running.pop(data.draw(st.integers(0, len(running) - 1)))
        graph.done.add(ended)


def test_a_round_without_a_change_looks_at_no_job():
    big = FakeJob("big", needs={"_cores": 2})
    chooser = Chooser(FakeGraph({big: []}), "fifo", LOGGER)
    assert chooser.select({big}, [big], {"_cores": 1}, {}) == []

    class Unseen(set):
        def difference(self, *_):
            raise AssertionError("the ready jobs were looked at")

    assert chooser.select(Unseen({big}), [big], {"_cores": 1}, {}) == []
    assert chooser.select({big}, [big], {"_cores": 2}, {}) == [big]


def test_a_sample_of_ready_jobs_is_looked_at_in_every_round():
    """The numbers are the same, but the sample has another job, which fits."""
    big, small = FakeJob("big", needs={"_cores": 2}), FakeJob("small", needs={"_cores": 1})
    chooser = Chooser(FakeGraph({big: [], small: []}), "fifo", LOGGER, is_sampled=True)

    assert chooser.select({big}, [big, small], {"_cores": 1}, {}) == []
    assert chooser.select({small}, [big, small], {"_cores": 1}, {}) == [small]


def test_nothing_starts_without_a_node_though_a_job_says_nothing_of_nodes():
    job = FakeJob("job")
    chooser = Chooser(FakeGraph({job: []}), "fifo", LOGGER)

    assert chooser.select({job}, [job], {"_nodes": 0, "_cores": 9}, {}) == []
    assert chooser.select({job}, [job], {"_nodes": 1, "_cores": 9}, {}) == [job]


def test_a_job_that_is_tried_again_starts_with_what_it_needs_then():
    job = FakeJob("job", needs={"mem_mb": 1})
    chooser = Chooser(FakeGraph({job: []}), "fifo", LOGGER)
    assert chooser.select({job}, [job], {"mem_mb": 3}, {}) == [job]

    job.scheduler_resources = {"mem_mb": 4}

    assert chooser.select({job}, [job], {"mem_mb": 3}, {}) == []
    assert chooser.select({job}, [job], {"mem_mb": 4}, {}) == [job]


def test_a_group_starts_as_early_as_the_best_of_its_jobs():
    jobs = [FakeJob(name, needs={"_cores": 1}) for name in "abcd"]
    graph = FakeGraph({job: [] for job in jobs})
    group = FakeGroup([jobs[3], jobs[1]], {"_cores": 2})
    chooser = Chooser(graph, "fifo", LOGGER)

    assert chooser.select({group, jobs[0], jobs[2]}, jobs, {"_cores": 3}, {}) == [jobs[0], group]


def test_jobs_that_a_checkpoint_adds_are_ranked_with_all_others():
    first, last = FakeJob("a"), FakeJob("z")
    graph = FakeGraph({first: [], last: []})
    chooser = Chooser(graph, "fifo", LOGGER)
    assert select(chooser, graph, {"_cores": 9}) == [first, last]

    graph.done = {first}
    new = FakeJob("m")
    graph.parents_of[new] = [first]

    assert select(chooser, graph, {"_cores": 9}) == [new, last]


def test_of_many_jobs_a_new_one_starts_right_behind_its_parent():
    """To rank thousands of jobs again for each new one would take too long."""
    jobs = [FakeJob(f"{at:05}", needs={"_cores": 1}) for at in range(3000)]
    graph = FakeGraph({job: [] for job in jobs})
    chooser = Chooser(graph, "fifo", LOGGER)
    assert select(chooser, graph, {"_cores": 2}) == jobs[:2]

    graph.done = {jobs[0]}
    child, grandchild = FakeJob("y", needs={"_cores": 1}), FakeJob("x", needs={"_cores": 1})
    graph.parents_of |= {child: [jobs[0]], grandchild: [child]}
    assert select(chooser, graph, {"_cores": 1}, running=[jobs[1]]) == [child]

    graph.done |= {jobs[1], child}
    alone = FakeJob("0", needs={"_cores": 1})  # the first by name
    graph.parents_of[alone] = []
    assert select(chooser, graph, {"_cores": 2}) == [grandchild, jobs[2]]
    graph.done |= {grandchild, *jobs}
    assert select(chooser, graph, {"_cores": 2}) == [alone]


def test_all_jobs_are_ranked_again_once_one_in_eight_is_new():
    """375 jobs are an eighth of 3,000. They are one long path, behind the last job."""
    jobs = [FakeJob(f"{at:05}", needs={"_cores": 1}) for at in range(3000)]
    graph = FakeGraph({job: [] for job in jobs})
    chooser = Chooser(graph, "critical-path", LOGGER)
    assert select(chooser, graph, {"_cores": 1}) == jobs[:1]
    graph.done = {jobs[0]}
    chain = [jobs[-1], *(FakeJob(f"new{at}", needs={"_cores": 1}) for at in range(375))]
    links = dict(zip(chain[1:], ([job] for job in chain), strict=False))

    graph.parents_of |= dict(list(links.items())[:374])
    assert select(chooser, graph, {"_cores": 1}) == [jobs[1]]
    graph.done = {*jobs[:2]}
    graph.parents_of |= links
    assert select(chooser, graph, {"_cores": 1}) == [jobs[-1]]


def started_by(chooser, graph, sizes) -> list[str]:
    """The jobs in the order in which they start, one at a time."""
    found = []
    while graph.needrun_jobs():
        [job] = chooser.select(graph.ready(), graph.needrun_jobs(), {"_cores": 1}, sizes)
        found.append(job.output[0])
        graph.done.add(job)
    return found


def test_lean_ends_a_sample_before_it_begins_the_next():
    need = {"_cores": 1}
    parents_of = {}
    for number in range(3):
        first = FakeJob(f"a{number}", temp=True, needs=need)
        parents_of |= {first: [], FakeJob(f"z{number}", inputs=first.output, needs=need): [first]}
    graph = FakeGraph(parents_of)

    started = started_by(Chooser(graph, "lean", LOGGER), graph, {})

    assert started == ["a0", "z0", "a1", "z1", "a2", "z2"]


def two_branches(sample: int) -> dict[FakeJob, list[FakeJob]]:
    """Two chains of temporary files, and a job that reads both results."""
    need = {"_cores": 1}
    jobs = []
    for first, last in ("ab", "yz"):
        above = FakeJob(f"{first}{sample}", rule=first, temp=True, needs=need)
        below = FakeJob(f"{last}{sample}", rule=last, temp=True, inputs=above.output, needs=need)
        jobs += [(above, []), (below, [above])]
    ends = [jobs[1][0], jobs[3][0]]
    inputs = [file for job in ends for file in job.output]
    return dict([*jobs, (FakeJob(f"{sample}", rule="end", inputs=inputs, needs=need), ends)])


@pytest.mark.parametrize(
    ("sizes", "second"),
    [
        ({}, ["a2", "b2", "y2", "z2", "2"]),
        ({"a1": 1, "b1": 1, "y1": 100, "z1": 1}, ["y2", "z2", "a2", "b2", "2"]),
    ],
)
def test_lean_ranks_again_by_the_sizes_that_the_first_sample_has_shown(sizes, second):
    """Next to y, of 100 bytes, it is better not to keep b. Equals start by name."""
    graph = FakeGraph(two_branches(1) | two_branches(2))

    assert started_by(Chooser(graph, "lean", LOGGER), graph, sizes)[5:] == second


def test_lean_learns_the_sizes_of_files_that_an_earlier_run_has_made():
    """The job that made big is done, so it is not among the jobs to run."""
    maker, other = (FakeJob(name, temp=True, rule="make") for name in ("big", "big2"))
    user = FakeJob("out", inputs=[FakeFile("big", temp=True)], rule="use")
    graph = FakeGraph({maker: [], other: [], user: [maker]})
    graph.done = {maker}
    sizes = TemporarySizes()

    made_ranks(graph, [other, user], "lean", limits={}, sizes=sizes, tell=print)

    assert sizes.learn([user], {FakeFile("big", temp=True): 10**9})
    assert sizes.of([other]).tolist() == [10**9 + 1]


def chain_behind_others(**more: object) -> FakeGraph:
    """Eight jobs a0 to a7 without parents, and a chain from z0 to z5."""
    need = {"_cores": 1, **more}
    chain = [FakeJob(f"z{at}", needs=need) for at in range(6)]
    others = {FakeJob(f"a{at}", needs=need): [] for at in range(8)}
    return FakeGraph(others | {job: chain[max(0, at - 1) : at] for at, job in enumerate(chain)})


@pytest.mark.parametrize(
    ("limits", "first"),
    [
        ({"_cores": 1}, "a0"),
        ({"_cores": 4, "_nodes": 1}, "a0"),
        ({"_nodes": 4}, "a0"),  # Snakemake always tells the cores
        ({"_cores": 4}, "z0"),
        ({"_cores": 4, "_nodes": 2}, "z0"),
    ],
)
def test_auto_chooses_for_as_many_jobs_at_once_as_there_are_nodes_and_cores(limits, first):
    """One at a time, every order takes as long as that of the names. Else the chain is first."""
    graph = chain_behind_others()

    picked = select(Chooser(graph, "auto", LOGGER), graph, limits)

    assert picked[0].output == [first]


@pytest.mark.parametrize(
    ("more", "limits", "first"),
    [
        ({"_cores": 4}, {}, "a0"),
        ({"mem_mb": 60}, {"mem_mb": 100}, "a0"),
        ({"gpu": 1}, {"gpu": 1}, "a0"),
        ({"gpu": 1}, {"gpu": 4}, "z0"),
        ({"mem_mb": 60}, {"mem_mb": 1000}, "z0"),
        ({"mem_mb": 60}, {}, "z0"),  # nobody limits it
    ],
)
def test_auto_chooses_for_as_many_jobs_at_once_as_their_resources_allow(more, limits, first):
    """With four cores. If the resources allow one job at a time, no order is better than fifo."""
    graph = chain_behind_others(**more)

    picked = select(Chooser(graph, "auto", LOGGER), graph, {"_cores": 4, **limits})

    assert picked[0].output == [first]


def test_jobs_are_ordered_though_no_core_is_free_in_the_first_round(caplog):
    graph = chain_behind_others()
    chooser = Chooser(graph, "critical-path", LOGGER)

    assert select(chooser, graph, {"_cores": 0}) == []
    [job] = select(chooser, graph, {"_cores": 1})
    assert job.output == ["z0"]
    assert not caplog.records


def test_ready_jobs_may_come_in_any_collection():
    jobs = [FakeJob(name, needs={"_cores": 1}) for name in "abc"]
    chooser = Chooser(FakeGraph({job: [] for job in jobs}), "fifo", LOGGER)

    assert chooser.select(jobs[::-1], jobs, {"_cores": 2}, {}) == jobs[:2]


class CountedGraph(FakeGraph):
    """Counts how often all jobs were looked at, which takes long if there are many."""

    looks = 0

    def needrun_jobs(self) -> list[FakeJob]:
        self.looks += 1
        return super().needrun_jobs()


class Unread(list):
    """Remaining jobs that may be counted, but not looked at."""

    def __iter__(self):
        raise AssertionError("the remaining jobs were looked at")


def test_remaining_jobs_are_counted_after_a_retry_and_while_groups_run():
    """Of six jobs, four are two groups. Those of a running group remain, as in Snakemake."""
    need = {"_cores": 1}
    jobs = [FakeJob(name, needs=need) for name in "abcdef"]
    groups = [FakeGroup(jobs[at : at + 2], need) for at in (2, 4)]
    graph = CountedGraph({job: [] for job in jobs})
    chooser = Chooser(graph, "fifo", LOGGER)
    a, b, *grouped = jobs
    assert chooser.select({a, b, *groups}, jobs, {"_cores": 1}, {}) == [a]

    again = chooser.select({a, b, *groups}, Unread(jobs), {"_cores": 1}, {})
    assert again == [a]
    assert chooser.select({b, *groups}, Unread([b, *grouped]), {"_cores": 1}, {}) == [b]
    for running, group in enumerate(groups):
        left = set(groups[running:])
        assert chooser.select(left, Unread(grouped), {"_cores": 1}, {}) == [group]
    assert chooser.select({groups[0]}, Unread(grouped[:2]), {"_cores": 1}, {}) == [groups[0]]
    assert graph.looks == 1


def test_a_job_that_comes_while_others_end_is_ranked_when_it_is_ready():
    """A group of two ends, and a checkpoint adds one job: fewer jobs remain than before."""
    need = {"_cores": 1}
    jobs = [FakeJob(name, needs=need) for name in "adyz"]
    graph = FakeGraph({job: [] for job in jobs})
    group = FakeGroup(jobs[:2], need)
    chooser = Chooser(graph, "fifo", LOGGER)
    assert chooser.select({group, *jobs[2:]}, jobs, {"_cores": 1}, {}) == [group]

    new = FakeJob("b", needs=need)
    graph.done = set(jobs[:2])
    graph.parents_of[new] = []

    assert chooser.select({new, *jobs[2:]}, [*jobs[2:], new], {"_cores": 1}, {}) == [new]


def test_an_unknown_order_is_named():
    with pytest.raises(ArgumentError, match=r"order: expected auto, .*, lean, got 'nosuch'"):
        Chooser(FakeGraph({}), "nosuch", LOGGER)


def test_an_order_that_fails_is_told_in_one_line_and_jobs_start_by_name(caplog):
    """A cycle cannot be ordered. Snakemake would not make one."""
    a, b = FakeJob("a"), FakeJob("b")
    chooser = Chooser(FakeGraph({a: [b], b: [a]}), "prio", LOGGER)

    assert chooser.select({a, b}, [a, b], {"_cores": 1}, {}) == [a, b]
    [record] = caplog.records
    assert record.getMessage().startswith(
        "icsched: jobs start by name, because the order prio failed: dependency cycle"
    )


def test_jobs_of_an_order_that_fails_start_by_rule_priority_and_then_by_name():
    """c and a need each other, so nothing can be ordered. One job fits at a time."""
    need = {"_cores": 1}
    c, d, a = (FakeJob(name, needs=need) for name in "cda")
    b = FakeJob("b", needs=need, priority=-1)
    graph = FakeGraph({c: [a], d: [], b: [], a: [c]})
    chooser = Chooser(graph, "prio", LOGGER)
    left, started = [c, d, b, a], []

    while left:
        [job] = chooser.select(set(left), left, need, {})
        left.remove(job)
        started.append(job)

    assert started == [a, c, d, b]


def broken_supervisor(jobs) -> Supervisor:
    """A supervisor whose chooser fails by a bug."""

    class Broken(FakeGraph):
        def needrun_jobs(self):
            raise LookupError("broken")

    return Supervisor(Broken({job: [] for job in jobs}), "auto", LOGGER, skip_input_sizes=False)


@given(st.lists(st.tuples(st.integers(-2, 2), needs), max_size=8), st.randoms())
def test_after_a_bug_jobs_start_by_rule_priority_and_then_by_name_each_if_it_fits(drawn, random):
    """Limits that are no numbers, such as a directory, limit nothing."""
    jobs = [FakeJob(f"{at}", priority=p, needs=need) for at, (p, need) in enumerate(drawn)]
    shuffled = random.sample(jobs, len(jobs))
    by_priority = sorted(jobs, key=lambda job: -job.priority)  # the sort is stable
    supervisor = broken_supervisor(jobs)

    for _ in range(2):  # in the round of the bug, and later
        picked = supervisor.select(shuffled, shuffled, LIMITS | {"tmpdir": "/tmp"}, {})  # noqa: S108
        assert picked == chosen(by_priority, LIMITS)


def test_a_bug_is_told_with_its_traceback_and_the_run_goes_on(caplog):
    a, b = FakeJob("a", needs={"_cores": 1}), FakeJob("b", priority=1, needs={"_cores": 1})
    supervisor = broken_supervisor([a, b])

    assert supervisor.select({a, b}, [a, b], {"_cores": 1}, {}) == [b]
    assert supervisor.select({a}, [a], {"_cores": 1}, {}) == [a]
    [record] = caplog.records
    assert "LookupError: broken" in record.getMessage()


@pytest.mark.parametrize("skips", [False, True])
def test_the_look_at_the_sizes_of_inputs_is_replaced_once_if_asked(skips):
    async def look(_):
        raise AssertionError("the sizes were looked at")

    job = FakeJob("job")
    graph = FakeGraph({job: []})
    scheduler = SimpleNamespace(update_input_sizes=look)
    graph.workflow = SimpleNamespace(scheduler=scheduler)
    supervisor = Supervisor(graph, "fifo", LOGGER, skip_input_sizes=skips)

    supervisor.select([job], [job], {"_cores": 1}, {})
    assert (scheduler.update_input_sizes is not look) == skips
    if skips:
        assert asyncio.run(scheduler.update_input_sizes([job])) is None
    scheduler.update_input_sizes = look
    supervisor.select([job], [job], {"_cores": 1}, {})
    assert scheduler.update_input_sizes is look


def test_a_snakemake_that_cannot_skip_the_sizes_is_told_once(caplog):
    job = FakeJob("job")
    supervisor = Supervisor(FakeGraph({job: []}), "fifo", LOGGER, skip_input_sizes=True)

    for _ in range(2):
        supervisor.select([job], [job], {"_cores": 1}, {})

    [record] = caplog.records
    assert record.getMessage() == "icsched: this Snakemake cannot skip the sizes of inputs"


def test_a_dag_of_no_jobs_selects_none():
    assert Chooser(FakeGraph.of(Dag({}), []), "auto", LOGGER).select(set(), [], LIMITS, {}) == []
