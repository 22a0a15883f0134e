"""The page that `icsched report` writes, and what is on it as data."""

from icsched.commands.page.answer import ReportAnswer, Reported, report_answer
from icsched.commands.page.keys import report_keys
from icsched.commands.page.page import report_page

__all__ = ["ReportAnswer", "Reported", "report_answer", "report_keys", "report_page"]
