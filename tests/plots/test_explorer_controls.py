"""Every control and view of the explorer does what it says, without a word on the console or a request to a network."""

import explorer_page
from explorer_page import Case

MOST_ELEMENTS = 6000  # of a view of 64 ranks: what a browser draws without a delay


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
        self.put(elements="many", root="99", lane="4")
        self.assertEqual(self.page.run("[state.elements, state.root, state.lane, byId('elements').value, byId('root').value]"), [1048576, 3, 3, "1M", "3"])
        self.put(segments="")
        self.assertEqual(self.page.run("[state.segments, runOf(state.algorithm).lanes, byId('segments').value, byId('lane-label').hidden]"), [0, 1, "", True])

    def test_each_lane_of_an_algorithm_is_shown(self) -> None:
        self.show(view="steps", algorithm="bidirectional_ring", ranks=8, step=1)
        arrows = "[...document.querySelectorAll('svg.stage .message title')].map((one) => one.textContent)"
        self.assertEqual(self.page.run("[byId('lane-label').hidden, byId('lane').max]"), [False, "1"])
        self.assertIn("to rank 1", " ".join(text for text in self.page.run(arrows) if text.startswith("rank 0")))
        self.put(lane=1)
        self.assertIn("to rank 7", " ".join(text for text in self.page.run(arrows) if text.startswith("rank 0")))
        self.assertIn("messages, lane 1 of 0 to 1", self.text("#view"))
        self.assertIn("holds of elements 131,072 to 262,143", self.text("#view"))
        self.put(segments=2)
        self.assertEqual(self.page.run("byId('lane').max"), "3")
        self.put(lane=3)
        self.assertIn("holds of elements 196,608 to 262,143", self.text("#view"))
        for view in ("quiz", "break"):
            self.follow(view=view)
            self.assertIn("lane 3 of 0 to 3", self.text("#view"))
        self.follow(view="steps", algorithm="ring", segments=0)
        self.assertEqual(self.page.run("[byId('lane-label').hidden, state.lane]"), [True, 0])

    def test_every_message_in_transit_is_known(self) -> None:
        self.show(view="time", ranks=8)
        for name in self.page.run("catalog.algorithms.map((one) => one.name)"):
            for ranks in (7, 8):
                self.follow(algorithm=name, ranks=ranks)
                if self.page.run("!byId('error').hidden"):
                    continue  # runs on few numbers of ranks
                with self.subTest(algorithm=name, ranks=ranks):
                    self.assertEqual(self.page.run("""(() => { const {carried, runWith} = scheduled(state.algorithm);
                        return flights(simulatedOf(state.algorithm)).filter(({from, to}) => from !== to).filter((one) => { const message = carried(one); return !message || !contributors(runWith(message), sumCarried(message)).length; }).length; })()"""), 0)

    def test_a_link_followed_in_an_open_page_is_as_one_opened(self) -> None:
        now = "[state.view, state.algorithm, state.ranks, state.model, Object.keys(state.parameters).length, state.step]"
        for before, after, state in (("view=steps&ranks=16&algorithm=tree&model=loggops&p.L=7000000", "view=steps&algorithm=tree", ["steps", "tree", 8, "alpha_beta", 0, 0]),
                                     ("view=cost&algorithm=tree", "algorithm=ring&ranks=8&step=3", ["steps", "ring", 8, "alpha_beta", 0, 3]),
                                     ("view=steps&algorithm=tree", "view=nope&ranks=4", ["start", "ring", 4, "alpha_beta", 0, 0])):
            with self.subTest(after=after):
                self.page.open(f"{self.address}#{before}")
                self.page.run(f"new Promise((done) => {{ addEventListener('hashchange', () => done(true), {{once: true}}); location.hash = {after!r}; }})")
                self.assertEqual(self.page.run(now), state)
                self.check_no_error()
                self.page.open(f"{self.address}#{after}")
                self.assertEqual(self.page.run(now), state)

    def test_sliders_show_what_is_in_force(self) -> None:
        shown = "document.querySelector('#parameter-list [data-parameter=alpha]').parentNode.querySelector('output').textContent"
        self.show(view="curves", algorithm="tree")
        self.page.run("{const s = document.querySelector('#curve-sliders [data-parameter=alpha]'); s.value = 200; s.dispatchEvent(new Event('input'))}")
        self.assertEqual(self.page.run(shown), "1 ms")
        self.page.run("{const s = document.querySelector('#parameter-list [data-parameter=alpha]'); s.value = 0; s.dispatchEvent(new Event('input'))}")
        self.page.wait("document.querySelector('#curve-sliders [data-parameter=alpha]').value === '0'")
        self.show(view="network", algorithm="tree")
        self.click("use-links")
        names = "[...document.querySelectorAll('#parameter-list [data-parameter]')].map((one) => one.dataset.parameter)"
        self.assertEqual(self.page.run(names), self.page.run("modelNow().parameters.map(({name}) => name)"))
        self.follow(view="time", model="loggops")
        self.assertEqual(self.page.run(names), self.page.run("catalog.models.find(({name}) => name === 'loggops').parameters.map(({name}) => name)"))

    def test_what_the_programs_refuse_is_said_and_the_page_goes_on(self) -> None:
        self.show(view="network", model="fluid")
        self.put(topology="torsu")
        self.assertIn("unknown topology 'torsu', did you mean 'torus'?", self.text("#error"))
        refused = "(() => { try { return ask('run', {algorithm: 'ring', ranks: 65}); } catch (error) { return error.message; } })()"
        self.assertEqual(self.page.run(f"[{', '.join([refused] * 4)}]"), ["ranks is 65: a page shows 1 to 64"] * 4)
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

    def test_a_question_is_about_what_is_chosen(self) -> None:
        self.show(view="quiz", algorithm="master_worker", ranks=4)
        for root in (3, 1):
            self.page.run(f"{{Object.assign(quiz, {{step: 2, to: {root}, from: null}}); render()}}")  # the last step, in which no one sends to a root
            self.put(root=root)
            senders = self.page.run("runOf(state.algorithm).steps[quiz.step - 1].messages.filter((m) => m[1] === quiz.to).length")
            self.assertGreater(senders, 0)

    def test_the_quiz_by_keyboard_alone(self) -> None:
        self.show(view="quiz", algorithm="ring", ranks=4)
        from_, chunk = self.page.run("(() => { const found = runOf(state.algorithm).steps[quiz.step - 1].messages.find((m) => m[1] === quiz.to); return [found[0], found[2]]; })()")
        self.page.run(f"document.querySelector('svg.stage [data-rank=\"{from_}\"]').focus()")
        self.page.key("Enter")
        self.assertIn("Which chunk does it send?", self.text("#question"))
        for _ in range(chunk):
            self.page.key("Tab")
        self.page.key("Enter")
        self.assertIn(f"✓ Right: rank {from_} sends chunk {chunk}", self.text("#quiz-verdict"))
        self.assertIn("2 of 2 right", self.page.run("`${quiz.right} of ${quiz.asked} right`"))

    def test_what_is_broken_is_what_is_chosen(self) -> None:
        self.show(view="break", algorithm="hierarchical", ranks=8, model="fluid", topology="rail_pod:nodes=2,gpus=4")
        same = "JSON.stringify(broken.schedule) === JSON.stringify(runOf(state.algorithm).schedule)"
        first = self.page.run("JSON.stringify(broken.schedule)")
        self.put(topology="rail_pod:nodes=4,gpus=2")
        self.assertTrue(self.page.run(same))
        self.assertNotEqual(self.page.run("JSON.stringify(broken.schedule)"), first)
        self.show(view="break", algorithm="tree", ranks=8)
        self.click("shift")
        self.put(root=3)
        self.assertTrue(self.page.run(same))
        self.assertIn("No changes yet", self.text("#verdict"))

    def test_break_it(self) -> None:
        self.show(view="break", ranks=4)
        self.assertIn("nothing wrong", self.text("#verifier"))
        for way, word in (("shift", "mismatched"), ("skip", "unmatched|mismatched|deadlock"), ("skip-all", "missing|undefined|duplicate"), ("twice", "duplicate|missing"), ("swap", "missing|hazard")):
            self.click(way)
            self.assertRegex(self.text("#verifier"), f"^({word}): .*(rank|chunk)", way)
            self.click("mend")
            self.assertIn("nothing wrong", self.text("#verifier"))
        self.page.run("document.querySelector('.actions button[aria-label$=\"action omitted\"]').click()")
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
        self.show(view="steps", ranks=64)
        for name in self.page.run("catalog.algorithms.filter((one) => !one.needs).map((one) => one.name)"):
            self.follow(algorithm=name, step=0)
            self.check_no_error()
            drawn = self.page.run("""(() => {
              const drawn = [];
              for (let step = 1; step <= Math.min(30, showing.last); ++step) {
                goTo(step);
                drawn.push(byId('view').getElementsByTagName('*').length);
              }
              return Math.max(...drawn); })()""")
            self.assertLess(drawn, MOST_ELEMENTS, name)

if __name__ == "__main__":
    explorer_page.run_tests()
