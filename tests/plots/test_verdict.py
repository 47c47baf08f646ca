"""plots/verdict.py: counts of settings in which compression pays, from hand-written runs."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "plots" / "verdict.py"


def run(compressor, step, ranks=8, sent=100, codec=0, **other):
    return {"kind": "plan", "model": "m", "network": "10G", "ranks": ranks, "compressor": compressor, "step_us": step,
            "computation_us": 100, "bytes_per_rank_step": sent, "codec_us": codec, **other}


class Verdict(unittest.TestCase):
    def verdict(self, records, *options, command="arlab train --compute slowdown=2,codec=1,1", code=0):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "runs.jsonl"
            lines = [{"kind": "context", "command": command}, *records]
            path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(PROGRAM), str(path), *options], capture_output=True,
                                  text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_counts_gains_and_reasons(self):
        out = self.verdict([run(None, 200), run(None, 190), run("fp16", 150), run("topk", 188, sent=900),
                            run("qsgd", 185, sent=20, codec=60), run("int8", 184, sent=50),
                            run(None, 102, ranks=64), run("fp16", 101, ranks=64)])
        self.assertIn("| 1,1 | 5 | 1 | 1 | 1 | 1 | 1 |", out)
        self.assertIn("| 1,1 | 8 | 1 of 4 |", out)
        self.assertIn("| 1,1 | 64 | 0 of 1 |", out)
        self.assertIn("| fp16 | 1 of 2 |", out)

    def test_the_gain_is_an_option_and_the_cost_may_be_the_default(self):
        records = [run(None, 200), run("fp16", 150)]
        self.assertIn("| default | 1 | 1 |", self.verdict(records, command="arlab train"))
        self.assertIn("| 2,2 | 1 | 0 |", self.verdict(records, "--gain", "0.3", command="arlab train --codec-cost=2,2"))

    def test_other_files_are_refused(self):
        self.assertIn("no dense run of m on 10G with 8 workers", self.verdict([run("fp16", 150)], code=1))
        self.assertIn("is not a file of arlab plan", self.verdict([{"kind": "run"}], code=1))
        for path, what in (("/nowhere.jsonl", "No such file"), (os.devnull, "is empty"), (__file__, "Extra data")):
            done = subprocess.run([sys.executable, "-B", str(PROGRAM), path], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^verdict.py: {re.escape(path)}.*{what}")


    def test_what_cannot_be_read_is_named(self):
        for key, value in (("step_us", None), ("step_us", 0), ("computation_us", "fast"), ("ranks", True), ("codec_us", float("nan"))):
            self.assertRegex(self.verdict([run(None, 200), {**run("fp16", 150), key: value}], code=1), rf"^verdict.py: .*runs.jsonl:3: {key} is .*: remove this line")
        self.assertIn("| default | 1 | 1 |", self.verdict([run(None, 200), run("fp16", 150)], command="arlab train 'half"))
        self.assertIn("is not a file of arlab plan", self.verdict([[1]], code=1))

    def test_batches_are_apart_and_names_are_text(self):
        out = self.verdict([run(None, 200, batch_per_worker=8), run("fp16", 100, batch_per_worker=8), run(None, 90, batch_per_worker=4), run("fp16", 89, batch_per_worker=4)])
        self.assertIn("| fp16 | 1 of 2 |", out)
        out = self.verdict([run(None, 200), run("<b>|\x1b", 100)])
        self.assertIn("| \\<b\\>\\|\ufffd | 1 of 1 |", out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
