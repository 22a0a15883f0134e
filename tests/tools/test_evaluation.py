"""The page about the study of Malewicz et al. 2007 says what the code gives."""

from pathlib import Path

import pytest

from icsched import families, prioritize
from icsched.study.cells import Cell, Subject, Terms, run_cell

PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"


@pytest.mark.parametrize(
    ("first", "words"), [("fringes", "fringes first"), ("handle", "handle first")]
)
def test_the_ratio_of_airsn_at_interval_1_and_batch_16_is_the_pages(first, words):
    dag = families.airsn(250, first)
    subject = Subject(dag, {"prio": prioritize(dag, "prio").order})
    ratio = run_cell(subject, Cell(1.0, 16.0), Terms()).ratios("prio").time

    expected = f"{words} {ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
    assert expected in PAGE.read_text()
