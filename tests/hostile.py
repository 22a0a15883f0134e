"""Reading a hostile file in a process of its own: too much ends the reader, not the tests."""

import os
import subprocess
import sys

READER = """\
import resource, sys
seconds, megabytes = int(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_AS, (8 * megabytes << 20, 8 * megabytes << 20))
from icsched import FormatError, read_run_times
from icsched.formats.dagman.submission import read_submission
try:
    print(len({length_of}), "jobs")
except FormatError as error:
    print(error)
with open("/proc/self/status") as status:  # ru_maxrss would count what the tests had at the fork
    print(next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM")))
"""


def outcome_of(read: str, path: str, *, cpu_seconds: int, megabytes: int) -> str:
    """Return the complaint about *path*, or how many jobs the expression *read* finds there."""
    command = (sys.executable, "-c", READER.replace("{length_of}", read))
    done = subprocess.run(
        [*command, path, str(cpu_seconds), str(megabytes)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    said, used = done.stdout.splitlines()
    assert int(used) <= megabytes
    return said
