#!/usr/bin/env python3
"""The documentation site: it builds without a warning, its search finds words, its links lead somewhere, and doors are near.

    site.py BIN [TEST...]

Skipped (status 77) where mkdocs-material is not installed. With Chromium, search is tried in a page that was opened from disk.
"""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "docs" / "site" / "build.py"
BIN = sys.argv.pop(1)
DOORS = ("benchmark", "predict", "train", "teach", "plug-in")
CLICKS = 3


class Links(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.targets = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, _, attrs):
        attributes = dict(attrs)
        self.ids.add(attributes.get("id"))
        self.targets += [attributes[key] for key in ("href", "src") if attributes.get(key)]


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory(prefix="arlab-site-")
        cls.addClassCleanup(made.cleanup)
        cls.site = pathlib.Path(made.name) / "site"
        cls.done = subprocess.run([sys.executable, "-B", BUILD, BIN, cls.site], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=False)
        cls.pages = {path: Links(path) for path in cls.site.rglob("*.html") if path.name != "404.html"}

    def local(self, page, target):
        """The file and the anchor of a link that stays within the site."""
        url = urllib.parse.urlsplit(target)
        if url.scheme or url.netloc or target.startswith("data:"):
            return None, None
        file = (page.parent / urllib.parse.unquote(url.path)).resolve() if url.path else page
        return file / "index.html" if file.is_dir() else file, urllib.parse.unquote(url.fragment)

    def test_it_builds_without_a_warning(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout)
        self.assertNotIn("WARNING", self.done.stdout)
        self.assertGreater(len(self.pages), 30)

    def test_no_link_is_broken(self):
        for page, links in self.pages.items():
            for target in links.targets:
                file, anchor = self.local(page, target)
                if file:
                    self.assertTrue(file.exists(), f"{page.relative_to(self.site)}: {target}")
                    if anchor and file in self.pages and not anchor.startswith("__"):
                        self.assertIn(anchor, self.pages[file].ids, f"{page.relative_to(self.site)}: {target}")

    def test_nothing_is_loaded_from_elsewhere(self):
        for page, links in self.pages.items():
            text = page.read_text(encoding="utf-8")
            self.assertEqual(re.findall(r"""(?:src=|<link rel="stylesheet" href=)["']https?:[^"']*""", text), [], page)
            self.assertTrue(links.targets)

    def test_every_page_is_reached_and_doors_are_near(self):
        near, reached = {self.site / "index.html": 0}, [self.site / "index.html"]
        for page in reached:  # grows while it is read
            for target in self.pages[page].targets:
                file, _ = self.local(page, target)
                if file in self.pages and file not in near:
                    near[file] = near[page] + 1
                    reached.append(file)
        self.assertEqual(set(near), set(self.pages))
        for door in DOORS:
            self.assertLessEqual(near[self.site / "guides" / f"{door}.html"], CLICKS, door)

    def test_search_finds_words_of_newcomers(self):
        index = json.loads((self.site / "search" / "search_index.json").read_text(encoding="utf-8"))
        for word in ("crossover", "straggler"):
            found = {part["location"].partition("#")[0] for part in index["docs"] if word in part["text"].lower()}
            self.assertIn("reference/glossary.html", found)
            self.assertTrue([page for page in found if page.startswith("start/")], found)

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_search_works_in_a_page_from_disk(self):
        with tempfile.TemporaryDirectory(prefix="arlab-chromium-") as profile:
            for word in ("crossover", "straggler"):
                shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                                        "--virtual-time-budget=20000", "--dump-dom", f"file://{self.site}/index.html?q={word}"],
                                       text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=240).stdout
                self.assertGreater(len(re.findall("md-search-result__link", shown)), 1, word)


if __name__ == "__main__":
    if not shutil.which("mkdocs"):
        print("skipped: mkdocs is not installed: apt install mkdocs-material")
        sys.exit(77)
    unittest.main(verbosity=2)
