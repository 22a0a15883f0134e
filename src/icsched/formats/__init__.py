"""Readers and writers, one module per file format."""

from icsched.formats.dagman import dagman_text, read_dagman, write_dagman
from icsched.formats.files import read_text, write_text

__all__ = ["dagman_text", "read", "read_dagman", "read_text", "write_dagman", "write_text"]

# One format so far; with the second, `read` picks by suffix.
read = read_dagman
