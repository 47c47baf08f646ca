"""The report page in a real browser: what it shows for the sample, that it asks the network for nothing, and
that text from the data stays text.
"""

import atexit
import functools
import json
import re
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import browser
from browser import BROWSER

HERE = Path(__file__).resolve().parent
REPORT = HERE.parents[1] / "plots" / "report"
SCRIPTS = ("base", "settings", "training", "downloads", "slices", "summary", "chart", "rank_times", "table", "filters", "explorer", "sources", "page")
TEMPLATE = (REPORT / "report.html").read_text(encoding="utf-8").replace("/*ARLAB_STYLE*/", (REPORT / "report.css").read_text(encoding="utf-8")).replace(
    "/*ARLAB_SCRIPT*/", "".join((REPORT / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS))
PLACEHOLDER = "/*ARLAB_DATA*/null/*END*/"
HOSTILE = "<img src=x onerror=alert(1)>"
LABELS = ["All to all", "Butterfly", "Master-worker", "Ring", "Round robin", "Tree"]

# Runs before the page's script: what would otherwise only reach the console is left on <html data-...>.
PROBE = """<script>
const told = document.documentElement.dataset;
const tell = (name, text) => told[name] = (told[name] ?? "") + text + ";";
console.error = console.warn = (...words) => tell("console", words.join(" "));
window.alert = () => tell("alerted", "yes");
addEventListener("securitypolicyviolation", (event) => tell("blocked", event.blockedURI));
addEventListener("load", () => tell("requests", performance.getEntriesByType("resource").map((one) => one.name)));
</script>"""


class Node:
    """An element of the dumped page: enough of a DOM to count and read."""

    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag, self.attributes, self.parts = tag, attributes, []  # type: ignore[var-annotated]

    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts)

    def all(self, tag: str, **wanted: str) -> list["Node"]:
        found = []
        for child in (part for part in self.parts if isinstance(part, Node)):
            if child.tag == tag and all(child.attributes.get(k.strip("_")) == v for k, v in wanted.items()):
                found.append(child)
            found += child.all(tag, **wanted)
        return found

    def one(self, tag: str, **wanted: str) -> "Node":
        (node,) = self.all(tag, **wanted)
        return node


class Dom(HTMLParser):
    VOID = {"meta", "img", "wbr", "br", "link", "input"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Node("", {})
        self.open = [self.root]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].parts.append(node)
        if tag not in self.VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        while len(self.open) > 1 and self.open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def sample() -> dict[str, Any]:
    rows = [json.loads(line) for line in (HERE / "sample.jsonl").read_text().splitlines()]
    return {"contexts": [row for row in rows if row["kind"] == "context"],
            "records": [row for row in rows if row["kind"] != "context"],
            "files": ["results/sample.jsonl"], "generated": "2026-11-21 04:00 UTC",
            "command": "arlab report results/sample.jsonl -o results/report.html"}


def literal(data: Any) -> str:
    """The data as the injector writes it."""
    return json.dumps(data).replace("<", "\\u003c")


@functools.cache
def shared_browser() -> browser.Browser:
    """One for all pages: it takes longer to start than most of them to load."""
    made = browser.Browser()
    atexit.register(made.close)
    made.size(1280, 900)
    return made


def render(injected: str, after: str = "", quiet: bool = True) -> Node:
    """<html> after the page ran in the browser on the injected literal; `after` is script to run when it has loaded.

    A quiet page must write nothing to the console.
    """
    page = TEMPLATE.replace(PLACEHOLDER, injected).replace("<head>", "<head>" + PROBE)
    page = page.replace("</body>", f"<script>{after}</script></body>")
    in_browser = shared_browser()
    in_browser.console.clear()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(page, encoding="utf-8")
        in_browser.open(path.as_uri(), "document.readyState === 'complete'")
    if quiet and in_browser.console:
        raise AssertionError(f"the page wrote to the console: {in_browser.console}")
    return Dom(in_browser.run("document.documentElement.outerHTML")).root.one("html")


def cells(section: Node) -> list[list[str]]:
    return [[cell.text() for cell in row.all("td")] for row in section.one("tbody").all("tr")]


class Template(unittest.TestCase):
    def test_is_self_contained(self) -> None:
        page = TEMPLATE
        self.assertEqual(page.count(PLACEHOLDER), 1)
        self.assertEqual(page.count("/*ARLAB_EXPLORER*/null/*END*/"), 1)
        self.assertEqual(len(re.findall(r"<script\b[^>]*>", page)), 1)
        self.assertEqual(len(re.findall(r"<style\b", page)), 1)
        self.assertNotRegex(page, r"\b(src|href)\s*=|@import|url\(|\bfetch\(|innerHTML|insertAdjacentHTML")
        self.assertEqual(set(re.findall(r"https?://[^\"'\s]+", page)), {"http://www.w3.org/2000/svg"})


class Page(unittest.TestCase):
    page: Node

    @classmethod
    def setUpClass(cls) -> None:
        cls.page = render(literal(sample()))

    def test_ran_to_its_end(self) -> None:
        told = self.page.attributes
        self.assertEqual(told.get("data-ready"), "yes")
        self.assertEqual([told.get(f"data-{name}") for name in ("error", "console", "alerted", "blocked")], [None] * 4)

    def test_makes_no_network_requests(self) -> None:
        self.assertEqual(self.page.attributes.get("data-requests"), ";")

    def test_summary(self) -> None:
        said = [item.text() for item in self.page.one("ul", id="summary").all("li")]
        self.assertEqual(said[1], "Fastest simulated, alpha_beta, crossbar, 1 MiB: All to all or Butterfly at 2 ranks, "
                                  "Ring or Round robin up to 16 ranks, then Butterfly.")
        self.assertTrue(said[0].startswith("Fastest measured, mpi, 4 ranks: MPI_Allreduce up to 16 KiB, Butterfly up to "
                                           "256 KiB, Round robin at 1 MiB, then MPI_Allreduce (at "), said[0])
        self.assertEqual(said[2:], ["verify: 12 of 12 checks passed, 0 wrong elements.",
                                    "run: 50 of 50 checks passed, 0 wrong elements.",
                                    "Claimed = counted in all 126 records that have both.",
                                    "Skipped 1: 1047552 messages are more than --max-messages."])

    def test_charts_have_a_line_per_label(self) -> None:
        for over, labels in (("bytes", [*LABELS, "MPI_Allreduce", HOSTILE]), ("ranks", LABELS)):
            svg = self.page.one("figure", id=f"time-against-{over}").one("svg")
            groups = [group for group in svg.all("g") if "data-label" in group.attributes]
            self.assertEqual(sorted(group.attributes["data-label"] for group in groups), sorted(labels))
            for group in groups:
                self.assertRegex(group.one("path", class_="line").attributes["d"], r"^M[\d.]+,[\d.]+(L[\d.]+,[\d.]+)*$")
            modelled = [group for group in groups if group.all("path", class_="model")]
            self.assertEqual(len(modelled), len(LABELS) if over == "bytes" else 0)

    def test_names_at_line_ends_do_not_touch(self) -> None:
        for over in ("bytes", "ranks"):
            names = self.page.one("figure", id=f"time-against-{over}").all("text", class_="name")
            places = sorted(float(name.attributes["y"]) for name in names)
            self.assertTrue(all(b - a > 14.9 for a, b in zip(places, places[1:])), places)

    def test_tables_have_every_record(self) -> None:
        for kind, rows in (("count", 12), ("verify", 12), ("simulate", 60), ("run", 50)):
            self.assertEqual(len(cells(self.page.one("section", id=f"table-{kind}"))), rows)
        heads = [head.text() for head in self.page.one("section", id="table-run").all("button")]
        self.assertLessEqual({"label", "algorithm", "bytes", "time_us.median", "time_us.ci95", "modelled_us", "busbw_gb_per_s"},
                             set(heads))
        constant = self.page.one("section", id="table-run").one("p", class_="quiet").text()
        self.assertIn("backend mpi", constant)

    def test_hostile_text_is_inert(self) -> None:
        self.assertEqual(self.page.all("img"), [])
        self.assertIn(HOSTILE, [row[0] for row in cells(self.page.one("section", id="table-run"))])
        styles = [node.attributes.get("style") or "" for node in self.page.all("span")]
        self.assertFalse([style for style in styles if "display" in style])

    def test_environment_and_commands(self) -> None:
        self.assertIn("Open MPI 4.1.4", self.page.one("div", id="environment").text())
        commands = [code.text() for code in self.page.one("ol", id="reproduce").all("code")]
        self.assertEqual([c["command"] for c in sample()["contexts"]] + [sample()["command"]], commands)


class Using(unittest.TestCase):
    def test_sort_hover_and_select(self) -> None:
        data = sample()
        simulated = [row for row in data["records"] if row["kind"] == "simulate"]
        data["records"] += [{**row, "bytes": 1024, "modelled_us": 7.0} for row in simulated]
        page = render(literal(data), """
          const byText = (text) => [...document.querySelectorAll("#table-run button")].find((b) => b.textContent === text);
          byText("time_us.median").click(); byText("time_us.median").click();
          const select = document.querySelector("#time-against-ranks select");
          select.value = [...select.options].findIndex((option) => option.textContent.endsWith("1 KiB"));
          select.dispatchEvent(new Event("change"));
          const svg = document.querySelector("#time-against-bytes svg"), box = svg.getBoundingClientRect();
          svg.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + 70, clientY: box.top + 50}));""")
        self.assertIsNone(page.attributes.get("data-error"))
        section = page.one("section", id="table-run")
        column = [head.text() for head in section.one("table").all("button")].index("time_us.median")
        times = [float(row[column].replace(",", "")) for row in cells(section)]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertIn("at 1 KiB", page.one("figure", id="time-against-bytes").one("table", class_="values").text())
        self.assertIn("7 µs", page.one("figure", id="time-against-ranks").one("table", class_="values").text())

    def test_what_the_ranks_do(self) -> None:
        data = sample()
        simulated = [row for row in data["records"] if row["kind"] == "simulate" and row["ranks"] == 4][:2]
        work = {"send": [1.0, 2, 3, 2], "receive": [4.0, 4, 4, 4], "reduce": [0.0, 0, 0, 0], "wait": [5.0, 4, 3, 4]}
        data["records"] = [{**row, "modelled_us": 10.0, "rank_times_us": work if i == 0 else None}
                           for i, row in enumerate(simulated)]
        figure = render(literal(data)).one("figure", id="rank-times")
        self.assertEqual(len(figure.all("option")), 1)
        self.assertEqual(len(figure.all("rect", class_="work")), 16)
        self.assertEqual(figure.all("rect", class_="work")[2].attributes["fill-opacity"], "0.300")
        words = [text.text() for text in figure.all("text")]
        self.assertEqual(words[:3], ["send", "2 µs", "at most 3 µs"])
        self.assertIn("rank 3", words)

    def test_launches_of_a_configuration_are_one_point(self) -> None:
        data = sample()
        ring = next(r for r in data["records"] if r["kind"] == "run" and r["label"] == "Ring")
        data["contexts"] = [{**data["contexts"][0], "launch": f"mpi {i}"} for i in range(3)]
        times = [(0, 10.0), (1, 90.0), (2, 30.0), (2, 20.0)]  # of the repeated last launch the latest record counts
        data["records"] = [{**ring, "context": i, "time_us": {**ring["time_us"], "median": us}, "bytes": bytes_}
                           for i, us in times for bytes_ in (1024, 2048)]
        page = render(literal(data), """
          const svg = document.querySelector("#time-against-bytes svg"), box = svg.getBoundingClientRect();
          svg.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + 70, clientY: box.top + 50}));""")
        self.assertIsNone(page.attributes.get("data-error"))
        self.assertIn("20 µs", page.one("figure", id="time-against-bytes").one("table", class_="values").text())
        self.assertEqual(len(cells(page.one("section", id="table-run"))), 8)

    def test_the_interval_over_eight_launches_is_their_range(self) -> None:
        data = sample()
        ring = next(r for r in data["records"] if r["kind"] == "run" and r["label"] == "Ring")
        data["contexts"] = [{**data["contexts"][0], "launch": f"mpi {i}"} for i in range(8)]
        data["records"] = [{**ring, "context": i, "time_us": {**ring["time_us"], "median": 10.0 * (i + 1)}, "bytes": bytes_}
                           for i in range(8) for bytes_ in (1024, 2048)]
        page = render(literal(data), """
          const svg = document.querySelector("#time-against-bytes svg"), box = svg.getBoundingClientRect();
          svg.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + 70, clientY: box.top + 50}));""")
        values = page.one("figure", id="time-against-bytes").one("table", class_="values").text()
        self.assertIn("45 µs", values)
        self.assertIn("10 – 80 µs", values)

    def test_filters_choose_the_records_of_summary_charts_and_tables(self) -> None:
        page = render(literal(sample()), """
          [...document.querySelectorAll("#filters .chip")].filter((c) => !["Ring", "Tree"].includes(c.textContent)).forEach((c) => c.dispatchEvent(new MouseEvent("click", {shiftKey: true})));
          const from = document.querySelector("#bytes-from");
          from.value = 65536;
          from.dispatchEvent(new Event("change"));""")
        self.assertIsNone(page.attributes.get("data-error"))
        rows = cells(page.one("section", id="table-run"))
        self.assertEqual({row[0] for row in rows}, {"Ring", "Tree"})
        groups = [g.attributes["data-label"] for g in page.one("figure", id="time-against-bytes").one("svg").all("g") if "data-label" in g.attributes]
        self.assertEqual(sorted(groups), ["Ring", "Tree"])
        said = page.one("ul", id="summary").all("li")[1].text()
        self.assertIn("Fastest measured, mpi, 4 ranks: Ring at every size", said)

    def test_a_click_isolates_a_series_and_another_shows_all(self) -> None:
        chip = """[...document.querySelectorAll("#filters .chip")].find((c) => c.textContent === "Ring").click();"""
        labels = [cells(render(literal(sample()), chip * clicks).one("section", id="table-run")) for clicks in (0, 1, 2)]
        self.assertEqual({row[0] for row in labels[1]}, {"Ring"})
        self.assertEqual(labels[0], labels[2])
        by_name = render(literal(sample()), """
          [...document.querySelectorAll("#time-against-bytes g.choice")].find((g) => g.textContent === "Tree").dispatchEvent(new MouseEvent("click"));""")
        self.assertEqual({row[0] for row in cells(by_name.one("section", id="table-run"))}, {"Tree"})

    def test_times_relative_to_one_series(self) -> None:
        page = render(literal(sample()), """
          const base = document.querySelector("#time-against-bytes select.base");
          base.value = "Ring";
          base.dispatchEvent(new Event("change"));""")
        self.assertIsNone(page.attributes.get("data-error"))
        rows = {row.one("th").text(): row.all("td")[0].text() for row in page.one("figure", id="time-against-bytes").one("table", class_="values").one("tbody").all("tr")}
        self.assertEqual(rows["Ring"], "1×")
        self.assertTrue(all(value.endswith("×") or value == "–" for value in rows.values()), rows)

    def test_charts_and_tables_can_be_saved(self) -> None:
        page = render(literal(sample()), """
          const saved = [];
          URL.createObjectURL = (blob) => { saved.push(blob.text()); return "blob:x"; };
          HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
          document.querySelector("#time-against-bytes .save").click();
          document.querySelector("#table-run .save").click();
          Promise.all(saved).then((all) => { document.querySelector("#origin").textContent = all.join(" "); });""")
        text = page.one("p", id="origin").text()
        self.assertIn("time-against-bytes.svg", text)
        self.assertIn('xmlns="http://www.w3.org/2000/svg"', text)
        self.assertIn("run.csv", text)
        self.assertIn("label,algorithm,", text)
        self.assertIn("time_us.median", text)

    def test_what_the_commands_answered_comes_first(self) -> None:
        page = render(literal({**sample(), "answers": [{"file": "a.jsonl", "sentences": ["Verdict: <b>none</b>.", "1 of 2 proofs WRONG: ring."]}]}))
        said = page.one("ul", id="summary").all("li")
        self.assertEqual(said[0].text(), "Verdict: <b>none</b>.")
        self.assertEqual(said[1].attributes["class"], "bad")

    def test_what_the_commands_answered_about_all_records_goes_when_some_are_chosen(self) -> None:
        answered = {**sample(), "answers": [{"file": "", "sentences": ["Fastest of all: the Butterfly."]}]}
        said = lambda after: [item.text() for item in render(literal(answered), after).one("ul", id="summary").all("li")]  # noqa: E731
        press = "document.querySelector('.chip[data-label=Tree]').click();"
        chosen = said(press)
        self.assertRegex(chosen[0], r"^Of \d+ records these sentences are about the \d+ that are chosen\.$")
        self.assertNotIn("Butterfly", " ".join(chosen))
        self.assertEqual(said(press + press)[0], "Fastest of all: the Butterfly.")
        self.assertEqual(said(press + "byId('all').click();")[0], "Fastest of all: the Butterfly.")

    def test_the_summary_reports_a_failed_check(self) -> None:
        data = sample()
        data["records"][0]["claimed"]["messages"] += 1
        data["records"][12]["wrong"] = 3
        page = render(literal(data))
        bad = [item.text() for item in page.one("ul", id="summary").all("li", class_="bad")]
        self.assertEqual(bad, ["verify: 11 of 12 checks passed, 3 wrong elements.",
                               "Claimed and counted cost differ in 1 of 126 records."])
        self.assertEqual([cell.text() for cell in page.all("td", class_="number differs")], ["≠ 13"])

    def test_no_records_and_no_data(self) -> None:
        page = render(literal({"contexts": [], "records": [], "files": [], "generated": "", "command": ""}))
        self.assertIsNone(page.attributes.get("data-error"))
        self.assertIn("No records.", page.one("ul", id="summary").text())
        page = render("null")
        self.assertIn("without data", page.one("p", id="error").text())

    def test_a_script_error_is_visible(self) -> None:
        page = render(literal({"contexts": [], "files": []}), quiet=False)
        self.assertIn("script failed", page.one("p", id="error").text())
        self.assertIn("script failed", page.attributes["data-error"] or "")

    def test_data_that_is_not_a_script_is_visible(self) -> None:
        page = render("{ half", quiet=False)
        self.assertNotIn("hidden", page.one("p", id="error").attributes)
        self.assertIn("did not run", page.one("p", id="error").text())


if __name__ == "__main__":
    if not BROWSER:
        print("skipped: needs a browser (apt install chromium)")
        sys.exit(77)
    unittest.main(verbosity=2)
