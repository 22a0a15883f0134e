"""The page about the study of Malewicz et al. 2007 says what the code gives."""

from pathlib import Path

import pytest

from icsched import families, prioritize
from icsched.sim import Times
from icsched.study.cells import Cell, Subject, Terms, run_cell

PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"


@pytest.mark.parametrize(("order", "column"), [("prio", 2), ("critical-path", 4)])
@pytest.mark.parametrize(
    ("first", "words"), [("fringes", "fringes first"), ("handle", "handle first")]
)
def test_the_ratio_of_airsn_at_interval_1_and_batch_16_is_the_pages(first, words, order, column):
    dag = families.airsn(250, first)
    paper = Terms(times=Times("normal", 0.1))
    subject = Subject(dag, {order: prioritize(dag, order).order})
    ratio = run_cell(subject, Cell(1.0, 16.0), paper).ratios(order).time

    [row] = [line for line in PAGE.read_text().splitlines() if "| AIRSN at (1, 2^4): " in line]
    expected = f"{words} {ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
    assert expected in row.split("|")[column]
