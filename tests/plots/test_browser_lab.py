"""The lab sheet for the browser alone (docs/teaching/browser_lab.md), and the five steps to a first algorithm there, each step in a real
browser as a student does it. The quiz and the faults of "Break it", which the other sheet asks for as well, are in test_lab_sheet.py."""

import json
import re
import textwrap
from pathlib import Path

import explorer_page

TEACHING = Path(__file__).resolve().parents[2] / "docs" / "teaching"
UNITS = {"ps": 1e-6, "ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}


def programs(page: str) -> list[str]:
    """The programs of a page, without their indentation."""
    text = (TEACHING / page).read_text(encoding="utf-8")
    return [textwrap.dedent(block) for block in re.findall(r"^ *```js\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)]


class Sheet(explorer_page.Case):
    def choose(self, tab: str) -> None:
        self.page.run(f"[...byId('tabs').children].find((one) => one.textContent === {tab!r}).click()")
        self.check_no_error()

    def type(self, program: str) -> str:
        """Replaces the program, and returns the verdict."""
        self.page.run(f"{{byId('program').value = {json.dumps(program)}; byId('program').dispatchEvent(new Event('input'))}}")
        return self.verdict("byId('program').dataset.checked = ''")

    def verdict(self, first: str) -> str:
        self.page.run(first)
        self.page.wait("byId('program')?.dataset.checked", 20)
        return self.text("#written")

    def set(self, **values: object) -> str:
        """Sets controls, and returns the verdict on the program that is there."""
        self.put(**values)
        return self.verdict("0")

    def facts(self) -> tuple[str, float, float]:
        """Messages, elements and rounds; the simulated time and the least of the six, in microseconds."""
        text = self.text("#written-facts")
        ours, least = ((float(value), unit) for value, unit in re.findall(r"(?:time|takes) ([\d.]+) (\S+?)\.?(?= |$|;)", text))
        return text.split(". Simulated")[0], ours[0] * UNITS[ours[1]], least[0] * UNITS[least[1]]

    def test_a_student_gets_from_nothing_to_a_proved_algorithm_in_five_steps(self) -> None:
        page = (TEACHING / "first_algorithm.md").read_text(encoding="utf-8").split("## In Python")[0]
        self.assertEqual(len(re.findall(r"^\d\. ", page, re.MULTILINE)), 5)
        first, more = programs("first_algorithm.md")
        self.page.open(self.address)
        self.choose("Write")
        self.set(ranks=4)
        self.assertIn("missing", self.type(first))
        whole = first.rstrip().removesuffix("}") + more + "}\n"
        self.assertIn("Proved: on 4 ranks", self.type(whole))
        self.assertIn("Proved: on 8 ranks", self.set(ranks=8))
        self.page.wait("location.hash.includes('program=')")
        link = self.page.run("`${location.href.split('#')[0]}#${stateText()}`")
        self.page.open(link)
        self.page.wait("byId('written')?.textContent.includes('Proved: on 8 ranks')")
        self.assertEqual(self.page.run("byId('program').value"), whole)

    def test_look_first(self) -> None:
        self.page.open(self.address)
        self.choose("Steps")
        for ranks, steps in ((4, 6), (8, 14)):
            self.put(algorithm="ring", ranks=ranks)
            for _ in range(steps):
                self.page.run("document.body.focus()")
                self.page.key("ArrowRight")
            self.assertEqual(self.page.run("[showing.last, document.querySelectorAll('.cell.complete').length]"), [steps, ranks * ranks])
        self.choose("Time")
        self.assertIn("No rank ever waits", self.page.run("document.body.innerText"))

    def test_quiz_and_faults_are_where_the_sheet_says(self) -> None:
        self.page.open(self.address)
        self.put(algorithm="ring", ranks=4)
        self.choose("Quiz")
        self.assertIn("of 0 right", self.page.run("byId('view').innerText"))
        self.choose("Break it")
        self.click("skip")
        self.assertRegex(self.text("#verifier"), "(mismatched|unmatched|missing|duplicate)")
        self.page.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Undo all').click()")
        self.assertIn("nothing wrong", self.text("#verifier"))

    def test_write_your_own(self) -> None:
        [start] = programs("browser_lab.md")
        line, halving = ((TEACHING / "solution" / name).read_text(encoding="utf-8") for name in ("line.js", "halving.js"))
        self.assertTrue(line.startswith(start.rstrip().removesuffix("}")))
        self.page.open(self.address)
        self.choose("Write")
        self.set(ranks=4, elements=1000)
        self.assertIn("missing", self.type(start))
        self.assertIn("Proved: on 4 ranks", self.type(line))
        self.assertEqual(self.facts()[0], "6 messages, 6,000 elements sent, 6 rounds")
        self.assertIn("Proved: on 7 ranks", self.set(ranks=7))
        self.assertTrue(self.type(line.replace("send(me + 1", "send(me + 2")).startswith("line 3"))
        self.click("to-line")
        self.assertIn("send(me + 2", self.page.run("byId('program').value.slice(byId('program').selectionStart, byId('program').selectionEnd)"))
        self.assertIn("power of two", self.type(halving))
        self.assertIn("Proved: on 8 ranks", self.set(ranks=8))
        self.assertEqual(self.facts()[0], "48 messages, 14,000 elements sent, 6 rounds")
        self.assertIn("Proved", self.set(elements=100))
        _, ours, least = self.facts()
        self.assertGreater(ours, least)
        self.assertIn("Proved", self.set(elements="4M"))
        _, ours, least = self.facts()
        self.assertLess(ours, least)

    def test_the_crossover_moves_with_alpha(self) -> None:
        self.page.open(self.address)
        self.put(ranks=8)
        self.choose("Crossover")
        self.assertRegex(self.text("#winners"), "Butterfly.* up to 64 KiB")
        self.page.run("{const s = document.querySelector('#curve-sliders [data-parameter=alpha]'); s.value = 190; s.dispatchEvent(new Event('input'))}")
        self.assertRegex(self.text("#winners"), r"Butterfly.* up to [\d.]+ MiB")


if __name__ == "__main__":
    explorer_page.run_tests()
