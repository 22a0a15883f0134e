"""A sorter shared by threads."""

from concurrent.futures import ThreadPoolExecutor

from icsched import Dag, Sorter


def test_threads_may_share_a_sorter():
    """Four threads take and finish one task at a time; each task must be theirs exactly once."""
    dag = Dag.from_arcs(4000, [(i, i + 400) for i in range(3600)])
    sorter = Sorter(dag)
    sorter.prepare()
    finished = [[], [], [], []]

    def work(mine: list[int]) -> None:
        while sorter.is_active():
            for task in sorter.get_ready(1):
                mine.append(task)
                sorter.done(task)

    with ThreadPoolExecutor(4) as pool:
        for result in [pool.submit(work, mine) for mine in finished]:
            result.result()
    assert sorted(task for mine in finished for task in mine) == list(range(4000))
