"""Data frames; pandas is imported only when one is made."""

from collections.abc import Mapping, Sequence
from typing import Any

from icsched.errors import not_installed


def data_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return *columns* as a pandas DataFrame; raises EngineError without pandas.

    >>> data_frame({"task": ["a", "b"]})["task"].tolist()
    ['a', 'b']
    """
    try:
        import pandas as pd  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise not_installed("pandas", "pandas") from None
    return pd.DataFrame(columns)
