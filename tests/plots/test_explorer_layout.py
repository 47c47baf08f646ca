"""The explorer's page fits: nothing is clipped or overlaps on a projector and on a phone; it works inside the report."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import browser
import explorer_page
from explorer_page import ARLAB, VIEWS, Case, arlab


class Layout(Case):
    def test_nothing_is_clipped_or_overlaps(self) -> None:
        for width, height in ((1280, 720), (800, 900), (390, 844)):
            self.page.size(width, height)
            self.show(view="steps")
            for view in VIEWS:
                for ranks in (8, 64):
                    self.follow(view=view, ranks=ranks, step=1, time=100, topology="torus", model="fluid" if view == "network" else "alpha_beta")
                    self.check_no_error()
                    where = f"{view}, {ranks} ranks, {width} px"
                    self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), width, where)
                    cut = self.page.run("""[...document.querySelectorAll('#view svg')].flatMap((svg) => {
                        const box = svg.getBoundingClientRect();
                        return [...svg.querySelectorAll('text')].filter((text) => {
                          const t = text.getBoundingClientRect();
                          return text.textContent && (t.left < box.left - 1 || t.right > box.right + 1 || t.top < box.top - 1 || t.bottom > box.bottom + 1);
                        }).map((text) => text.textContent); })""")
                    self.assertEqual(cut, [], where)
                    if view in ("curves", "train"):
                        self.assertGreater(self.page.run("Math.min(...[...document.querySelectorAll('#view .sliders input')].map((one) => one.getBoundingClientRect().width))"), 60, where)
                    over = self.page.run("""(() => { const boxes = [...document.querySelectorAll('svg.curves text')].map((t) => [t.textContent, t.getBoundingClientRect()]);
                        return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) => p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 3 && q.top < p.bottom - 3).map(([b]) => `${a} / ${b}`)); })()""")
                    self.assertEqual(over, [], where)
        self.page.size(1280, 720)

    def test_the_step_view_fits_a_projector(self) -> None:
        self.page.size(1280, 720)
        self.show(view="steps", ranks=8, step=2)
        bottom = self.page.run("Math.max(...[...document.querySelectorAll('#view svg')].map((svg) => svg.getBoundingClientRect().bottom))")
        self.assertLess(bottom, 720)


class InTheReport(unittest.TestCase):
    def test_opens_in_a_frame_with_the_records_algorithm(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            data, report = Path(folder) / "data.jsonl", Path(folder) / "report.html"
            hostile = "/*ARLAB_EXPLORER*/null/*END*/</script><!--"
            rows = [{**row, "label": hostile} for row in arlab("simulate", "-p", "4,8", "-n", "1K,4K")]
            data.write_text("".join(json.dumps(row) + "\n" for row in rows))
            subprocess.run([ARLAB, "report", str(data), "-o", str(report)], check=True, capture_output=True)
            self.assertLess(report.stat().st_size, 3_000_000)
            page = browser.Browser()
            try:
                page.open(report.as_uri())
                self.assertIn(hostile, page.run("document.querySelector('#filters').textContent"))
                self.assertIsNone(page.run("document.documentElement.dataset.error ?? null"))
                page.run("byId('open-explorer').click()")
                page.wait("document.querySelector('iframe').contentDocument?.documentElement?.dataset.ready")
                inside = "document.querySelector('iframe').contentDocument."
                self.assertEqual(page.run(inside + "getElementById('algorithm').value"), rows[0]["algorithm"])
                self.assertEqual(page.run(inside + "getElementById('ranks').value"), "4")
                self.assertEqual(page.run(inside + "getElementById('error').hidden"), True)
                self.assertEqual((page.console, [one for one in page.requests if not one.startswith(("file:", "about:"))]), ([], []))
            finally:
                page.close()

if __name__ == "__main__":
    explorer_page.run_tests()
