"""What the commands make of entries of other packages."""

from collections.abc import Callable

import pytest

from tests.cli.workflows import PAIR_AND_FORK

CLUSTERERS = """
from icsched.serve.clusters import Clusterer, NamedClusterer


class Ones(Clusterer):
    def __init__(self, ground):
        super().__init__("ones", [])
        self.rest = ground.rest

    def choose(self, size):
        return self.rest.ready()[:1]


ONES = NamedClusterer("ones", "one job each", Ones)
"""


@pytest.fixture
def plugin(put, icsched_process) -> Callable[..., Callable]:
    """Make a package of one module, with entry points; return `icsched` as it finds them."""
    put({"wf.dag": PAIR_AND_FORK})

    def make(entry_points: str, module: str = ""):
        about = "lib/extra-1.0.dist-info"
        put(
            {
                "lib/extra.py": module,
                f"{about}/METADATA": "Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n",
                f"{about}/entry_points.txt": entry_points,
            }
        )
        return lambda *words: icsched_process(*words, PYTHONPATH="lib")

    return make


def squeezed(text: str) -> str:
    """Help without frames and spaces, as it breaks lines anywhere."""
    return "".join(text.replace("│", " ").split())


def test_a_clusterer_of_another_package_is_chosen_by_name_and_in_the_help(plugin):
    icsched = plugin("[icsched.clusterers]\nones = extra:ONES\n", CLUSTERERS)

    result = icsched("cluster", "wf.dag", "--size", "3", "--clusterer", "ones")

    assert (result.code, result.err) == (0, "")
    assert "5 clusters, clusterer ones: 3 of 3 dependencies cut\n" in result.out
    assert "ones,onejobeach" in squeezed(icsched("cluster", "--help").out)
