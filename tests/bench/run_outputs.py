"""Outputs are whole: a full disk, an error or a kill leaves the file that was there, of every command that writes one."""

import csv
import json
import os
import pathlib
import resource
import signal
import stat
import sys
import time
import unittest

import program

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "plots"))
from charts import whole_files  # noqa: E402

# Words of commands, and the option that names the output; each writes more than LIMIT bytes.
LIMIT = 64
WRITERS = [(["list", "algorithms"], "-o"), (["show", "ring", "-p", "4"], "-o"), (["show", "ring", "-p", "4", "--numerics"], "-o"),
           (["show", "topology", "ring", "-p", "8"], "-o"),
           (["count", "ring", "-p", "4"], "-o"), (["verify", "ring", "-p", "4"], "-o"), (["simulate", "ring", "-p", "4"], "-o"),
           (["simulate", "ring", "-p", "4", "--dry-run"], "-o"), (["run", "ring", "-p", "2", "-s", "1K", "--runs", "3"], "-o"),
           (["calibrate", "-b", "threads", "-p", "2", "--time", "1ms", "--time", "largest=64K"], "-o"),
           (["report", "a.jsonl"], "-o"), (["explore"], "-o"), (["compare", "a.jsonl", "a.jsonl"], "-o"),
           *[(["export", "ring", "-p", "4", "--format", form], "-o") for form in ("json", "msccl", "ti", "goal", "perfetto")],
           (["tune", "--network", "alpha_beta", "-p", "4", "-s", "1K,1M"], "-o"),
           (["tune", "--network", "alpha_beta", "-p", "4", "-s", "1K,1M"], "--table"),
           (["tune", "--network", "alpha_beta", "-p", "4", "-s", "1K,1M"], "--open-mpi"),
           (["plan", "-m", "profile:resnet50", "--gpus", "4"], "--trace")]

NCCL_LOG = """node1:71:71 [0] NCCL INFO NCCL version 2.27.5+cuda12.9
node1:71:99 [0] NCCL INFO comm 0x55 rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
node1:71:71 [0] NCCL INFO AllReduce: 65536 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..15}
"""


class Outputs(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.arlab("simulate", "ring", "-p", "4", "--json", "a.jsonl")

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def limited(self, *arguments):
        """Runs a command whose files cannot grow beyond LIMIT bytes, as on a full disk. Returns its status and stderr."""
        return self.unlimited(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT)))

    def unlimited(self, *arguments, **options):
        with self.start(*arguments, **options) as process:
            _, err = process.communicate(timeout=120)
        return process.returncode, err

    def test_a_full_disk_leaves_the_old_file(self):
        for words, option in WRITERS:
            with self.subTest(words=" ".join(words), option=option):
                (self.folder / "out").write_text("precious", encoding="utf-8")
                before = self.names()
                status, err = program.until_quiet(20, self.limited, *words, option, "out")
                self.assertEqual(status, 3, err)
                self.assertRegex(err, r"cannot write \S.* \(File too large\)")
                self.assertEqual(self.read("out"), "precious")
                self.assertEqual(self.names(), before)
                status, err = program.until_quiet(20, self.unlimited, *words, option, "out")
                self.assertEqual(status, 0, err)
                self.assertNotEqual(self.read("out"), "precious")
                self.assertEqual(self.names(), before)

    def test_records_on_stdout_are_alone_beside_a_table_in_a_file(self):
        (self.folder / "nccl.log").write_text(NCCL_LOG, encoding="utf-8")
        for words in (["count", "ring", "-p", "4"], ["verify", "ring", "-p", "4"],
                      ["simulate", "ring,tree", "-p", "4", "-s", "1K", "--network", "fluid:topology=crossbar"],
                      ["simulate", "native", "-p", "8", "-s", "1K,1M", "--network", "nccl:gpu=h100"],
                      ["run", "ring", "-p", "2", "-s", "1K", "--runs", "3"], ["identify", "--nccl-log", "nccl.log"]):
            with self.subTest(words=" ".join(words)):
                out, _ = self.arlab(*words, "--json", "-", "-o", "table")
                context, *records = map(json.loads, out.splitlines())
                self.assertEqual(context["kind"], "context")
                self.assertTrue(records)
                self.assertIn("|", self.read("table"))
        out, _ = self.arlab("simulate", "ring,tree", "-p", "4", "-s", "1K", "--csv", "-", "-o", "table")
        self.assertEqual([row["algorithm"] for row in csv.DictReader(out.splitlines(), strict=True)], ["ring", "tree"])

    def test_links_and_modes_stay(self):
        target, link = self.folder / "target", self.folder / "link"
        target.write_text("old", encoding="utf-8")
        target.chmod(0o640)
        link.symlink_to("target")
        self.arlab("list", "models", "-o", "link")
        self.assertTrue(link.is_symlink())
        self.assertIn("alpha_beta", target.read_text(encoding="utf-8"))
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)

    def test_stdout_by_other_names(self):
        want, _ = self.arlab("show", "ring", "-p", "4")
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            out, _ = self.arlab("show", "ring", "-p", "4", "-o", name)
            self.assertEqual(out, want)
            with open(self.folder / "all", "w", encoding="utf-8") as all_of_it:  # a file, with what was there before
                all_of_it.write("before\n")
                all_of_it.flush()
                with self.started_into(all_of_it, "show", "ring", "-p", "4", "-o", name) as process:
                    self.assertEqual(process.wait(timeout=60), 0)
            self.assertEqual(self.read("all"), "before\n" + want)

    def started_into(self, file, *arguments):
        return program.subprocess.Popen(self.command(*arguments), cwd=self.folder, env=program.ALONE, stdout=file,
                                        stderr=program.subprocess.DEVNULL)

    def test_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        with self.start("list", "models", "-o", "pipe") as process:
            text = self.read("pipe")
            process.communicate(timeout=60)
        self.assertIn("alpha_beta", text)
        self.assertEqual(process.returncode, 0)

    def test_an_error_leaves_the_old_file(self):
        (self.folder / "out").write_text("precious", encoding="utf-8")
        self.arlab("show", "topology", "ring:hosts=x", "-o", "out", code=2)
        self.assertEqual(self.read("out"), "precious")

    def test_charts(self):
        path = self.folder / "chart.svg"
        path.write_text("old", encoding="utf-8")
        path.chmod(0o600)
        with self.assertRaises(KeyError), whole_files.replacing(path) as new:
            new.write_text("half", encoding="utf-8")
            self.assertEqual(path.read_text(encoding="utf-8"), "old")
            raise KeyError
        self.assertEqual(path.read_text(encoding="utf-8"), "old")
        whole_files.write_text(path, "whole")
        self.assertEqual(path.read_text(encoding="utf-8"), "whole")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        with self.assertRaises(OSError) as caught:
            whole_files.write_text(path / "below", "x")
        self.assertEqual(caught.exception.filename, str(path / "below"))
        self.assertEqual(self.names(), ["a.jsonl", "chart.svg"])


class Temporary(program.ProgramTest):
    """SIGTERM, SIGINT, SIGHUP, and a closed pipe remove temporary folders, and end the processes that a command has started."""

    def children(self, marker):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if marker in (entry / "environ").read_bytes() and "Z" not in (entry / "stat").read_text().rsplit(")", 1)[1][:3]:
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def test_signals(self):
        (self.folder / "tmp").mkdir()
        environment = {**program.ALONE, "TMPDIR": str(self.folder / "tmp")}
        commands = [["run", "ring", "-p", "2", "-s", "1K", "--launches", "99", "-b", "threads"],
                    ["tune", "--network", "alpha_beta", "-p", "512..4096x2", "-s", "1K..1G"],
                    ["run", "ring", "-p", "2", "-s", "1K", "--launches", "99", "--launches", "launcher=./slow.sh {}"]]
        (self.folder / "slow.sh").write_text("#!/bin/sh\nsleep 60\n:\n", encoding="utf-8")
        (self.folder / "slow.sh").chmod(0o755)
        for words in commands:
            for what in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                with self.subTest(words=words, what=what.name):
                    def usual(number=what):
                        signal.signal(number, signal.SIG_DFL)

                    process = program.subprocess.Popen(self.command(*words), cwd=self.folder, env=environment, preexec_fn=usual,
                                                       stdout=program.subprocess.DEVNULL, stderr=program.subprocess.DEVNULL)
                    end = time.monotonic() + 60
                    while not list((self.folder / "tmp").iterdir()) and process.poll() is None and time.monotonic() < end:
                        time.sleep(0.01)
                    time.sleep(0.2)
                    self.assertIsNone(process.poll())
                    process.send_signal(what)
                    self.assertEqual(process.wait(timeout=60), -what)
                    self.assertEqual(list((self.folder / "tmp").iterdir()), [])
                    self.assertEqual(self.children(f"TMPDIR={self.folder / 'tmp'}".encode()), [])

    def test_a_closed_pipe(self):
        (self.folder / "tmp").mkdir()
        process = program.subprocess.Popen(self.command("tune", "ring,tree", "-p", "4", "-s", "1K", "--network", "10G"), cwd=self.folder,
                                           env={**program.ALONE, "TMPDIR": str(self.folder / "tmp")}, stderr=program.subprocess.DEVNULL,
                                           stdout=program.subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), -signal.SIGPIPE)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_an_ignored_signal_stays_ignored(self):
        with self.start("run", "ring", "-p", "2", "-s", "1K", "--runs", "3", "--launches", "3", "-b", "threads",
                        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            time.sleep(0.3)
            process.send_signal(signal.SIGHUP)
            _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
