"""The page extending.md: its first package can be installed as it is printed."""

import re
import tomllib
from pathlib import Path

from icsched import Dag

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_first_package_has_what_pip_needs_and_names_its_own_module():
    whole = tomllib.loads(blocks("toml")[0])
    [entry] = whole["project"]["entry-points"]["icsched.orders"].values()
    [module] = whole["tool"]["setuptools"]["py-modules"]

    assert {"name", "version", "dependencies"} <= set(whole["project"])
    assert entry == f"{module}:WIDEST_FIRST"
    assert blocks("python")[0].startswith(f"# {module}.py\n")
    assert "\npip install .\n" in PAGE


def test_an_order_with_a_proof_is_made_as_the_page_shows():
    """Task a alone has no arcs, so all its orders are alike; a -> b has an arc."""
    names: dict[str, object] = {}
    for code in blocks("python")[:2]:
        exec(code, names)  # noqa: S102  our own page

    assert names["proved"](Dag({"a": []})).proof.is_ic_optimal
    assert not names["proved"](Dag({"a": [], "b": ["a"]})).proof.is_ic_optimal
    assert names["proved"](Dag({"a": [], "b": ["a"]})).order.tolist() == [0, 1]
