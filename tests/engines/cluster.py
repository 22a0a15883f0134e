"""What tests of Dask share: functions for workers, and a view of what a scheduler stores."""

import time
from pathlib import Path
from uuid import uuid4

from distributed import SchedulerPlugin


class Watch(SchedulerPlugin):
    """Counts the results that workers store, and notes the order in which tasks began."""

    name = "watch"

    def __init__(self):
        self.stored, self.peak = set(), 0
        self.began = []

    def transition(self, key, _start, finish, *_, startstops=(), **__):
        if finish == "memory":
            self.stored.add(key)
            self.peak = max(self.peak, len(self.stored))
            self.began += [
                (period["start"], key) for period in startstops if period["action"] == "compute"
            ]
        else:
            self.stored.discard(key)


def watched(client):
    """Start watching, until `seen` is called."""
    client.register_plugin(Watch(), name="watch")


def seen(client):
    """Return the peak of stored results, and the keys in the order in which they began."""

    def look(dask_scheduler):
        watch = dask_scheduler.plugins["watch"]
        return watch.peak, [key for _, key in sorted(watch.began)]

    found = client.run_on_scheduler(look)
    client.unregister_scheduler_plugin("watch")
    return found


def unauthenticated(address):
    """The line about a connection without TLS."""
    return (
        f"icsched: dask: the connection to {address} is not authenticated: whoever reaches this "
        "cluster can run commands on it: set up TLS for Dask, and use a tls:// address"
    )


def add(*numbers):
    return sum(numbers)


def slow_add(*numbers):
    time.sleep(0.02)
    return sum(numbers)


def fail(number):
    raise ValueError(f"cannot use {number}")


def wait_for(path, number):
    """Return *number* once there is a file at *path*."""
    while not Path(path).exists():
        time.sleep(0.01)
    return number


def noted(folder, number):
    """Return *number*, and leave a file for each time that this is called."""
    Path(folder, f"{number}-{uuid4()}").touch()
    return number


async def later(number):
    return number + 1


def talk(words):
    print(words)  # noqa: T201
    return len(words)
