"""One file made of several."""

import pytest

from icsched.formats.dagman.flat import flattened


@pytest.fixture
def flat(read):
    """Read a text as wf.dag, with other files beside it; return the lines of one file."""

    def flatten(text: str, files: dict[str, str] | None = None) -> list[str]:
        return "\n".join(flattened(read(text, files))).split("\n")

    return flatten
