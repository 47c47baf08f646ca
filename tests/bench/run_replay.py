"""arlab train -m profile:... on backends that communicate: threads, virtual ranks, and MPI."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import program  # noqa: E402
import run_cli_mpi  # noqa: E402

MPIEXEC = os.environ.get("MPIEXEC", "")
LAYERS = [{"name": name, "tensors": {"weight": elements}, "forward_us": 500, "backward_us": 1000.5}
          for name, elements in (("one", 10_000), ("two", 30_000), ("three", 1_001))]
PROFILE = {"profile": 1, "name": "tiny", "device": "none", "batch": 4, "samples": "images", "parameters": 41_001,
           "gradient_bytes": 4, "optimizer_ps_per_parameter": 0, "layers": LAYERS,
           "sources": {"parameters": "-", "forward_us": "-", "backward_us": "-", "optimizer_ps_per_parameter": "-"}}
COMPUTE = 3 * 1500.5  # us


class Replay(program.ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "tiny.json").write_text(json.dumps(PROFILE), encoding="utf-8")

    def replay(self, *arguments):
        return self.records("train", "-m", "profile:tiny.json", "--steps", 8, *arguments)

    def test_threads_wait_for_the_passes_and_exchange_gradients(self):
        [dense] = self.replay("-b", "threads", "-w", 3)
        self.assertEqual((dense["kind"], dense["model"], dense["backend"], dense["strategy"], dense["algorithm"]),
                         ("replay", "tiny", "threads", "mirrored", "ring"))
        self.assertAlmostEqual(dense["computation_us"], COMPUTE)
        self.assertEqual(len(dense["steps_us"]), 8)
        self.assertGreaterEqual(min(dense["steps_us"]), COMPUTE)
        self.assertAlmostEqual(dense["bytes_per_rank_step"], 2 * 2 * 41_001 * 4 / 3)
        self.assertAlmostEqual(dense["efficiency"], COMPUTE / dense["step_us"])
        [slow] = self.replay("-b", "threads", "--slowdown", "1,3", "-s", "zero2", "-a", "circulant")
        self.assertGreaterEqual(slow["step_us"], 3 * COMPUTE)
        self.assertAlmostEqual(slow["bytes_per_rank_step"], 41_001 * 4)

    def test_virtual_ranks_take_the_simulated_step(self):
        for arguments in (("-s", "multi_worker", "--scheduler", "fifo"), ("-s", "diloco"), ("-s", "central_storage", "-a", "tree")):
            network = (*arguments, "-w", 4, "--network", "1G")
            # An outer step every 8 steps: of 16, the second half has one.
            steps = () if "diloco" not in arguments else ("--steps", 16)
            replayed = self.records("train", "-m", "profile:tiny.json", "-b", "virtual", *network, *(steps or ("--steps", 8)))
            if steps:
                self.assertAlmostEqual(replayed[0]["bytes_per_rank_step"], 3 * 2 * 3 / 4 * 41_001 * 4 / 17)  # and one at the end
                continue
            simulated = self.records("train", "-m", "profile:tiny.json", "-b", "simulated", *network, "--steps", 8)
            self.assertAlmostEqual(replayed[0]["step_us"], simulated[0]["step_us"], places=5)

    def test_several_settings_are_rows(self):
        rows = self.replay("-b", "virtual", "-w", "2,4", "--network", "1G", "--network", "10G", "--compressor", "none", "int8")
        self.assertEqual([(r["network"], r["workers"], r["compressor"] is None) for r in rows],
                         [(n, w, dense) for n in ("1G", "10G") for w in (2, 4) for dense in (True, False)])

    @unittest.skipUnless(MPIEXEC, "no MPI")
    def test_processes_replay_too(self):
        line = self.command("train", "-m", "profile:tiny.json", "-b", "mpi", "--steps", 8, "--json", "-")
        done = subprocess.run([MPIEXEC, "-n", "2", *line], cwd=self.folder, env=run_cli_mpi.ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        [record] = program.parse(done.stdout)[1]
        self.assertEqual((record["strategy"], record["ranks"]), ("multi_worker", 2))
        self.assertGreaterEqual(min(record["steps_us"]), COMPUTE)
        self.assertAlmostEqual(record["bytes_per_rank_step"], 41_001 * 4)

    def test_options_without_effect_and_bad_values_are_refused(self):
        for line, part in (("-b threads --network 10G", "--network has no effect here: it needs --backend virtual"),
                           ("-b threads --latency 1us", "--latency has no effect"), ("-b virtual --timeout 5s", "--timeout has no effect"),
                           ("-b threads --every 4", "--every has no effect here: it needs strategy diloco or local_sgd"),
                           ("-b threads --servers 2", "--servers has no effect"), ("-b threads --bound 2", "--bound has no effect"),
                           ("-b threads -s diloco --scheduler fifo", "--scheduler has no effect"),
                           ("-b threads -s stale_synchronous -a ring", "--algorithm has no effect"),
                           ("-b threads -a native --segments 2", "--segments has no effect"), ("-b threads --groups 2", "--groups has no effect"),
                           ("-b threads --slowdown 1,0", "--slowdown has the factor 0"), ("-b threads --slowdown 1,1,1", "3 factors"),
                           ("-b threads -s multi_worker", "use --strategy mirrored"), ("-b mpi", "mpirun -n 2 arlab train"),
                           ("-b threads --steps 7", "--steps is 7: give 8 to 10000"), ("-b threads -w 0", "--workers is 0"),
                           ("-b thread", "did you mean 'threads'"), ("-b virtual --network fast", "fast")):
            with self.subTest(line=line):
                _, err = self.arlab("train", "-m", "profile:tiny.json", *line.split(), code=2)
                self.assertIn(part, err)
        _, err = self.arlab("train", "-m", "profile:llm-7b", "-b", "threads", "-w", 1000, code=2)
        self.assertIn("1000 replicas of llm-7b take", err)


if __name__ == "__main__":
    unittest.main()
