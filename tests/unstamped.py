"""Sections of icsched's in files, as tests compare them."""

import re


def unstamped(text: str) -> str:
    """Leave out the digest of dependencies, which has tests of its own."""
    return re.sub(r" Dependencies: [0-9a-f]{16}\.", "", text)
