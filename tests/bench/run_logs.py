"""Logs of other benchmarks on the command line: import, compare, report, charts; public numbers."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

import program

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / "tests" / "bench" / "logs" / "fixtures"


class Logs(program.ProgramTest):
    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def slowed(self, factor):
        """The log of two a3-mega nodes with other times, whose rates agree with them."""
        lines = []
        for line in (LOGS / "gcp_a3mega.txt").read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) == 13 and words[0].isdigit():
                for at in (5, 9):
                    time = float(words[at]) * factor
                    rate = float(words[0]) / time / 1e3
                    words[at:at + 3] = [f"{time:.2f}", f"{rate:.2f}", f"{rate * 1.875:.2f}"]
            lines.append(" ".join(words) if len(words) == 13 and words[0].isdigit() else line)
        return "\n".join(lines) + "\n"

    def test_import_writes_records_that_obey_the_schema(self):
        out, _ = self.arlab("import", str(LOGS / "gh200_218.txt"), "--json", "-")
        lines = [json.loads(line) for line in out.splitlines()]
        for line in lines:
            program.validate(line)
        self.assertEqual(lines[0]["kind"], "context")
        self.assertEqual(lines[0]["nccl"], "NCCL 2.30.4")
        self.assertEqual(len(lines), 13)
        self.assertEqual(lines[-1]["time_us"]["median"], 2182.2)

    def test_what_is_left_out_is_named_and_gives_status_1(self):
        self.write("cut.log", (LOGS / "gcp_a3mega.txt").read_text(encoding="utf-8").replace("977.6", "9x7.6"))
        _, err = self.arlab("import", "cut.log", code=1)
        self.assertIn("cut.log:28: left out: the time is '9x7.6'", err)
        _, err = self.arlab("import", str(LOGS / "abci_osu.txt"), code=2)
        self.assertIn("give --assume ranks=NUMBER", err)

    def test_what_holds_no_rows_is_said(self):
        (self.folder / "empty.txt").write_text("\n\n", encoding="utf-8")
        self.assertIn("no records in empty.txt: give logs of", self.arlab("import", "empty.txt", "--json", "e.jsonl", code=2)[1])
        (self.folder / "cut.txt").write_text((LOGS / "gcp_a3mega.txt").read_text(encoding="utf-8")[:1400], encoding="utf-8")
        for command in ("import", "compare"):
            self.assertIn("cut.txt holds no records and no rows of a known log format; it may have been cut before its first row",
                          self.arlab(command, "cut.txt", code=2)[1])

    def test_validate_predicts_the_rows_of_logs_by_size(self):
        out, err = self.arlab("validate", str(LOGS / "gcp_a3mega.txt"), "--network", "nccl:gpu=h100,version=2.23")
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("| h100") and "2 x 8" in line]
        self.assertEqual(len(rows), 16)  # eight sizes, both placements
        self.assertEqual(rows[-1][3:7], ["in", "8 GiB", "nvlstree simple", "47.74 ms"])
        predicted = float(rows[-1][7].split()[0])
        self.assertAlmostEqual(float(rows[-1][8].rstrip("%")), 100 * (predicted / 47.74 - 1), delta=0.1)
        self.assertIn("| all ", out)
        self.write("two/a.log", (LOGS / "gcp_a3mega.txt").read_text(encoding="utf-8"))
        self.write("two/b.log", (LOGS / "abci_osu.txt").read_text(encoding="utf-8"))
        out, _ = self.arlab("validate", "two", "--network", "nccl:gpu=h100", "--json", "-")
        records = [json.loads(line) for line in out.splitlines()][1:]
        for record in records:
            program.validate(record)
        self.assertEqual({record["split"] for record in records}, {"unfitted"})

    def test_validate_says_what_a_log_lacks(self):
        _, err = self.arlab("validate", str(LOGS / "efa_kubernetes.txt"), code=2)
        self.assertIn("nothing to predict", err)
        self.assertIn("--network nccl:gpu=h100", err)
        _, err = self.arlab("validate", str(LOGS / "gcp_a3mega.txt"), "--network", "10G", code=2)
        self.assertIn("is not a machine of NCCL's", err)
        _, err = self.arlab("validate", "--network", "nccl", str(ROOT / "tests" / "validation"), code=2)
        self.assertIn("--network is for logs: leave it out", err)

    def test_compare_finds_what_became_slower(self):
        self.write("old.log", self.slowed(1))
        self.write("new.log", self.slowed(1.2))
        out, err = self.arlab("compare", "old.log", "new.log", code=1)
        self.assertIn("16 slower by more than 5%", err)
        self.assertIn("1.200", out)
        self.arlab("compare", "new.log", "old.log")
        self.arlab("compare", "old.log", "new.log", "--threshold", "25%")

    def test_public_numbers_judge(self):
        out, err = self.arlab("compare", str(LOGS / "efa_kubernetes.txt"), "--expect", "p5x16")
        self.assertIn("pass", out)
        self.assertIn("aws-samples", err)
        out, err = self.arlab("compare", str(LOGS / "gcp_a3mega.txt"), "--expect", "h100x16", code=1)
        self.assertIn("FAIL", out)
        self.assertIn("error: worst at", err)
        self.write("slow.log", self.slowed(2))
        _, err = self.arlab("compare", "slow.log", "--expect", str(LOGS / "gcp_a3mega.txt"), code=1)
        self.assertIn("half of what is expected, as with half of the NICs missing", err)
        _, err = self.arlab("compare", "slow.log", "--expect", "nosuch", code=2)
        self.assertIn("h100x2|4|8|16", err)
        log = str(LOGS / "gcp_a3mega.txt")
        for options, text in ((("--expect", "h100x0"), "--expect 'h100x0' is neither"), (("--expect", "h100", "--threshold", "3%"), "--threshold has no effect here"),
                              (("--expect", "h100", "-o", "x.csv"), "name a file that does not end in .csv")):
            self.assertIn(text, self.arlab("compare", log, *options, code=2)[1])

    def test_wrong_and_missing_rows_are_no_pass(self):
        lines = (LOGS / "efa_kubernetes.txt").read_text(encoding="utf-8").splitlines(keepends=True)
        self.write("wrong.log", "".join(f"{line.rstrip()[:-1]}7\n" if "1073741824" in line.split() else line for line in lines))
        out, err = self.arlab("compare", "wrong.log", "--expect", "p5x16", code=1)
        self.assertIn("FAIL, 7 wrong", out)
        self.assertIn("7 elements wrong, whatever the bandwidth", err)
        log = LOGS / "gcp_a3mega.txt"
        lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
        rows = [i for i, line in enumerate(lines) if "float" in line.split()]
        self.write("cut.log", "".join(lines[:rows[-3]]) + "host: Test NCCL failure common.cu:1005\n")
        _, err = self.arlab("compare", str(log), "cut.log", code=1)
        self.assertIn("the benchmark failed: Test NCCL failure common.cu:1005", err)
        self.assertIn("error: cut.log is cut, or its benchmark failed: 6 configurations of the base are missing", err)
        _, err = self.arlab("compare", "cut.log", "--expect", "h100x16", code=1)
        self.assertIn("error: the run did not end: the log is cut, or its benchmark failed", err)

    def test_a_benchmark_that_calls_its_results_wrong_is_no_pass(self):
        text = (LOGS / "superbench_allreduce.txt").read_text(encoding="utf-8")
        self.write("good.log", text)
        self.write("bad.log", text.replace("# Out of bounds values : 0 OK", "# Out of bounds values : 26 FAILED"))
        said = "bad.log:51: the benchmark failed: Out of bounds values : 26 FAILED"
        self.arlab("compare", "good.log", "--expect", "a100x8")
        self.assertIn(f"error: {said}", self.arlab("compare", "bad.log", "--expect", "a100x8", code=1)[1])
        self.assertIn(f"error: {said}", self.arlab("compare", "good.log", "bad.log", code=1)[1])
        self.arlab("compare", "bad.log", "good.log")
        _, err = self.arlab("import", "bad.log", code=1)
        self.assertIn(f"note: {said}", err)
        self.assertIn("error: a benchmark failed by its own verdict", err)
        self.assertIn(f"note: {said}", self.arlab("report", "bad.log", "-o", "page.html")[1])

    def test_identify_gives_no_estimates_of_uneven_nodes(self):
        lines = ["n0:1:1 [0] NCCL INFO NCCL version 2.27.5+cuda12.9"]
        lines += [f"n{n}:1:1 [0] NCCL INFO comm 0x1 rank {8 * n} nRanks 12 nNodes 2 localRanks {8 - 4 * n} localRank 0 MNNVL 0" for n in (0, 1)]
        lines.append("n0:1:1 [0] NCCL INFO AllReduce: 1073741824 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}")
        self.write("nccl.log", "\n".join(lines) + "\n")
        out, err = self.arlab("identify", "--nccl-log", "nccl.log")
        self.assertIn("ring simple", out)
        self.assertNotIn("estimate", out)
        self.assertIn("nccl.log has 12 ranks on nodes with different numbers of them", err)
        self.assertIn("12 ranks on nodes", self.arlab("identify", "--nccl-log", "nccl.log", "--json", "x.jsonl", code=2)[1])

    def test_report_and_charts_take_logs_and_folders(self):
        self.write("logs/a.log", self.slowed(1))
        self.write("logs/b.txt", "nothing\n")
        _, err = self.arlab("report", "logs", "-o", "page.html")
        self.assertIn("16 records", err)
        self.assertIn("b.txt: neither records nor a known log format", err)
        charts = subprocess.run([sys.executable, str(ROOT / "plots" / "charts.py"), "logs/a.log", "-o", "charts", "--only", "time_against_size"],
                                cwd=self.folder, env={**os.environ, "ARLAB": program.ARLAB}, capture_output=True, text=True, check=False)
        if "need matplotlib" not in charts.stderr:
            self.assertEqual(charts.returncode, 0, charts.stderr)
            self.assertIn("time_against_size", charts.stdout)


if __name__ == "__main__":
    unittest.main()
