"""Workflows of Pegasus 5, which are YAML."""

from icsched.formats.pegasus.entry import PEGASUS

__all__ = ["PEGASUS"]
