"""Flowcharts of Mermaid: reading and writing."""

from icsched.formats.mermaid.entry import MERMAID

__all__ = ["MERMAID"]
