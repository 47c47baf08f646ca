"""Section 0 of the lab sheet (docs/teaching/lab_sheet.md) in a real browser, as a student does it: all tabs and controls of the page
work, ten answers of the quiz are right for two algorithms, and each of the four faults of "Break it" occurs."""

import re
import sys
import unittest
from pathlib import Path

import browser
import explorer_page

SHEET = Path(__file__).resolve().parents[2] / "docs" / "teaching" / "lab_sheet.md"
WAYS = ("shift", "skip", "skip-all", "twice", "swap")
NOT_FOR_READERS = re.compile(r"clang-16|\(m- 1\)|\(\d*- \d|undefined|NaN|\[object")


class LabSheet(explorer_page.Case):
    def setUp(self) -> None:
        self.show(algorithm="ring", ranks=4, view="steps")

    def read_everything(self, where: str) -> None:
        text = self.page.run("document.body.innerText + [...document.querySelectorAll('[title]')].map((one) => one.title).join(' ')")
        self.assertIsNone(NOT_FOR_READERS.search(text), f"{where}: {NOT_FOR_READERS.findall(text)}")

    def test_every_tab_works_by_a_click(self) -> None:
        titles = self.page.run("[...byId('tabs').children].map((tab) => tab.textContent)")
        self.assertEqual(titles, ["Start", "Steps", "Time", "Links", "Cost", "Crossover", "Training", "Quiz", "Break it", "Write"])
        self.put(model="fluid", topology="torus")  # so that there are links
        for at, title in enumerate(titles):
            with self.subTest(tab=title):
                self.page.run(f"byId('tabs').children[{at}].click()")
                self.assertTrue(self.page.run("byId('error').hidden && byId('note').hidden"))
                self.page.wait("byId('view').querySelector('svg, table')")
                self.assertEqual(self.page.run("[...document.querySelectorAll('#controls :disabled, #view :disabled:not(#next):not(#previous)')].map((one) => one.outerHTML)"), [])
                for name in self.page.run("catalog.algorithms.filter((one) => !one.needs).map((one) => one.name)"):
                    self.put(algorithm=name)
                    self.read_everything(f"{title}, {name}")

    def test_every_control_changes_what_is_shown(self) -> None:
        shown = "byId('view').innerHTML + byId('told').textContent"
        for view, control, value in (("cost", "algorithm", "tree"), ("cost", "beside", "butterfly"), ("steps", "ranks", "6"),
                                     ("time", "root", "2"), ("cost", "segments", "3"), ("cost", "elements", "2M"),
                                     ("time", "model", "loggops"), ("network", "topology", "ring")):
            with self.subTest(control=control):
                self.show(algorithm="tree" if control == "root" else "ring", ranks=4, view=view, model="fluid" if control == "topology" else "alpha_beta",
                          topology="torus:dims=2x2")
                before = self.page.run(shown)
                self.put(**{control: value})
                self.assertNotEqual(self.page.run(shown), before)

    def test_alpha_moves_a_curve(self) -> None:
        self.show(view="curves", ranks=4)
        lines = "[...document.querySelectorAll('svg.curves .line')].map((line) => line.getAttribute('d')).join()"
        before = self.page.run(lines)
        self.page.run("{const s = document.querySelector('#curve-sliders [data-parameter=alpha]'); s.value = 190; s.dispatchEvent(new Event('input'))}")
        self.assertNotEqual(self.page.run(lines), before)

    def test_ten_answers_of_the_quiz_are_right_for_two_algorithms(self) -> None:
        for name in ("ring", "butterfly"):
            with self.subTest(algorithm=name):
                self.show(view="quiz", algorithm=name, ranks=4)
                for _ in range(5):  # two answers each
                    self.click("quiz-next")
                    sender, _, chunk = self.page.run("runOf(state.algorithm).steps[quiz.step - 1].messages.find((m) => m[1] === quiz.to).slice(0, 3)")
                    self.page.run(f"document.querySelector('[data-rank=\"{sender}\"].clickable').dispatchEvent(new Event('click'))")
                    self.page.run(f"document.querySelector('.cell[data-chunk=\"{chunk}\"]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
                    self.assertIn("✓ Right", self.text("#quiz-verdict"))
                self.assertEqual(self.page.run("[quiz.right, quiz.asked]"), [10, 10])

    def test_each_fault_of_break_it_occurs(self) -> None:
        section = SHEET.read_text(encoding="utf-8").split("## 1.")[0]
        wanted = set(re.findall(r"`(\w+)`", section[section.index("*Break it*"):]))
        self.assertEqual(wanted, {"mismatched", "unmatched", "missing", "duplicate"})
        caused = {}
        for name in ("ring", "tree", "butterfly"):
            self.show(view="break", algorithm=name, ranks=4)
            for rank in range(4):
                self.put(**{"break-rank": rank})
                for turn in range(self.page.run("byId('break-round').options.length")):
                    self.put(**{"break-round": turn})
                    for way in WAYS:
                        self.click(way)
                        kind, _, why = self.text("#verifier").partition(": ")
                        if kind in wanted:
                            self.assertRegex(why, "(rank|chunk) ?\\d")
                            caused.setdefault(kind, (name, rank, turn, way))
                        self.click("mend")
                        self.assertIn("nothing wrong", self.text("#verifier"))
                if set(caused) == wanted:
                    break
        self.assertEqual(set(caused), wanted, caused)
        print(caused, file=sys.stderr)


class WithoutEngine(explorer_page.Case):
    made_with = ("--precomputed",)

    def test_what_is_missing_is_said_with_a_way_that_works(self) -> None:
        for view in ("break", "train", "curves"):
            self.show(view=view)
            text = self.page.run("document.body.innerText")
            self.assertIn("run ./lab demo in the sources of arlab, then arlab explore", text)
            self.assertNotIn("clang-16", text)
            self.assertNotIn("Move a slider", text)


class Told(unittest.TestCase):
    def test_no_script_of_the_page_names_a_compiler(self) -> None:
        for path in (SHEET.parents[2] / "plots").glob("**/*.js"):
            self.assertNotIn("clang-16", path.read_text(encoding="utf-8"), path)


if __name__ == "__main__":
    if not browser.BROWSER:
        print("skipped: needs a browser (apt install chromium)")
        sys.exit(77)
    unittest.main(verbosity=2)
