"""Chromium, driven through its own driver: the pages are real, and so are fonts and keys."""

import base64
import json
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions, ChromeService

# Headless, as root in a container, and without the services of its maker.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
]


class Browser:
    """One window of Chromium."""

    def __init__(self, chromium: Path, driver: Path, profile: Path) -> None:
        options = ChromeOptions()
        options.binary_location = str(chromium)
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options=options, service=ChromeService(str(driver)))
        self.driver.set_script_timeout(60)

    def open(self, page: Path, *, width: int = 1200, scheme: str = "light") -> None:
        """Open the file *page* and wait until its script has built it and drawn it."""
        self.resize(width, scheme)
        self.messages()
        self.requests()
        self.driver.get(page.as_uri())
        self.settle()
        assert self.run("return document.documentElement.dataset.ready") == "yes", page

    def resize(self, width: int, scheme: str = "light", media: str = "screen") -> None:
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        emulated = {"media": media, "features": features}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)

    def settle(self) -> None:
        """Wait for two frames: sizes are observed in one, drawn at the latest in the next."""
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))"
        )

    def run(self, script: str, *arguments: object) -> object:
        """What a JavaScript function body returns."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list:
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> object:
        return self.driver.find_element("css selector", selector)

    def messages(self) -> list[str]:
        """What the console got since the last call, warnings and refusals included."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        entries = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        sent = [one for one in entries if one["method"] == "Network.requestWillBeSent"]
        return [one["params"]["request"]["url"] for one in sent]

    def screenshot(self, path: Path) -> None:
        """The whole page, from top to bottom."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        shot = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True}
        )
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self.driver.quit()
