"""Every chart survives every file: it is drawn, left out with a note, or refused in one line; never a traceback."""

import io
import json
import os
import re
import sys
import unittest
import warnings

from test_charts import Folder, charts, records  # puts plots/ on the module path
from any_records import any_lines, text_of
from charts import catalog, slices, style, tables, winners

TRIALS = int(os.environ.get("ARLAB_TRIALS", "24"))


def on_networks(lines: list[dict]) -> list[dict]:
    """The lines with several networks and compressors, which few files have by chance."""
    turns = {"plan": {"network": ("10G", "100G"), "compressor": (None, None, "int8", "int8")}, "simulate": {"topology": ("torus:dims=4x4", "crossbar")}}
    return [{**line, **{key: values[i % len(values)] for key, values in turns.get(line["kind"], {}).items()}} for i, line in enumerate(lines)]


class AnyRecords(Folder):
    def read(self, lines: list[dict]) -> list[records.Record]:
        """The records without the lines that the reader refuses."""
        path = self.write(text_of(lines))
        while True:
            try:
                return records.read(str(path))
            except records.BadRecord as error:
                number = int(re.search(r"data\.jsonl:(\d+): ", str(error))[1])
                whole = path.read_text(encoding="utf-8").splitlines(True)
                path.write_text("".join(whole[:number - 1] + whole[number:]), encoding="utf-8")

    def test_random_records(self) -> None:
        warnings.simplefilter("error")  # of matplotlib, about values that an axis cannot show
        drawn = {name: 0 for name in catalog.CHARTS}
        sys.stderr, told = io.StringIO(), sys.stderr
        self.addCleanup(setattr, sys, "stderr", told)
        for seed in range(TRIALS):
            rows = self.read(on_networks(any_lines(seed)) if seed % 2 else any_lines(seed))
            for name in catalog.CHARTS:
                with self.subTest(seed=seed, chart=name):
                    try:
                        figure = catalog.figure_of(name, rows, None)
                    except records.BadRecord:
                        continue
                    if figure:
                        drawn[name] += 1
                        figure.draw_without_rendering()
            for form in (tables.markdown, tables.latex):
                form(tables.tables(rows), None)
            tables.comma_separated(tables.tables(rows))
            list(winners.table(rows))
            winners.overview(rows)
        self.assertGreater(min(drawn.values()), 0, drawn)  # the trials reach every chart

    def test_text_of_records_is_text_in_every_file(self) -> None:
        label = "</text><script>alert(1)</script>|=cmd()\x1b[31m\u202e"
        rows = [{"schema": 2, "kind": "context", "host": label, "command": label}]
        rows += [{"schema": 2, "kind": "run", "backend": "threads", "label": label, "ranks": 2, "bytes": size, "time_us": {"median": 1.0}} for size in (1, 2)]
        rows += [{"schema": 2, "kind": "simulate", "model": label, "topology": label, "label": label, "ranks": 2, "bytes": size, "modelled_us": 1.0} for size in (1, 2)]
        done = charts(self.write(text_of(rows)), "-o", self.folder, "--only", "time_against_size", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        svg = (self.folder / "time_against_size.svg").read_text(encoding="utf-8")
        self.assertNotIn("<script", svg)
        self.assertNotRegex(svg + done.stderr + done.stdout, "[\x1b\u202e]")
        self.assertIn("&lt;script", svg)
        done = charts(self.write(text_of(rows)), "--winners", cwd=self.folder)
        for table in done.stdout.split("\n\n"):
            columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            self.assertEqual(len(columns), 1, table)
        self.assertNotRegex(done.stdout, r"(?<!\\)<script(?![^`]*`)|[\x1b\u202e]")


class OneRank(Folder):
    """A measured sweep that starts with one rank, which sends nothing."""

    def sweep(self, ranks: tuple[int, ...], sizes: tuple[int, ...] = (65536,), **more: object) -> str:
        rows = [{"schema": 2, "kind": "run", "backend": "threads", "label": "Ring", "ranks": p, "bytes": size, "skipped": None,
                 "time_us": {"median": 0.05 if p == 1 else 100.0 * p, "ci95": [0.04 if p == 1 else 90.0 * p, 0.06 if p == 1 else 110.0 * p]}, **more}
                for p in ranks for size in sizes]
        return "".join(json.dumps(row) + "\n" for row in rows)

    def test_the_other_ranks_are_drawn_and_efficiency_is_of_two(self) -> None:
        done = charts(self.write(self.sweep((1, 2, 3, 4))), "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("time_against_ranks", "efficiency_against_ranks"):
            texts, lines = self.svg(self.folder, name)
            self.assertEqual(lines, ["Ring"])
            self.assertLessEqual({"2", "3", "4"}, texts)
            self.assertNotIn("1", texts)
        self.assertIn("bus bandwidth, % of that on 2 ranks", texts)
        one, = slices.best_slices(records.read(str(self.folder / "data.jsonl")), "ranks")
        self.assertEqual(one.xs(), [2, 3, 4])

    def test_alone_or_with_one_other(self) -> None:
        for ranks, sizes, drawn in (((1,), (4, 8), ["time_against_size"]), ((1, 2), (4,), ["time_against_ranks"]), ((1,), (4,), [])):
            folder = self.folder / f"{len(ranks)}{len(sizes)}"
            done = charts(self.write(self.sweep(ranks, sizes)), "-o", folder, cwd=self.folder)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(done.returncode, 0 if drawn else 2, done.stderr)
            self.assertEqual(sorted(path.stem for path in folder.glob("*.svg")), drawn)

    def test_bus_bandwidth_is_that_of_the_collective(self) -> None:
        for collective, factor in (("allreduce", 1.5), ("reduce_scatter", 0.75), ("all_gather", 0.75), ("reduce", 1.0), ("broadcast", 1.0)):
            rows = records.read(str(self.write(self.sweep((4,), (1000, 2000), collective=collective))))
            one, = slices.best_slices(rows, "bytes")
            self.assertAlmostEqual(catalog.lines.bandwidth(one.series[0].points[0], one), 1000 / 400 * factor / 1e3, msg=collective)

    def test_zero_bytes_and_wrong_results_are_left_out_with_a_note(self) -> None:
        text = self.sweep((2,), (0, 4, 8)) + self.sweep((2,), (16,), wrong=3)
        done = charts(self.write(text), "-o", self.folder, "--only", "time_against_size", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("records of 0 bytes, which a logarithmic axis cannot show, are left out: 1 of 4", done.stderr)
        self.assertIn("records with wrong results are left out: 1 of 4", done.stderr)
        self.assertNotIn("16 B", self.svg(self.folder, "time_against_size")[0])


class Failing(Folder):
    def test_a_chart_that_fails_costs_no_other_chart(self) -> None:
        wrong = [{"schema": 2, "kind": "train", "model": "m", "ranks": 2, "bytes": 1, "workers": 2, "epochs": [{"steps": 0}]},
                 *({"schema": 2, "kind": "simulate", "model": "m", "label": "a", "ranks": p, "bytes": 4, "modelled_us": 1.0} for p in (2, 4))]
        done = charts(self.write(text_of(wrong)), "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        self.assertTrue((self.folder / "time_against_ranks.svg").exists())
        self.assertIn("efficiency_against_ranks.svg", done.stdout)

    def test_a_fault_of_the_program_is_named_with_its_chart(self) -> None:
        rows = [{"schema": 2, "kind": "simulate", "model": "m", "label": "a", "ranks": p, "bytes": 4, "modelled_us": 1.0} for p in (2, 4)]
        before = catalog.CHARTS["time_against_ranks"]
        self.addCleanup(catalog.CHARTS.__setitem__, "time_against_ranks", before)
        catalog.CHARTS["time_against_ranks"] = catalog.Chart("t", "n", lambda *_: 1 / 0)  # type: ignore[arg-type, return-value]
        done = charts(self.write(text_of(rows)), "-o", self.folder, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: time_against_ranks failed: ZeroDivisionError: division by zero; the other charts are not affected", done.stderr)
        self.assertTrue((self.folder / "efficiency_against_ranks.svg").exists())
        style.apply()


if __name__ == "__main__":
    unittest.main()
