"""Logs in files of their own, read in a fixed time zone."""

import time

import pytest

from icsched.history import Ending, PastRun, read_log


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    """Local time is UTC, wherever the tests run."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def log(tmp_path):
    """Return what logs with the given texts say."""

    def read(*texts: str | bytes) -> PastRun:
        paths = [tmp_path / f"{number}.log" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_log(paths)

    return read


@pytest.fixture
def attempts():
    """Return the attempts of a past run as tuples: name, start, end, how it ended."""

    def rows(past: PastRun) -> list[tuple]:
        times = [None if t != t else t for t in [*past.started.tolist(), *past.ended.tolist()]]
        names = [past.names[job] for job in past.job]
        endings = [Ending(ending).name for ending in past.ending]
        return list(zip(names, times[: len(past)], times[len(past) :], endings, strict=True))

    return rows
