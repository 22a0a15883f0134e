"""What past runs say: HTCondor's logs and history, and tables of run times."""

from icsched.logs.past_run import Ending, PastRun
from icsched.logs.reading import read_log
from icsched.logs.run_times import read_run_times

__all__ = ["Ending", "PastRun", "read_log", "read_run_times"]
