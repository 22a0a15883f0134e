"""How tools/htcondor.sh makes its chroot, with stand-ins for the programs that take minutes."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "htcondor.sh"

DEBOOTSTRAP = """#!/bin/sh
echo debootstrap >>{log}
for word; do case $word in --cache-dir=*) debs=${{word#*=}} ;; /*) root=$word ;; esac; done
[ -e "$debs/fetched" ] && echo found what was fetched >>{log}
touch "$debs/fetched"
[ {hangs} != debootstrap ] || {{ echo >{fifo}; exec sleep infinity; }}
cd "$root" 2>/dev/null || {{ mkdir -p "$root" && cd "$root"; }}
mkdir -p proc dev/shm run var/spool/condor etc/condor/config.d usr/local/bin
"""
# The pool is up at once: condor_status names a machine.
CHROOT = """#!/bin/sh
shift
case "$*" in
  *condor_status*) echo machine ;;
  *--download-only*) echo fetch >>{log} ;;
  *"dpkg --configure"*) echo configure >>{log} ;;
  *install\\ -y*)
    echo install >>{log}
    [ {hangs} != install ] || {{ echo >{fifo}; exec sleep infinity; }}
    ;;
esac
"""
# The limit is reached as soon as something hangs; if nothing does, the command ends.
TIMEOUT = """#!/bin/sh
shift
[ {hangs} != nothing ] || exec "$@"
"$@" &
read -r _ <{fifo}
kill "$!"
exit 124
"""


@pytest.fixture
def run(tmp_path):
    """Run the script in a cache of its own, with a program that hangs; return what was done."""
    (tmp_path / "bin").mkdir()
    os.mkfifo(tmp_path / "fifo")

    def runner(step: str, hangs: str) -> tuple[subprocess.CompletedProcess, list[str]]:
        log = tmp_path / "log"
        log.write_text("")
        known = {"log": log, "fifo": tmp_path / "fifo", "hangs": hangs}
        programs = {"debootstrap": DEBOOTSTRAP, "chroot": CHROOT, "timeout": TIMEOUT}
        for name, text in programs.items():
            (tmp_path / "bin" / name).write_text(text.format(**known))
            (tmp_path / "bin" / name).chmod(0o755)
        names = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "ICSCHED_CACHE": f"{tmp_path}/c"}
        done = subprocess.run(
            ["sh", SCRIPT, step, "true"],
            env={**os.environ, **names},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done, log.read_text().splitlines()

    return runner


LATE = "HTCondor is not there yet: after 300 s the chroot was not made.\nRun this again: it goes on"


def test_a_chroot_that_takes_too_long_is_said_to_be_late_and_goes_on_in_the_next_run(run):
    first, did = run("run", hangs="install")

    assert (first.returncode, did) == (77, ["debootstrap", "fetch", "configure", "install"])
    assert LATE in first.stderr
    assert "cannot be had" not in first.stderr
    second, did = run("run", hangs="nothing")
    assert (second.returncode, did) == (0, ["configure", "install"]), second.stderr
    third, did = run("run", hangs="nothing")
    assert (third.returncode, did) == (0, []), "the chroot is made"


def test_debootstrap_starts_again_with_what_it_has_fetched(run):
    first, did = run("try", hangs="debootstrap")

    assert (first.returncode, did) == (0, ["debootstrap"]), "try only says it"
    assert LATE in first.stderr
    assert "SKIPPED" in first.stderr
    second, did = run("run", hangs="nothing")
    steps = ["debootstrap", "found what was fetched", "fetch", "configure", "install"]
    assert (second.returncode, did) == (0, steps), second.stderr
