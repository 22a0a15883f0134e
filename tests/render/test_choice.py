"""Why an order is not worth writing, in words."""

import pytest

from icsched.commands.comparison import reason
from icsched.orders.definition import Choice
from icsched.sim.race import Interval


@pytest.mark.parametrize(
    ("best", "ratio", "sentence"),
    [
        ("present", (1, 1, 1), "no other order found is better on your pool"),
        (
            "prio",
            (0.95, 0.89, 1.01),
            "the run with the best order found should end 5.0% [-1.0%, 11.0%] earlier on your"
            " pool, but that may be chance",
        ),
        (
            "new",
            (1.05, 1.03, 1.07),
            "the run with the order chosen now should end 5.0% [3.0%, 7.0%] later on your pool",
        ),
        (
            "prio",
            (0.995, 0.991, 0.999),
            "the best order found gains less than 1% on your pool (0.5% [0.1%, 0.9%])",
        ),
    ],
)
def test_the_reason_follows_from_the_interval(best, ratio, sentence):
    checked = Interval(*ratio)
    how = {}, (), True, True, 80, 0, 1.0, 0.5
    choice = Choice(best, "present", checked, *how, is_clear=checked.high < 1)

    assert not choice.is_worth_it
    assert reason(choice) == sentence
