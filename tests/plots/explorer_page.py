"""The explorer's page in a real browser, for the tests that drive it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import browser

ARLAB = os.environ.get("ARLAB", "build/fast/bench/arlab")
VIEWS = ("start", "steps", "time", "network", "cost", "curves", "train", "quiz", "break", "write")


def arlab(*words: str) -> list[dict[str, Any]]:
    """The records that a command writes."""
    done = subprocess.run([ARLAB, *words, "--json", "-"], text=True, capture_output=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [row for row in rows if row["kind"] != "context"]


class Case(unittest.TestCase):
    page: browser.Browser
    address: str
    made_with: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        path = Path(cls.folder.name) / "explore.html"
        cls.told = subprocess.run([ARLAB, "explore", *cls.made_with, "-o", str(path)], check=True, text=True,
                                  capture_output=True).stderr
        if "without WebAssembly" in cls.told:
            raise unittest.SkipTest("built without WebAssembly")
        cls.bytes = path.stat().st_size
        cls.address = path.as_uri()
        cls.page = browser.Browser()
        cls.page.size(1280, 720)
        cls.page.open(cls.address)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.page.close()
        cls.folder.cleanup()

    def tearDown(self) -> None:
        self.assertEqual(self.page.console, [])
        self.assertEqual([one for one in self.page.requests if not one.startswith(("file:", "about:", "blob:"))], [])

    def show(self, **state: Any) -> None:
        """Goes to a link, as a reader would."""
        words = "&".join(f"{key}={value}" for key, value in state.items())
        self.page.open(f"{self.address}#{words}")
        self.check_no_error()

    def check_no_error(self) -> None:
        self.assertEqual(self.page.run("byId('error').hidden ? '' : byId('error').textContent"), "")

    def follow(self, **state: Any) -> None:
        """Follows a link within the page that changes only these: a tenth of a fresh load."""
        self.page.run(f"{{const link = new URLSearchParams(stateText()); for (const [key, value] of Object.entries({json.dumps(state)})) link.set(key, value);"
                      "readLink(String(link)); render();}")

    def put(self, **values: Any) -> None:
        """Sets controls, as a reader would."""
        for name, value in values.items():
            self.page.run(f"{{const c = byId({name!r}); c.value = {str(value)!r}; c.dispatchEvent(new Event('change'))}}")

    def click(self, name: str) -> None:
        self.page.run(f"byId({name!r}).click()")

    def text(self, selector: str) -> str:
        return self.page.run(f"document.querySelector({selector!r}).textContent")


def run_tests() -> None:
    if not browser.BROWSER:
        print("skipped: needs a browser (apt install chromium)")
        sys.exit(77)
    unittest.main(verbosity=2)
