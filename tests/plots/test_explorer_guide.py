"""The guided path runs to its end by keyboard alone, each answer comes from the engine, and words explain themselves."""

import explorer_page
from explorer_page import Case


class Guide(Case):
    def test_a_reader_begins_with_a_question_on_four_numbers(self) -> None:
        self.page.open(self.address)
        self.assertIn("3, 1, 4 and 2", self.text("#say"))
        self.assertTrue(self.page.run("byId('controls').hidden && byId('next').disabled"))
        self.assertEqual(self.page.run("[...document.querySelectorAll('svg.holdings text.ink')].slice(0, 16).map((one) => one.textContent).join('')"), "3333111144442222")

    def test_the_path_by_keyboard_alone(self) -> None:
        self.page.open(self.address)
        stops = self.page.run("stopsHere().length")
        for number in range(stops):
            self.assertIn(f"{number + 1} of {stops}", self.text("#stop"))
            self.check_no_error()
            asked = self.page.run("stopsHere()[state.stop].ask ?? ''")
            if "Drag" in asked:
                self.page.run("byId('guess-line').focus()")
                before = self.page.run("byId('guess-line').getAttribute('aria-valuetext')")
                for _ in range(26):
                    self.page.key("ArrowRight")
                self.assertNotEqual(self.page.run("byId('guess-line').getAttribute('aria-valuetext')"), before)
                self.page.key("Tab")
                self.page.run("byId('here').focus()")
                self.page.key("Enter")
                self.assertIn("They cross at 746.8 KiB", self.text("#revealed"))
                self.assertIn("Right", self.text("#revealed"))
            elif asked:
                choices = self.page.run("stopsHere()[state.stop].choices().map(String)")
                right = self.page.run("String(stopsHere()[state.stop].right())")
                self.assertEqual(choices.count(right), 1, asked)
                self.page.key(str(choices.index(right) + 1))
                self.assertIn("Right", self.text("#revealed"), asked)
            if number + 1 < stops:
                self.page.key("ArrowRight")
        self.assertIn(f"{stops - 1} of {stops - 1} right", self.text("#score-of-path"))
        self.page.key("ArrowLeft")
        self.assertIn(f"{stops - 1} of {stops}", self.text("#stop"))

    def test_a_wrong_prediction_is_told_the_right_one(self) -> None:
        self.show(view="start", stop=1)
        self.page.key("1")
        self.assertIn("You said 6, it is 12", self.text("#revealed"))
        self.assertEqual(self.page.run("state.step"), 1)

    def test_words_explain_themselves(self) -> None:
        self.show(view="start", stop=10)
        self.page.run("document.querySelector('.term').focus()")
        self.assertRegex(self.text("#tip"), "^\\w+: .{20,}")
        self.page.key("Escape")
        self.assertTrue(self.page.run("byId('tip').hidden"))
        for word in ("chunk", "root", "segments", "alpha", "beta", "rank", "elements", "model", "topology"):
            self.assertTrue(self.page.run(f"Boolean(meaningOf({word!r}))"), word)


class WithoutEngine(Case):
    made_with = ("--precomputed",)

    def test_the_path_needs_no_engine(self) -> None:
        self.page.open(self.address)
        for number in range(self.page.run("stopsHere().length")):
            self.page.run(f"{{state.stop = {number}; render()}}")
            self.check_no_error()
            self.page.run("{const one = stopsHere()[state.stop]; if (one.choices) one.right(), one.because()}")


if __name__ == "__main__":
    explorer_page.run_tests()
