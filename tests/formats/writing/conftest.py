"""Changes of DAGMan files."""

import pytest

from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import Change, changes
from tests.formats.writing.sections import CHAIN


@pytest.fixture
def change(put) -> Change:
    """A change that is yet to be made."""
    put({"wf.dag": CHAIN})
    return changes(read_submission("wf.dag"), {"a": 2, "b": 1})[0]
