"""bench/cluster/emulate: an emulated cluster comes up, is as slow as it says, loses a host, and goes without a trace.

Skipped with the reason where this machine allows no network namespaces.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

import program

EMULATE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "cluster" / "emulate"
NAME = f"arlabtest{os.getpid()}"  # beside a cluster that someone uses


def lacking():
    """Returns why this machine cannot emulate a cluster, or an empty text."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for name in ("ip", "tc", "mpirun"):
        if not shutil.which(name):
            return f"the program {name} was not found"
    if "Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout:
        return "mpirun is not Open MPI's"
    for words in (["netns", "add", "arlabtry"], ["-n", "arlabtry", "link", "add", "name", "b0", "type", "bridge"]):
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            subprocess.run(["ip", "netns", "del", "arlabtry"], capture_output=True, check=False)
            return f"network namespaces are not allowed here: {done.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", "arlabtry"], check=False)
    return ""


class Emulate(program.ProgramTest):
    def emulate(self, *words, code=0, path=None):
        environment = {**program.ALONE, "ASAN_OPTIONS": "detect_leaks=0", "ARLAB_EMULATE_NAME": NAME, "PATH": path or os.environ["PATH"]}
        done = subprocess.run([sys.executable, "-B", EMULATE, *map(str, words)], cwd=self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def text(self, name):
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def test_wrong_usage_is_refused_before_anything_is_made(self):
        for line, message in (("up --hosts 1", "--hosts is 1: give 2 to 64"), ("up --rate 50", "--rate is '50'"),
                              ("up --rate=-5mbit", "--rate is '-5mbit'"), ("up --hosts 8 --leaves 3", "--leaves is 3"),
                              ("up --hosts 8 --leaves 2 --taper 5", "--taper is 5"), ("up --hosts 8 --taper 2", "--taper and --interleaved need --leaves")):
            with self.subTest(line=line):
                _, err = self.emulate(*line.split(), code=2)
                self.assertIn(f"error: {message}", err)

    def test_predictions_need_a_cluster(self):
        if os.geteuid() == 0 and shutil.which("ip") and shutil.which("tc"):
            self.emulate("down")
            _, err = self.emulate("predict", program.ARLAB, code=2)
            self.assertIn("error: no cluster is up", err)

    @unittest.skipIf(lacking(), lacking())
    def test_a_cluster_comes_up_runs_loses_a_host_and_goes(self):
        self.addCleanup(self.emulate, "down")
        out, _ = self.emulate("up", "--hosts", 4, "--rate", "20mbit", "--leaves", 2, "--taper", 2)
        topology = out.splitlines()[0]
        self.assertEqual(topology, "leaf_spine:leaves=2,spines=1,hosts=2,oversubscription=2,bandwidth=20Mbps")
        self.assertIn("10 Mbit/s per host", self.arlab("show", "topology", topology)[0])
        _, err = self.emulate("up", code=2)
        self.assertIn("a cluster is up already", err)

        self.emulate("run", "-n", 2, *self.command("run", "ring", "-s", "64K", "--time", "0", "--json", "a.jsonl"))
        [record] = [json.loads(line) for line in self.read("a.jsonl").splitlines() if '"algorithm":"ring"' in line]
        self.assertEqual((record["ranks"], record["wrong"]), (2, 0))
        least = 2 * 32768 * 8 / 20  # us: two rounds of half the vector, one after the other
        self.assertGreater(record["time_us"]["median"], 0.8 * least)  # the bucket holds a little at first

        # The network goes down amid a run: the others give up, and keep what was measured.
        command = self.command("run", "ring", "-s", "4K,2M", "--time", "0", "--timeout", "3s", "--json", "b.jsonl")
        environment = {**program.ALONE, "ASAN_OPTIONS": "detect_leaks=0", "ARLAB_EMULATE_NAME": NAME}
        with subprocess.Popen([sys.executable, "-B", EMULATE, "run", "-n", "3", *command], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
            deadline = time.monotonic() + 60
            while '"algorithm":"ring"' not in self.text("b.jsonl") and time.monotonic() < deadline:
                time.sleep(0.02)
            self.emulate("cut", 1)
            _, err = job.communicate(timeout=120)
        self.assertEqual(job.returncode, 3, err)
        self.assertRegex(err, r"error: .*(nothing has arrived|has not returned|waits for)")
        [record] = [json.loads(line) for line in self.read("b.jsonl").splitlines() if '"algorithm":"ring"' in line]
        self.assertEqual((record["bytes"], record["wrong"]), (4096, 0))
        self.emulate("mend", 1)
        self.emulate("run", "-n", 3, *self.command("run", "ring", "-s", "4K", "--time", "0"))

    @unittest.skipIf(lacking(), lacking())
    def test_hosts_may_have_several_processes(self):
        self.addCleanup(self.emulate, "down")
        self.emulate("up", "--hosts", 2, "--rate", "20mbit")
        script = "echo $OMPI_COMM_WORLD_RANK on $(hostname)"
        for words, hosts in ((("--per-host", 2), "0011"), (("--per-host", 2, "--round-robin"), "0101"), (("--per-host", 2, "-n", 3), "001")):
            out, _ = self.emulate("run", *words, "sh", "-c", script)
            self.assertEqual("".join(host for _, host in sorted(re.findall(r"(\d+) on host(\d)", out))), hosts, out)
        for words, message in ((("--per-host", 0), "--per-host is 0: give 1 to 64"), (("--per-host", 2, "-n", 5), "-n is 5: give 1 to 4, 2 ranks per host")):
            _, err = self.emulate("run", *words, "true", code=2)
            self.assertIn(f"error: {message}", err)

    @unittest.skipIf(lacking(), lacking())
    def test_another_job_sends_until_the_host_is_mended(self):
        self.addCleanup(self.emulate, "down")
        self.emulate("up", "--hosts", 3, "--rate", "40mbit")

        def received():
            done = subprocess.run(["ip", "-n", f"{NAME}-host2", "-s", "-j", "link", "show", "data"], capture_output=True, text=True, check=True)
            return json.loads(done.stdout)[0]["stats64"]["rx"]["bytes"]

        def processes():
            return "".join(subprocess.run(["ip", "netns", "pids", f"{NAME}-host{host}"], capture_output=True, text=True, check=True).stdout for host in range(3))

        self.emulate("stream", 1, 2)
        before, deadline = received(), time.monotonic() + 60
        while received() < before + 1_000_000 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertGreaterEqual(received(), before + 1_000_000)
        self.emulate("mend", 0)  # has none
        self.assertEqual(len(processes().split()), 2)
        self.emulate("mend", 2)
        self.assertEqual(processes(), "")
        for words, message in (((1, 2, "--window", "0"), "--window is '0'"), ((1, 1), "host 1 would send to itself"), ((1, 3), "host 3 does not exist: give 0 to 2"), ((-1, 2), "host -1 does not exist")):
            _, err = self.emulate("stream", *words, code=2)
            self.assertIn(f"error: {message}", err)

    @unittest.skipIf(lacking(), lacking())
    def test_a_host_may_be_slow_and_lose_packets(self):
        self.addCleanup(self.emulate, "down")
        self.emulate("up", "--hosts", 2, "--rate", "40mbit")

        def time_of_a_ring(size="256K"):
            self.emulate("run", *self.command("run", "ring", "-s", size, "--runs", "3", "--json", "a.jsonl"))
            return next(json.loads(line)["time_us"]["median"] for line in self.read("a.jsonl").splitlines() if '"algorithm":"ring"' in line)

        def rules():
            return subprocess.run(["ip", "netns", "exec", f"{NAME}-switches", "nft", "list", "ruleset"], capture_output=True, text=True, check=True).stdout

        usual = time_of_a_ring()
        self.emulate("slow", 1, "--rate", "10mbit")
        slowed = time_of_a_ring()
        self.assertGreater(slowed, 2.5 * usual)
        if shutil.which("nft"):
            self.emulate("slow", 1, "--loss", 2)
            self.assertRegex(rules(), r'iifname "data1" numgen random mod 10000 < 200 drop')
        if shutil.which("c++"):
            self.emulate("slow", 1, "--delay", "10ms")
            self.assertGreater(time_of_a_ring("8"), 19_000)  # us: two rounds of messages
        self.emulate("mend", 1)
        self.assertLess(time_of_a_ring(), slowed / 2)
        if shutil.which("nft"):
            self.assertNotIn("drop", rules())
        for words, message in (((1,), "give --rate, --loss, or --delay"), ((1, "--loss", 0), "--loss is 0: give 0.01 to 50 percent"),
                               ((2, "--loss", 1), "host 2 does not exist"), ((1, "--rate", "9"), "--rate is '9'"),
                               ((1, "--delay", "5"), "--delay is '5'")):
            _, err = self.emulate("slow", *words, code=2)
            self.assertIn(f"error: {message}", err)

    @unittest.skipIf(lacking() or not shutil.which("nft"), lacking() or "the program nft was not found")
    def test_a_host_that_loses_packets_is_found(self):
        self.addCleanup(self.emulate, "down")
        self.emulate("up", "--hosts", 4, "--rate", "200mbit")
        self.emulate("slow", 2, "--loss", 5)
        self.emulate("run", *self.command("hunt", "--json", "a.jsonl"), code=1)
        [record] = [json.loads(line) for line in self.read("a.jsonl").splitlines() if '"kind":"hunt"' in line]
        self.assertEqual([(f["what"], f["ranks"]) for f in record["findings"] if f["by"] == "loss"], [("port", [2])])

    @unittest.skipIf(lacking(), lacking())
    def test_nothing_is_left_of_a_cluster_that_could_not_be_made(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "tc").write_text("#!/bin/sh\necho 'no tbf here' >&2\nexit 2\n", encoding="utf-8")
        (tools / "tc").chmod(0o755)
        _, err = self.emulate("up", "--hosts", 2, code=3, path=f"{tools}:{os.environ['PATH']}")
        self.assertIn("no tbf here", err)
        left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn(NAME, left)
        _, err = self.emulate("run", "true", code=2)
        self.assertIn("no cluster is up", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
