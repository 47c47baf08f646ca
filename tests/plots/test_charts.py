"""The charts program end to end: contents of the SVG, reproducible bytes, and errors for bad files."""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import traceback
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLOTS = HERE.parents[1] / "plots"
CHARTS = PLOTS / "charts"
SAMPLE = HERE / "sample.jsonl"
SCHEMA_1 = HERE.parent / "bench" / "results" / "schema1.jsonl"
LABELS = ["All to all", "Butterfly", "Master-worker", "Ring", "Round robin", "Tree"]
sys.path.insert(0, str(PLOTS))
from charts import records  # noqa: E402
from whole_records import whole_text  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("skipped: needs matplotlib (apt install python3-matplotlib)")
    sys.exit(77)


def charts(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """As `program`, but in a copy of this process, which has imported matplotlib: that takes longer than most charts."""
    from charts import catalog, command  # noqa: F401
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.chdir(cwd)
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                sys.stdout, sys.stderr = open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")
                status = command.main([*map(str, arguments)])
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read().decode(), err.read().decode())


def program(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-B", str(CHARTS), *map(str, arguments)], cwd=cwd, text=True,
                          capture_output=True, check=False)


class Folder(unittest.TestCase):
    """Gives each test its own folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text: str, name: str = "data.jsonl") -> Path:
        path = self.folder / name
        path.write_text(whole_text(text), encoding="utf-8")
        return path

    def svg(self, folder: Path, name: str) -> tuple[set[str], list[str]]:
        """The texts of a chart, and the labels of its lines."""
        tree = ElementTree.parse(folder / f"{name}.svg")
        texts = {"".join(node.itertext()).strip() for node in tree.iter(f"{SVG}text")}
        ids = [node.get("id", "") for node in tree.iter(f"{SVG}g")]
        return texts, [name[5:] for name in ids if name.startswith("line ")]


class Charts(Folder):
    """`drawn` holds the charts of the sample."""

    drawn: Path
    # What the sample holds enough for: its sizes are measured at one rank count, its ranks simulated at one size.
    NAMES = ("time_against_size", "time_against_ranks", "bandwidth_against_size", "efficiency_against_ranks",
             "predicted_against_measured")

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.drawn = Path(folder.name)
        done = program(SAMPLE, "-o", cls.drawn, cwd=cls.drawn)
        assert done.returncode == 0 and "arning:" not in done.stderr, done.stderr

    def test_measured_sizes(self) -> None:
        texts, lines = self.svg(self.drawn, "time_against_size")
        hostile = "<img src=x onerror=alert(1)>"
        self.assertEqual(sorted(lines), sorted([*LABELS, "MPI_Allreduce", hostile]))
        self.assertLessEqual({*LABELS, "MPI_Allreduce", hostile[:17] + "…", "1 KiB", "1 MiB", "1 ms"}, texts)
        self.assertIn("Measured on node1: 4 ranks, mpi, float32, sum", texts)
        self.assertTrue(any("sample.jsonl: mpirun -n 4 arlab run all -s 1K..4M" in text for text in texts), texts)

    def test_simulated_ranks(self) -> None:
        texts, lines = self.svg(self.drawn, "time_against_ranks")
        self.assertEqual(sorted(lines), LABELS)
        self.assertIn("Simulated: 1 MiB, alpha_beta, crossbar, float32, sum", texts)
        self.assertIn("1,024", texts)

    def test_png_is_a_picture(self) -> None:
        for name in self.NAMES:
            self.assertTrue((self.drawn / f"{name}.pdf").read_bytes().startswith(b"%PDF"))
            data = (self.drawn / f"{name}.png").read_bytes()
            self.assertTrue(data.startswith(b"\x89PNG"))
            self.assertGreater(len(data), 20_000)

    def test_same_bytes_twice(self) -> None:
        charts(SAMPLE, "-o", "again", cwd=self.folder)
        outputs = sorted(self.drawn.iterdir())
        self.assertEqual(len(outputs), 3 * (len(self.NAMES) + 1))  # and the table
        for output in outputs:
            self.assertEqual(output.read_bytes(), (self.folder / "again" / output.name).read_bytes(), output.name)

    def test_measured_and_simulated_are_apart(self) -> None:
        rows = [json.loads(line) for line in SAMPLE.read_text().splitlines()]
        extra = [{**row, "bytes": size} for row in rows if row["kind"] == "simulate" for size in (1024, 4096)]
        data = self.write("".join(json.dumps(row) + "\n" for row in [*rows, *extra]))
        charts(data, "-o", self.folder, "--only", "time_against_size", cwd=self.folder)
        texts, lines = self.svg(self.folder, "time_against_size")
        self.assertEqual(lines.count("Ring"), 2)
        self.assertTrue(any(text.startswith("Simulated: 512 ranks") for text in texts), texts)
        self.assertTrue(any("512 ranks chosen from 10 rank counts" in text for text in texts), texts)

    def simulated(self, labels: dict[str, float], sizes: list[int], ranks: list[int]) -> Path:
        """Records of time = factor x bytes^power x ranks, so that the fastest is known."""
        rows = [{"schema": 2, "kind": "simulate", "model": "m", "ranks": p, "bytes": size, "label": label, "family": "whole",
                 "color": "#0072B2", "modelled_us": (100 if power < 1 else 1) * size ** power * p, "skipped": None}
                for label, power in labels.items() for size in sizes for p in ranks]
        return self.write("".join(json.dumps(row) + "\n" for row in rows))

    def test_crossover_is_where_the_lines_meet(self) -> None:
        data = self.simulated({"flat": 0.5, "steep": 1.0}, [1 << 10, 1 << 12, 1 << 14, 1 << 16], [2])
        charts(data, "-o", self.folder, "--only", "time_against_size", cwd=self.folder)
        texts, _ = self.svg(self.folder, "time_against_size")
        self.assertIn("steep → flat ≈ 9.8 KiB", texts)  # 100 sqrt(n) = n at 10,000 bytes

    def test_no_crossover_where_intervals_meet(self) -> None:
        rows = [{"schema": 2, "kind": "run", "backend": "b", "ranks": 2, "bytes": size, "label": label, "skipped": None,
                 "time_us": {"median": time, "ci95": [time - 5, time + 5]}}
                for label, times in (("a", (10, 30)), ("b", (12, 28))) for size, time in zip((1024, 4096), times)]
        data = self.write("".join(json.dumps(row) + "\n" for row in rows))
        charts(data, "-o", self.folder, "--only", "time_against_size", cwd=self.folder)
        texts, _ = self.svg(self.folder, "time_against_size")
        self.assertFalse([text for text in texts if text.startswith("≈")], texts)

    def test_several_launches_are_one_line_and_named(self) -> None:
        def lines(launches: int) -> str:
            return "".join(json.dumps(row) + "\n" for i in range(launches) for row in (
                {"schema": 2, "kind": "context", "launch": f"mpi {i}", "command": "arlab run ring --launches"},
                *({"schema": 2, "kind": "run", "backend": "b", "ranks": 2, "bytes": size, "label": "a", "skipped": None,
                   "time_us": {"median": 10 + i, "ci95": [9, 30]}} for size in (1024, 4096))))
        for launches, note in ((1, "2 sizes; median with 95% band"), (3, "2 sizes; median of 3 launches with their range"),
                               (6, "2 sizes; median of 6 launches with 95% band")):
            done = charts(self.write(lines(launches)), "-o", self.folder, "--only", "time_against_size", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            texts, drawn = self.svg(self.folder, "time_against_size")
            self.assertEqual(drawn, ["a"])
            self.assertIn(note, texts)

    def test_maps_show_the_fastest_and_the_baseline(self) -> None:
        data = self.simulated({"flat": 0.5, "steep": 1.0}, [1 << 10, 1 << 16], [2, 4])
        done = charts(data, "-o", self.folder, "--only", "best_map", "--only", "speedup_map", "--baseline", "steep",
                      cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts, _ = self.svg(self.folder, "best_map")
        self.assertLessEqual({"3.1x", "2.6x", "flat", "steep", "64 KiB"}, texts)  # 100/32 and 256/100
        texts, _ = self.svg(self.folder, "speedup_map")
        self.assertLessEqual({"0.32", "2.6", "flat against steep"}, texts)

    def test_nearness_counts_cells(self) -> None:
        data = self.simulated({"flat": 0.5, "steep": 1.0}, [1 << 10, 1 << 16], [2, 4])
        charts(data, "-o", self.folder, "--only", "nearness", cwd=self.folder)
        texts, lines = self.svg(self.folder, "nearness")
        self.assertEqual(sorted(lines), ["flat", "steep"])
        self.assertIn("2 sizes, 2 rank counts; higher is better", texts)

    def test_a_baseline_that_is_not_a_label(self) -> None:
        done = charts(SAMPLE, "--baseline", "MPI", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--baseline 'MPI' is not a label of these records: ", done.stderr)

    def test_half_written_last_line_is_left_out(self) -> None:
        data = self.write(SAMPLE.read_text() + '{"schema":2,"kind":"ru')
        done = charts(data, "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        lines = len(SAMPLE.read_text().splitlines())
        self.assertRegex(done.stderr, rf"(?m)^warning: .*data\.jsonl:{lines + 1}: half-written")

    def test_malformed_files(self) -> None:
        good = '{"schema":2,"kind":"run","ranks":4,"bytes":1024,"label":"A","time_us":{"median":1.5}}'
        for line, message in {
            "{nonsense": "not JSON",
            "[1]": "expected a JSON object",
            '{"kind":"run"}': "schema None",
            '{"schema":3,"kind":"run"}': "schema 3",
            '{"schema":true,"kind":"run"}': "schema True",
            '{"schema":2}': "no `kind`",
            good.replace("1024", '"1K"'): "`bytes` is '1K'",
            good.replace("1.5", '"fast"'): "`time_us.median` is 'fast'",
            good.replace("1.5", '1.5,"ci95":[1]'): "`time_us.ci95` is [1]",
            good.replace('{"median":1.5}', "3"): "`time_us.median` cannot be read",
        }.items():
            with self.subTest(line):
                data = self.write(f"{good}\n{line}\n{good}\n")
                with self.assertRaisesRegex(records.BadRecord, r"data\.jsonl:2: " + re.escape(message)):
                    records.read(str(data))
        done = charts(data, "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^error: .*data\.jsonl:2: .*\n$")

    def test_a_record_without_a_key_or_with_no_number_is_refused(self) -> None:
        good = whole_text('{"schema":2,"kind":"run","ranks":4,"bytes":1024,"label":"A","time_us":{"median":1.5}}')
        lacks = {key: value for key, value in json.loads(good).items() if key != "busbw_gb_per_s"}
        bare = {**json.loads(good), "time_us": {"median": 1.5}}
        for line, message in ((json.dumps(lacks), "`busbw_gb_per_s` is missing"), (json.dumps(bare), "`time_us.n` is missing"),
                              (good.replace("1.5", "NaN"), "not JSON (NaN is not a finite number)"), (good.replace("1.5", "1e999"), "not JSON (1e999 is not a finite number)")):
            path = self.folder / "data.jsonl"
            path.write_text(f"{good}\n{line}\n", encoding="utf-8")
            with self.assertRaisesRegex(records.BadRecord, r"data\.jsonl:2: " + re.escape(message)):
                records.read(str(path))
        later = {key: value for key, value in json.loads(good).items() if key not in ("start", "dims")}  # keys that came later
        (self.folder / "data.jsonl").write_text(json.dumps(later) + "\n", encoding="utf-8")
        record, = records.read(str(self.folder / "data.jsonl"))
        self.assertEqual((record.get("start"), record.keys["dims"]), ("barrier", None))

    def test_a_pipe_is_read_once(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(SAMPLE.read_bytes(),))
        writer.start()
        self.assertEqual([record.keys for record in records.read(str(pipe))], [record.keys for record in records.read(str(SAMPLE))])
        writer.join()

    def test_records_of_wrong_types_are_refused_in_one_line(self) -> None:
        whole = {"schema": 2, "kind": "run", "backend": "threads", "ranks": 2, "bytes": 8, "label": "Ring"}
        for key, bad in (("label", [1]), ("kind", "measure"), ("ranks", -1), ("time_us", {"median": 1, "ci95": [1]}), ("op", "xor"),
                         ("backend", {"a": 1}), ("busbw_gb_per_s", "fast")):
            done = charts(self.write(json.dumps({**whole, key: bad}) + "\n"), "-o", self.folder, cwd=self.folder)
            self.assertEqual(done.returncode, 2, key)
            self.assertRegex(done.stderr, rf"^error: .*data\.jsonl:1: `{key}.*\n$")
        for deep in ("[" * 100_000, "[" * 100_000 + "]" * 100_000, json.dumps(whole)[:-1] + ', "x": ' + "[" * 9999 + "]" * 9999 + "}"):
            done = charts(self.write(deep + "\n"), "-o", self.folder, cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"^error: .*data\.jsonl:1: .*\n$")

    def test_nothing_to_draw_and_no_file(self) -> None:
        done = charts(self.write(""), cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^error: no records in .*data\.jsonl: write some with .*\n$")
        done = charts("absent.jsonl", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent.jsonl: No such file", done.stderr)

    def test_labels_of_any_shape(self) -> None:
        rows = [{"schema": 2, "kind": "run", "backend": "threads", "ranks": 2, "bytes": size, "label": label,
                 "time_us": {"median": size * factor}, "skipped": None}
                for factor, label in enumerate(("$\\frac{", "a\u0001b", "_x", ""), start=1) for size in (3, 5)]
        data = self.write("".join(json.dumps(row) + "\n" for row in rows))
        done = charts(data, "-o", self.folder, "--only", "time_against_size", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts, _ = self.svg(self.folder, "time_against_size")
        self.assertLessEqual({"$\\frac{", "a\ufffdb", "_x", "unnamed"}, texts)

    def test_without_matplotlib(self) -> None:
        self.write("raise ModuleNotFoundError(name='matplotlib')\n", "matplotlib.py")
        without = {**os.environ, "PYTHONPATH": str(self.folder)}
        done = subprocess.run([sys.executable, "-B", str(CHARTS), str(SAMPLE)], cwd=self.folder, env=without, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("apt install python3-matplotlib", done.stderr)
        for program in ([str(CHARTS), "--winners"], [str(PLOTS / "winners.py")]):  # which need none
            done = subprocess.run([sys.executable, "-B", *program, str(SAMPLE)], cwd=self.folder, env=without, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("| network | ranks | 1 MiB |", done.stdout)
            self.assertIn("most utilized link", done.stdout)

    def test_the_script_beside_the_package_does_the_same(self) -> None:
        done = subprocess.run([sys.executable, "-B", str(PLOTS / "charts.py"), str(SAMPLE), "--only", "time_against_size"],
                              cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "time_against_size.svg").read_bytes(),
                         (self.drawn / "time_against_size.svg").read_bytes())

    def test_a_chart_that_does_not_exist(self) -> None:
        done = charts(SAMPLE, "--only", "time", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--only 'time' is not a chart: choose from time_against_size, ", done.stderr)

    def test_help_has_examples(self) -> None:
        done = charts("--help", cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn("arlab chart results/*.jsonl -o results/", done.stdout)


class Schema1(Folder):
    """Files that earlier versions wrote."""

    def test_keys_and_units_are_those_of_schema_2(self) -> None:
        ring, native, simulated, train = records.read(str(SCHEMA_1))
        self.assertEqual((ring.get("schema"), ring.get("busbw_gb_per_s"), ring.get("busbw_gbps")), (2, 3.0, None))
        self.assertEqual(ring.context["copy_limit_gb_per_s"], 3500.5)
        self.assertEqual((ring.get("copy_limit_fraction"), native.get("native_choice")), (0.5, "Tree LL128"))
        link, = simulated.get("most_utilized_links")
        self.assertEqual((link["utilization"], link["utilization_by_step"]), (0.95, [0.5, 1.0]))
        self.assertEqual((simulated.get("equally_utilized_links"), simulated.get("utilization_step_us")), (8, 10.0))
        epoch, = train.get("epochs")
        self.assertEqual((epoch["elapsed_us"], epoch["exposed_us"], epoch["images_per_s"]), (2e6, 5e5, 320.0))
        self.assertEqual((train.get("batch_size"), train.get("multiply_adds_per_s")), (32, 1e12))
        self.assertEqual((train.get("bytes_per_rank_step"), train.get("codec_ns_per_element")), (407080, {"encode": 1.0, "decode": 2.0}))

    def test_they_are_drawn(self) -> None:
        done = charts(SCHEMA_1, "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "links_over_time.svg").exists())
        self.assertTrue((self.folder / "training_loss.svg").exists())


class Links(Folder):
    """The heat map of links over time."""

    def record(self, **more: object) -> str:
        link = {"name": "h0-s0", "tier": "host", "bytes": 10, "utilization": 0.5, "utilization_by_step": [0.0, 1.0, 0.5]}
        keys = {"schema": 2, "kind": "simulate", "algorithm": "ring", "label": "Ring", "ranks": 4, "bytes": 1024,
                "model": "fluid", "topology": "crossbar", "modelled_us": 2.5, "utilization_step_us": 1.0,
                "most_utilized_links": [link, {**link, "name": "s0-h0", "utilization": 0.25}]}
        return json.dumps({**keys, **more}) + "\n"

    def test_a_record_with_links_over_time_is_a_heat_map(self) -> None:
        data = self.write(self.record())
        done = charts(data, "-o", self.folder, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout.split()),
                         (0, [str(self.folder / f"links_over_time.{end}") for end in ("svg", "png", "pdf")]))
        texts, _ = self.svg(self.folder, "links_over_time")
        for text in ("Utilization of links over time", "h0-s0 50%", "s0-h0 25%", "Ring: 4 ranks, 1 KiB"):
            self.assertIn(text, texts)

    def test_records_without_links_over_time_give_no_heat_map(self) -> None:
        data = self.write(self.record(utilization_step_us=None) + self.record(most_utilized_links=None))
        done = charts(data, "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "links_over_time.svg").exists())

    def test_links_that_cannot_be_read_are_named(self) -> None:
        for bad in ("all of them", [3], [{"name": "a", "utilization": 1, "utilization_by_step": []}], [{"name": "a", "utilization": 1, "utilization_by_step": ["x"]}],
                    [{"name": "a", "utilization": 1, "utilization_by_step": [1]}, {"name": "b", "utilization": 1, "utilization_by_step": [1, 1]}]):
            data = self.write(self.record(most_utilized_links=bad))
            done = charts(data, "-o", self.folder, cwd=self.folder)
            self.assertEqual(done.returncode, 2, bad)
            self.assertRegex(done.stderr, r"error: .*`most_utilized_links(\[0\])?(\.utilization_by_step\[0\])?` .*\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
