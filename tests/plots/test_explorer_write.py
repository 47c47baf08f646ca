"""A reader's own algorithm: written, broken, mended, shared by link, exported, and opened from a file."""

import json
import subprocess
import tempfile
from pathlib import Path

import explorer_page
from explorer_page import ARLAB, Case, arlab

RING = """function* program(p, me) {
  for (let step = 0; step < p.ranks - 1; ++step)
    yield [send(p.wrap(me + 1), p.chunk(me - step)), reduce(p.wrap(me - 1), p.chunk(me - step - 1))];
  for (let step = 0; step < p.ranks - 1; ++step)
    yield [send(p.wrap(me + 1), p.chunk(me + 1 - step)), replace(p.wrap(me - 1), p.chunk(me - step))];
}"""


class Write(Case):
    def write(self, program: str) -> str:
        """The verdict on a program, typed into the editor."""
        self.page.run(f"{{byId('program').value = {json.dumps(program)}; byId('program').dataset.checked = ''; byId('program').dispatchEvent(new Event('input'))}}")
        self.page.wait("byId('program').dataset.checked", 20)
        return self.text("#written")

    def test_a_ring_from_memory_broken_mended_and_shared(self) -> None:
        self.show(view="write", ranks=4)
        self.assertIn("Proved", self.write(RING))
        self.assertIn("24 messages", self.text("#written-facts"))
        self.assertEqual(self.page.run("showing.last"), 6)
        wrong = self.write(RING.replace("p.chunk(me + 1 - step)", "p.chunk(me - step)"))
        self.assertRegex(wrong, r"^line 5.*hazard: rank \d, round \d")
        self.page.run("byId('to-line').click()")
        self.assertIn("yield", self.page.run("byId('program').value.slice(byId('program').selectionStart, byId('program').selectionEnd)"))
        self.assertIn("missing", self.write(RING.split("  for")[0] + "  for" + RING.split("  for")[1] + "}"))
        self.assertIn("Proved", self.write(RING))
        self.page.wait("location.hash.includes('program=')")
        link = self.page.run("`${location.href.split('#')[0]}#${stateText()}`")
        self.page.open("about:blank", "true")
        self.page.open(link)
        self.page.wait("byId('written')?.textContent.includes('Proved')")
        self.assertEqual(self.page.run("byId('program').value"), RING)

    def test_every_example_is_right_and_costs_what_the_catalog_says(self) -> None:
        counted = {(one["algorithm"], one["ranks"]): one for one in arlab("count", "all", "-p", "4,8", "-n", "1000")}
        for ranks in (4, 8):
            self.show(view="write", ranks=ranks, elements=1000)
            for name in self.page.run("Object.keys(EXAMPLES)"):
                with self.subTest(algorithm=name, ranks=ranks):
                    self.assertIn("Proved", self.write(self.page.run(f"EXAMPLES[{name!r}]")))
                    one = counted[name, ranks]
                    self.assertIn(f"{one['messages']:,} messages, {one['elements_sent']:,} elements sent, {one['rounds']:,} round", self.text("#written-facts"))

    def test_errors_name_the_line(self) -> None:
        self.show(view="write", ranks=4)
        for program, line, said in (("function* program(p, me) {\n  yield send(\n}", 3, "Unexpected"),
                                    ("function* program(p, me) {\n\n  nothing.is = 1;\n}", 3, "nothing is not defined"),
                                    ("function* program(p, me) {\n  yield send(1, 2);\n}", 2, "p.chunk"),
                                    ("const x = 1;", 1, "function* program"),
                                    ("function* program(p, me) {\n  yield 3;\n}", 0, "round 1: yield send")):
            with self.subTest(program=program):
                verdict = self.write(program)
                self.assertIn(said, verdict)
                if line:
                    self.assertTrue(verdict.startswith(f"line {line}"), verdict)
        self.assertIn("has not ended after 2 seconds", self.write("function* program(p, me) {\n  for (;;) ;\n}"))

    def test_a_program_becomes_a_file_that_the_command_line_proves_and_the_page_opens(self) -> None:
        self.show(view="write", ranks=5, elements=1000)
        self.write(RING)
        text = self.page.run("scheduleFile('mine', written.ranks, state.elements, state.root, written.rounds)")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mine.json"
            path.write_text(text)
            done = subprocess.run([ARLAB, "verify", f"file:{path}", "-p", "5"], text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            exported = Path(folder) / "theirs.json"
            subprocess.run([ARLAB, "export", "double_tree", "-p", "6", "-n", "600", "-o", str(exported)], check=True, capture_output=True)
            theirs = exported.read_text()
        for name, file, ranks in (("mine.json", text, 5), ("theirs.json", theirs, 6)):
            self.show(view="steps")
            self.page.run(f"openSchedule({json.dumps(file)}, {name!r})")
            self.check_no_error()
            self.assertEqual(self.page.run("[byId('algorithm').value, state.ranks]"), [f"file:{name}", ranks])
            self.page.run("goTo(showing.last)")
            self.assertEqual(self.page.run("document.querySelectorAll('.cell.complete').length"), ranks * ranks)
            for view in ("time", "cost", "quiz", "break", "network", "curves"):
                self.click(f"tab-{view}")
                self.check_no_error()
                self.assertEqual(self.page.run("byId('algorithm').value"), f"file:{name}")
                if view == "cost":  # without a formula
                    self.assertIn(f"{name}: counted and simulated agree", self.text("#told"))

    def test_all_lanes_of_a_file_are_shown_and_it_is_cut_into_segments(self) -> None:
        self.show(view="steps")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rings.json"
            subprocess.run([ARLAB, "export", "ring:channels=3", "-p", "4", "-n", "100", "-o", str(path)], check=True, capture_output=True)
            self.page.run(f"openSchedule({json.dumps(path.read_text())}, 'rings.json')")
            (timed,) = arlab("simulate", f"file:{path}", "-p", "4", "-n", "100", "--segments", "4")
        shown = []
        for lane in range(3):
            self.put(lane=lane)
            shown.append(self.page.run("[...document.querySelectorAll('figcaption b')].map((one) => one.textContent)"))
        self.assertEqual(shown, [[f"messages, lane {lane} of 0 to 2", f"whose contributions each rank holds of elements {part}"]
                                 for lane, part in enumerate(("0 to 33", "34 to 66", "67 to 99"))])
        self.put(segments=4)
        self.assertEqual(self.page.run("[runOf(state.algorithm, 0).lanes, simulatedOf(state.algorithm).finish / 1e6]"), [12, timed["modelled_us"]])

    def test_the_six_are_those_of_the_command_line(self) -> None:
        six = "all_to_all,master_worker,tree,butterfly,round_robin,ring"
        for ranks, elements in ((64, 1048576), (6, 1000)):
            with self.subTest(ranks=ranks):
                timed = arlab("simulate", six, "-p", str(ranks), "-n", str(elements))
                best = min(one["modelled_us"] for one in timed)
                self.show(view="write", ranks=ranks, elements=elements, segments=4)
                self.assertIn("Proved", self.write(RING))
                self.assertIn("of the six, " + " or ".join(one["label"] for one in timed if one["modelled_us"] == best) + f" takes {self.page.run(f'picoText({round(best * 1e6)})')}.",
                              self.text("#written-facts"))

    def test_files_that_are_wrong_are_refused_in_words(self) -> None:
        said = lambda text: self.page.run(f"(() => {{ try {{ parseSchedule({json.dumps(text)}, 'a.json'); return ''; }} catch (error) {{ return error.message; }} }})()")  # noqa: E731
        self.show(view="steps")
        self.assertIn("is not JSON", said("{"))
        self.assertEqual(said('{"kind": "schedule"}'), 'a.json: has no keys "collective", "ranks", "root", "lanes"')
        common = {"kind": "schedule", "collective": "allreduce", "ranks": 2, "root": 0}
        self.assertIn("this page shows allreduce", said(json.dumps({**common, "collective": "reduce", "lanes": []})))
        self.assertIn("has no lane", said(json.dumps({**common, "lanes": []})))
        rounds = [{"rank": 0, "rounds": [[{"action": "shout", "peer": 1, "chunk": 0, "chunks": 1}]]}, {"rank": 1, "rounds": []}]
        self.assertIn('lane 0, rank 0, round 1: "action" is "shout"', said(json.dumps({**common, "lanes": [{"elements": 2, "ranks": rounds}]})))

    def test_a_wrong_schedule_is_shown_up_to_its_fault(self) -> None:
        self.show(view="steps")
        lanes = [{"elements": 2, "ranks": [{"rank": r, "rounds": [[{"action": "send", "peer": 1 - r, "chunk": 0, "chunks": 2},
                                                                   {"action": "reduce", "peer": 1 - r, "chunk": 0, "chunks": 2}]] * 2} for r in (0, 1)]}]
        self.page.run(f"openSchedule({json.dumps(json.dumps({'kind': 'schedule', 'collective': 'allreduce', 'ranks': 2, 'root': 0, 'lanes': lanes}))}, 'twice.json')")
        self.page.run("goTo(showing.last)")
        self.assertGreater(self.page.run("document.querySelectorAll('.cell.twice').length"), 0)
        self.click("tab-cost")
        self.assertIn("duplicate: rank", self.text(".cost"))


if __name__ == "__main__":
    explorer_page.run_tests()
