"""`icsched completion`: the script by which a shell completes icsched's commands."""

import sys
from typing import Literal


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that lets a shell complete commands, options, names and files.

    Parameters
    ----------
    shell
        Shell that will read the script.

    """
    from icsched.commands.app import app

    sys.stdout.write(app.generate_completion(shell=shell))
