"""arlab train: its steps beside formulas written by hand."""

import math
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import unittest

try:
    import numpy as np
except ImportError:
    np = None

from train_test import SMALL, TrainTest, losses, program

READ_EVENTS = pathlib.Path(__file__).resolve().parents[2] / "training" / "telemetry" / "read_events.py"


def sections(checkpoint):
    """Returns the floats of each section of a checkpoint."""
    found, at = {}, 28
    while at < len(checkpoint):
        _, name, size = struct.unpack_from("<IIQ", checkpoint, at)
        at += 16
        found[checkpoint[at:at + name].decode()] = checkpoint[at + name:at + name + size]
        at += name + size + 4
    return found


def mlp_gradients(weights, images, labels):
    """The mean gradient of the cross entropy of a batch, by hand: 784-128-10 with ReLU."""
    first, bias, second, offset = np.split(weights, np.cumsum([128 * 784, 128, 10 * 128]))
    first, second = first.reshape(128, 784), second.reshape(10, 128)
    hidden = np.maximum(images @ first.T + bias, 0)
    outputs = hidden @ second.T + offset
    odds = np.exp(outputs - outputs.max(1, keepdims=True))
    wrong = odds / odds.sum(1, keepdims=True)
    wrong[np.arange(len(labels)), labels] -= 1
    wrong /= len(labels)
    back = (wrong @ second) * (hidden > 0)
    return np.concatenate([(back.T @ images).ravel(), back.sum(0), (wrong.T @ hidden).ravel(), wrong.sum(0)])


class Learning(TrainTest):
    def write_images(self, samples):
        """MNIST's files with random images; returns the training images and labels."""
        data = random.Random(5)
        kept = None
        for kind, count in (("t10k", 10), ("train", samples)):
            kept = data.randbytes(784 * count), bytes(data.randrange(10) for _ in range(count))
            (self.folder / f"{kind}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, count, 28, 28) + kept[0])
            (self.folder / f"{kind}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, count) + kept[1])
        return kept

    @unittest.skipUnless(np, "numpy not found")
    def test_steps_are_those_of_pytorchs_formulas_on_the_batches_that_were_asked_for(self):
        images, labels = self.write_images(40)
        images = np.frombuffer(images, np.uint8).reshape(40, 784) / 255
        labels = np.frombuffer(labels, np.uint8)
        run = ("-d", f"idx:{self.folder}", "-B", 16, "-w", 2, "-e", 2, "--input", "shuffle=off,drop_remainder=off", "--lr", 0.1,
               "--lr", "decay_epochs=1,decay_factor=0.5", "--optimizer", "weight_decay=0.05", "--checkpoint", "run:every=1,keep=0")
        for optimizer, momentum in (("momentum", 0.9), ("momentum", 0.5), ("sgd", 0)):
            with self.subTest(optimizer=optimizer, momentum=momentum):
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                record = self.record(*run, "--optimizer", optimizer, *(("--optimizer", f"momentum={momentum}") if momentum else ()))
                self.assertEqual([(e["steps"], e["samples"]) for e in record["epochs"]], [(3, 40), (3, 40)])
                self.assertEqual((record["momentum"], record["weight_decay"], record["shuffle"], record["drop_remainder"]),
                                 (momentum or None, 0.05, False, False))
                self.assertEqual(record["learning_rate_schedule"], "0.1, scaled none, warm-up 0, steps, 1:0.5")
                states = [sections(path.read_bytes()) for path in sorted((self.folder / "run").glob("step-*.ckpt"))]
                self.assertEqual(len(states), 6)
                for done, (before, after) in enumerate(zip(states, states[1:]), 1):
                    weights, moments = (np.frombuffer(before.get(name, b""), "<f4").astype(float)
                                        for name in ("weights/parameters", "optimizer/moments"))
                    batch = slice(16 * (done % 3), 16 * (done % 3) + 16)  # the third has 8
                    step = mlp_gradients(weights, images[batch], labels[batch]) + 0.05 * weights
                    if momentum:
                        step += momentum * moments
                    expected = weights - (0.1 if done < 3 else 0.05) * step
                    got = np.frombuffer(after["weights/parameters"], "<f4")
                    self.assertLess(abs(got - expected).max(), 2e-6 * abs(expected).max() + 1e-7)

    def test_the_rate_drops_at_the_epochs_that_were_given(self):
        def schedule(*arguments):
            return self.record(*SMALL, "--steps", 2, *arguments)["learning_rate_schedule"]
        self.assertEqual(schedule(), "0.05, scaled none, warm-up 0, constant")
        self.assertEqual(schedule("--lr", "decay=steps"), "0.05, scaled none, warm-up 0, steps, 3:0.1, 7:0.01")
        self.assertEqual(schedule("--lr", "decay_factor=0.5"), "0.05, scaled none, warm-up 0, steps, 3:0.5, 7:0.25")
        self.assertEqual(schedule("--lr", "decay_epochs=1,2.5,decay_factor=0.5"), "0.05, scaled none, warm-up 0, steps, 1:0.5, 2.5:0.25")

    def test_the_cosine_ends_with_the_last_step(self):
        def schedule(*arguments):  # of 20 steps per epoch
            return self.record(*SMALL, "--lr", "decay=cosine", *arguments)["learning_rate_schedule"]
        for arguments, epochs in ((("--steps", 5), "0.25"), (("--steps", 30), "1.5"), (("-e", 2), "2"), (("-e", 2, "--steps", 10), "0.5"),
                                  (("-e", 2, "--steps", 50), "2")):
            with self.subTest(arguments=arguments):
                self.assertEqual(schedule(*arguments), f"0.05, scaled none, warm-up 0, cosine, {epochs} epochs")
        self.arlab("train", *SMALL, "--steps", 20, "--lr", "decay=cosine", "--tensorboard", "events")
        [path] = (self.folder / "events").iterdir()
        lines = subprocess.run([sys.executable, "-B", READ_EVENTS, path], check=True, capture_output=True, text=True).stdout.splitlines()
        [rate] = [float(line.split()[-1]) for line in lines if line.startswith("step 19 scalar batch/learning_rate ")]
        self.assertAlmostEqual(rate, 0.05 * (1 + math.cos(math.pi * 19 / 20)) / 2, delta=1e-6)

    def test_the_order_of_samples_has_a_seed_of_its_own(self):
        def first_loss(*arguments):
            return self.record(*SMALL, "--steps", 5, *arguments)["epochs"][0]["loss"]
        self.assertEqual(first_loss("--input", "shuffle_seed=1"), first_loss())
        self.assertEqual(len({first_loss(), first_loss("--input", "shuffle_seed=2"), first_loss("--input", "shuffle=off")}), 3)

    def test_the_last_batch_may_be_smaller(self):
        data = ("--data", "samples=100", "-B", 32, "-w", 3)
        self.assertEqual([(e["steps"], e["samples"]) for e in self.record(*data)["epochs"]], [(3, 96)])
        for more in ((), ("-s", "fsdp"), ("-s", "local_sgd:every=2"), ("-s", "async_parameter_server")):
            with self.subTest(more=more):
                record = self.record(*data, "--input", "drop_remainder=off", "-e", 2, *more)
                self.assertEqual([(e["steps"], e["samples"]) for e in record["epochs"]], [(4, 100), (4, 100)])
        out, _ = self.arlab("train", *data, "--input", "drop_remainder=off", "--dry-run")
        self.assertRegex(out, r"\| +32 \| 10 to 11 +\| +4 \| +1 \|")
        _, err = self.arlab("train", "-m", "resnet50", "--compute", "sync_bn=on", "--data", "samples=33", "-B", 16, "-w", 2, "--input", "drop_remainder=off", code=2)
        self.assertIn("--compute sync_bn needs equal batches on all workers, and the last 1 of 33 samples cannot be divided by 2", err)

    def test_old_names_work(self):
        old = ("--shuffle", "off", "--drop-last=off", "--prefetch", 4, "--data", "samples=100", "-B", 32, "-b", "virtual", "--bandwidth", "1G")
        new = ("--input", "shuffle=off,drop_remainder=off,prefetch=4", "--data", "samples=100", "-B", 32, "-b", "virtual", "--network", "1G")
        (told, err), (untold, _) = (self.arlab("train", *words, "--dry-run") for words in (old, new))
        self.assertEqual(told, untold)
        for note in ("--shuffle is now --input shuffle=off", "--drop-last is now --input drop_remainder=off",
                     "--prefetch is now --input prefetch=4", "--bandwidth is now --network"):
            self.assertIn(f"note: {note}\n", err)
        _, err = self.arlab("train", *SMALL, "--steps", 2, "--checkpoint", "run", "--keep", 1, "--best-only")
        self.assertIn("note: --keep is now --checkpoint keep=1\nnote: --best-only is now --checkpoint=best_only=on\n", err)

    def test_the_warm_up_of_the_rate_had_another_name(self):
        _, err = self.arlab("train", *SMALL, "--warmup", 1, "--lr", "scaling=linear")
        self.assertEqual(err, "note: --warmup is now --lr warmup=1\n")
        out, _ = self.arlab("train", "--help")
        self.assertIn("warmup=0", out)
        self.assertNotIn("--warmup ", out)
        _, err = self.arlab("train", *SMALL, "--warmup", 1, "--lr", "warmup=1", code=2)
        self.assertIn("--lr: 'warmup' is set twice", err)

    def test_the_threads_that_make_batches_are_said_and_change_nothing(self):
        seen = set()
        for threads in ("1", "3", "auto"):
            out, _ = self.arlab("train", *SMALL, "-e", 2, "--input", f"augment=on,threads={threads}", "--json", "a.jsonl")
            [record] = program.parse(self.read("a.jsonl"))[1]
            seen.add(str(losses(record)))
            number = record["input_threads"]
            self.assertEqual(number if threads == "auto" else str(number), number if threads == "auto" else threads)
            self.assertIn(f"Batches were made by {number} thread{'s' if number > 1 else ''} per worker", out)
        self.assertEqual(len(seen), 1)
        self.assertIsNone(self.record(*SMALL, "--input", "prefetch=0")["input_threads"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
