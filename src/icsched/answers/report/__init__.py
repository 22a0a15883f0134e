"""All that a report page shows of a workflow, as data."""

from icsched.answers.report.answer import ReportAnswer, Reported, report_answer
from icsched.answers.report.bottlenecks import Bottleneck, CriticalPath
from icsched.answers.report.game import Game, GroupedGame

__all__ = [
    "Bottleneck",
    "CriticalPath",
    "Game",
    "GroupedGame",
    "ReportAnswer",
    "Reported",
    "report_answer",
]
