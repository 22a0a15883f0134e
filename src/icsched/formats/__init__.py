"""Readers and writers, one module or package per file format."""

from icsched.formats.dagman import (
    Workflow,
    dagman_text,
    read_dagman,
    read_workflow,
    write_clustered,
    write_dagman,
)
from icsched.formats.dot import dot_text
from icsched.formats.files import read_text, write_bytes, write_text

__all__ = [
    "Workflow",
    "dagman_text",
    "dot_text",
    "read",
    "read_dagman",
    "read_text",
    "read_workflow",
    "write_bytes",
    "write_clustered",
    "write_dagman",
    "write_text",
]

# One format so far; with the second, `read` picks by suffix.
read = read_dagman
