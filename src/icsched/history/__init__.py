"""What past runs say: HTCondor's logs and history, and tables of run times."""

from icsched.history.losses import Losses
from icsched.history.past_run import Ending, PastRun
from icsched.history.slots import MachineKind, Seen, machines_of
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
from icsched.history.throttle import Submission
from icsched.history.usage import Fit, Usage, fitted

__all__ = [
    "Content",
    "Ending",
    "Fit",
    "KindOfJob",
    "Losses",
    "MachineKind",
    "OverTime",
    "PastRun",
    "Seen",
    "Stall",
    "Stalls",
    "Submission",
    "Usage",
    "Waits",
    "content_of",
    "find_stalls",
    "fitted",
    "kinds_in",
    "machines_of",
    "over_time",
    "parsed_run",
    "read_log",
    "read_run_times",
    "waits",
]
