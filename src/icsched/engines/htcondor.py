"""What the configuration of HTCondor says: its program condor_config_val is asked."""

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
    """Return the settings around a workflow that matter to an order, by name, without defaults.

    The environment counts before the files. Returns None if nobody says: there is no such program
    on the PATH, or it fails, or it takes longer than a few seconds.
    """
    program = shutil.which(_PROGRAM)
    if program is None or not os.path.isabs(program):  # noqa: PTH117  a file of the directory
        return None
    # To a file: a pipe may stay open in what a program has started that takes too long.
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
            else in_environment(name)  # or a default
        )
        if setting:
            found[name] = setting
    return found
