"""What a study says of its gains."""

from icsched.commands.study import _gain as gain
from icsched.sim import Ratio
from tests.study.studies import made


def test_a_gain_that_may_be_chance_is_called_no_gain():
    results = [
        made(time=Ratio(0.998, 0.994, 1.001, 0.998, 0.1)),
        made(2.0, time=Ratio(1.0, 0.9, 1.1, 1.0, 0.1)),
    ]

    assert gain(results, "prio") == (
        "at best prio takes 0.998 [0.994, 1.001] of fifo's time, at interval 1 and batch 16:"
        " no cell shows a gain"
    )


def test_the_best_cell_is_one_whose_whole_interval_is_below_1():
    results = [
        made(time=Ratio(0.9, 0.7, 1.1, 0.9, 0.1)),
        made(2.0, time=Ratio(0.95, 0.93, 0.97, 0.95, 0.1)),
    ]

    assert gain(results, "prio") == (
        "at best prio takes 0.950 [0.930, 0.970] of fifo's time, at interval 2 and batch 16"
    )
