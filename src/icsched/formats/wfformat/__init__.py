"""WfFormat, the JSON of WfCommons: workflows with run times, files and commands."""

from icsched.formats.wfformat.entry import WFFORMAT

__all__ = ["WFFORMAT"]
