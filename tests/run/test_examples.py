"""The workflows of examples/run, end to end; one for each format that has commands."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SCRIPT
from tests.run.conftest import complaints

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "run"


@pytest.mark.parametrize("engine", ["local", "dask"])
@pytest.mark.parametrize("file", ["words.dag", "words.json", "words.yml"])
def test_an_example_runs_to_its_end(file, engine, folder):
    """Four words with one twice: three remain, in the order of the alphabet."""
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    words = [SCRIPT, "run", file, "--engine", engine, "-j", "2", "--order", "prio"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100)

    assert (done.returncode, complaints(done.stderr)) == (0, [])
    assert (folder / "merged.txt").read_text() == "apple\nfig\npear\n"
    assert "Completed 4 jobs" in done.stdout
