"""The explorer's numbers are the command line's: counts, times, formulas, of every algorithm at several ranks."""

import itertools
import math
import re

import explorer_page
from explorer_page import VIEWS, Case, arlab

RANKS = (2, 3, 5, 8, 16, 64)


def value_of(written: str) -> float | None:
    """The value of a formula with numbers; None if it holds for other numbers of ranks only (a logarithm that is not whole)."""
    text = re.sub(r" \((?=[^()]*\b(?:if|of|only)\b).*\)$", "", written)  # an explanation
    text = text.split(", ")[0].replace(",", "").replace("·", "*")
    logs = [math.log(int(x), int(base)) for base, x in re.findall(r"(?<!\()log_?(\d+) (\d+)", text)]
    if any(abs(log - round(log)) > 1e-9 for log in logs):
        return None
    text = re.sub(r"log_?(\d+) (\d+)", lambda found: repr(round(math.log(int(found[2]), int(found[1])), 9)), text)
    return eval(text, {"__builtins__": {}, "ceil": math.ceil})  # noqa: S307


def check_formulas(case: "Case", ranks: tuple[int, ...]) -> None:
    """Every formula with its numbers: no letter is left that has a value, and its value is the claimed one."""
    valued = 0
    case.show(view="cost")
    for name in case.page.run("catalog.algorithms.filter((one) => !one.in_network).map((one) => one.name)"):  # whose letters are sizes of pieces
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
            for view in VIEWS[1:-1]:
                with self.subTest(algorithm=name, view=view):
                    self.follow(algorithm=name, view=view, ranks=8 if "switches" in needs else 9)  # in nodes of equal size
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
            self.follow(segments=0, model="fluid", topology="torus:dims=4x4", view="network", **{"p.gamma": 0})
            self.check_no_error()
            self.assertEqual(self.page.run(f"simulatedOf({name!r}).finish / 1e6"), timed_fluid[name])
            self.assertEqual(len(self.page.run("[...document.querySelectorAll('svg.heat [data-share]')].map((p) => p.dataset.share)")), 64)

    def test_crossover_is_the_command_lines_comparison(self) -> None:
        sizes = "64,16K,1M,64M"
        for ranks, network, state, words in ((8, [], {"segments": 16}, ["--segments", "16"]),
                                             (16, ["--network", "leaf_spine"], {"model": "fluid", "topology": "leaf_spine"}, []),
                                             (32, ["--network", "rail_pod:nodes=4"], {"model": "fluid", "topology": "rail_pod:nodes=4"}, [])):
            self.show(view="curves", ranks=ranks, **state)
            names = self.page.run("catalog.algorithms.filter((one) => !one.in_network && one.name !== 'forest').map((one) => one.name)")
            timed = {(one["algorithm"], one["bytes"]): one["modelled_us"] for one in arlab("simulate", "all", "-p", str(ranks), "-s", sizes, *network, *words)}
            series = {name: dict(zip(self.page.run("SIZES_SHOWN"), times))
                      for name, times in self.page.run("curvesOf(SIZES_SHOWN, {segments: state.segments}).map(({name, times}) => [name, times])")}
            compared = 0
            for (name, size), us in timed.items():
                if name in names:
                    compared += 1
                    with self.subTest(algorithm=name, size=size, ranks=ranks):
                        self.assertEqual(series[name][size] / 1e6, us)
            self.assertGreater(compared, 40)
            best = self.page.run("algorithmNamed('%s').label" % min((us, name) for (name, size), us in timed.items() if size == 64 << 20 and name in names)[1])
            self.assertRegex(self.text("#winners"), f"then .*{best}|{best}.* at every size")

    def test_the_critical_path_is_as_long_as_the_run(self) -> None:
        self.show(ranks=13, view="time", **{"p.gamma": 30})
        for name in self.names():
            self.follow(algorithm=name)
            self.check_no_error()
            path, finish = self.page.run(f"[simulatedOf({name!r}).path, simulatedOf({name!r}).finish]")
            self.assertEqual((path[0][6], path[-1][7]), (0, finish))
            self.assertTrue(all(a[7] == b[6] for a, b in zip(path, path[1:])))
            self.assertIn("The critical path has", self.text(".critical-text"))


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

    def test_all_lanes_and_pieces_are_there(self) -> None:
        self.show(view="steps", algorithm="bidirectional_ring", ranks=4)
        for name, lanes in (("bidirectional_ring", 2), ("forest", 4)):
            self.follow(algorithm=name)
            self.put(lane=lanes - 1)
            self.assertIn(f"messages, lane {lanes - 1} of 0 to {lanes - 1}", self.text("#view"))
            self.follow(view="time")
            for time in range(10, 400, 10):
                self.page.run(f"goTo({time})")
                self.check_no_error()
            self.follow(view="steps")

    def test_another_number_of_ranks_is_refused_in_words(self) -> None:
        self.show(view="steps", ranks=4)
        self.put(ranks=9)
        self.assertIn("holds runs of 2, 3, 4", self.text("#error"))
        self.put(ranks=8)
        self.assertTrue(self.page.run("byId('error').hidden"))

if __name__ == "__main__":
    explorer_page.run_tests()
