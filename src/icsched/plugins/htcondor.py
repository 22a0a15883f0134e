"""Settings of HTCondor, read with its program condor_config_val."""

import os
import re
import shutil
import subprocess
import tempfile

from icsched.formats.dagman.advice import DEFAULT_PRIORITY, USE_STRICT, in_environment
from icsched.workflow import Setting

_PROGRAM = "condor_config_val"
_NAMES = (DEFAULT_PRIORITY, USE_STRICT)
_MOST_SECONDS = 5
_SAID = re.compile(r"^(\w+) = (.*)\n # at: (.*)$", re.MULTILINE)
_LINE = re.compile(r"(.*), line ([0-9]{1,9})\b.*")


def pool_settings() -> dict[str, Setting] | None:
    """Return HTCondor's settings that affect an order, by name, except settings at their default.

    Environment variables override files. Returns None if the program is not on the PATH, fails, or
    takes longer than a few seconds.
    """
    program = shutil.which(_PROGRAM)
    if program is None or not os.path.isabs(program):  # noqa: PTH117  a file of the directory
        return None
    # A file, not a pipe: children of a program that timed out may keep the pipe open.
    with tempfile.TemporaryFile() as out:
        try:
            done = subprocess.run(  # noqa: S603  a program of HTCondor's, and no shell
                [program, "-verbose", *_NAMES],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                timeout=_MOST_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        out.seek(0)
        said = out.read().decode(errors="replace")
    return None if done.returncode else _parsed(said)


def _parsed(said: str) -> dict[str, Setting]:
    found = {}
    for name, value, place in _SAID.findall(said):
        line = _LINE.fullmatch(place)
        setting = (
            Setting(line[1], int(line[2]), f"{name} = {value}", value)
            if line
            else in_environment(name)  # None for a default
        )
        if setting:
            found[name] = setting
    return found
