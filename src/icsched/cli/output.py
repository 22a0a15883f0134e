"""What commands share: JSON, charts of profiles, and a sign of life while work goes on."""

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import Annotated

import msgspec
import numpy as np
from cyclopts import Parameter

from icsched.cli.visible import json_safe, visible
from icsched.dag import Dag
from icsched.orders import LimitedOrder, Plan
from icsched.pebble import Comparison, Profile

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[bool, Parameter(name="--json", negative="", show_default=False)]
STANDARD_OUTPUT = "/dev/stdout"
OutputName = Parameter(name=["--output", "-o"])

_PATIENCE_S = 1.0  # before a bar appears
_MEMORY_S = 600  # over which the speed is estimated: a cell of a study may take long

_HUGE = 1e9  # from here on nobody reads all digits

_BARS = " ▁▂▃▄▅▆▇█"


def write_json(answer: object) -> None:
    """Print one JSON object, alone on its line."""
    try:
        text = msgspec.json.encode(answer).decode()
    except UnicodeEncodeError:  # a name that is not UTF-8
        text = json.dumps(answer, separators=(",", ":"))
    sys.stdout.write(json_safe(text) + "\n")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner on a terminal's standard error while the work goes on."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # slow to import, and only terminals need it
    from rich.markup import escape

    with Console(stderr=True).status(escape(visible(what))):
        yield


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to tell how much is done, of how much; a bar shows it from a second on.

    Only on a terminal's standard error, with an estimate of the time left.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _expected: None
        return
    from rich.console import Console  # slow to import, and only terminals need it
    from rich.markup import escape
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True, speed_estimate_period=_MEMORY_S)
    task = bar.add_task(escape(visible(what)), total=None)
    starter = Timer(_PATIENCE_S, bar.start)
    starter.daemon = True
    starter.start()
    try:
        yield lambda done, expected: bar.update(task, completed=done, total=expected)
    finally:
        starter.cancel()
        starter.join()  # it must not start what is about to stop
        bar.stop()


def charts(profiles: dict[str, Profile], *, columns: int = 48) -> str:
    """Draw profiles one below the other, on one scale, as rows of bars.

    Each column shows its lowest step, for that is where workers leave empty-handed.
    """
    return curves({label: _lowest(profile, columns) for label, profile in profiles.items()})


def _lowest(profile: Profile, columns: int) -> list[int]:
    steps = profile[:-1] if len(profile) > 1 else profile
    return [int(part.min()) for part in np.array_split(steps, min(columns, len(steps)))]


def curves(rows: Mapping[str, Sequence[float]]) -> str:
    """Draw rows of numbers one below the other, on one scale, a bar for each number.

    >>> print(curves({"a": [0, 1, 8], "bc": [4]}), end="")
      a    ▁█
      bc  ▄
    """
    ceiling = max(max(row) for row in rows.values()) or 1
    width = max(map(len, rows))
    bars = {label: "".join(_bar(value / ceiling) for value in row) for label, row in rows.items()}
    return "".join(f"  {label:{width}}  {row}\n" for label, row in bars.items())


def _bar(share: float) -> str:
    """Return the bar for a share of the ceiling; only 0 has none."""
    return _BARS[math.ceil(share * 8)]


def lead_sentence(contest: Comparison, ours: Profile, fifo: Profile) -> str:
    """Say how the order stands against first come, first served."""
    peer = "first come, first served"
    (ahead, lead), (behind, lag) = contest.largest_lead, contest.largest_lag
    if lead == lag == 0:
        return f"It has as many eligible as {peer} at every step."
    step = ahead if lead > 0 else behind
    return (
        f"After {counted(step, 'job')} it has {ours[step]:,} eligible, {peer} {fifo[step]:,}.\n"
        f"It is {'never' if lag == 0 else 'sometimes'} behind,"
        f" with {contest.area_ratio:.2f} times as many on average."
    )


def cost_sentence(limited: LimitedOrder, free: Plan) -> str:
    """Say what a limit of memory costs against the order *free* without it."""
    ratio = limited.area / free.schedule.area
    return f"It has {ratio:.2f} times as many eligible jobs on average as without the limit."


def memory_sentence(limited: LimitedOrder) -> str:
    """Say what memory an order needs, and whether another could do more with it."""
    used = f"at most {limited.memory:,} of {limited.limit:,} {limited.unit}"
    needs = f"Memory, if jobs run one at a time in this order: {used}"
    if limited.exact:
        return f"{needs}; no order within that has more eligible jobs on average (exact)."
    return f"{needs}; the best order found within that."


def size(dag: Dag) -> str:
    """Say how large a workflow is."""
    dependencies = counted(dag.arc_count, "dependency", "dependencies")
    return f"{counted(len(dag), 'job')}, {dependencies}"


def counted(count: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun in the right number.

    >>> counted(1, "job"), counted(1200, "job"), counted(2, "dependency", "dependencies")
    ('1 job', '1,200 jobs', '2 dependencies')
    """
    digits = f"{count:,}" if isinstance(count, int) else number(count)
    return f"{digits} {one if count == 1 else many or one + 's'}"


def number(value: float, decimals: int | None = None) -> str:
    """Return a number with so many decimals, or those it has; of a huge one six digits.

    >>> number(1.0), number(1234567.5), number(1234.5678, 1), number(1e30, 8)
    ('1', '1,234,567.5', '1,234.6', '1e+30')
    """
    if abs(value) >= _HUGE:
        return f"{value:g}"
    return f"{value:,.10g}" if decimals is None else f"{value:,.{decimals}f}"
