#!/usr/bin/env python3
"""The npm package, installed from its tarball: what the program in WebAssembly prints is what the native one prints, byte for byte.

    npm.py BUILD SOURCE [TEST...]

BUILD holds the native program. ARLAB_NPM names the tarball; otherwise it is built here, which needs Emscripten 3.1.60 and takes
minutes. ARLAB_NODES="node /opt/node18/bin/node" also runs others than the first node of the PATH. With ARLAB_TIMES=1 the times are
compared, too, which means something beside a native program of preset release or demo. Status 77 where something is missing.
"""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import unittest

import same_output
from same_output import BUILD, COMMANDS, NATIVE, SOURCE, said

OLDEST = (3, 1, 60)
SLOWEST = 3  # times the native program's time
NODES = os.environ.get("ARLAB_NODES", "node").split()
NOBODY = 65534

# On one core, since WebAssembly has no threads.
TIMED = ("verify all -p 2..64", "simulate ring -p 256 -s 1M", "simulate all -p 2..512 -s 1K..1M --jobs 1", "bound torus:dims=8x8",
         "validate {source}/tests/validation", "plan -m profile:bert-large --gpus 8..512x4", "list algorithms")


def missing_to_build():
    """Why the package cannot be built here, or None."""
    if not shutil.which("emcmake"):
        return "no emcmake: install Emscripten, such as Debian 13's package emscripten, or name a tarball in ARLAB_NPM"
    version = re.search(r"\b(\d+)\.(\d+)\.(\d+)\b", said("emcc", "--version"))
    if tuple(map(int, version.groups())) < OLDEST:
        return f"Emscripten {version[0]} is older than {'.'.join(map(str, OLDEST))}: install a newer one, or name a tarball in ARLAB_NPM"
    if "ARLAB_PUGIXML_SOURCE" not in os.environ:
        return "ARLAB_PUGIXML_SOURCE does not name the folder of pugixml.cpp, which `apt-get source pugixml` brings"
    return None


def built(folder):
    """The tarball of a build here, with the native build's module of the explorer."""
    module = BUILD / "plots/explorer/arlab.wasm"
    said("emcmake", "cmake", "--preset", "npm", "-B", BUILD / "npm", f"-DARLAB_PUGIXML_SOURCE={os.environ['ARLAB_PUGIXML_SOURCE']}",
         f"-DARLAB_WASM={module if module.exists() else 'OFF'}", cwd=SOURCE)
    said("cmake", "--build", BUILD / "npm", "--target", "arlab_npm")
    said("npm", "pack", "--pack-destination", folder, BUILD / "npm/package")
    [tarball] = folder.glob("arlab-*.tgz")
    return tarball


def setUpModule():
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            raise unittest.SkipTest(f"no {tool}: install Node 18 or newer with npm")
    if "ARLAB_NPM" not in os.environ and (reason := missing_to_build()):
        raise unittest.SkipTest(reason)


class Package(same_output.SameOutput):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        given = os.environ.get("ARLAB_NPM")
        cls.tarball = pathlib.Path(given).resolve() if given else built(cls.folder)
        cls.environment |= {"npm_config_cache": str(cls.folder / "cache"), "npm_config_update_notifier": "false"}
        cls.home = cls.folder / "with spaces in it"
        cls.home.mkdir()
        (cls.home / "package.json").write_text('{"private": true}')
        said("npm", "install", "--offline", "--no-audit", "--no-fund", cls.tarball, cwd=cls.home, env=cls.environment)
        cls.script = cls.home / "node_modules/arlab/bin/arlab.js"

    def test_each_node_prints_what_the_native_program_prints(self):
        self.assertGreater(len(COMMANDS), 20)
        for node in NODES:
            with self.subTest(node=said(node, "--version").strip()):
                self.check_same([node, self.script], COMMANDS)

    def test_npx_runs_the_tarball_and_the_installed_package(self):
        once = ["npx", "--yes", "--offline", "--package", self.tarball, "arlab"]
        self.check_same(once, ["verify ring -p 2..16", "count rign"])
        installed = self.home / "node_modules/.bin/arlab"
        self.check_same([installed], ["verify ring -p 2..16"])
        done = subprocess.run(["npx", "--no-install", "arlab", "list", "types"], cwd=self.home, env=self.environment, capture_output=True, check=True)
        self.assertIn(b"bfloat16", done.stdout)

    def test_a_folder_without_write_permission(self):
        if os.getuid() != 0:
            self.skipTest("only root can run commands as a user who may write nothing here")
        shut = self.folder / "shut"
        shut.mkdir()
        run = subprocess.run
        for words in ("verify ring -p 2..16", "simulate ring -p 8 --json simulated.jsonl", "export ring -o ring.json", "explore"):
            both = [run([*map(str, program), *words.split()], cwd=shut, env=self.environment, user=NOBODY, capture_output=True, check=False)
                    for program in ([NATIVE], [shutil.which(NODES[0]), self.script])]
            self.assertEqual(*((done.returncode, done.stdout, done.stderr) for done in both), words)
        self.assertEqual(list(shut.iterdir()), [])

    def test_a_reader_that_ends_early_ends_it_silently(self):
        command = f'"{NODES[0]}" "{self.script}" simulate all -p 2..64 -s 4..1M | head -1; echo "${{PIPESTATUS[0]}}"'
        done = subprocess.run(["bash", "-c", command], env=self.environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn(done.stdout.split()[-1], ("0", "141"))

    def test_standard_input_and_variables_arrive(self):
        self.check_same([NODES[0], self.script], ["verify ring --config /dev/stdin"], input=b'[verify]\nranks = "2..8"\n')
        said(NODES[0], self.script, "list", "types", env={**self.environment, "COLUMNS": "40"})

    def test_what_it_cannot_do_says_so(self):
        for words, reason in (("run ring -p 2", "WebAssembly has no threads"), ("chart results.jsonl", "WebAssembly starts none"),
                              ("train", "WebAssembly lacks"), ("verify file:mine.py", "WebAssembly starts none"), ("hunt -p 4", "WebAssembly has no threads")):
            done = self.run_in([NODES[0], self.script], words, self.folder / "refused")
            self.assertEqual((done["status"], done["stdout"]), (3, b""), words)
            self.assertRegex(done["stderr"].decode(), rf"^error: .*{reason}.*: use the native program", words)
        self.assertIn("WebAssembly starts none", said(NODES[0], self.script, "doctor"))

    def test_it_takes_at_most_three_times_as_long(self):
        print(f"{self.tarball.name}: {self.tarball.stat().st_size} bytes")
        if not os.environ.get("ARLAB_TIMES"):
            self.skipTest("ARLAB_TIMES is not set")
        for words in TIMED:
            took = []
            for program in ([NATIVE], [NODES[0], self.script]):
                seconds = []
                for _ in range(5):
                    began = time.perf_counter()
                    self.assertEqual(self.run_in(program, words, self.folder / "timed")["status"], 0)
                    seconds.append(time.perf_counter() - began)
                took.append(statistics.median(seconds))
            print(f"arlab {words}: native {took[0]:.3f} s, here {took[1]:.3f} s, {took[1] / took[0]:.2f} times")
            if took[0] > 1:  # Node and the program need a while to start
                self.assertLess(took[1] / took[0], SLOWEST, words)


if __name__ == "__main__":
    same_output.run_tests()
