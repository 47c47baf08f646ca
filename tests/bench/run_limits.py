"""Limits of the address space, and checkpoint folders that two trainings want.

With any limit, every command ends soon, with status 0 or with status 3 and a reason; 127 and its reason where the loader of the
system cannot load the program itself."""

import os
import resource
import signal
import subprocess
import time
import unittest

import program

SANITIZED = bool(os.environ.get("ARLAB_SANITIZE"))
SECONDS = 120  # for a command, on a busy machine
COMMANDS = [["list", "algorithms"], ["show", "ring", "-p", "4"], ["verify", "ring", "-p", "64"], ["count", "ring", "-p", "64"],
            ["simulate", "butterfly", "-p", "65536", "-s", "1M"], ["simulate", "ring", "-p", "256", "-s", "1M", "--network", "packet"],
            ["run", "ring", "-p", "8", "-s", "16M", "--runs", "3"], ["export", "ring", "-p", "64", "--format", "json"],
            ["plan", "-m", "profile:resnet50", "--gpus", "64"], ["plan", "--breakdown", "-m", "profile:resnet50", "--gpus", "64"],
            ["tune", "--network", "alpha_beta", "-p", "64", "-s", "1K,1M"], ["bound", "torus:dims=4x4"], ["explore", "-o", "page.html"]]


def limited(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


@unittest.skipIf(SANITIZED, "the sanitizer reserves more memory than the limit")
class AddressSpace(program.ProgramTest):
    def ends_well(self, megabytes, words, **environment):
        done = subprocess.run(self.command(*words), cwd=self.folder, env={**program.ALONE, **environment}, preexec_fn=limited(megabytes),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False)
        said = f"{megabytes} MiB, {' '.join(words)}: status {done.returncode}\n{done.stderr}"
        self.assertIn(done.returncode, (0, 3, 127), said)
        self.assertNotIn("terminate called", done.stderr, said)
        if done.returncode == 3:
            self.assertIn("error: ", done.stderr, said)
        if done.returncode == 127:
            self.assertIn("error while loading shared libraries: ", done.stderr, said)
        return done.returncode

    def test_every_command(self):
        for words in COMMANDS:
            for megabytes in (48, 64, 80, 96, 128, 192, 320):
                with self.subTest(words=words, megabytes=megabytes):
                    self.ends_well(megabytes, words)
            self.assertEqual(self.ends_well(16384, words), 0)

    @unittest.skipUnless(program.TRAINS, "built without LibTorch")
    def test_training(self):
        words = ["train", "--steps", "2", "--data", "samples=64", "-w", "2"]
        for threads in ("1", "2"):
            for megabytes in (128, 384, 576, 640, 704, 768, 832, 896, 1024, 1280, 1536, 2048):
                with self.subTest(threads=threads, megabytes=megabytes):
                    status = self.ends_well(megabytes, words, OMP_NUM_THREADS=threads)
                    self.assertNotEqual(status, 127 if megabytes > 128 else -1)  # arlab says it before it starts arlab-train
            self.assertEqual(self.ends_well(16384, words, OMP_NUM_THREADS=threads), 0)


@unittest.skipUnless(program.TRAINS, "built without LibTorch")
class CheckpointFolder(program.ProgramTest):
    words = ["train", "-m", "mlp", "--data", "samples=1600", "-w", "2", "--checkpoint", "c"]

    def start_first(self):
        """Starts a long training, and returns when it has saved its first checkpoint."""
        first = self.start(*self.words, "--epochs", "1000", "--checkpoint", "every=5")
        self.addCleanup(first.communicate)
        self.addCleanup(first.kill)
        end = time.monotonic() + SECONDS
        while not list((self.folder / "c").glob("step*.ckpt")):
            self.assertIsNone(first.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        return first

    def test_a_second_training_is_refused(self):
        first = self.start_first()
        _, err = self.arlab(*self.words, "--epochs", "1", "--seed", "2", code=3)
        self.assertIn(f"belong to a run in progress (process {first.pid} on ", err)
        self.assertIsNone(first.poll())

    def test_a_killed_training_is_no_obstacle(self):
        first = self.start_first()
        first.send_signal(signal.SIGKILL)
        first.wait(timeout=SECONDS)
        self.assertTrue((self.folder / "c" / "writer.lock").exists())
        _, err = self.arlab(*self.words, "--epochs", "1000", "--checkpoint", "every=5", "--steps", "1")
        self.assertIn("resuming after step", err)
        self.assertFalse((self.folder / "c" / "writer.lock").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
