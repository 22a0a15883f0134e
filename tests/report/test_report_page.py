"""The page of a report as text; `tests/browser` opens it."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from icsched.report import page
from icsched.report.page import SCRIPTS
from tests.browser import sample


class Scripts(HTMLParser):
    """The texts of the scripts of a page, and all its tags, read as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["script"] and data.strip():
            self.texts.append(data)


def test_no_name_ends_the_json_of_the_page_or_begins_a_tag():
    read = Scripts(sample.page())

    assert read.tags.count("script") == 2
    assert "img" not in read.tags
    assert json.loads(read.texts[0]) == {"schema": 1, **sample.report()}


def test_every_script_and_no_import_is_in_the_page():
    folder = Path(page.__file__).parent
    text = sample.page()

    assert {path.name for path in folder.glob("*.js")} == set(SCRIPTS)
    assert re.findall(r"^(?:import|export) .*", text, re.M) == []


def test_the_page_names_no_address_but_the_name_of_svg():
    assert set(re.findall(r"https?://[^\"' ]*", sample.page())) == {"http://www.w3.org/2000/svg"}
