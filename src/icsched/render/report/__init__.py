"""What `icsched report` writes: a page, and the same as JSON."""

from icsched.render.report.keys import report_keys
from icsched.render.report.page import report_page

__all__ = ["report_keys", "report_page"]
