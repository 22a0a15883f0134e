"""Changes of DAGMan files."""

import pytest

from icsched.formats.dagman import (
    Change,
    changes,
    read_submission,
)
from tests.formats.writing.sections import CHAIN


@pytest.fixture
def change(put) -> Change:
    """A change that is yet to be made."""
    put({"wf.dag": CHAIN})
    return changes(read_submission("wf.dag"), {"a": 2, "b": 1})[0]
