"""arlab train tunes itself for an accuracy."""

import unittest

from train_test import MPIEXEC, SMALL, TrainTest, program


class Tuning(TrainTest):
    def settings_of(self, file):
        return dict(line.split() for line in self.read(file).splitlines() if not line.startswith("#"))

    def test_tuning_chooses_the_setting_that_reaches_the_accuracy_first(self):
        run = ("--data", "samples=1280", "-B", 32, "-e", 2, "-w", 4, "-b", "virtual", "--network", "1G", "--compute", "codec=0.1,0.1")
        specs = ("--compressor", "none", "fp16", "randomk:ratio=0.0001,feedback=off")  # the last one hardly learns
        out, _ = self.arlab("train", *run, *specs, "--tune", "s.txt", "--json", "t.jsonl", "--csv", "t.csv")
        trials = program.parse(self.read("t.jsonl"))[1]
        self.assertEqual(len(program.rows(self.read("t.csv"))), len(trials))
        self.assertEqual((trials[0]["algorithm"], trials[0]["scheduler"], trials[0]["compressor"]), ("ring", "buckets", None))
        self.assertEqual({str(t["compressor"]).partition(":")[0] for t in trials}, {"None", "fp16", "randomk"})
        for trial in trials:
            self.check_record(trial)
        self.assertEqual([e["steps"] for e in trials[0]["epochs"]], 16 * [5])  # 8 evaluations per epoch of 40 steps
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
        accuracy = trials[0]["epochs"][-1]["validation_accuracy"] - 0.01
        self.assertEqual(rows[0][6], f"time to {100 * accuracy:.1f}%")
        self.assertEqual(len(rows), 2 + len(trials))
        for row, trial in zip(rows[2:], trials):
            reached = next((i for i, e in enumerate(trial["epochs"]) if e["validation_accuracy"] >= accuracy), None)
            self.assertEqual(int(row[5]), sum(e["steps"] for e in trial["epochs"][:None if reached is None else reached + 1]))
            self.assertEqual(row[6].startswith("over"), reached is None)
            self.assertTrue(reached is None or "randomk" not in row[2])  # dense ones stop if they are too slow
            # The simulation of a step is that of virtual ranks. Here mg_wfbp has profiled three steps first, and the ranks of a
            # bidirectional_ring of ten elements end apart, so that the next one begins with another order of messages.
            if row[3] and "mg_wfbp" not in row[1]:
                value = [float(cell.split()[0]) * {"us": 1, "ms": 1000}[cell.split()[1]] for cell in row[3:5]]
                self.assertAlmostEqual(value[0] / value[1], 1, delta=0.1 if row[0] == "bidirectional_ring" else 0.01, msg=row)
        self.assertRegex(out, r"randomk:ratio=0.0001,feedback=off did not reach \d+\.\d%: \d+\.\d% after \d+ steps, in ")
        settings = self.settings_of("s.txt")
        self.assertIn(settings["--compressor"], ("fp16",))
        best = trials[min(range(len(trials)), key=lambda i: float("inf") if rows[2 + i][6].startswith("over") else
                          float(rows[2 + i][6].split()[0]) * {"us": 1, "ms": 1e3, "s": 1e6}[rows[2 + i][6].split()[1]])]
        self.assertEqual(settings["--algorithm"], best["algorithm"])
        again = self.record(*run, "--settings", "s.txt")
        self.assertEqual((again["algorithm"], again["scheduler"]), (best["algorithm"], best["scheduler"]))
        for file in ("p.txt", "q.txt"):
            self.arlab("train", *SMALL, "-s", "local_sgd", "-b", "virtual", "-w", 2, "--tune", file)  # evaluates per epoch
        self.assertEqual(self.read("q.txt"), self.read("p.txt"))
        self.assertNotIn("--scheduler", self.settings_of("p.txt"))

    def test_tuning_for_a_target_that_nobody_reaches_writes_nothing(self):
        out, err = self.arlab("train", *SMALL, "-b", "virtual", "-a", "ring", "--target", "0.999", "--tune", "s.txt", code=1)
        self.assertIn("no setting reached 99.9% of the validation data: train for more --epochs, or lower --target", err)
        self.assertIn("ring, buckets did not reach 99.9%", out)
        self.assertFalse((self.folder / "s.txt").exists())
        out, _ = self.arlab("train", *SMALL, "-b", "virtual", "-a", "ring", "--scheduler", "fifo", "--target", "0.05", "--tune", "s.txt")
        self.assertIn("time to 5.0%", out)
        self.assertEqual(self.settings_of("s.txt"), {"--algorithm": "ring", "--scheduler": "fifo"})

    def test_tuning_loses_nothing(self):
        tuning = ("train", *SMALL, "-b", "virtual", "-a", "ring", "--tune")
        _, err = self.arlab(*tuning, "s.txt", "--json", "/proc/none/x", code=3)
        self.assertIn("cannot write /proc/none/x", err)
        (self.folder / "r.jsonl").write_text('{"schema":2,"kind":"context"}\n', encoding="utf-8")
        _, err = self.arlab(*tuning, "r.jsonl", code=2)
        self.assertIn("r.jsonl holds records, which would be lost", err)

    def test_tuning_refuses_what_cannot_be(self):
        cases = (("--tune s.txt", "give the network with --network"), ("-b virtual --network loggops --tune s.txt", "neither a rate nor a topology"),
                 ("--network 1G", "--network has no effect here: it needs --backend virtual or --tune"),
                 ("-b virtual -w 1 --tune s.txt", "at least 2 workers"),
                 ("-b virtual -w 2,4 --tune s.txt", "one model and one number of workers"),
                 ("-b virtual --network 1G,10G --tune s.txt", "one model and one number of workers on one network"),
                 ("-b virtual --checkpoint run --tune s.txt", "--checkpoint is of one run"),
                 ("-b virtual --compressor dgc --tune s.txt", "it needs optimizer SGD without momentum"),
                 ("-b virtual -s stale_synchronous --tune s.txt", "finds no setting of strategy stale_synchronous"),
                 ("-b virtual --tune /proc/none/s.txt", "/proc/none/s.txt"), ("--network fast --tune s.txt", "fast"))
        for (line, part), (status, _, err) in zip(cases, self.each(line for line, _ in cases)):
            with self.subTest(line=line):
                self.assertIn(status, (2, 3), err)
                self.assertIn(part, err)

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_processes_tune_together(self):
        done = self.mpirun(2, *SMALL, "--network", "1G", "--compressor", "none", "fp16", "--tune", "s.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("settings simulated", done.stdout)
        self.assertIn("--algorithm", self.settings_of("s.txt"))
        self.assertIn("backend mpi 1G, strategy multi_worker", self.read("s.txt"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
