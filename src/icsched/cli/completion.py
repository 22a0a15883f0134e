"""`icsched completion`: the script by which a shell completes icsched's commands."""

import re
import sys
from typing import Literal

# What to mend in the script of cyclopts: patterns, and what takes their place.
_FIRST_COMMAND_OF_BASH = (r'(?=" \$all_commands " =~)', "${#cmd_path[@]} -eq 0 && ")
_FILES_OF_BASH = ("complete -F ", "complete -o bashdefault -o default -F ")
_FIRST_COMMAND_OF_FISH = (
    r'(?=string match -q -- "\* \$word \*" " \$all_commands ")',
    "test (count $subcommands) -eq 0; and ",
)
_NO_FILE_FOR_A_COMMAND = ("-n __fish_use_subcommand -a", "-n __fish_use_subcommand -f -a")
# A specification of zsh that says no action, so that zsh would offer nothing.
_FILES_OF_ZSH = (r"^( +'(?:\*|\d+):(?:[^':\\]|\\.)*|.*\]:[\w-]+)'( \\)?$", r"\1:_files'\2")
_VALUE_AFTER_AN_EQUALS_SIGN = (r"""(?<=['"]\*)(--[\w-]+)(?=\[)""", r"\1=")
# zsh runs a file of $fpath as the body of a function that has the file's name.
_CALL_OF_ZSH = (
    r"\Z",
    """
if [[ $funcstack[1] == _icsched ]]; then
  _cyclopts_icsched "$@"
else
  compdef _cyclopts_icsched icsched
fi
""",
)
_EDITS = {
    "bash": (_FIRST_COMMAND_OF_BASH, _FILES_OF_BASH),
    "zsh": (_FILES_OF_ZSH, _VALUE_AFTER_AN_EQUALS_SIGN, _CALL_OF_ZSH),
    "fish": (_FIRST_COMMAND_OF_FISH, _NO_FILE_FOR_A_COMMAND),
}


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that lets a shell complete commands, options, names and files.

    Parameters
    ----------
    shell
        Shell that will read the script.

    """
    from icsched.cli.app import app

    sys.stdout.write(mended(app.generate_completion(shell=shell), shell))


def mended(script: str, shell: str) -> str:
    """Return the *script* of cyclopts, so that it works in the shell.

    - A word that can be a file is completed as one; cyclopts does so only for type Path.
    - Only the first word is a command: `study` in `icsched plot study` is not.
    - zsh calls what the script defines, however it reads the script.
    """
    for pattern, replacement in _EDITS[shell]:
        script = re.sub(pattern, replacement, script, flags=re.MULTILINE)
    return script
