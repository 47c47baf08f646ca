"""The explorer for all readers: axe-core finds nothing serious in any view, tabs obey the arrow keys, pictures have names.

axe-core comes from npm (npm install -g axe-core), or from the file that ARLAB_AXE names; without it only its test is skipped."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

import explorer_page
from explorer_page import VIEWS, Case


def axe() -> str:
    """The text of axe-core; empty if it is not installed."""
    npm = shutil.which("npm")
    root = subprocess.run([npm, "root", "-g"], text=True, capture_output=True, check=False).stdout.strip() if npm else ""
    for path in (os.environ.get("ARLAB_AXE", ""), f"{root}/axe-core/axe.min.js", "/usr/share/javascript/axe-core/axe.min.js"):
        if path and Path(path).is_file():
            return Path(path).read_text(encoding="utf-8")
    return ""


class Access(Case):
    def test_axe_finds_nothing_serious(self) -> None:
        text = axe()
        if not text:
            raise unittest.SkipTest("needs axe-core: npm install -g axe-core")
        for width, dark in ((1280, False), (390, True)):
            self.page.size(width, 844, dark)
            self.page.open(self.address)
            self.page.run(text + "; 0")
            for view in VIEWS:
                with self.subTest(view=view, width=width):
                    self.follow(view=view, ranks=4, stop=13 if width == 390 else 0)
                    found = self.page.run("axe.run().then(({violations}) => violations.filter(({impact}) => ['serious', 'critical'].includes(impact))"
                                          ".map(({id, nodes}) => [id, nodes.map(({html}) => html.slice(0, 200))]))")
                    self.assertEqual(found, [])
        self.page.size(1280, 720)

    def test_tabs_by_arrow_keys(self) -> None:
        self.show(view="start")
        self.page.run("byId('tab-start').focus()")
        for view in (*VIEWS[1:], VIEWS[0]):
            self.page.key("ArrowRight")
            self.assertEqual(self.page.run("[state.view, document.activeElement.dataset.view]"), [view, view])
        self.page.key("End")
        self.assertEqual(self.page.run("state.view"), VIEWS[-1])

    def test_pictures_have_names_and_the_text_says_the_step(self) -> None:
        for view in VIEWS:
            self.show(view=view, ranks=4, step=1)
            self.assertEqual(self.page.run("[...document.querySelectorAll('#view svg')].filter((one) => !one.getAttribute('aria-label')).length"), 0, view)
        self.show(view="steps", algorithm="ring", ranks=4, step=1)
        self.assertIn("during step 2" if self.page.run("state.step % 1") else "after step 1", self.page.run("document.querySelector('svg.holdings').getAttribute('aria-label')"))

    def test_on_a_phone_the_picture_comes_first(self) -> None:
        self.page.size(390, 844)
        for view in ("start", "steps", "time"):
            self.show(view=view, ranks=4)
            top, controls = self.page.run("[document.querySelector('#view svg').getBoundingClientRect(), byId('controls').getBoundingClientRect()].map((box) => box.top)")
            self.assertLess(top, 250, view)
            self.assertTrue(view == "start" or controls > top, view)
        self.page.size(1280, 720)


if __name__ == "__main__":
    explorer_page.run_tests()
