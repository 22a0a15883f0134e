"""Files in and out: the table of formats, and one module or package for each format."""

from icsched.formats.access import read, write, write_clusters
from icsched.formats.dagman.entry import read_dagman
from icsched.formats.dagman.writer import dagman_text, write_dagman
from icsched.formats.dot.writer import dot_text
from icsched.formats.port import Format
from icsched.formats.table import FORMATS, format_of

__all__ = [
    "FORMATS",
    "Format",
    "dagman_text",
    "dot_text",
    "format_of",
    "read",
    "read_dagman",
    "write",
    "write_clusters",
    "write_dagman",
]
