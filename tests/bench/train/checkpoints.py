"""arlab train: killed and started again, alone and as a job."""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from train_test import JOB, MPIEXEC, SMALL, TrainTest, losses, program


class Checkpoints(TrainTest):
    def test_killed_at_a_random_step_it_goes_on_to_the_same_weights(self):
        run = ("train", *SMALL, "-e", 6, "--checkpoint", "every=7", "--optimizer", "adam", "--lr", "0.001")
        self.arlab(*run, "--checkpoint", "whole")
        with self.start(*run, "--checkpoint", "run") as process:
            self.wait_for_a_checkpoint("run", process)
            time.sleep(random.random() * 0.3)
            process.kill()
        _, err = self.arlab(*run, "--checkpoint", "run")
        self.assertIn("note: resuming after step", err)
        self.assertEqual(self.latest("run"), self.latest("whole"))

    def test_saving_changes_nothing_that_is_learned(self):
        for strategy in ("local_sgd:every=6", "diloco:every=6"):
            with self.subTest(strategy=strategy):
                run = (*SMALL, "-w", 2, "-s", strategy, "-e", 2)
                plain = self.record(*run)
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                out, err = self.arlab("train", *run, "--checkpoint", "run:every=4,keep=0", "--json", "saved.jsonl")
                self.assertEqual(losses(program.parse(self.read("saved.jsonl"))[1][-1]), losses(plain), out)
                self.assertIn("have equal weights every 6 steps of an epoch, so checkpoints wait for these steps", err)
                self.assertEqual([int(path.stem[5:]) for path in sorted((self.folder / "run").glob("step-*.ckpt"))],
                                 [6, 12, 18, 20, 26, 32, 38, 40])

    def test_where_saving_changes_what_is_learned_a_run_says_so_and_keeps_its_interval(self):
        for strategy in ("stale_synchronous", "async_parameter_server", "diloco:every=6,fragments=2", "diloco:every=6,delay=2"):
            with self.subTest(strategy=strategy):
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                run = ("train", *SMALL, "-w", 2, "-s", strategy)
                _, err = self.arlab(*run, "--checkpoint", "run:every=4")
                self.assertIn("so --checkpoint every=4 changes what they learn", err)
                _, err = self.arlab(*run, "-e", 2, "--checkpoint", "run:every=5", code=2)
                self.assertIn("belongs to another run: the interval of checkpoints was 4 steps and is now 5 steps: use the same options", err)
                self.arlab(*run, "-e", 2, "--checkpoint", "run:every=4")
        _, err = self.arlab("train", *SMALL, "-w", 1, "-s", "stale_synchronous", "--checkpoint", "alone:every=4")
        self.assertEqual(err, "")

    def test_foreign_and_damaged_checkpoints_are_refused(self):
        self.arlab("train", *SMALL, "--checkpoint", "run", "-e", 2)
        _, err = self.arlab("train", *SMALL, "--checkpoint", "run", "--optimizer", "sgd", code=2)
        self.assertIn("belongs to another run: the optimizer was momentum", err)
        for path in (self.folder / "run").glob("step-*.ckpt"):
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
        _, err = self.arlab("train", *SMALL, "--checkpoint", "run", code=2)
        self.assertIn("error:", err)


class GoingOn(TrainTest):
    def run_with_a_dead_rank(self, folder, *run):
        """Starts a job, and kills its last rank when there is a checkpoint."""
        job = subprocess.Popen([MPIEXEC, "-n", "2", *self.command("train", *run, "--checkpoint", folder)],
                               cwd=self.folder, env=JOB, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with job:
            self.wait_for_a_checkpoint(folder, job)
            ranks = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=True).stdout.split()
            os.kill(int(ranks[-1]), signal.SIGKILL)
            _, err = job.communicate(timeout=60)
        self.assertNotEqual(job.returncode, 0)
        self.assertTrue(err.strip(), "nothing was said")

    @unittest.skipUnless(MPIEXEC and shutil.which("pgrep"), "mpirun or pgrep not found")
    def test_a_dead_rank_ends_the_job_which_goes_on_later(self):
        for strategy in ("multi_worker", "fsdp"):
            with self.subTest(strategy=strategy):
                whole, folder = f"whole-{strategy}", f"run-{strategy}"
                run = (*SMALL, "-s", strategy, "-e", 8 if os.environ.get("ARLAB_SANITIZE") else 30, "--checkpoint", "every=7")
                self.assertEqual(self.mpirun(2, *run, "--checkpoint", whole).returncode, 0)
                self.run_with_a_dead_rank(folder, *run)
                done = self.mpirun(2, *run, "--checkpoint", folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.latest(folder), self.latest(whole))  # of shards: with their seals

    @unittest.skipUnless(MPIEXEC, "mpirun not found")
    def test_sharded_processes_save_their_parts_and_go_on_at_another_count(self):
        run = ("--data", "samples=160", "-B", 32, "-s", "fsdp", "--optimizer", "adam", "--lr", "0.001", "--checkpoint", "keep=1")  # 5 steps an epoch
        for epochs, ranks in enumerate((4, 3, 1), start=1):
            with self.subTest(ranks=ranks):
                done = self.mpirun(ranks, *run, "-e", epochs, "--checkpoint", "job")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("note: resuming after step" in done.stderr, epochs > 1, done.stderr)
                start = f"step-{5 * epochs:012}"
                shards = [f"{start}-{rank}-of-{ranks}.shard" for rank in range(ranks)]
                self.assertEqual(sorted(path.name for path in (self.folder / "job").iterdir()), sorted([f"{start}.ckpt", *shards]))
                self.arlab("train", *run, "-e", epochs, "-w", ranks, "--checkpoint", "threads")
                for name in shards:
                    self.assertEqual((self.folder / "job" / name).read_bytes(), (self.folder / "threads" / name).read_bytes())
        (self.folder / "job" / shards[0]).unlink()
        done = self.mpirun(2, *run, "-e", 4, "--checkpoint", "job")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"{shards[0]} (No such file or directory)", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
