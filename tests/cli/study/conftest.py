"""A workflow to study, and studies without figures."""

import sys

import pytest

from icsched import families
from icsched.formats import write_dagman


@pytest.fixture
def no_figures(monkeypatch):
    """Take matplotlib away: drawing is slow, and tests of cells need none."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def workflow(folder):
    """AIRSN of width 10 as wf.dag, in the working directory."""
    write_dagman(families.airsn(10), "wf.dag")
    return folder / "wf.dag"
