"""Charts of `arlab train`: loss, steps, scaling, and sweeps of bandwidths with compressors."""

import json
import unittest
import xml.etree.ElementTree as ElementTree

from test_charts import SVG, Folder, charts, records  # puts plots/ on the module path
from charts import compression, naming, planned


class Training(Folder):
    """Charts of `arlab train`."""

    def run_of(self, workers: int, **more: object) -> str:
        epoch = {"steps": 10, "loss": 1.0, "elapsed_us": 2e6 / workers, "compute_us": 1e6 / workers, "input_us": 0.0,
                 "exposed_us": 1e6 / workers, "bytes_sent": 1000 * (workers - 1)}
        keys = {"schema": 2, "kind": "train", "model": "mlp", "algorithm": "ring", "label": "Ring", "color": "#0072B2",
                "ranks": workers, "bytes": 4, "workers": workers, "batch_size": 64, "strategy": "mirrored",
                "images_per_s": 100.0 * workers, "epochs": [epoch, {**epoch, "loss": 0.5, "validation_loss": 0.25}]}
        return json.dumps({**keys, **more}) + "\n"

    def plan_of(self, network: str, ranks: int, step: float, **more: object) -> str:
        keys = {"schema": 2, "kind": "plan", "model": "resnet50", "network": network, "ranks": ranks, "batch_per_worker": 64,
                "strategy": "multi_worker", "algorithm": "ring", "scheduler": "buckets", "compressor": None, "step_us": step,
                "computation_us": 200.0, "exposed_us": step - 200, "communication_us": 400.0, "startup_us": 1.0, "codec_us": 0.0,
                "collectives": 5.0, "bytes_per_rank_step": 1e8, "samples_per_s": 1.0, "efficiency": 200 / step, "each_rank": False,
                "limit": "bandwidth", "alternatives": [{"what": "dear", "saves_fraction": 0.01}, {"what": "fp16", "saves_fraction": 0.25}]}
        return json.dumps({**keys, **more}) + "\n"

    def test_plans_have_efficiency_and_limits(self) -> None:
        rows = "".join(self.plan_of(network, ranks, step) for network, ranks, step in
                       (("10G", 8, 250), ("10G", 64, 400), ("100G", 8, 200), ("100G", 64, 250)))
        done = charts(self.write(rows), "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts, lines = self.svg(self.folder, "plan_efficiency")
        self.assertEqual(lines, ["10G", "100G"])
        self.assertLessEqual({"resnet50: efficiency", "efficiency, %"}, texts)
        texts, _ = self.svg(self.folder, "plan_step")
        self.assertLessEqual({"resnet50: a step on 64 GPUs", "10G: 400 µs, limited by bandwidth; fp16 saves 25%"}, texts)
        done = charts(self.write(self.plan_of("10G", 8, 250)), "-o", self.folder, cwd=self.folder)
        self.assertIn("no plan_efficiency", done.stderr)

    def test_plan_names_hold_what_differs(self) -> None:
        def names(*rows: str) -> list[str]:
            return planned.names_of(records.read(self.write("".join(rows))))
        self.assertEqual(names(self.plan_of("10G", 8, 300), self.plan_of("10G", 64, 300)), ["10G", "10G"])
        self.assertEqual(names(self.plan_of("10G", 8, 300), self.plan_of("10G", 8, 250, compressor="fp16")), ["none", "fp16"])
        self.assertEqual(names(self.plan_of("10G", 8, 300), self.plan_of("10G", 8, 250, algorithm="tree")), ["ring", "tree"])
        self.assertEqual(names(self.plan_of("10G", 8, 300), self.plan_of("10G", 64, 250, algorithm="tree")), ["10G", "10G"])

    def test_runs_have_loss_steps_and_scaling(self) -> None:
        done = charts(self.write(self.run_of(1) + self.run_of(4)), "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts, lines = self.svg(self.folder, "training_loss")
        self.assertEqual(lines, ["1 × mirrored", "4 × mirrored", "4 × mirrored"])  # one worker sends nothing
        self.assertLessEqual({"mlp: loss against seconds", "mlp: loss against bytes sent by all"}, texts)
        texts, _ = self.svg(self.folder, "training_step")
        self.assertLessEqual({"1 × mirrored: 200 ms, 50% exposed", "4 × mirrored: 50 ms, 50% exposed"}, texts)
        texts, lines = self.svg(self.folder, "training_scaling")
        self.assertEqual(lines, ["mlp"])

    def sweep(self, compressor: str | None, steps: dict[float, float], accuracy: float = 0.97, **more: object) -> str:
        """Runs at bandwidths (Gbit/s), each with the milliseconds of its step; two epochs of ten steps."""
        lines = []
        for gbits, ms in steps.items():
            epoch = {"steps": 10, "loss": 1.0, "elapsed_us": 1e4 * ms, "compute_us": 5e4, "input_us": 0.0,
                     "exposed_us": max(0.0, 1e4 * ms - 5e4), "bytes_sent": 1000, "validation_accuracy": accuracy - 0.1}
            keys = {"compressor": compressor, "scheduler": "fifo", "bandwidth_gbit_per_s": gbits, "latency_us": 50, "step_us": 1e3 * ms,
                    "epochs": [epoch, {**epoch, "loss": 0.5, "validation_accuracy": accuracy}]}
            lines.append(self.run_of(8, **{**keys, **more}))
        return "".join(lines)

    def break_even(self) -> list[tuple[str, float]]:
        """Each circle's compressor, and how far right it is."""
        tree = ElementTree.parse(self.folder / "training_bandwidth.svg")
        found = []
        for node in tree.iter(f"{SVG}g"):
            if node.get("id", "").startswith("break-even "):
                use = next(node.iter(f"{SVG}use"))
                found.append((node.get("id", "")[11:], float(use.get("x", "nan"))))
        return found

    def test_a_sweep_of_bandwidths_shows_the_break_even(self) -> None:
        data = self.write(self.sweep(None, {0.1: 40, 1: 10, 10: 5}) + self.sweep("fp16", {0.1: 20, 1: 7, 10: 6})
                          + self.sweep("topk", {0.1: 10, 1: 10, 10: 10}, 0.965) + self.sweep("signsgd", {0.1: 7, 1: 7, 10: 6}, 0.9))
        done = charts(data, "-o", self.folder, "--only", "training_bandwidth", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts, lines = self.svg(self.folder, "training_bandwidth")
        self.assertEqual(lines, ["none", "fp16", "signsgd", "topk", "none", "fp16", "topk"])  # signsgd never reaches the accuracy
        self.assertLessEqual({"Step: mlp, 8 workers, mirrored, latency 50 µs", "signsgd −7 pts", "100 Mbit/s", "1 Gbit/s", "10 Gbit/s",
                              "none", "10 ms"}, texts)
        circles = dict(self.break_even()[:3])
        self.assertEqual(sorted(circles), ["fp16", "signsgd", "topk"])
        self.assertLess(circles["topk"], circles["fp16"])  # at 1 Gbit/s; the other between 1 and 10

    def test_what_a_plan_decides_has_a_break_even(self) -> None:
        def decided(network: str, dense: float, coded: float) -> str:
            return json.dumps({"schema": 2, "kind": "plan_decision", "model": "resnet50", "device": "NVIDIA V100, float32", "network": network, "ranks": 64,
                               "limit": "bandwidth", "step_us": dense, "rates_asked": network == "10G", "best_scheduler": None, "best_scheduler_saves_fraction": 0,
                               "payoffs": [{"compressor": "int8", "step_us": coded, "saves_fraction": 1 - coded / dense, "pays_below_gbit_per_s": None}]}) + "\n"
        data = self.write(self.plan_of("10G", 64, 300) + self.plan_of("100G", 64, 250) + decided("10G", 3e5, 2e5) + decided("100G", 2e5, 2.1e5))
        study, = compression.decided_studies(records.read(str(data)))
        self.assertEqual(study.title, "resnet50 on 64 GPUs")
        self.assertEqual([(run.bandwidth, run.compressor, run.step) for run in study.runs],
                         [(10, "none", 3e5), (10, "int8", 2e5), (100, "none", 2e5), (100, "int8", 2.1e5)])
        done = charts(data, "-o", self.folder, "--only", "plan_bandwidth", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.svg(self.folder, "plan_bandwidth")[1]), {"none", "int8"})

    def test_crossings_are_where_straight_lines_meet(self) -> None:
        dense = [(1.0, 100.0), (100.0, 1.0)]
        self.assertEqual([(round(x, 9), round(y, 9)) for x, y in compression.crossings(dense, [(1.0, 10.0), (100.0, 10.0)])], [(10, 10)])
        self.assertEqual(compression.crossings(dense, [(1.0, 50.0), (100.0, 0.5)]), [])
        self.assertEqual(compression.crossings(dense, [(1.0, 50.0), (100.0, 1.0)]), [(100, 1)])  # as fast there
        self.assertEqual(compression.crossings(dense, [(1.0, 50.0)]), [])

    def test_names_keep_the_settings_that_differ(self) -> None:
        names = ["topk:ratio=0.01,k=0,feedback=on", "topk:ratio=0.1,k=0,feedback=on", "fp16:feedback=off", "none"]
        self.assertEqual(naming.short_specs(names), dict(zip(names, ["topk:ratio=0.01", "topk:ratio=0.1", "fp16", "none"])))
        data = self.write(self.sweep(None, {1: 10, 10: 5}) + self.sweep(names[0], {1: 9, 10: 9}) + self.sweep(names[2], {1: 8, 10: 8}))
        charts(data, "-o", self.folder, cwd=self.folder)
        for chart in ("training_bandwidth", "training_loss"):
            self.assertEqual(set(self.svg(self.folder, chart)[1]), {"none", "topk", "fp16"})

    def test_other_networks_are_other_studies(self) -> None:
        data = self.write(self.sweep(None, {1: 10, 10: 5}, multiply_adds_per_s=1e12, jitter=0, topology=None, slowdown=[])
                          + self.sweep(None, {1: 30, 10: 15}, topology="fat_tree:k=4", multiply_adds_per_s=2.5e12, slowdown=[1, 2]))
        titles = [study.title for study in compression.studies(records.read(str(data)))]
        self.assertEqual(titles, [f"mlp, 8 workers, mirrored, latency 50 µs{more}" for more in ("", ", topology fat_tree:k=4, speed 2.5e+12, slowdown [1, 2]")])

    def test_the_fastest_schedule_counts_and_diverged_runs_are_left_out(self) -> None:
        nan = [{"steps": 10, "loss": None, "elapsed_us": 1e6, "compute_us": 1e6, "input_us": 0.0, "exposed_us": 0.0,
                "bytes_sent": 1}]
        data = self.write(self.sweep(None, {1: 10, 10: 5}) + self.sweep(None, {1: 8, 10: 6}, scheduler="priority")
                          + self.sweep("powersgd", {1: 1, 10: 1}, epochs=nan))
        done = charts(data, "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.svg(self.folder, "training_bandwidth")[1], ["none", "none"])
        self.assertEqual(self.svg(self.folder, "training_loss")[1][:2], ["fifo", "priority"])  # what differs
        study, = compression.studies(records.read(str(data)))
        self.assertEqual([run.step for run in study.runs], [8e3, 5e3])

    def test_one_bandwidth_is_not_a_sweep_and_bad_ones_are_named(self) -> None:
        done = charts(self.write(self.sweep(None, {1: 10})), "-o", self.folder, "--only", "training_bandwidth", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no training_bandwidth: no records have runs of `arlab train --json FILE` at two bandwidths", done.stderr)
        for bad in ({"bandwidth_gbit_per_s": "fast"}, {"bandwidth_gbit_per_s": 0}, {"step_us": 0}, {"step_us": "long"},
                    {"latency_us": "short"}, {"epochs": [{"elapsed_us": 1, "loss": "low"}]}):
            done = charts(self.write(self.sweep("fp16", {1: 10}, **bad)), "-o", self.folder, "--only", "training_bandwidth",
                          cwd=self.folder)
            self.assertEqual(done.returncode, 2, bad)
            self.assertRegex(done.stderr, "a training run with a bandwidth cannot be read|correct or remove this line", bad)

    def test_epochs_that_cannot_be_read_are_named(self) -> None:
        for bad in ("many", [3], [{"steps": 0}], [{"steps": 1, "loss": "low"}]):
            done = charts(self.write(self.run_of(2, epochs=bad)), "-o", self.folder, cwd=self.folder)
            self.assertEqual(done.returncode, 2, bad)
            self.assertIn("`epochs", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
