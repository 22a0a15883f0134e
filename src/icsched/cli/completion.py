"""`icsched completion`: the script by which a shell completes icsched's commands."""

import re
import sys
from typing import Literal

# A specification of zsh that says no action, so that zsh would offer nothing.
_IDLE = re.compile(r"^( +'(?:\*|\d+):(?:[^':\\]|\\.)*|.*\]:[\w-]+)'( \\)?$", re.MULTILINE)


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that lets a shell complete commands, options, names and files.

    Parameters
    ----------
    shell
        Shell that will read the script.

    """
    from icsched.cli.app import app

    sys.stdout.write(with_files(app.generate_completion(shell=shell), shell))


def with_files(script: str, shell: str) -> str:
    """Return the *script* of cyclopts, so that a word that can be a file is completed as one.

    cyclopts completes only arguments of type Path as files. The fish shell always offers files.
    """
    if shell == "bash":
        return script.replace("complete -F ", "complete -o bashdefault -o default -F ")
    return _IDLE.sub(r"\1:_files'\2", script) if shell == "zsh" else script
