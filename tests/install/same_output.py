"""What a program made for another machine prints, beside the native one: byte for byte.

The first two arguments of the test are BUILD, which holds the native program, and SOURCE, the checkout.
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
NATIVE = BUILD / "bench/arlab"

# Files that commands read and write are in the current folder; {source} is the checkout.
COMMANDS = """
list algorithms
list topologies --json
show ring -p 4
show topology torus:dims=4x4
verify all -p 1..16+1
verify ring -p 3 -c broadcast
count ring -p 7 -n 1000
count all -p 2..16 -s 1K..1M --csv -
simulate all -p 2..64 -s 1K,1M
simulate ring -p 256 -s 1M
simulate all -p 16 -s 1M --network torus:dims=4x4
simulate ring,tree -p 16 -s 1M --network dragonfly
simulate ring,tree -p 16 -s 64K --network packet:topology=torus
simulate all -p 9 -s 1..1M --network loggops:L=5us
simulate ring,butterfly,tree -p 8 -s 1M --json simulated.jsonl
bound torus:dims=8x8
validate {source}/tests/validation
plan -m profile:bert-large --gpus 8..512x4
export ring -p 8
export tree -p 16 -s 1M --format perfetto
export ring -p 4 --format msccl -o written.xml
export butterfly -p 16 -s 1M --format ti -o new/folder/trace.txt
compare {source}/tests/plots/sample.jsonl {source}/tests/plots/sample.jsonl
report {source}/tests/plots/sample.jsonl -o page.html
explore -o explorer.html
help simulate
manual plan
completion bash
count rign
count ring -p 8..2
simulate ring --network alpha_beta:alpha=fast
report missing.jsonl
export ring -o /proc/none/trace.json
""".strip().splitlines()
# What is different by nature: when, where, and by what a record was written.
OF_THE_PLACE = ("version", "commit", "date", "host", "cpu", "compiler", "build", "governor", "launch", "mpi", "command")


def said(*words, **more):
    done = subprocess.run(list(map(str, words)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}")
    return done.stdout


class SameOutput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory(prefix="arlab-same-")
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        cls.folder.chmod(0o755)
        cls.environment = {**os.environ, "ARLAB_PROGRESS": "off"}
        cls.numbers = itertools.count()

    def run_in(self, program, words, where, **more):
        """Status, what was printed, and the files that were written."""
        where.mkdir(exist_ok=True)
        words = [word.format(source=SOURCE) for word in words.split()]
        done = subprocess.run([*program, *words], cwd=where, env=self.environment, capture_output=True, check=False, timeout=600, **more)
        files = {str(path.relative_to(where)): self.comparable(path) for path in sorted(where.rglob("*")) if path.is_file()}
        return {"status": done.returncode, "stdout": done.stdout, "stderr": done.stderr, "files": files}

    @staticmethod
    def comparable(path):
        if path.suffix != ".jsonl":
            return path.read_bytes()
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [{key: value for key, value in record.items() if key not in OF_THE_PLACE} for record in records]

    def check_same(self, program, commands, **more):
        for words in commands:
            with self.subTest(command=words):
                number = next(self.numbers)
                native = self.run_in([NATIVE], words, self.folder / f"native {number}", **more)
                here = self.run_in(program, words, self.folder / f"here {number}", **more)
                for key, value in native.items():
                    self.assertTrue(here[key] == value, f"{key} of arlab {words}:\n{str(here[key])[:2000]}\nnative:\n{str(value)[:2000]}")


def run_tests():
    """Runs the tests of the script. Status 77 if something is missing for all of them."""
    result = unittest.main(exit=False, verbosity=2).result
    sys.exit(77 if result.testsRun == 0 and result.skipped and result.wasSuccessful() else not result.wasSuccessful())
