"""arlab chart: charts and tables from the program alone, wherever it is, and what it says without Python or matplotlib."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import program

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOG = ROOT / "tests" / "bench" / "logs" / "fixtures" / "gcp_a3mega.txt"


class Chart(program.ProgramTest):
    def simulated(self, *words):
        self.arlab("simulate", "ring,tree", *words, "--json", "r.jsonl")

    def test_charts_are_those_of_the_python_program(self):
        self.simulated("-p", "4", "-s", "1K,64K")
        out, _ = self.arlab("chart", "r.jsonl", "-o", "charts", "--only", "time_against_size")
        self.assertEqual(out.split(), [f"charts/time_against_size.{end}" for end in ("svg", "png", "pdf")])
        subprocess.run([sys.executable, "-B", str(ROOT / "plots" / "charts"), "r.jsonl", "-o", "direct", "--only", "time_against_size"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertEqual((self.folder / "charts/time_against_size.svg").read_bytes(), (self.folder / "direct/time_against_size.svg").read_bytes())

    def test_the_options_reach_the_charts(self):
        self.simulated("-p", "4,8", "-s", "1K..64Kx4")
        self.arlab("chart", "r.jsonl", "--only", "time_table", "-s", "4K..64K", "-p", "8", "--algorithms", "tree")
        rows = (self.folder / "time_table.csv").read_text(encoding="utf-8").splitlines()[1:]
        self.assertEqual([row.split(",")[-4:-1] for row in rows], [["8", "4096", "Tree"], ["8", "16384", "Tree"], ["8", "65536", "Tree"]])
        self.arlab("chart", "r.jsonl", "--only", "time_against_size", "--figure", "width=3.4in,font=8,title=off,share_y=on")
        svg = (self.folder / "time_against_size.svg").read_text(encoding="utf-8")
        self.assertIn('width="244.8pt"', svg)  # of 72 to an inch
        self.assertNotIn(">Time against size<", svg)
        out, _ = self.arlab("chart", "r.jsonl", "--only", "winners")
        self.assertIn("| network | ranks | 1 KiB |", out)

    def test_only_takes_one_name_before_files(self):
        self.arlab("simulate", "ring,tree", "-p", "4", "-s", "1K", "--json", "four.jsonl")
        self.arlab("simulate", "ring,tree", "-p", "8", "-s", "1K", "--json", "eight.jsonl")
        out, _ = self.arlab("chart", "--only", "winners", "four.jsonl", "eight.jsonl")
        self.assertRegex(out, r"(?m)^\|[^|]*\| 4 \|")
        self.assertRegex(out, r"(?m)^\|[^|]*\| 8 \|")

    def test_values_of_records_are_checked(self):
        self.simulated("-p", "4", "-s", "1K")
        line = json.loads((self.folder / "r.jsonl").read_text(encoding="utf-8").splitlines()[1])
        (self.folder / "bad.jsonl").write_text(json.dumps({**line, "op": "xor"}) + "\n", encoding="utf-8")
        _, err = self.arlab("chart", "bad.jsonl", code=2)  # by the schema in the archive
        self.assertRegex(err, r"^error: bad\.jsonl:1: `op` is 'xor'")

    def test_logs_are_read(self):
        out, _ = self.arlab("chart", str(LOG), "--only", "bandwidth_against_size")
        self.assertIn("bandwidth_against_size.pdf", out)

    def test_a_copy_elsewhere_works(self):
        self.simulated("-p", "4", "-s", "1K,64K")
        copy = self.folder / "elsewhere"
        copy.mkdir()
        shutil.copy(program.ARLAB, copy / "arlab")
        done = subprocess.run([str(copy / "arlab"), "chart", "r.jsonl", "--only", "winners"], cwd=self.folder, env=program.ALONE, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_files_beside_the_records_are_not_taken_for_the_program(self):
        self.simulated("-p", "4", "-s", "1K")
        (self.folder / "charts.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
        self.arlab("chart", "r.jsonl", "--only", "winners")

    def test_pipes_of_records_and_of_logs(self):
        self.simulated("-p", "4", "-s", "1K,64K")
        for path in (self.folder / "r.jsonl", LOG):
            done = subprocess.run(["bash", "-c", '"$0" chart <(cat "$1") --only time_table', program.ARLAB, path], cwd=self.folder, env=program.ALONE, capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout.split()), (0, [f"time_table.{end}" for end in ("md", "csv", "tex")]), done.stderr)
            piped = self.read("time_table.csv")
            self.arlab("chart", path, "--only", "time_table")
            self.assertEqual(self.read("time_table.csv"), piped)

    def test_a_record_without_a_key_is_refused(self):
        self.simulated("-p", "4", "-s", "1K,64K")
        text = self.read("r.jsonl")
        for broken, why in ((re.sub(r'"busbw_gb_per_s":[^,]*,', "", text), "`busbw_gb_per_s` is missing"), (re.sub(r'"modelled_us":[^,]*,', '"modelled_us":NaN,', text), "not JSON")):
            (self.folder / "r.jsonl").write_text(broken, encoding="utf-8")
            self.assertIn(f"r.jsonl:2: {why}", self.arlab("chart", "r.jsonl", code=2)[1])

    def test_errors_name_the_value(self):
        self.simulated("-p", "4", "-s", "1K,64K")
        for words, message in ((("--figure", "width=3.4"), "width is '3.4': give a length"), (("--figure", "font=big"), "the font is 'big'"), (("-s", "1x"), "--sizes"),
                               (("--only", "nosuch"), "--only 'nosuch' is not a chart"), (("--only", "nosuch"), "time_table, winners"), (("--algorithms", "rign"), "--algorithms rign leaves no record"),
                               (("--baseline", "x"), "--baseline 'x'"), (("-p", "3"), "--ranks 3 leaves no record: choose from 4")):
            _, err = self.arlab("chart", "r.jsonl", *words, code=2)
            self.assertRegex(err, r"^error: [^\n]*\n$")
            self.assertIn(message, err)
        self.arlab("chart", code=2)
        _, err = self.arlab("chart", "absent.jsonl", code=2)
        self.assertIn("absent.jsonl: No such file", err)

    def test_without_matplotlib_or_python_it_says_what_to_install(self):
        self.simulated("-p", "4", "-s", "1K,64K")
        (self.folder / "matplotlib.py").write_text("raise ModuleNotFoundError(name='matplotlib')\n", encoding="utf-8")
        done = subprocess.run([program.ARLAB, "chart", "r.jsonl"], cwd=self.folder, env={**program.ALONE, "PYTHONPATH": str(self.folder)}, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (3, "error: charts need matplotlib: apt install python3-matplotlib\n"))
        (self.folder / "matplotlib.py").write_text("raise ImportError('failed to map segment')\n", encoding="utf-8")
        done = subprocess.run([program.ARLAB, "chart", "r.jsonl"], cwd=self.folder, env={**program.ALONE, "PYTHONPATH": str(self.folder)}, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("error: matplotlib does not start (failed to map segment): raise the limit of memory (ulimit -v)", done.stderr)
        if os.path.exists("/usr/bin/python3"):
            return  # it is found without a PATH
        done = subprocess.run([program.ARLAB, "chart", "r.jsonl"], cwd=self.folder, env={**program.ALONE, "PATH": str(self.folder)}, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (3, "error: charts need Python: apt install python3-matplotlib\n"))


if __name__ == "__main__":
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        print("skipped: needs matplotlib (apt install python3-matplotlib)")
        sys.exit(77)
    unittest.main()
