"""Readers and writers, one module or package per file format."""

from icsched.formats.dagman import dagman_text, read_dagman, write_clustered, write_dagman
from icsched.formats.dot import dot_text

__all__ = [
    "dagman_text",
    "dot_text",
    "read",
    "read_dagman",
    "write_clustered",
    "write_dagman",
]

# One format so far; with the second, `read` picks by suffix.
read = read_dagman
