"""Figures and tables for a paper: size, font, choice of records, axes that are shared, and what pdflatex makes of them."""

import csv
import io
import json
import re
import shutil
import subprocess
import unittest

from test_charts import SAMPLE, Folder, charts, records  # puts plots/ on the module path
from charts import catalog, compression, layout, networks, selection, style, tables


def simulated(label: str, ranks: int, size: int, us: float, topology: str = "torus", **more: object) -> dict:
    return {"schema": 2, "kind": "simulate", "model": "fluid", "topology": topology, "label": label, "algorithm": label.lower(), "ranks": ranks,
            "bytes": size, "modelled_us": us, "skipped": None, "family": "split", **more}


def planned(network: str, compressor: object, us: float) -> dict:
    return {"schema": 2, "kind": "plan", "model": "vgg16", "network": network, "ranks": 8, "batch_per_worker": 32, "strategy": "multi_worker", "scheduler": "fifo",
            "compressor": compressor, "step_us": us, "exposed_us": 1.0, "efficiency": 0.5}


class Paper(Folder):
    def read(self, rows: list[dict]) -> list[records.Record]:
        return records.read(str(self.write("".join(json.dumps(row) + "\n" for row in rows))))

    def figure(self, rows: list[records.Record], name: str, **look: object):
        return catalog.figure_of(name, rows, None, layout.Look(**look))  # type: ignore[arg-type]

    def test_width_and_font_are_those_of_the_paper(self) -> None:
        rows = records.read(str(SAMPLE))
        figure = self.figure(rows, "time_against_size", width=3.4, font=8.0, titles=False)
        self.addCleanup(style.apply)
        self.assertAlmostEqual(figure.get_figwidth(), 3.4)
        self.assertEqual(figure.axes[0].xaxis.label.get_size(), 8)
        self.assertEqual(figure.texts, [])  # neither title nor footer
        renderer = style.renderer_of(figure)
        edge = figure.get_figwidth() * figure.dpi
        for text in figure.axes[0].texts:
            box = text.get_window_extent(renderer)
            self.assertGreaterEqual(box.x0, 0, text.get_text())
            self.assertLessEqual(box.x1, edge, text.get_text())

    def test_a_title_breaks_where_the_figure_ends(self) -> None:
        figure = self.figure(records.read(str(SAMPLE)), "time_against_size", width=3.4)
        renderer = style.renderer_of(figure)
        for text in figure.axes[0].texts:
            self.assertLessEqual(text.get_window_extent(renderer).x1, figure.get_figwidth() * figure.dpi, text.get_text())

    def test_lengths(self) -> None:
        for text, inches in (("3.4in", 3.4), ("86mm", 86 / 25.4), ("8.6cm", 8.6 / 2.54), ("246pt", 246 / 72.27)):
            self.assertAlmostEqual(selection.inches(text), inches)
        for option, bad in (("--width", "3.4"), ("--width", "1in"), ("--width", "-3in"), ("--font", "8pt"), ("--font", "1"), ("--sizes", "1x"),
                            ("--ranks", "3"), ("--algorithms", "rign"), ("--sizes", "3")):
            done = charts(SAMPLE, f"{option}={bad}", cwd=self.folder)
            self.assertEqual(done.returncode, 2, bad)
            self.assertRegex(done.stderr, rf"^error: (--|the ){option[2:]} .*{re.escape(bad)}.*\n$")

    def test_options_without_effect_are_refused(self) -> None:
        for words in (("-o", "charts"), ("--only", "best_map"), ("--baseline", "Ring"), ("--width", "3in"), ("--font", "8"), ("--no-title",), ("--share-y",)):
            done = charts(SAMPLE, "--winners", *words, cwd=self.folder)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, r"^error: --[a-z-]+ has no effect with winners, a table: .*\n$")

    def test_options_choose_records(self) -> None:
        done = charts(SAMPLE, "-o", self.folder, "--only", "time_against_size", "--algorithms", "ring,MPI_Allreduce", "--sizes", "1K,4096,1M", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts, lines = self.svg(self.folder, "time_against_size")
        self.assertEqual(sorted(lines), ["MPI_Allreduce", "Ring"])
        self.assertLessEqual({"1 KiB", "4 KiB", "1 MiB"}, texts)
        self.assertFalse({"16 KiB", "4 MiB"} & texts)
        done = charts(SAMPLE, "-o", self.folder, "--only", "time_against_ranks", "--ranks", "2,8", cwd=self.folder)
        self.assertTrue({"2", "8"} <= self.svg(self.folder, "time_against_ranks")[0])

    def test_compared_panels_share_an_axis(self) -> None:
        rows = self.read([simulated("Ring", 4, size, us * size, topology) for topology, us in (("torus", 1.0), ("mesh", 50.0)) for size in (4, 8)])
        first, second = self.figure(rows, "time_against_size").axes
        self.assertEqual(first.get_ylim(), second.get_ylim())
        other = self.read([simulated("Ring", ranks, size, us * size, topology) for topology, us, ranks in (("torus", 1.0, 4), ("mesh", 50.0, 8)) for size in (4, 8)])
        first, second = self.figure(other, "time_against_size").axes  # of other ranks
        self.assertNotEqual(first.get_ylim(), second.get_ylim())
        first, second = self.figure(other, "time_against_size", share_y=True).axes
        self.assertEqual(first.get_ylim(), second.get_ylim())

    def test_networks_are_rows_of_one_panel(self) -> None:
        rows = self.read([simulated(label, ranks, 1 << 20, us, topology) for ranks in (4, 8)
                          for topology, times in (("torus", {"Ring": 10.0, "Tree": 40.0}), ("mesh", {"Ring": 30.0, "Tree": 20.0})) for label, us in times.items()])
        panel, = networks.panels(rows, {"Ring": "o", "Tree": "s"}, None)
        self.assertEqual(panel.titles[0], "Simulated: 1 MiB, 8 ranks")
        axes, = self.figure(rows, "time_by_network").axes
        points = {line.get_gid(): [tuple(point) for point in line.get_xydata()] for line in axes.get_lines() if line.get_gid()}
        self.assertEqual(points, {"line Ring": [(10, 0), (30, 1)], "line Tree": [(40, 0), (20, 1)]})
        self.assertLessEqual({"torus", "mesh"}, {text.get_text() for text in axes.texts})
        self.assertEqual(networks.panels([row for row in rows if row.get("topology") == "mesh"], {}, None), [])

    def test_break_even_of_plans(self) -> None:
        self.assertEqual([compression.rate_of(text) for text in ("10G", "2.5T", "100M", "fat_tree:k=4", "0G", None)], [10, 2500, 0.1, None, None, None])
        rows = self.read([planned("1G", None, 900.0), planned("100G", None, 100.0), planned("1G", "int8", 300.0), planned("100G", "int8", 300.0)])
        study, = compression.planned_studies(rows)
        dense, code = (line.points for line in sorted(compression.lines_of(study, "step"), key=lambda line: line.label, reverse=True))
        (rate, time), = compression.crossings(dense, code)
        self.assertAlmostEqual(time, 300)
        self.assertAlmostEqual(rate, 10)  # halfway from 900 to 100 on logarithmic axes
        self.assertEqual(compression.planned_studies(rows[:2]), [])  # nothing to compare

    def test_tables_hold_the_times(self) -> None:
        rows = self.read([simulated("Ring", 4, 1024, 12.345), simulated("Tree & co", 4, 1024, 2345.6), simulated("Ring", 4, 4096, 5e6), simulated("Tree & co", 4, 4096, 4e6)])
        found = tables.tables(rows)
        self.assertIn("| 4 | 1 KiB | µs | **12.35** | 2346 |", tables.markdown(found, None))
        self.assertIn("| 4 | 4 KiB | s | 5.000 | **4.000** |", tables.markdown(found, None))
        text = tables.latex(found, None)
        self.assertIn(r"Ranks & Size & Unit & Ring & Tree \& co \\", text)
        self.assertIn(r"4 & 4 KiB & s & 5.000 & \textbf{4.000} \\", text)
        lines = list(csv.reader(io.StringIO(tables.comma_separated(found))))
        self.assertEqual(lines[1][1:], ["4", "1024", "Ring", "12.345"])
        self.assertEqual(len(lines), 5)
        self.assertEqual(tables.tex("a_b~\\µ✓"), r"a\_b\textasciitilde{}\textbackslash{}$\mu$?")

    def test_pdflatex_takes_the_figure_and_the_table(self) -> None:
        for program, package in (("pdflatex", "texlive-latex-base"), ("pdffonts", "poppler-utils"), ("kpsewhich", "texlive-binaries")):
            if not shutil.which(program):
                self.skipTest(f"needs {program} (apt install {package})")
        if subprocess.run(["kpsewhich", "booktabs.sty"], stdout=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("needs booktabs (apt install texlive-latex-recommended)")
        done = charts(SAMPLE, "-o", self.folder, "--only", "time_against_size", "--only", "time_table", "--width", "3.4in", "--font", "8", "--no-title", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.write("\\documentclass[twocolumn]{article}\\usepackage{graphicx,booktabs}\\begin{document}\n"
                   "\\includegraphics{time_against_size.pdf}\n\\small\\input{time_table}\n\\end{document}\n", "paper.tex")
        done = subprocess.run(["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"], cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        fonts = subprocess.run(["pdffonts", "paper.pdf"], cwd=self.folder, text=True, capture_output=True, check=True).stdout.splitlines()[2:]
        self.assertTrue(any("DejaVuSans" in line for line in fonts), fonts)
        for line in fonts:
            self.assertRegex(line, r" yes +(yes|no) +(yes|no) +\d+ +\d+$")  # embedded


if __name__ == "__main__":
    unittest.main()
