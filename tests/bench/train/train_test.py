"""What tests of arlab train share: they run in copies of a process that has loaded LibTorch."""

import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import program  # noqa: E402

MPIEXEC = os.environ.get("MPIEXEC", "")
SMALL = ("--data", "samples=640", "-B", 32)  # 20 steps an epoch
JOB = {**program.ALONE, **{name: value for name, value in os.environ.items() if name.startswith("OMPI_")}}


def losses(record):
    return [(e["loss"], e["accuracy"], e["validation_loss"]) for e in record["epochs"]]


class TrainTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.lines = subprocess.Popen([os.environ["TRAIN_LINES"]], env=program.ALONE, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.lines.communicate()
        super().tearDownClass()

    def record(self, *arguments):
        records = self.records("train", *arguments)
        self.assertEqual(len(records), 1)
        return records[0]

    def mpirun(self, ranks, *arguments):
        return subprocess.run([MPIEXEC, "-n", str(ranks), *self.command("train", *arguments)], cwd=self.folder, env=JOB,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def arlab(self, *arguments, code=0):
        """As ProgramTest.arlab, but in a copy of a process that has loaded LibTorch, which takes longer than most of the runs."""
        self.assertEqual(arguments[0], "train")
        status, out, err = self.copy(*arguments[1:])
        self.assertEqual(status, code, f"{arguments}\n{out}\n{err}")
        return out, err

    def copy(self, *words):
        line = {"folder": str(self.folder), "words": [str(word) for word in words]}
        self.lines.stdin.write(json.dumps(line) + "\n")
        self.lines.stdin.flush()
        answer = json.loads(self.lines.stdout.readline())
        return answer["status"], answer["stdout"], answer["stderr"]

    def each(self, lines):
        """Trains with each line's arguments, few samples unless it has data of its own. Yields (status, stdout, stderr)."""
        for line in lines:
            yield self.copy(*(() if "idx:" in line else SMALL), *line.split())

    def latest(self, folder):
        return sorted((self.folder / folder).glob("step-*.ckpt"))[-1].read_bytes()

    def wait_for_a_checkpoint(self, folder, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if list((self.folder / folder).glob("step-*.ckpt")):
                return
            time.sleep(0.01)
        self.fail(f"no checkpoint: {process.communicate()}")
