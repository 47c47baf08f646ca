"""arlab train under mpirun: the same weights as threads and emulated ranks."""

import json
import os
import subprocess
import sys
import unittest

from train_test import JOB, MPIEXEC, SMALL, TrainTest, losses, program


class Processes(TrainTest):
    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_one_job_trains_several_numbers_of_workers(self):
        done = self.mpirun(2, *SMALL, "-w", "2,1", "--json", "both.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        two, one = program.parse((self.folder / "both.jsonl").read_text())[1]
        self.assertEqual([(r["workers"], r["ranks"], r["strategy"]) for r in (two, one)], [(2, 2, "multi_worker"), (1, 1, "one_device")])
        self.assertEqual(losses(one), losses(self.record(*SMALL, "-w", 1)))
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if line.startswith("|")]
        table = [dict(zip(rows[0], row)) for row in rows[2:]]
        times = two["images_per_s"] / one["images_per_s"]
        self.assertEqual([row["speed-up"] for row in table], [f"{times:.2f}", ""])
        self.assertEqual([row["efficiency"] for row in table], [f"{50 * times:.1f}%", ""])
        refused = self.mpirun(2, *SMALL, "-w", "1,3")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("3 workers are 3 ranks, but the MPI job has 2", refused.stderr)

    def test_virtual_ranks_train_as_threads_do_in_the_same_time_each_time(self):
        alone = self.record(*SMALL, "-w", 4)
        virtual = (*SMALL, "-w", 4, "-b", "virtual", "--network", "1G", "--compute", "slowdown=1,1,1,1.5,jitter=0.1")
        first = self.record(*virtual)
        self.assertEqual(losses(first), losses(alone))
        self.assertEqual((first["backend"], first["bandwidth_gbit_per_s"], first["latency_us"]), ("virtual", 1, 20))
        # 2 x 3 messages of a quarter each, and the slowest rank computes 1.5 to 1.65 times as long as the others.
        exchange = 6 * (20 + 101770 * 4 / 4 * 8e-3)
        compute = 1.5 * 3 * 8 * 101770 * 1e-6
        self.assertGreater(first["step_us"], exchange + compute)
        self.assertLess(first["step_us"], exchange + 1.1 * compute + 1)
        again = self.record(*virtual)
        for changing in ("time_us", "line"):
            first.pop(changing, None)
            again.pop(changing, None)
        self.assertEqual(again, first)

    def test_a_study_gives_a_verdict(self):
        out, err = self.arlab("train", *SMALL, "-w", 4, "-b", "virtual", "--network", "100M,100G", "--compute", "codec=1,1",
                              "--compressor", "none", "fp16", "topk:ratio=0.001")
        self.assertIn("note: fp16 by allreduce: each rank receives", err)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("| 100 ")]
        self.assertEqual([(row[0], row[1]) for row in rows[:1]], [("100 Mbit/s", "none")])
        self.assertEqual(len(rows), 6)
        verdicts = {(row[0], row[1]): row[-1] for row in rows}
        self.assertEqual(verdicts["100 Mbit/s", "none"], "best dense")
        self.assertEqual(verdicts["100 Mbit/s", "fp16"], "gains")
        self.assertEqual(verdicts["100 Gbit/s", "fp16"], "loses")
        self.assertIn("points worse", verdicts["100 Mbit/s", "topk:ratio=0.001"])
        self.assertIn("- at 100 Mbit/s: use fp16 with buckets", out)


class Jobs(TrainTest):
    """Many processes, each of which takes seconds to load LibTorch."""

    def in_cluster(self, tasks, *arguments):
        """Runs one rank for each task, which its TF_CONFIG names."""
        config = {"cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]}}
        code = ("import json, os, sys; config, tasks = json.loads(sys.argv[1]); "
                "config['task'] = tasks[int(os.environ['OMPI_COMM_WORLD_RANK'])]; "
                "os.environ['TF_CONFIG'] = json.dumps(config); os.execvp(sys.argv[2], sys.argv[2:])")
        words = [sys.executable, "-c", code, json.dumps([config, tasks]), *self.command("train", *SMALL, *arguments)]
        return subprocess.run([MPIEXEC, "-n", str(len(tasks)), *words], cwd=self.folder, env=JOB, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_tf_config_decides_roles_and_contradictions_are_errors(self):
        first, second, server = {"type": "worker", "index": 0}, {"type": "worker", "index": 1}, {"type": "ps", "index": 0}
        done = self.in_cluster([first, second, server], "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        record = program.parse(done.stdout)[1][0]
        self.assertEqual((record["strategy"], record["workers"], record["servers"]), ("parameter_server", 2, 1))
        right = [first, second, server]
        evaluator = {"type": "evaluator", "index": 0}
        for tasks, more, says in (([first] * 3, (), "TF_CONFIG says that this is worker 0, which is rank 0"),
                                  ([first, second, server, server], (), "TF_CONFIG names 3 workers and servers, but this MPI job has 4 ranks"),
                                  (right, ("-s", "multi_worker"), "TF_CONFIG has 1 ps, but strategy multi_worker needs none"),
                                  (right, ("-s", "parameter_server:servers=2"), "TF_CONFIG has 1 ps, but the strategy has servers=2"),
                                  ([evaluator] * 3, (), "TF_CONFIG says that this is an evaluator")):
            with self.subTest(says=says):
                done = self.in_cluster(tasks, *more)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(says, done.stderr)

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_processes_train_as_threads_do(self):
        alone = self.record(*SMALL, "-e", 2)
        done = self.mpirun(2, *SMALL, "-e", 2, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        job = program.parse(done.stdout)[1][0]
        self.assertEqual((job["backend"], job["strategy"], job["ranks"]), ("mpi", "multi_worker", 2))
        self.assertEqual(losses(job), losses(alone))
        few = ("--data", "samples=160", "-B", 32, "-e", 1, "-a", "ring")  # 5 steps; one order of additions
        most = 4 if os.environ.get("ARLAB_SANITIZE") else 8  # each takes seconds to load LibTorch
        many = self.mpirun(most, *few, "--json", "-")
        self.assertEqual(many.returncode, 0, many.stderr)
        self.assertEqual(losses(program.parse(many.stdout)[1][0]), losses(self.record(*few, "-w", most)))
        for strategy in ("parameter_server", "stale_synchronous", "async_parameter_server"):
            done = self.mpirun(3, *SMALL, "-s", strategy)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Staleness of updates", done.stdout)


class SameBits(TrainTest):
    def test_servers_wait_for_nobody_on_virtual_ranks_and_say_how_old_gradients_were(self):
        out, _ = self.arlab("train", *SMALL, "-w", 3, "-b", "virtual", "-s", "async_parameter_server", "--compute", "slowdown=1,1,4",
                            "--compute", "speed=1G")
        staleness = out[out.index("Staleness of updates:"):]
        self.assertRegex(staleness, r" [3-9]: ")  # the slow worker's

    def check_in_processes(self, ranks, *run):
        """Several runs, in one job and on virtual ranks: their losses are equal to the bit."""
        done = self.mpirun(ranks, *run, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        processes = program.parse(done.stdout)[1]
        virtual = self.records("train", *run, "-b", "virtual", "-w", ranks, "-s", "multi_worker")
        self.assertEqual(len(processes), len(virtual))
        for one, other in zip(processes, virtual):
            with self.subTest(ranks=ranks, compressor=one["compressor"], scheduler=one["scheduler"]):
                self.assertEqual((one["compressor"], one["scheduler"]), (other["compressor"], other["scheduler"]))
                self.assertEqual(losses(one), losses(other))
        return processes

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_compressed_processes_have_the_bits_of_virtual_ranks(self):
        for ranks, specs in ((2, ("fp16", "topk:ratio=0.01", "onebit", "qsgd", "powersgd", "dgc")), (4, ("qsgd", "dgc"))):
            runs = self.check_in_processes(ranks, *SMALL, "-e", 1, "--optimizer", "sgd", "--compressor", *specs)
            self.assertEqual(len({str(losses(run)) for run in runs}), len(specs), "compressors differ in what they lose")

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_schedules_led_by_a_process_give_the_same_weights(self):
        names = ("fifo", "priority:slice=100K", "fusion:cycle=100us", "dear", "credit")
        self.assertEqual(len(self.check_in_processes(2, *SMALL, "-e", 1, "--scheduler", *names)), len(names))


if __name__ == "__main__":
    unittest.main(verbosity=2)
