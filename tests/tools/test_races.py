"""Trials of edits at the same time count what is lost."""

import random

from tools.races import EDITS, Count, trials


def test_trials_lose_no_edit_and_make_each_kind_of_edit(tmp_path):
    counts = trials(60, 1, tmp_path)

    assert {edit: sum(count.ends.values()) for edit, count in counts.items()} == dict.fromkeys(
        EDITS, 20
    )
    assert sum(count.ends["lost"] for count in counts.values()) == 0


def test_an_edit_that_was_noticed_lets_the_next_come_later():
    count = Count(delay_ns=0)

    count.note("noticed", random.Random(1))  # noqa: S311
    late = count.delay_ns
    count.note("in the file", random.Random(2))  # noqa: S311

    assert late > 0
    assert count.delay_ns < late
