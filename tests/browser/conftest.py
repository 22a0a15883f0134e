"""A real Chromium, for `make test-browser`; without one its tests are skipped."""

import os
from pathlib import Path

import pytest

from tests.browser import sample

CHROMIUM = os.environ.get("ICSCHED_CHROMIUM")
DRIVER = os.environ.get("ICSCHED_CHROMEDRIVER")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """The browser of the session, with a profile that nobody has used."""
    if not CHROMIUM or not DRIVER:
        pytest.skip("`make test-browser` installs Chromium and runs these tests")
    from tests.browser.browser import Browser

    browser = Browser(Path(CHROMIUM), Path(DRIVER), tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def sample_page(tmp_path_factory):
    """The page of the report that was made by hand."""
    path = tmp_path_factory.mktemp("sample") / "sample.html"
    path.write_text(sample.page(), encoding="utf-8")
    return path


@pytest.fixture
def page(browser, sample_page):
    """The browser, with that page open."""
    browser.open(sample_page)
    return browser
