#!/usr/bin/env python3
"""The program for 64-bit Arm, by qemu-user: it prints what the native one prints, byte for byte, and runs over threads.

    aarch64.py BUILD SOURCE [TEST...]

BUILD holds the native program. ARLAB_AARCH64 names the folder of the other build, of preset `aarch64`; otherwise it is made here,
which takes minutes. Status 77 where something is missing.
"""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import same_output
from same_output import BUILD, COMMANDS, SOURCE, said

COMPILER = "aarch64-linux-gnu-g++"
QEMU = "qemu-aarch64"


def setUpModule():
    if not shutil.which(QEMU):
        raise unittest.SkipTest(f"no {QEMU}: apt install qemu-user")
    if "ARLAB_AARCH64" not in os.environ and not shutil.which(COMPILER):
        raise unittest.SkipTest(f"no {COMPILER}: docs/start/install.md says what to install; or name a build folder in ARLAB_AARCH64")


def built():
    said("cmake", "--preset", "aarch64", "-B", BUILD / "aarch64", cwd=SOURCE)
    said("cmake", "--build", BUILD / "aarch64", "--target", "arlab")
    return BUILD / "aarch64"


class Program(same_output.SameOutput):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        given = os.environ.get("ARLAB_AARCH64")
        cls.file = (pathlib.Path(given).resolve() if given else built()) / "bench/arlab"
        cls.program = [QEMU, cls.file]

    def test_it_needs_no_shared_library(self):
        head = said("readelf", "-h", "-d", self.file)
        self.assertIn("AArch64", head)
        self.assertNotIn("(NEEDED)", head)

    def test_it_prints_what_the_native_program_prints(self):
        # The explorer's module holds names of the folder that it was built in.
        self.check_same(self.program, [words for words in COMMANDS if not words.startswith("explore")])
        self.assertEqual(self.run_in(self.program, "explore -o page.html", self.folder / "explorer")["status"], 0)

    def test_it_runs_over_threads(self):
        records = self.folder / "run.jsonl"
        said(*self.program, "run", "ring,butterfly", "-p", "3", "-s", "4,64K", "--time", "1ms", "--json", records, env=self.environment)
        rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
        self.assertEqual([row["wrong"] for row in rows if row.get("algorithm") in ("ring", "butterfly")], [0] * 4)

    def test_a_reader_that_ends_early_ends_it_silently(self):
        command = f'"{QEMU}" "{self.file}" verify all -p 2..16 | head -1; echo "${{PIPESTATUS[0]}}"'
        done = subprocess.run(["bash", "-c", command], env=self.environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn(done.stdout.split()[-1], ("0", "141"))


if __name__ == "__main__":
    same_output.run_tests()
