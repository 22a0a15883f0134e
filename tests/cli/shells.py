"""What real shells offer when a user presses the Tab key."""

import os
import pty
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.cli.conftest import SCRIPT
from tests.cli.terminal import PATIENCE_S, read_until

# Asks the function that `complete` registered, as bash does.
_ASK_BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
_icsched icsched "${@: -1}" "${@: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# Ctrl-T writes the line down as it then is.
_SET_UP_ZSH = """
autoload -Uz compinit && compinit -D -u
write_line_down() { print -r -- "$BUFFER" >line; exit }
zle -N write_line_down
bindkey '^T' write_line_down
"""
_READY = b"READY"


@cache
def script_of(shell: str) -> str:
    """Return what `icsched completion` prints for *shell*; skip the test if it is missing."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    return subprocess.run(
        [SCRIPT, "completion", shell], capture_output=True, text=True, check=True
    ).stdout


def _environment() -> dict[str, str]:
    """Return the environment in which a shell finds icsched."""
    return {**os.environ, "PATH": f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"}


def _printed(command: list[str | Path], folder: Path) -> str:
    return subprocess.run(
        command, env=_environment(), cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def offered_by_bash(folder: Path, script: str, *words: str) -> set[str]:
    """Return what bash offers for the last of some words."""
    file = folder / ".icsched.bash"
    file.write_text(script)
    return set(_printed(["bash", "-c", _ASK_BASH, "bash", file, "icsched", *words], folder).split())


def offered_by_fish(folder: Path, script: str, *words: str) -> set[str]:
    """Return what fish offers for the last of some words, without the descriptions."""
    (folder / ".icsched.fish").write_text(script)
    line = shlex.quote(" ".join(["icsched", *words]))
    ask = f"source .icsched.fish; complete -C {line}"
    lines = _printed(["fish", "--no-config", "-c", ask], folder).splitlines()
    return {line.partition("\t")[0] for line in lines}


def offered_by_zsh(folder: Path, script: str, *words: str) -> set[str]:
    """Return the word that zsh makes of the last of some words, the file being in $fpath."""
    functions = folder / ".functions"
    functions.mkdir(exist_ok=True)
    (functions / "_cyclopts_icsched").write_text(script)
    return {_word_of_zsh(folder, "fpath=($PWD/.functions $fpath)\n" + _SET_UP_ZSH, *words)}


def _word_of_zsh(folder: Path, settings: str, *words: str) -> str:
    """Return the last word after Tab in a zsh on a terminal, without what ends the word."""
    (folder / ".settings.zsh").write_text(settings)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["zsh", "-f", "-i"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**_environment(), "TERM": "xterm"},
        cwd=folder,
        start_new_session=True,
    )
    os.close(follower)
    os.write(leader, b"source .settings.zsh; PS1=READ''Y\n")
    read_until(leader, _READY)
    os.write(leader, " ".join(["icsched", *words]).encode() + b"\t\x14")
    process.wait(timeout=PATIENCE_S)
    os.close(leader)
    return (folder / "line").read_text().split(" ", len(words))[-1].rstrip(" =\n")


OFFERED = {"bash": offered_by_bash, "zsh": offered_by_zsh, "fish": offered_by_fish}
