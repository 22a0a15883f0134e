"""Both kinds of sorter, for tests that hold of both."""

from graphlib import TopologicalSorter

import pytest

from icsched import Sorter
from tests.serve.sorters import EitherSorter


@pytest.fixture(params=[TopologicalSorter, Sorter])
def sorter_class(request) -> type[EitherSorter]:
    """Both classes: a test that takes this holds for the original, too."""
    return request.param
