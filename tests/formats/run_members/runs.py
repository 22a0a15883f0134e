"""Clusters of members, run by a shell."""

import re
import shutil
import subprocess
from pathlib import Path

SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]
CLUSTER = "out.dag.clusters/cluster_0001"
# Writes its arguments, the variable V and its directory, each with a NUL behind it.
SHOW = '#!/bin/sh\nprintf \'%s\\0\' "$@" "$V" "$PWD"\n'
# Notes in `trace` when it begins and when it has ended, with a moment between.
WORK = '#!/bin/sh\necho "start $1" >>trace\nsleep 0.02\necho "end $1" >>trace\n'


def run(shell: list[str], **options) -> subprocess.CompletedProcess[str]:
    command = [*shell, "out.dag.clusters/run-members", CLUSTER]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def trace() -> list[str]:
    return Path("trace").read_text().splitlines() if Path("trace").exists() else []


def log() -> list[str]:
    """The log without its times."""
    text = Path(f"{CLUSTER}.log").read_text()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ", line) for line in text.splitlines())
    return [re.sub(r" seconds \d+$", "", line[21:]) for line in text.splitlines()]
