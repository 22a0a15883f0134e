"""The commands of `icsched`, each imported only when it runs or shows its own help.

Two commands are here: `icsched doctor` must work without cyclopts, so its module has no options.
"""

import sys
from collections.abc import Iterable
from typing import Annotated, Literal

from cyclopts import (
    App,
    CycloptsError,
    Parameter,
    UnknownCommandError,
    UnknownOptionError,
    ValidationError,
)

from icsched.commands.main import version_line
from icsched.messages import close_names

app = App(
    name="icsched",
    help="Put the tasks of a workflow in an order that keeps workers busy.",
    version=version_line,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
    default_parameter=Parameter(
        json_list=False, json_dict=False
    ),  # a name may begin with a bracket
)
# Named by string: a command's module is imported only when it runs or shows its own help.
_COMMANDS = {  # the most important first, as help shows them
    "prio": """Order a workflow, say what is proved, and write the order into its files.

    Without -o, --in-place or --remove, it only prints a report.

    Example: icsched prio wf.dag --in-place""",
    "show": """Show what a workflow is made of: size, levels, blocks, proof.

    Example: icsched show wf.dag""",
    "learn": """Say what the logs of a past run tell: run times, stalls, the pool, other orders.

    -o writes the run times, --pool-file the pool; every other command can read them.

    Example: icsched learn wf.dag.nodes.log wf.dag -o times.csv --pool-file pool.json""",
    "simulate": """Simulate a workflow on unpredictable workers: time, utilisation and more.

    All orders see the same random draws, until the ratio of their times is known to 1%.

    Example: icsched simulate wf.dag --machines 12x8x64G""",
    "report": """Write one page to explore: what an order gains, stalls, curves, the dag, the game.

    The page is one file that needs no network.

    Example: icsched report wf.dag -o report.html""",
    "run": """Run a workflow's commands, in a journal that survives any end.

    --resume goes on after a kill, a crash or a full disk; nothing completed runs again.

    Example: icsched run wf.json -j 8""",
    "study": """Simulate workflows over a grid of pools, and write tables and figures.

    Finished results stay in the directory: run the same command again to go on.

    Example: icsched study wf.dag -o wf-study""",
    "plot": """Draw a workflow, its orders, a simulated run, or a study, as SVG or PNG.

    Example: icsched plot curves wf.dag -o curves.svg""",
    "batch": """Choose the jobs to hand out together: those that enable the most.

    Example: icsched batch wf.dag --done a,b --take 8""",
    "cluster": """Cut a workflow into clusters for workers of unequal power.

    A worker runs a cluster without waiting for any other worker.

    Example: icsched cluster wf.dag --capacities 4,16,64""",
    "convert": """Write a workflow in another format, and say what that format cannot hold.

    Example: icsched convert wf.dag wf.json""",
    "make": """Make a dag of a known family and write it as a DAGMan file.

    Example: icsched make airsn 250 -o airsn.dag""",
    "verify": """Check an order: is it IC-optimal, or which set of jobs beats it?

    A proof or a bound decides first. Else icsched looks at every set of jobs that can have run, if
    the workflow is small enough. The exit code is 0 for yes, 3 for no, and 4 for not decided.

    Example: icsched verify wf.dag --order @order.txt""",
    "doctor": """Say what is installed, what is not, and what this machine can do.

    Example: icsched doctor""",
    "completion": """Print a script for completion in bash, zsh or fish.

    Example: icsched completion bash""",
    "demo": """Show in seconds what a good order does to a real workflow.

    It makes a workflow with run times, orders it, proves the order, simulates it, and keeps the
    files.

    Example: icsched demo -o tour""",
}
_HERE = ("completion", "doctor")
for place, (command, text) in enumerate(_COMMANDS.items()):
    module = "app" if command in _HERE else command
    app.command(f"icsched.commands.{module}:{command}", name=command, help=text, sort_key=place)


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that lets a shell complete commands, options, names and files.

    Parameters
    ----------
    shell
        Shell that will read the script.

    """
    sys.stdout.write(app.generate_completion(shell=shell))


def doctor(
    *, json_: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False
) -> int:
    """Say which versions, extras and engines are there, and what the terminal can show.

    Parameters
    ----------
    json_
        Print one JSON object instead of a report.

    """
    from icsched.commands.doctor import checkup

    return checkup(as_json=json_)


def complaint(error: CycloptsError) -> str:
    """Return what is wrong; a suggestion only if it is close, else where help is."""
    if isinstance(error, UnknownOptionError):
        return _unknown_option(error)
    if isinstance(error, UnknownCommandError) and error.unused_tokens and error.app:
        word = error.unused_tokens[0]
        kind = "option" if word.startswith("-") else "command"
        return f"Unknown {kind}: {word}.{_hint(word, error.app, [])}"
    if isinstance(error, ValidationError) and error.argument and error.argument.tokens:
        option = error.argument.tokens[0].keyword or error.argument.name.upper()
        return f"{option}: {error.exception_message}"
    return str(error)


def _unknown_option(error: UnknownOptionError) -> str:
    word = (error.token.keyword or error.token.value).partition("=")[0]
    names = [name for argument in error.argument_collection for name in argument.names]
    return f"Unknown option: {word}.{_hint(word, names, error.command_chain or [])}"


def _hint(word: str, known: Iterable[str], command: Iterable[str]) -> str:
    """Return a sentence with the known word that *word* was meant to be, or with the help."""
    close = close_names(word, known)
    if close:
        return f" Did you mean {close[0]}?"
    return f" {' '.join(['icsched', *command, '--help'])} lists what there is."
