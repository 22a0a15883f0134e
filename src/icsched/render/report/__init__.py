"""What `icsched report` writes: a page, and the same as JSON."""

from icsched.render.report.keys import keys
from icsched.render.report.page import page

__all__ = ["keys", "page"]
