"""Clusters written as files."""

import pytest

from icsched import FormatError
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
from tests.formats.clustered_output.files import FILES, contents


@pytest.fixture
def write(put):
    """Write clusters of three jobs; by default all in one."""
    put(FILES)

    def writer(output: str = "out.dag", *, clusters=((0, 1, 2),)) -> list[str]:
        return write_clustered(read_submission("wf.dag"), clusters, output)

    return writer


@pytest.fixture
def complaint(write, folder):
    """Try to write; return what is said of it, after seeing that nothing changed."""

    def complain(output: str = "out.dag", **options) -> str:
        before = contents(folder)
        with pytest.raises(FormatError) as caught:
            write(output, **options)
        assert contents(folder) == before
        return str(caught.value)

    return complain
