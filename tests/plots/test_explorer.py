"""The explorer's page in a real browser: every view and control, every algorithm at several ranks, the same numbers
as the command line, and nothing on the console or the network.
"""

import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import browser

ARLAB = os.environ.get("ARLAB", "build/fast/bench/arlab")
VIEWS = ("steps", "time", "network", "cost", "curves", "train", "quiz", "break")
RANKS = (2, 3, 5, 8, 16, 64)
MOST_ELEMENTS = 6000  # of a view of 64 ranks: what a browser draws without a delay


def arlab(*words: str) -> list[dict[str, Any]]:
    """The records that a command writes."""
    done = subprocess.run([ARLAB, *words, "--json", "-"], text=True, capture_output=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [row for row in rows if row["kind"] != "context"]


def value_of(written: str) -> float | None:
    """The value of a formula with numbers; None if it holds for other numbers of ranks only (a logarithm that is not whole)."""
    text = re.sub(r" \((?=[^()]*\b(?:if|of|only)\b).*\)$", "", written)  # an explanation
    text = text.split(", ")[0].replace(",", "").replace("·", "*")
    logs = [math.log(int(x), int(base)) for base, x in re.findall(r"(?<!\()log_?(\d+) (\d+)", text)]
    if any(abs(log - round(log)) > 1e-9 for log in logs):
        return None
    text = re.sub(r"log_?(\d+) (\d+)", lambda found: repr(round(math.log(int(found[2]), int(found[1])), 9)), text)
    return eval(text, {"__builtins__": {}, "ceil": math.ceil})  # noqa: S307


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
        """Follows a link within the page, which changes only what it names: a tenth of a fresh load."""
        words = "&".join(f"{key}={value}" for key, value in state.items())
        self.page.run(f"{{readLink({words!r}); render();}}")

    def put(self, **values: Any) -> None:
        """Sets controls, as a reader would."""
        for name, value in values.items():
            self.page.run(f"{{const c = byId({name!r}); c.value = {str(value)!r}; c.dispatchEvent(new Event('change'))}}")

    def click(self, name: str) -> None:
        self.page.run(f"byId({name!r}).click()")

    def text(self, selector: str) -> str:
        return self.page.run(f"document.querySelector({selector!r}).textContent")


def check_formulas(case: "Case", ranks: tuple[int, ...]) -> None:
    """Every formula with its numbers: no letter is left that has a value, and its value is the claimed one."""
    valued = 0
    case.show(view="cost")
    for name in case.page.run("catalog.algorithms.map((one) => one.name)"):
        for p in ranks:
            case.follow(algorithm=name, ranks=p)
            if case.page.run("!byId('error').hidden"):
                continue  # runs on few numbers of ranks
            letters = case.page.run("({...runOf(state.algorithm).letters, m: 1, N: 1})")
            claimed = case.page.run("runOf(state.algorithm).claimed")
            for what, written in case.page.run("[...document.querySelectorAll('.cost tbody tr')].map((row) => [row.dataset.what, row.querySelector('.numbers').textContent])"):
                with case.subTest(algorithm=name, ranks=p, what=what, written=written):
                    left = set(re.findall(r"(?<![A-Za-z_])[A-Za-z](?![A-Za-z])", written)) | set(re.findall(r"log_([A-Za-z])", written))
                    case.assertEqual(left & set(letters), set())
                    case.assertLessEqual(left, {"a", "S"})  # nodes of several sizes have no S
                    case.assertNotRegex(written, r"- |- \d|\(\w+- ")
                    value = None if "S" in left else value_of(written)
                    if value is not None:
                        valued += 1
                        case.assertEqual(value, claimed[what])
    case.assertGreater(valued, 50)


class Numbers(Case):
    def test_formulas_with_numbers(self) -> None:
        check_formulas(self, (3, 8, 9))

    def names(self) -> list[str]:
        return self.page.run("catalog.algorithms.filter((one) => !one.needs).map((one) => one.name)")

    def test_algorithms_that_need_more_than_ranks_are_shown_with_what_they_need(self) -> None:
        self.show(ranks=9, elements=9000)
        for name, needs in self.page.run("catalog.algorithms.filter((one) => one.needs).map((one) => [one.name, one.needs])"):
            for view in VIEWS:
                with self.subTest(algorithm=name, view=view):
                    self.follow(algorithm=name, view=view)
                    self.check_no_error()
                    self.assertIn(needs[1:], self.text("#idea"))

    def test_every_algorithm_counts_as_the_command_line_does(self) -> None:
        ranks = ",".join(str(p) for p in RANKS)
        counted = {(r["algorithm"], r["ranks"]): r for r in arlab("count", "all", "-p", ranks, "-n", "100K")}
        timed = {(r["algorithm"], r["ranks"]): r for r in arlab("simulate", "all", "-p", ranks, "-n", "100K")}
        self.show(view="cost", elements=102400)
        for p in RANKS:
            self.put(ranks=p)
            for name in self.names():
                with self.subTest(algorithm=name, ranks=p):
                    self.put(algorithm=name)
                    rows = self.page.run("[...document.querySelectorAll('.cost tbody tr')].map((row) => "
                                         "[...row.querySelectorAll('td.number')].map((cell) => cell.textContent))")
                    record = counted[name, p]
                    wanted = [record["messages"], record["elements_sent"], record["rounds"]]
                    self.assertEqual(rows, [[f"{value:,}"] * 3 for value in wanted])
                    self.assertEqual(self.page.run(f"simulatedOf({name!r}).finish / 1e6"), timed[name, p]["modelled_us"])
                    self.assertIn("Proved: every rank ends", self.text(".cost"))
                    self.assertIn("agree", self.text("#told"))

    def test_other_models_and_parameters_give_the_command_lines_times(self) -> None:
        fluid = ["--network", "torus:dims=4x4"]
        logs = ["--network", "loggops:L=7us,gamma=20ps"]
        run = ("simulate", ",".join(self.names()), "-p", "16", "-n", "100K")
        timed_logs = {record["algorithm"]: record["modelled_us"] for record in arlab(*run, "--segments", "2", *logs)}
        timed_fluid = {record["algorithm"]: record["modelled_us"] for record in arlab(*run, *fluid)}
        self.show(ranks=16, elements=102400)
        for name in self.names():
            self.follow(algorithm=name, segments=2, model="loggops", view="steps", **{"p.L": 7e6, "p.gamma": 20})
            self.check_no_error()
            self.assertEqual(self.page.run(f"simulatedOf({name!r}).finish / 1e6"), timed_logs[name])
            self.follow(segments=1, model="fluid", topology="torus:dims=4x4", view="network", **{"p.gamma": 0})
            self.check_no_error()
            self.assertEqual(self.page.run(f"simulatedOf({name!r}).finish / 1e6"), timed_fluid[name])
            self.assertEqual(len(self.page.run("[...document.querySelectorAll('svg.heat [data-share]')].map((p) => p.dataset.share)")), 64)

    def test_the_critical_path_is_as_long_as_the_run(self) -> None:
        self.show(ranks=13, view="time", **{"p.gamma": 30})
        for name in self.names():
            self.follow(algorithm=name)
            self.check_no_error()
            path, finish = self.page.run(f"[simulatedOf({name!r}).path, simulatedOf({name!r}).finish]")
            self.assertEqual((path[0][6], path[-1][7]), (0, finish))
            self.assertTrue(all(a[7] == b[6] for a, b in zip(path, path[1:])))
            self.assertIn("The critical path has", self.text(".critical-text"))


class Controls(Case):
    def test_size(self) -> None:
        self.assertLess(self.bytes, 3_000_000)

    def test_player_slider_and_keys(self) -> None:
        self.show(view="steps", ranks=4)
        where = lambda: self.page.run("[byId('where').textContent, byId('step').value]")  # noqa: E731
        last = int(self.page.run("byId('step').max"))
        self.assertEqual(where(), [f"step 0 of {last}", "0"])
        for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last), ("Home", 0)):
            self.page.key(key)
            self.assertEqual(where()[1], str(step))
        for button, step in (("forward", 1), ("last", last), ("back", last - 1), ("first", 0)):
            self.click(button)
            self.assertEqual(where()[1], str(step))
        self.page.key(" ")
        self.page.wait("byId('step').value === '1'")
        self.page.key(" ")
        self.page.run("{byId('step').value = 3; byId('step').dispatchEvent(new Event('input'))}")
        self.assertIn("Step 3: rank ", self.text("#told"))
        self.page.wait("location.hash.includes('step=3')")
        self.page.open(self.page.run("location.href"))
        self.assertEqual(where()[1], "3")

    def test_the_end_holds_everything_and_hover_explains(self) -> None:
        self.show(view="steps", ranks=5)
        self.page.key("End")
        self.assertEqual(self.page.run("document.querySelectorAll('.cell.complete').length"), 25)
        self.assertIn("Every rank holds the whole sum", self.text("#told"))
        self.page.run("document.querySelector('.cell').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
        self.assertIn("of all ranks; added as (", self.text(".held"))

    def test_two_beside_each_other_on_one_clock(self) -> None:
        first, second = self.page.run("catalog.algorithms.slice(0, 2).map((one) => one.name)")
        self.show(view="time", algorithm=first, beside=second)
        self.assertEqual(self.page.run("document.querySelectorAll('svg.timeline').length"), 2)
        self.page.key("End")
        self.assertEqual(self.text("#told").count("8 of 8 ranks done"), 2)
        self.show(view="steps", algorithm=first, beside=second)
        self.assertEqual(self.page.run("document.querySelectorAll('svg.holdings').length"), 2)

    def test_topology_root_segments_and_elements(self) -> None:
        name = self.page.run("catalog.algorithms.find((one) => one.family === 'whole').name")
        self.show(view="steps", algorithm=name, step=1)
        self.page.run("{const s = document.querySelector('select.on'); s.value = 'topology'; s.dispatchEvent(new Event('change'))}")
        self.put(topology="torus:dims=4x2")
        self.assertEqual(self.page.run("document.querySelectorAll('svg.stage .cable').length"), 1)
        self.assertEqual(self.page.run("document.querySelectorAll('svg.stage .used').length > 0"), True)
        self.put(elements="1M", root="3", segments="4")
        self.assertEqual(self.page.run("[state.elements, state.root, state.segments, runOf(state.algorithm).lanes]"), [1048576, 3, 4, 4])
        self.put(lane="3")
        self.assertEqual(self.page.run("runOf(state.algorithm).elements"), 262144)
        self.put(elements="many", root="99")
        self.assertEqual(self.page.run("[state.elements, state.root, byId('elements').value, byId('root').value]"), [1048576, 3, "1M", "3"])

    def test_what_the_programs_refuse_is_said_and_the_page_goes_on(self) -> None:
        self.show(view="network", model="fluid")
        self.put(topology="torsu")
        self.assertIn("unknown topology 'torsu', did you mean 'torus'?", self.text("#error"))
        self.put(topology="torus")
        self.assertTrue(self.page.run("byId('error').hidden && document.querySelector('svg.heat') !== null"))

    def test_crossover_sliders_move_the_curves(self) -> None:
        self.show(view="curves", ranks=16)
        lines = "[...document.querySelectorAll('svg.curves g[data-name] .line')].map((line) => line.getAttribute('d')).join()"
        for control in ("[data-parameter=alpha]", "[data-parameter=beta]", "[data-parameter=gamma]", "#curve-ranks"):
            before, said = self.page.run(lines), self.text("#winners")
            self.page.run(f"{{const s = document.querySelector('#curve-sliders {control}, #curve-sliders{control}'); s.value = 180; s.dispatchEvent(new Event('input'))}}")
            self.assertNotEqual((self.page.run(lines), self.text("#winners")), (before, said), control)
        self.page.run("{byId('curve-elements').value = 10; byId('curve-elements').dispatchEvent(new Event('input'))}")
        self.assertLess(self.page.run("state.elements"), 100)

    def test_training_schedules_move_with_the_link(self) -> None:
        self.show(view="train")
        rows = "[...document.querySelectorAll('#schedulers tbody tr')].map((row) => row.textContent)"
        first = self.page.run(rows)
        self.assertEqual(len(first), self.page.run("catalog.schedulers.length"))
        self.assertEqual(self.page.run("document.querySelectorAll('svg.overlap').length"), 2)
        self.page.run("{const s = [...document.querySelectorAll('#train-sliders input')].at(-1); s.value = 190; s.dispatchEvent(new Event('input'))}")
        self.assertNotEqual(self.page.run(rows), first)
        # Three layers of the reference: forward 1, backward 2, communication 2, 2, 6; nobody waits for a start.
        periods = self.page.run("""Object.fromEntries(catalog.schedulers.map(({name}) => [name, ask('train', {scheduler: name, alpha: 0, beta: 1,
            layers: [[1e9, 2e9, 5e8], [1e9, 2e9, 5e8], [1e9, 2e9, 15e8]]}).period / 1e9]))""")
        self.assertEqual([round(periods[name], 6) for name in ("none", "fifo", "dear")], [19, 15, 13])

    def test_quiz(self) -> None:
        self.show(view="quiz", ranks=4)
        from_, to, chunk = self.page.run("runOf(state.algorithm).steps[quiz.step - 1].messages.find((m) => m[1] === quiz.to).slice(0, 3)")
        wrong = next(r for r in range(4) if r not in (from_, to))
        pick = lambda rank: self.page.run(f"document.querySelector('[data-rank=\"{rank}\"].clickable').dispatchEvent(new Event('click'))")  # noqa: E731
        pick(wrong)
        self.assertIn("✗ No", self.text("#quiz-verdict"))
        pick(from_)
        self.assertIn(f"✓ Right: rank {from_} sends to rank {to}", self.text("#quiz-verdict"))
        self.page.run(f"document.querySelector('.cell[data-chunk=\"{chunk}\"]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        self.assertIn("✓ Right", self.text("#quiz-verdict"))
        self.click("quiz-next")
        self.assertIn("2 of 3 right", self.text("#score"))

    def test_break_it(self) -> None:
        self.show(view="break", ranks=4)
        self.assertIn("nothing wrong", self.text("#verifier"))
        for way, word in (("shift", "mismatched"), ("skip", "unmatched|mismatched|deadlock"), ("skip-all", "missing|undefined|duplicate"), ("twice", "duplicate|missing"), ("swap", "missing|hazard")):
            self.click(way)
            self.assertRegex(self.text("#verifier"), f"^({word}): .*(rank|chunk)", way)
            self.click("mend")
            self.assertIn("nothing wrong", self.text("#verifier"))
        self.page.run("document.querySelector('.actions button[aria-label=\"action omitted\"]').click()")
        self.assertRegex(self.text("#verifier"), "^(unmatched|mismatched|deadlock): ")
        self.click("mend")

    def test_pictures_can_be_taken_away(self) -> None:
        for view in ("steps", "time", "curves"):
            self.show(view=view)
            text = self.page.run("svgText(document.querySelector('#view svg'))")
            self.assertIn("<style", text)
            self.assertEqual(self.page.run("new DOMParser().parseFromString(svgText(document.querySelector('#view svg')), 'image/svg+xml').querySelector('parsererror') === null"), True)

    def test_theme(self) -> None:
        back = "getComputedStyle(document.body).backgroundColor"
        light = self.page.run(back)
        self.click("theme")
        self.assertNotEqual(self.page.run(back), light)
        self.click("theme")
        self.assertEqual(self.page.run(back), light)
        self.click("theme")

    def test_64_ranks_draw_a_bounded_number_of_elements(self) -> None:
        for name in self.page.run("catalog.algorithms.filter((one) => !one.needs).map((one) => one.name)"):
            self.show(view="steps", algorithm=name, ranks=64)
            drawn = self.page.run("""(() => {
              const drawn = [];
              for (let step = 1; step <= Math.min(30, showing.last); ++step) {
                goTo(step);
                drawn.push(byId('view').getElementsByTagName('*').length);
              }
              return Math.max(...drawn); })()""")
            self.assertLess(drawn, MOST_ELEMENTS, name)


class Layout(Case):
    def test_nothing_is_clipped_or_overlaps(self) -> None:
        for width, height in ((1280, 720), (390, 844)):
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


class Precomputed(Case):
    made_with = ("--precomputed",)

    def test_says_so_and_shows_its_runs(self) -> None:
        self.assertIn("made without WebAssembly", self.text("#note"))
        for view in VIEWS:
            self.show(view=view)
            names = self.page.run("catalog.algorithms.filter((one) => !one.needs).map((one) => one.name)")
            for name, ranks in itertools.product(names, (2, 16)):
                self.follow(algorithm=name, ranks=ranks)
                self.assertTrue(self.page.run("byId('error').hidden && byId('view').children.length > 0"), (view, name, ranks))

    def test_formulas_with_numbers(self) -> None:
        check_formulas(self, (3, 8))

    def test_another_number_of_ranks_is_refused_in_words(self) -> None:
        self.show(view="steps", ranks=4)
        self.put(ranks=9)
        self.assertIn("holds runs of 2, 3, 4", self.text("#error"))
        self.put(ranks=8)
        self.assertTrue(self.page.run("byId('error').hidden"))


if __name__ == "__main__":
    if not browser.BROWSER:
        print("skipped: needs a browser (apt install chromium)")
        sys.exit(77)
    unittest.main(verbosity=2)
