"""What past runs say: HTCondor's logs and history, and tables of run times."""

from icsched.history.past_run import Ending, PastRun
from icsched.history.sources import Content, content_of, parsed_run, read_log, read_run_times
from icsched.history.summary import (
    KindOfJob,
    OverTime,
    Stall,
    Stalls,
    Waits,
    find_stalls,
    kinds_in,
    over_time,
    waits,
)
from icsched.history.usage import Fit, Usage, fitted

__all__ = [
    "Content",
    "Ending",
    "Fit",
    "KindOfJob",
    "OverTime",
    "PastRun",
    "Stall",
    "Stalls",
    "Usage",
    "Waits",
    "content_of",
    "find_stalls",
    "fitted",
    "kinds_in",
    "over_time",
    "parsed_run",
    "read_log",
    "read_run_times",
    "waits",
]
