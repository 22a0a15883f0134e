"""The script that `make demo` installs with."""

import subprocess
import sys
from pathlib import Path

INSTALL = Path(__file__).parents[2] / "tools" / "install.sh"


def test_an_install_that_fails_shows_the_end_of_its_log_and_keeps_it(tmp_path):
    """pip refuses a directory that is not there before it changes anything."""
    done = subprocess.run(
        ["sh", INSTALL, sys.executable, sys.prefix, "./missing"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    first = done.stdout.splitlines()[0]

    assert done.returncode == 1
    assert first.startswith(f"[  0 s] installing ./missing into {sys.prefix}")
    assert "./missing" in done.stderr
    assert done.stderr.endswith("icsched: pip failed; build/install.log has all that it said\n")
    assert "./missing" in (tmp_path / "build" / "install.log").read_text()
