"""DAGMan files as text: read them, or hear what is wrong with them."""

from collections.abc import Callable, Mapping

import pytest

from icsched import FormatError
from icsched.formats.dagman.submission import Submission, read_submission

Files = Mapping[str, str | bytes]


@pytest.fixture
def read(put) -> Callable[..., Submission]:
    """Read a text as wf.dag, with other files beside it."""

    def reader(text: str | bytes, files: Files | None = None, **options: object) -> Submission:
        put({"wf.dag": text, **(files or {})})
        workflow = read_submission("wf.dag", **options)
        _ = workflow.dag  # a cycle is an error of the file
        return workflow

    return reader


@pytest.fixture
def complaint(read) -> Callable[..., str]:
    """Read what cannot be read; return what is said of it."""

    def complain(text: str | bytes, files: Files | None = None, **options: object) -> str:
        with pytest.raises(FormatError) as caught:
            read(text, files, **options)
        return str(caught.value)

    return complain
