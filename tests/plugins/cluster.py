"""What tests of Dask share: functions for workers, and a line that icsched prints."""

import time
from pathlib import Path


def unauthenticated(address):
    """The line about a connection without TLS."""
    return (
        f"icsched: dask: the connection to {address} is not authenticated: whoever reaches this "
        "cluster can run commands on it: set up TLS for Dask, and use a tls:// address"
    )


def add(*numbers):
    return sum(numbers)


def wait_for(path, number):
    """Return *number* once there is a file at *path*."""
    while not Path(path).exists():
        time.sleep(0.01)
    return number
