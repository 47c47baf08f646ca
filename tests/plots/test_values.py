"""The numbers that charts draw, against values computed by hand. The programs are tested in test_charts.py."""

import math
import sys
import unittest
from dataclasses import replace
from pathlib import Path

PLOTS = Path(__file__).resolve().parents[2] / "plots"
sys.path.insert(0, str(PLOTS))

try:
    import matplotlib
except ImportError:
    print("skipped: needs matplotlib (apt install python3-matplotlib)")
    sys.exit(77)
matplotlib.use("Agg")
from charts import (chosen, compared, compression, focus, lines, links, maps, marks, slices, style, text,  # noqa: E402
                    training, winners)
from charts.records import Record  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402


def run(label: str, ranks: int, size: int, us: float, **more: object) -> Record:
    keys = {"schema": 2, "kind": "run", "backend": "mpi", "label": label, "color": "#0072B2", "ranks": ranks, "bytes": size,
            "time_us": {"median": us, "ci95": [us * 0.9, us * 1.1]}, "family": "split", **more}
    return Record(keys, {"host": "h"}, "f.jsonl")


def simulated(label: str, ranks: int, size: int, us: float, **more: object) -> Record:
    keys = {"schema": 2, "kind": "simulate", "model": "m", "topology": "t", "label": label, "color": "#0072B2", "ranks": ranks,
            "bytes": size, "modelled_us": us, "family": "split", **more}
    return Record(keys, {}, "f.jsonl")


def trained(workers: int, epochs: list[dict], **more: object) -> Record:
    whole = [{"steps": 10, "samples": 320, "loss": 1.0, "elapsed_us": 1e6, "compute_us": 6e5, "input_us": 1e5, "exposed_us": 3e5,
              "bytes_sent": 1000, "validation_loss": None, "validation_accuracy": None, **epoch} for epoch in epochs]
    keys = {"schema": 2, "kind": "train", "model": "mlp", "workers": workers, "strategy": "mirrored", "color": "#0072B2",
            "epochs": whole, "images_per_s": 100.0 * workers, "time_us": {"median": 1e5}, **more}
    return Record(keys, {}, "f.jsonl")


def drawn(draw) -> dict[str, list[tuple[float, float]]]:
    """The points of each named line."""
    axes = Figure().add_subplot()
    draw(axes)
    return {line.get_gid()[5:]: [tuple(point) for point in line.get_xydata()]
            for line in axes.get_lines() if (line.get_gid() or "").startswith("line ")}


def taken(ranks: int, size: int, us: float, algorithm: str, chosen_one: bool = True) -> Record:
    keys = {"schema": 2, "kind": "nccl", "ranks": ranks, "nodes": ranks // 8, "ranks_per_node": 8, "bytes": size, "algorithm": algorithm,
            "protocol": "simple", "modelled_us": us, "chosen": chosen_one}
    return Record(keys, {}, "n.jsonl")


class Chosen(unittest.TestCase):
    """What NCCL takes, beside the fastest simulated."""

    RECORDS = [taken(16, 1024, 25.0, "tree"), taken(16, 2048, 30.0, "ring"), taken(16, 2048, 40.0, "tree", False), taken(64, 1024, 1.0, "tree"),
               simulated("Ring", 16, 1024, 5.0, algorithm="ring", bound_us=2.0), simulated("Tree", 16, 1024, 4.0, algorithm="tree", bound_us=2.0),
               simulated("Ring", 16, 2048, 10.0, algorithm="ring", bound_us=2.0), simulated("Tree", 16, 2048, 10.0, algorithm="tree", bound_us=2.0)]

    def test_a_panel_for_each_number_of_gpus_says_what_the_largest_size_costs(self) -> None:
        panels = chosen.panels(self.RECORDS)
        self.assertEqual([panel[0] for panel in panels], [("16 GPUs: 2 nodes of 8", "2 KiB: ring simple 30 µs, ring 10 µs: 3.00 times"),
                                                          ("64 GPUs: 8 nodes of 8", "not simulated")])
        self.assertEqual(chosen.panels(self.RECORDS[:4]), [])

    def test_the_fastest_at_each_size_is_the_first_of_equal_ones(self) -> None:
        fastest = chosen.fastest_of([record for record in self.RECORDS if record.get("kind") == "simulate"])
        self.assertEqual([(one.bytes, one.us, one.name) for one in fastest], [(1024, 4.0, "tree"), (2048, 10.0, "ring")])
        self.assertEqual([[one.bytes for one in part] for part in chosen.parts(fastest)], [[1024], [2048]])

    def test_it_is_drawn(self) -> None:
        axes = Figure().add_subplot()
        chosen.panels(self.RECORDS)[0][2](axes)
        self.assertEqual([line.get_gid() for line in axes.lines if line.get_gid()], ["line NCCL's choice", "line fastest simulated", "line bound"])


class Values(unittest.TestCase):
    def near(self, found, wanted) -> None:
        self.assertEqual(len(found), len(wanted), f"{found} {wanted}")
        for pair, other in zip(found, wanted):
            for a, b in zip(pair, other):
                self.assertAlmostEqual(a, b, delta=1e-9 * max(1, abs(b)))


class Lines(Values):
    RUNS = [run("ring", 4, 1000, 2.0), run("ring", 4, 8000, 4.0), run("tree", 4, 1000, 1.0), run("tree", 4, 8000, 8.0)]

    def test_bus_bandwidth_is_bytes_by_time_times_2_p_minus_1_by_p(self) -> None:
        one, = slices.best_slices(self.RUNS, "bytes")
        found = drawn(lambda axes: lines.bandwidth_lines(axes, one, marks.in_turn(["ring", "tree"]), focus.focus(one, None)))
        self.near(found["ring"], [(1000, 1000 / 2.0 * 1.5 / 1e3), (8000, 8000 / 4.0 * 1.5 / 1e3)])  # bytes per us, so GB/s
        self.near(found["tree"], [(1000, 1.5), (8000, 1.5)])

    def test_bus_bandwidth_over_ranks_takes_their_number(self) -> None:
        one, = slices.best_slices([run("ring", 2, 6000, 3.0), run("ring", 8, 6000, 3.5)], "ranks")
        found = drawn(lambda axes: lines.bandwidth_lines(axes, one, marks.in_turn(["ring"]), focus.focus(one, None)))
        self.near(found["ring"], [(2, 2.0), (8, 6000 / 3.5 * 2 * 7 / 8 / 1e3)])

    def test_efficiency_is_bus_bandwidth_relative_to_the_fewest_ranks(self) -> None:
        one, = slices.best_slices([run("ring", 8, 6000, 7.0), run("ring", 2, 6000, 3.0), run("tree", 4, 6000, 5.0),
                                   run("tree", 8, 6000, 10.0)], "ranks")
        found = drawn(lambda axes: lines.efficiency_lines(axes, one, marks.in_turn(["ring", "tree"]), focus.focus(one, None)))
        self.near(found["ring"], [(2, 1), (8, 3 / 7 * 7 / 8 / (1 / 2))])
        self.near(found["tree"], [(4, 1), (8, 0.5 * (7 / 8) / (3 / 4))])

    def test_times_intervals_and_models_are_those_of_the_records(self) -> None:
        one, = slices.best_slices([run("ring", 4, 1000, 2.0, modelled_us=1.5), run("ring", 4, 4000, 5.0)], "bytes")
        self.assertEqual(one.series[0].points[0], slices.Point(1000, 2.0, (1.8, 2.2), 1.5))
        self.near(drawn(lambda axes: lines.time_lines(axes, one, marks.in_turn(["ring"]), focus.focus(one, None)))["ring"], [(1000, 2), (4000, 5)])

    def test_a_port_has_the_rate_of_the_model(self) -> None:
        def peak(machine: str):
            rows = [simulated("ring", 2, size, 1.0, machine=machine) for size in (10, 20)]
            one, = slices.best_slices(rows, "bytes")
            return lines.peak_of(one)
        self.assertAlmostEqual(peak("alpha=5us,beta=80ps,gamma=0"), 12.5)
        self.assertAlmostEqual(peak("L=1us,G=0.5ns"), 2.0)
        self.assertAlmostEqual(peak("beta=2us"), 5e-4)
        self.assertAlmostEqual(peak("beta=1ms"), 1e-6)
        self.assertIsNone(peak("alpha=5us"))
        self.assertIsNone(peak("xbeta=80ps"))
        self.assertIsNone(peak("beta=0ps"))

    def test_crossovers_are_interpolated_on_logarithmic_axes(self) -> None:
        # 4, 16 and 8, 8: at 1000 x 4^(1/2 of the way), where both are 8.
        one, = slices.best_slices([run("a", 2, 1000, 4.0), run("a", 2, 4000, 16.0), run("b", 2, 1000, 8.0), run("b", 2, 4000, 8.0)],
                                  "bytes")
        (x, text), = lines.crossovers(one, focus.focus(one, None))
        self.assertAlmostEqual(x, 2000)
        self.assertEqual(text, "a → b ≈ 2 KiB")

    def test_no_crossover_in_a_tie_or_at_sizes_that_one_lacks(self) -> None:
        def crossings(rows):
            one, = slices.best_slices(rows, "bytes")
            return lines.crossovers(one, focus.focus(one, None))
        tie = [simulated(label, 2, size, us) for label, times in (("a", (4, 8)), ("b", (8, 8))) for size, us in zip((1, 2), times)]
        self.assertEqual(crossings(tie), [])
        lacks = [simulated("a", 2, 1, 4), simulated("a", 2, 2, 9), simulated("b", 2, 2, 5), simulated("b", 2, 4, 5)]
        self.assertEqual(crossings(lacks), [])

    def test_ranks_of_a_crossover_are_a_whole_number(self) -> None:
        one, = slices.best_slices([simulated(label, p, 1000, us) for label, times in (("a", (1, 10)), ("b", (4, 5)))
                                   for p, us in zip((2, 8), times)], "ranks")
        self.assertEqual([text for _, text in lines.crossovers(one, focus.focus(one, None))], ["a → b at 6 ranks"])


class Focus(Values):
    """Of nine algorithms and a library, each a line of its own: l0 is the fastest below, l8 above."""

    ROWS = [simulated(f"l{i}", 2, size, us) for i in range(9) for size, us in ((1000, 1 + i), (4000, 20 - i))]
    LIBRARY = [simulated("lib", 2, size, 90, family=None, color=None) for size in (1000, 4000)]

    def test_the_baseline_the_fastest_and_the_nearest_are_named(self) -> None:
        one, = slices.best_slices(self.ROWS + self.LIBRARY, "bytes")
        shown = focus.focus(one, None)
        self.assertEqual([line.first for line in shown.named], ["l0", "l1", "l2", "l3", "l4", "l8", "lib"])
        self.assertEqual((shown.count_others(), shown.named[-1].color), (3, style.INK))
        self.assertEqual([line.first for line in focus.focus(one, "l7").named], ["l0", "l1", "l2", "l3", "l4", "l7", "l8"])

    def test_eight_lines_are_all_named(self) -> None:
        one, = slices.best_slices(self.ROWS[:16], "bytes")
        self.assertEqual([len(lines) for lines in (focus.focus(one, None).named, focus.focus(one, None).others)], [8, 0])

    def test_lines_that_coincide_are_one_but_not_with_the_baseline(self) -> None:
        rows = [simulated(label, 2, size, size) for label in ("a", "b", "c") for size in (1000, 4000)]
        one, = slices.best_slices(rows, "bytes")
        self.assertEqual(focus.focus(one, None).ties(), ["a = b = c"])
        self.assertEqual([line.name for line in focus.focus(one, None).named], ["a + 2 ties"])
        self.assertEqual([line.name for line in focus.focus(one, "b").named], ["a + 1 tie", "b"])
        self.assertEqual(sorted(drawn(lambda axes: lines.time_lines(axes, one, marks.in_turn(["a", "b", "c"]), focus.focus(one, None)))),
                         ["a", "b", "c"])


class Slices(Values):
    def test_the_slice_with_the_most_values_then_algorithms_then_ranks(self) -> None:
        rows = [run("a", 2, size, 1) for size in (1, 2, 3)] + [run("a", 8, size, 1) for size in (1, 2)]
        self.assertEqual(slices.best_slices(rows, "bytes")[0].fixed, 2)
        rows += [run("a", 8, 3, 1)]
        self.assertEqual(slices.best_slices(rows, "bytes")[0].fixed, 8)
        rows += [run("b", 2, 1, 1)]
        one, = slices.best_slices(rows, "bytes")
        self.assertEqual((one.fixed, one.others), (2, (8,)))

    def test_over_ranks_the_size_nearest_to_1_mib(self) -> None:
        rows = [run("a", ranks, size, 1) for ranks in (2, 4) for size in (1 << 10, 1 << 19, 1 << 25)]
        self.assertEqual(slices.best_slices(rows, "ranks")[0].fixed, 1 << 19)
        self.assertEqual(slices.best_slices([run("a", 2, 5, 1)], "ranks"), [])

    def test_the_latest_record_of_a_configuration_counts(self) -> None:
        one, = slices.best_slices([run("a", 2, 1, 5), run("a", 2, 2, 5), run("a", 2, 1, 7)], "bytes")
        self.assertEqual([p.time for p in one.series[0].points], [7, 5])

    def test_launches_are_one_point_with_the_spread_between_them(self) -> None:
        def of(launches: list[tuple[str, float]]) -> slices.Point:
            rows = [replace(run("a", 2, size, us), context={"launch": launch}) for launch, us in launches for size in (1, 2)]
            return slices.best_slices(rows, "bytes")[0].series[0].points[0]
        several = of([("1", 10.0), ("2", 90.0), ("3", 30.0), ("3", 20.0)])  # of a repeated launch the latest record counts
        self.assertEqual((several.time, several.ci95, several.launches), (20.0, (10.0, 90.0), 3))
        self.assertEqual(of([("1", 10.0), ("1", 20.0)]), slices.Point(1, 20.0, (18.0, 22.0), None))
        self.assertEqual(of([(str(i), float(i)) for i in range(1, 10)]).ci95, (2.0, 8.0))  # of nine the second to the eighth
        self.assertEqual(of([(str(i), float(i)) for i in range(1, 9)]).ci95, (1.0, 8.0))  # of eight these miss 7%, not 5%
        # A simulator has no launches: of two files the latest counts.
        twice = [replace(simulated("a", 2, size, us), context={"launch": str(us)}) for us in (1.0, 3.0) for size in (1, 2)]
        self.assertEqual(slices.best_slices(twice, "bytes")[0].series[0].points[0], slices.Point(1, 3.0, None, None))

    def test_the_interval_of_a_median_is_that_of_the_program(self) -> None:
        # Ranks of Le Boudec's table, as bench/results/statistics.cpp has them.
        self.assertEqual([slices.interval_skips(n) for n in (1, 2, 5, 6, 8, 9, 11, 12, 15, 20, 70)],
                         [0, 0, 0, 0, 0, 1, 1, 2, 3, 5, 26])

    def test_records_that_were_made_differently_are_apart(self) -> None:
        base = [run("a", 2, size, 1) for size in (1, 2)]
        for key, value in (("backend", "nccl"), ("dtype", "float16"), ("op", "max"), ("segments", 4), ("compressor", "fp16"),
                           ("collective", "reduce")):
            other = [run("a", 2, size, 1, **{key: value}) for size in (1, 2)]
            self.assertEqual(len(slices.best_slices(base + other, "bytes")), 2, key)
        same = [run("a", 2, 3, 1, collective="allreduce", segments=1, compressor="none")]
        self.assertEqual(len(slices.best_slices(base + same, "bytes")), 1)


class Maps(Values):
    def grid(self) -> maps.Grid:
        times = {"a": ((1.0, 8.0), (2.0, 2.0)), "b": ((4.0, 2.0), (1.0, 3.0))}
        rows = [simulated(label, ranks, size, times[label][i][j]) for label in times
                for i, ranks in enumerate((2, 4)) for j, size in enumerate((1024, 4096))]
        return maps.grids(rows)[0]

    def test_cells_hold_the_median_of_the_launches(self) -> None:
        rows = [replace(run("a", ranks, size, us), context={"launch": launch}) for launch, us in (("1", 9.0), ("2", 1.0), ("3", 4.0))
                for ranks in (2, 4) for size in (1, 2)]
        self.assertEqual(set(maps.grids(rows)[0].times["a"].values()), {4.0})

    def test_cells_hold_margin_and_ratio(self) -> None:
        def words(draw) -> set[str]:
            axes = Figure().add_subplot()
            draw(axes)
            return {word.get_text() for word in axes.texts}
        self.assertLessEqual({"4x", "2x", "1.5x"}, words(lambda axes: maps.best_map(axes, self.grid())))
        self.assertLessEqual({"4", "0.25", "0.5", "1.5"}, words(lambda axes: maps.speedup_map(axes, self.grid(), "a", "b")))

    def test_the_baseline_is_the_library_or_what_is_most_often_fastest(self) -> None:
        grid = self.grid()
        self.assertEqual(maps.baseline_of(grid, None), "a")  # fastest in two of four cells, first by name
        self.assertEqual(maps.baseline_of(grid, "b"), "b")
        self.assertIsNone(maps.baseline_of(grid, "c"))
        self.assertEqual(list(maps.labels_against(grid, "a")), ["b"])
        slower = [simulated(f"s{i}", ranks, size, 100 + i) for i in range(9) for ranks in (2, 4) for size in (1024, 4096)]
        many, = maps.grids([*grid.records, *slower])
        self.assertEqual(list(maps.labels_against(many, "a")), ["b", "s0", "s1", "s2", "s3", "s4"])
        rows = [*grid.records, *(simulated("lib", ranks, size, 9, family=None) for ranks in (2, 4) for size in (1024, 4096))]
        self.assertEqual(maps.baseline_of(maps.grids(rows)[0], None), "lib")

    def test_nearness_is_the_fraction_of_cells_within_a_factor(self) -> None:
        found = drawn(lambda axes: compared.nearness(axes, self.grid(), marks.in_turn(["a", "b"])))
        # a is fastest in (2, 1024) and (4, 4096), and 4 and 2 times slower in the others.
        self.near(found["a"], [(1, 0), (1, 0), (1, 0.25), (1, 0.25), (1, 0.5), (2, 0.5), (2, 0.75), (4, 0.75), (4, 1), (64, 1)])
        self.near(found["b"][-3:], [(4, 0.75), (4, 1), (64, 1)])

    def test_predicted_against_measured(self) -> None:
        one, = slices.best_slices([run("a", 2, 1, 4.0, modelled_us=3.0), run("a", 2, 2, 9.0), run("a", 2, 3, 8.0, modelled_us=10.0)],
                                  "bytes")
        self.assertTrue(compared.has_prediction(one))
        self.near(drawn(lambda axes: compared.predicted(axes, one, marks.in_turn(["a"]), focus.focus(one, None)))["a"], [(3, 4), (10, 8)])


class Winners(Values):
    def test_rows_name_the_fastest_the_next_and_the_slowest(self) -> None:
        link = [{"tier": "spine", "utilization": 0.75}]
        rows = [simulated("a", 4, 1024, 30.0), simulated("b", 4, 1024, 10.0, most_utilized_links=link), simulated("c", 4, 1024, 25.0)]
        self.assertEqual(list(winners.table(rows)),
                         [["`t`", "4", "1 KiB", "b", "10 µs", "spine 75%", "c", "2.5", "a", "3", ""]])
        self.assertEqual(list(winners.table(rows[:2])), [["`t`", "4", "1 KiB", "b", "10 µs", "spine 75%", "a", "3", "", "", ""]])
        self.assertEqual(winners.overview([*rows, simulated("a", 4, 2048, 1.0), simulated("c", 8, 2048, 2.0)]),
                         [["network", "ranks", "1 KiB", "2 KiB"], ["`t`", "4", "b", "a"], ["`t`", "8", "", "c"]])


class Training(Values):
    def test_loss_against_elapsed_time_and_bytes_adds_up_the_epochs(self) -> None:
        record = trained(2, [{"elapsed_us": 2e6, "loss": 3.0}, {"elapsed_us": 3e6, "loss": 2.0, "validation_loss": 2.5}])
        seconds, sent = training.loss_panels([record])
        self.near(drawn(seconds.draw)["2 × mirrored"], [(2, 3.0), (5, 2.5)])
        self.near(drawn(sent.draw)["2 × mirrored"], [(1000, 3.0), (2000, 2.5)])

    def test_bars_are_the_parts_of_one_step(self) -> None:
        panel, = training.step_panels([trained(2, [{}, {"steps": 30, "compute_us": 2.2e6, "elapsed_us": 2e6}])])
        axes = Figure().add_subplot()
        panel.draw(axes)
        self.near([(bar.get_x(), bar.get_width()) for bar in axes.patches],
                  [(0, 5.5e4), (5.5e4, 2e5 / 40), (6e4, 6e5 / 40)])  # of 3e6 / 40; the parts of the slowest worker may be longer
        self.assertEqual(axes.texts[0].get_text(), "2 × mirrored: 75 ms, 20% exposed")

    def test_scaling_is_relative_to_one_worker(self) -> None:
        panel, = training.scaling_panels([trained(1, [{}], images_per_s=50.0), trained(4, [{}], images_per_s=150.0)])
        self.near(drawn(panel.draw)["mlp"], [(1, 1), (4, 3)])
        self.assertEqual(training.scaling_panels([trained(2, [{}]), trained(4, [{}])]), [])


class Compression(Values):
    def sweep(self) -> list[Record]:
        def one(rate: float, name, step: float, accuracies: tuple) -> Record:
            epochs = [{"elapsed_us": 1e6 * step, "validation_accuracy": a} for a in accuracies]
            return trained(4, epochs, bandwidth_gbit_per_s=rate, compressor=name, step_us=step)
        return [one(1, None, 8, (0.5, 0.9)), one(10, None, 2, (0.5, 0.9)), one(1, "fp16", 4, (0.895, 0.8995)), one(10, "fp16", 4, (0.1, 0.85)),
                one(1, "fp16", 5, (0.9, 0.9))]

    def test_the_fastest_run_counts_and_the_first_epoch_within_one_point(self) -> None:
        study, = compression.studies(self.sweep())
        found = {(r.bandwidth, r.compressor): r for r in study.runs}
        self.assertEqual(found[1, "fp16"].step, 4)
        self.assertEqual(found[1, "fp16"].reached, 4e6)
        self.assertEqual(found[1, "none"].reached, 16e6)
        self.assertIsNone(found[10, "fp16"].reached)
        at = {line.label: line for line in compression.lines_of(study, "step")}
        self.near(at["fp16"].points, [(1, 4), (10, 4)])
        self.near(at["none"].points, [(1, 8), (10, 2)])
        self.assertAlmostEqual(at["fp16"].worse, 0.05)
        # 8 to 2 and 4 to 4 meet half way on logarithmic axes.
        self.near(compression.crossings(at["none"].points, at["fp16"].points), [(math.sqrt(10), 4)])


class Links(Values):
    def test_rows_are_links_and_columns_are_time_steps(self) -> None:
        used = [{"name": "x", "utilization": 0.5, "utilization_by_step": [0.0, 1.0]}, {"name": "y", "utilization": 0.2, "utilization_by_step": [0.4, 0.0]}]
        axes = Figure().add_subplot()
        links.draw(axes, simulated("a", 2, 8, 3.0, utilization_step_us=2.0, most_utilized_links=used))
        image, = axes.get_images()
        self.assertEqual(image.get_array().tolist(), [[0.0, 1.0], [0.4, 0.0]])
        self.assertEqual(list(image.get_extent()), [0, 4.0, 2, 0])
        self.assertEqual(axes.get_xlim(), (0, 3.0))


class Text(unittest.TestCase):
    def test_units(self) -> None:
        self.assertEqual([text.bytes_text(n) for n in (0, 1, 1023, 1024, 1536, 1 << 20, 5 << 30, 1 << 40)],
                         ["0 B", "1 B", "1023 B", "1 KiB", "1.5 KiB", "1 MiB", "5 GiB", "1 TiB"])
        self.assertEqual([text.time_text(us) for us in (1e-6, 0.001, 0.5, 1, 999, 1000, 2.5e6)],
                         ["1 ps", "1 ns", "500 ns", "1 µs", "999 µs", "1 ms", "2.5 s"])
        self.assertEqual([text.rate_text(g) for g in (0.0001, 0.001, 0.1, 1, 40)],
                         ["100 kbit/s", "1 Mbit/s", "100 Mbit/s", "1 Gbit/s", "40 Gbit/s"])
        self.assertEqual((text.shortened("x" * 18), text.shortened("x" * 19)), ("x" * 18, "x" * 17 + "…"))
        self.assertEqual(text.count_text(1234567), "1,234,567")


if __name__ == "__main__":
    unittest.main(verbosity=2)
