"""Completion in a real bash, as a user's Tab key asks for it."""

import os
import subprocess

import pytest

from icsched.cli.completion import with_files
from icsched.engines.table import ENGINES
from icsched.families import FAMILIES
from icsched.formats import FORMATS
from icsched.orders import ORDERS
from tests.cli.conftest import SCRIPT

# Asks the function that `complete` registered, as bash does: first it, and then for files.
ASK = """
source "$1"
[[ "$(complete -p icsched)" == *"-o default"* ]] || exit 9
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
_icsched icsched "${@: -1}" "${@: -2:1}"
[[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "${@: -1}")
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory):
    file = tmp_path_factory.mktemp("completion") / "icsched.bash"
    file.write_bytes(subprocess.run([SCRIPT, "completion", "bash"], stdout=-1, check=True).stdout)
    return file


@pytest.fixture
def completed(bash_script, tmp_path):
    """Return what bash offers for the last of some words."""
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"

    def ask(*words: str) -> set[str]:
        done = subprocess.run(
            ["bash", "-c", ASK, "bash", bash_script, "icsched", *words],
            env={**os.environ, "PATH": path},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return set(done.stdout.split())

    return ask


def test_bash_completes_commands_and_options(completed):
    assert completed("ver") == {"verify"}
    assert completed("verify", "--cert") == {"--certificate"}


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (["show", "wf.dag", "--order"], ORDERS),
        (["convert", "a", "b", "--to"], FORMATS),
        (["run", "--engine"], ENGINES),
        (["make"], FAMILIES),
    ],
    ids=["orders", "formats", "engines", "families"],
)
def test_bash_completes_names_from_the_tables(words, table, completed):
    assert completed(*words, "") == set(table)


def test_bash_completes_files(completed, tmp_path):
    (tmp_path / "montage.dag").write_text("")

    assert completed("show", "mon") == {"montage.dag"}
    assert completed("show", "--run-times", "mon") == {"montage.dag"}


def test_zsh_offers_files_where_cyclopts_offers_nothing():
    r"""_arguments takes `option[help]:message:action`, where \: is a colon of the help."""
    script = r"""
            '*:Workflow file; a\: b' \
            '*--run-times[File with seconds\: a table]:run-times' \
            '--law[A law]:law:(fixed geometric)' \
            '--json[Print]'
"""
    assert with_files(script, "zsh").splitlines()[1:] == [
        r"            '*:Workflow file; a\: b:_files' " + "\\",
        r"            '*--run-times[File with seconds\: a table]:run-times:_files' " + "\\",
        r"            '--law[A law]:law:(fixed geometric)' " + "\\",
        r"            '--json[Print]'",
    ]


def test_fish_gets_a_script_with_every_command(icsched):
    script = icsched("completion", "fish").out

    assert "complete -c icsched" in script
    assert "-a 'verify'" in script
