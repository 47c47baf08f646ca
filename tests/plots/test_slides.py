"""The slides of the lecture (docs/teaching/make_slides.py) in a real browser: every figure is there, and no text leaves its slide."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser

TEACHING = Path(__file__).resolve().parents[2] / "docs" / "teaching"
MEASURED = """[...document.querySelectorAll('section')].map((one) => [one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth,
  [...one.querySelectorAll('img')].map((image) => image.naturalWidth > 0 && image.clientHeight > 100), one.textContent])"""


class Slides(unittest.TestCase):
    def test_they_hold_the_lecture_and_fit(self) -> None:
        lecture = (TEACHING / "lecture.md").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "slides.html"
            subprocess.run([sys.executable, "-B", TEACHING / "make_slides.py", file], check=True)
            page = browser.Browser()
            page.size(1280, 720)
            page.open(file.as_uri(), "document.readyState === 'complete' && document.querySelector('section[aria-selected]')")
            slides = page.run(MEASURED)
            page.key("ArrowRight")
            page.wait("[...document.querySelectorAll('section')].findIndex((one) => one.hasAttribute('aria-selected')) === 1")
            asked = [one for one in page.requests if not one.startswith(("file:", "about:", "data:"))]
            page.close()
        self.assertEqual((page.console, asked), ([], []))
        self.assertEqual([text for fits, _, text in slides if not fits], [])
        images = [one for _, ours, _ in slides for one in ours]
        self.assertEqual((len(images), all(images)), (lecture.count("!["), True))
        said = " ".join(" ".join(text for _, _, text in slides).split())
        for heading in [line.removeprefix("## ").rsplit(" (", 1)[0] for line in lecture.splitlines() if line.startswith("## ")]:
            self.assertIn(heading.replace("'", "\u2019"), said)
        self.assertEqual(said.count("Ask:"), lecture.count("*Ask:*"))


if __name__ == "__main__":
    if not browser.BROWSER or not shutil.which("pandoc"):
        print("skipped: needs a browser and pandoc (apt install chromium pandoc)")
        sys.exit(77)
    unittest.main(verbosity=2)
