"""A progress bar with the time left."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

_PATIENCE_S = 1.0  # before a bar appears
_MEMORY_S = 600  # over which the speed is estimated: a cell may take long


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to tell how much is done, of how much; a bar shows it from a second on.

    Only on a terminal's standard error, with an estimate of the time left.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _expected: None
        return
    from rich.console import Console  # slow to import, and only terminals need it
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True, speed_estimate_period=_MEMORY_S)
    task = bar.add_task(what, total=None)
    starter = Timer(_PATIENCE_S, bar.start)
    starter.daemon = True
    starter.start()
    try:
        yield lambda done, expected: bar.update(task, completed=done, total=expected)
    finally:
        starter.cancel()
        starter.join()  # it must not start what is about to stop
        bar.stop()
