"""Data frames; pandas is imported only when one is made."""

from collections.abc import Mapping, Sequence
from typing import Any

from icsched.errors import EngineError


def data_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return *columns* as a pandas DataFrame; raises EngineError without pandas.

    >>> data_frame({"task": ["a", "b"]})["task"].tolist()
    ['a', 'b']
    """
    try:
        import pandas as pd  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        problem = "pandas is not installed: run pip install 'icsched[pandas]'"
        raise EngineError(problem) from None
    return pd.DataFrame(columns)
