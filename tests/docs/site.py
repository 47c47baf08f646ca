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
CLICKS = 3
TASKS = {  # of strangers: the words of the door on the first page -> where the task begins, and its first command there
    "run a cluster": ("guides/benchmark.html", "mpirun -n 4 arlab run"),
    "train models": ("guides/train.html", "arlab plan"),
    "do research": ("guides/python.html", "@arlab.algorithm"),
    "teach": ("teaching/course/index.html", "jupyter nbconvert"),
    "contribute": ("CONTRIBUTING.html", "./lab test"),
}
WIDTHS = (390, 1280)
READABLE = 4.5  # contrast of text, by WCAG 2.1
# Lists the pages that are wider than their window, and the contrast of links. Frames see each other's documents only with a flag of the browser.
WIDE = """<body><script>
const names = %s, wide = [];
async function look(name, width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width:${width}px;height:800px;border:0`;
  frame.src = name;
  document.body.append(frame);
  await new Promise(loaded => frame.onload = loaded);
  const root = frame.contentDocument.documentElement;
  if (root.scrollWidth > width) wide.push(`${name} at ${width}: ${root.scrollWidth}`);
  const contrasts = name === "index.html" && ["default", "slate"].map(scheme => contrast(frame, scheme));
  frame.remove();
  return contrasts;
}
function luminance(color) {
  const parts = color.match(/[0-9.]+/g).slice(0, 3).map(part => part / 255);
  const [r, g, b] = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(frame, scheme) {
  const {body} = frame.contentDocument, style = element => frame.contentWindow.getComputedStyle(element);
  body.style.transition = "none";
  body.setAttribute("data-md-color-scheme", scheme);
  const link = body.querySelector(".md-typeset td a");
  link.style.transition = "none";
  const [dark, light] = [luminance(style(link).color), luminance(style(body).backgroundColor)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
(async () => {
  const contrasts = await look("index.html", 1280);
  for (const name of names) for (const width of %s) await look(name, width);
  const said = document.createElement("pre");
  said.textContent = `looked at ${names.length}; wide: ${wide.join(", ")}. contrast ${contrasts.map(value => value.toFixed(2)).join(" ")}`;
  document.body.append(said);
})();
</script>"""


class Links(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.targets = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, _, attrs):
        attributes = dict(attrs)
        self.ids.add(attributes.get("id"))
        self.targets += [attributes[key] for key in ("href", "src") if attributes.get(key)]


class Doors(html.parser.HTMLParser):
    """The links in each row of the first page's tables, by the words of the row's first cell."""

    def __init__(self, path):
        super().__init__()
        self.rows, self.cells, self.links = {}, 0, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.cells, self.links = 0, []
        elif tag == "td":
            self.cells += 1
        elif tag == "a" and self.cells:
            self.links.append(dict(attrs)["href"])

    def handle_data(self, data):
        if self.cells == 1 and data.strip():
            self.rows[data.strip()] = self.links


def seen_by_browser(address, profile, *options):
    """The page as Chromium's scripts leave it."""
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", *options, "--dump-dom", address],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=300).stdout


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
        self.assertNotIn('not included in the "nav"', self.done.stdout)
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

    def clicks(self, first):
        """Page -> fewest clicks to it from the first page, and from there by any link."""
        near, reached = {page: 1 for page in first}, list(first)
        for page in reached:  # grows while it is read
            for target in self.pages[page].targets:
                file, _ = self.local(page, target)
                if file in self.pages and file not in near:
                    near[file] = near[page] + 1
                    reached.append(file)
        return near

    def test_every_page_is_reached(self):
        self.assertEqual(set(self.clicks([self.site / "index.html"])), set(self.pages))

    def test_the_tasks_of_strangers_begin_near_the_first_page(self):
        first = self.site / "index.html"
        doors = Doors(first).rows
        for door, (page, command) in TASKS.items():
            self.assertIn(door, doors)
            opened = [self.local(first, target)[0] for target in doors[door]]
            self.assertLessEqual(self.clicks(opened)[self.site / page], CLICKS, door)
            words = re.sub(r"<[^>]*>", "", (self.site / page).read_text(encoding="utf-8"))
            self.assertIn(command, words, page)

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
                shown = seen_by_browser(f"file://{self.site}/index.html?q={word}", profile, "--virtual-time-budget=20000")
                self.assertGreater(len(re.findall("md-search-result__link", shown)), 1, word)

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_no_page_is_wider_than_its_window_and_links_are_readable(self):
        names = [str(page.relative_to(self.site)) for page in sorted(self.pages)]
        (self.site / "wide.html").write_text(WIDE % (json.dumps(names), json.dumps(WIDTHS)), encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="arlab-chromium-") as profile:
            shown = seen_by_browser(f"file://{self.site}/wide.html", profile, "--allow-file-access-from-files", "--virtual-time-budget=200000")
        self.assertIn(f"looked at {len(names)}; wide: .", shown, re.findall("wide: .*", shown))
        contrasts = [float(value) for value in re.search("contrast ([0-9.]+) ([0-9.]+)", shown).groups()]
        self.assertGreater(min(contrasts), READABLE, "of links, in light and dark")


if __name__ == "__main__":
    if not shutil.which("mkdocs"):
        print("skipped: mkdocs is not installed: apt install mkdocs-material")
        sys.exit(77)
    unittest.main(verbosity=2)
