"""Graphviz files: reading and writing digraphs."""

from icsched.formats.dot.entry import DOT
from icsched.formats.dot.text import dot_text

__all__ = ["DOT", "dot_text"]
