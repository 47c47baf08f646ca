"""Chunks move and merge, waits are seen, a contribution that is there twice glares, and switches add on the way."""

import explorer_page
from explorer_page import Case


class Motion(Case):
    def setUp(self) -> None:
        self.page.size(1280, 720, motion=True)

    def middles(self, what: str) -> list[list[float]]:
        return self.page.run(f"[...document.querySelectorAll({what!r})].map((one) => one.getBoundingClientRect()).map((box) => [box.x + box.width / 2, box.y + box.height / 2])")

    def test_between_two_steps_a_chunk_is_under_way_with_its_contributions(self) -> None:
        self.show(view="steps", algorithm="ring", ranks=4, step=1.4)
        tokens = self.page.run("[...document.querySelectorAll('svg.stage .token')].map((one) => [one.dataset.from, one.dataset.to, one.dataset.whose])")
        self.assertEqual(tokens, [["0", "1", "0 3"], ["1", "2", "0 1"], ["2", "3", "1 2"], ["3", "0", "2 3"]])
        ranks = self.middles("svg.stage [data-rank] circle")
        for (x, y), (sender, receiver, _) in zip(self.middles("svg.stage .token"), tokens):
            for end in (sender, receiver):
                self.assertGreater(abs(x - ranks[int(end)][0]) + abs(y - ranks[int(end)][1]), 20)
        before = self.middles("svg.holdings .token")
        self.page.run("goTo(1.6)")
        self.assertTrue(all(after != old for after, old in zip(self.middles("svg.holdings .token"), before)))
        self.page.run("goTo(2)")
        self.assertEqual(self.page.run("document.querySelectorAll('.token').length"), 0)

    def test_an_arrow_key_travels_and_two_of_them_do_not_wait(self) -> None:
        self.show(view="steps", algorithm="ring", ranks=4)
        self.page.key("ArrowRight")
        self.page.wait("state.step > 0 && state.step < 1")
        self.page.key("ArrowRight")
        self.assertGreaterEqual(self.page.run("state.step"), 1)
        self.page.wait("state.step === 2 && playing === null")
        self.page.run("{byId('speed').value = '4'; byId('speed').dispatchEvent(new Event('change'))}")
        self.page.key(" ")
        self.page.wait("state.step === 6 && playing === null")
        self.assertEqual(self.page.run("document.querySelectorAll('.cell.complete').length"), 16)

    def test_every_sum_is_drawn_as_the_contributions_that_are_in_it(self) -> None:
        for name in ("tree", "butterfly", "rabenseifner", "pat"):
            self.show(view="steps", algorithm=name, ranks=8)
            self.assertEqual(self.page.run("""(() => { const run = runOf(state.algorithm); return run.whose.every((_, id) => {
                const all = contributors(run, id); return all.length === run.contributions[id] && new Set(all).size === all.length; }); })()"""), True)

    def test_a_duplicate_is_two_of_a_color(self) -> None:
        self.show(view="break", algorithm="butterfly", ranks=4)
        self.assertEqual(self.page.run("document.querySelectorAll('.repeated, .cell.twice').length"), 0)
        self.click("twice")
        self.assertRegex(self.text("#verifier"), "^duplicate")
        self.assertEqual(self.page.run("document.querySelectorAll('.cell.twice').length"), 1)
        self.assertEqual(self.page.run("document.querySelector('.repeated').getAttribute('d').split('z').length - 1"), 2)
        strips = self.page.run("""(() => { const run = ask('run', {...taskOf('butterfly'), lane: 0, schedule: broken.schedule}), last = statesOf(run).at(-1);
            return contributors(run, last[run.fault.rank * 4 + run.fault.chunk]); })()""")
        self.assertEqual(strips, [0, 0, 1, 1])

    def test_waits_are_on_the_timeline(self) -> None:
        self.show(view="time", algorithm="tree", ranks=8)
        self.assertIn("Ranks wait 42% of their time, rank 1 most: 67%.", self.text(".waits-text"))
        self.assertEqual(self.page.run("document.querySelectorAll('.span-wait').length"), 1)
        self.show(view="time", algorithm="ring", ranks=8)
        self.assertEqual(self.text(".waits-text"), "No rank ever waits.")
        self.assertNotIn("waits", self.text("#view .legend"))

    def test_switches_add_on_the_way(self) -> None:
        for name in self.page.run("catalog.algorithms.filter((one) => one.in_network).map((one) => one.name)"):
            with self.subTest(algorithm=name):
                self.show(view="steps", algorithm=name, ranks=8)
                self.check_no_error()
                moves = self.page.run("runOf(state.algorithm).steps.findIndex(({messages}) => messages.some((one) => transferOf(one) !== undefined))")
                self.page.run(f"goTo({moves} + 0.2)")
                self.assertEqual(self.page.run("document.querySelectorAll('svg.stage .hub').length"), 1)
                self.assertIn("the switches add", self.text("#told"))
                self.assertTrue(self.page.run("[...document.querySelectorAll('.token[data-to=switch]')].length > 1"))
                self.page.run("goTo(showing.last)")
                self.assertEqual(self.page.run("document.querySelectorAll('.cell.complete').length"), 64)
                for view in ("time", "cost", "break", "curves"):
                    self.follow(view=view)
                    self.check_no_error()

    def test_sixteen_ranks_move_in_time(self) -> None:
        self.show(view="steps", algorithm="ring", ranks=16)
        self.page.run("{frames.length = 0; play()}")
        self.page.wait("frames.length > 40")
        shown = self.page.run("{stop(); frames.slice(5).sort((a, b) => a - b)[Math.floor((frames.length - 5) / 2)]}")
        work = self.page.run("""(() => { const times = []; for (let at = 0.02; at < 3; at += 0.02) { const now = performance.now(); goTo(at); times.push(performance.now() - now); }
            return times.sort((a, b) => a - b)[times.length >> 1]; })()""")
        print(f"16 ranks: median frame {shown:.1f} ms, of which scripts {work:.2f} ms")
        self.assertLess(work, 8)


if __name__ == "__main__":
    explorer_page.run_tests()
