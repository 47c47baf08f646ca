"""The fault table of docs/reference/faults.md: each row is a test here, named like its row.

A fault may end a run, but never without a word, never with status 0, and never with a record that was complete before.
"""

import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import program
import run_cli_mpi

SANITIZED = bool(os.environ.get("ARLAB_SANITIZE"))
SLOWNESS = 3 if SANITIZED else 1  # how much longer a job may take to end
PATIENCE = 3 * SLOWNESS  # for --timeout, in seconds: a rank of a loaded machine runs again within it
NO_JOBS = run_cli_mpi.why_not()
SWEEP = ["run", "ring,tree", "-s", "1K..64K"]


def ranks_of(job):
    """Returns the process of each rank that the launcher has started so far."""
    found = {}
    for pid, name in run_cli_mpi.children(job.pid):
        if not name.startswith("arlab"):
            continue
        try:
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for line in environment:
            if line.startswith((b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=")):
                found[int(line.split(b"=")[1])] = pid
    return found


def complete_lines(text):
    """Returns the lines of a result file that end with a newline, parsed; fails if one is damaged."""
    return [json.loads(line) for line in text.split("\n")[:-1]]


class FaultTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.jobs = []
        self.addCleanup(self.end_jobs)

    def end_jobs(self):
        for job in self.jobs:
            for pid, _ in run_cli_mpi.children(job.pid):
                for what in (signal.SIGCONT, signal.SIGKILL):
                    try:
                        os.kill(pid, what)
                    except ProcessLookupError:
                        pass
            job.kill()
            job.wait()

    def start_job(self, ranks, *arguments):
        """Starts a job in the background; its output goes to files."""
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            job = subprocess.Popen([run_cli_mpi.MPIEXEC, "-n", str(ranks), *self.command(*arguments)], cwd=self.folder,
                                   env=run_cli_mpi.ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        self.jobs.append(job)
        return job

    def wait_for(self, condition, what, seconds=180):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                path = self.folder / "err"
                self.fail(f"no {what} in {seconds} s:\n{path.read_text(encoding='utf-8') if path.exists() else ''}")
            time.sleep(0.02)

    def records_in(self, name):
        path = self.folder / name
        return [line for line in complete_lines(path.read_text(encoding="utf-8")) if line["kind"] != "context"] \
            if path.exists() else []

    def sweep_in_job(self, ranks, *options):
        """Starts a long sweep, and returns the job and its ranks once the first results are in the file."""
        (self.folder / "a.jsonl").unlink(missing_ok=True)
        job = self.start_job(ranks, *SWEEP, "--time", "200ms", "--json", "a.jsonl", *options)
        self.wait_for(lambda: self.records_in("a.jsonl"), "record")
        return job, ranks_of(job)

    def expect_end(self, job, seconds, *words):
        """The job ends within that time, with an error that has the words, and the file keeps its records."""
        begin = time.monotonic()
        before = len(self.records_in("a.jsonl"))
        seconds *= 2 * SLOWNESS  # others may use the machine, too
        code = job.wait(timeout=seconds + 60)
        took = time.monotonic() - begin
        err = self.read("err")
        self.assertNotEqual(code, 0, err)
        self.assertLess(took, seconds, err)
        for word in words:
            self.assertIn(word, err)
        self.assertGreaterEqual(len(self.records_in("a.jsonl")), before)
        print(f"{self.id().split('.')[-1]}: ended after {took:.1f} s with status {code}", file=sys.stderr)
        return err


@unittest.skipIf(NO_JOBS, NO_JOBS)
class Ranks(FaultTest):
    def test_rank_killed(self):
        job, ranks = self.sweep_in_job(4)
        os.kill(ranks[2], signal.SIGKILL)
        self.expect_end(job, 20)

    def test_rank_stopped(self):
        for ranks, victim in ((2, 1), (3, 0), (4, 2)):
            with self.subTest(ranks=ranks, victim=victim):
                job, processes = self.sweep_in_job(ranks, "--timeout", f"{PATIENCE}s")
                os.kill(processes[victim], signal.SIGSTOP)
                self.expect_end(job, 20, f"rank {victim} (process {processes[victim]}) has not responded for {PATIENCE} s")


@unittest.skipIf(NO_JOBS, NO_JOBS)
class InACollective(FaultTest):
    def stop_late_rank(self, backend, seconds):
        """Rank 2 enters each run late, and is stopped that long after the first record. Returns what the job said."""
        (self.folder / "a.jsonl").unlink(missing_ok=True)
        job = self.start_job(4, "run", "ring", "-n", "400,4000", "--start", "late=2:1s", "--runs", "3",
                             "--timeout", f"{PATIENCE}s",
                             "--json", "a.jsonl", "-b", backend)
        self.wait_for(lambda: self.records_in("a.jsonl"), "record")
        before = self.records_in("a.jsonl")
        time.sleep(seconds)
        process = ranks_of(job)[2]
        os.kill(process, signal.SIGSTOP)
        err = self.expect_end(job, 30, f"rank 2 (process {process}) has not responded for {PATIENCE} s")
        self.assertEqual(self.records_in("a.jsonl")[:len(before)], before)
        return err

    def test_rank_stopped_in_a_collective(self):
        """Who is missing, where, what it owes, and what the others wait for; over each kind of messages.

        In which round it is stopped depends on the machine, and on a busy one it may be between two collectives: then again."""
        for backend in ("mpi", "shm"):
            with self.subTest(backend=backend):
                for seconds in (0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.5, 0.6):
                    err = self.stop_late_rank(backend, seconds)
                    if "it owes" in err:
                        break
                self.assertRegex(err, r"rank 2( stopped before its first round|, round \d: stopped); it owes \d messages?, first: "
                                      r"round \d, send chunk \d to rank 3 \(4000 bytes\)")
                self.assertRegex(err, r"rank 3, round \d: waits to .*(reduce|replace) chunk \d from rank 2 \(4000 bytes\)")
                self.assertIn("MPI_Allreduce" if backend == "mpi" else "ring", (self.folder / "a.jsonl").read_text())


@unittest.skipIf(NO_JOBS, NO_JOBS)
class AtTheStart(FaultTest):
    def test_rank_stopped_at_the_start(self):
        """MPI has a minute to start, even with a shorter patience."""
        job = self.start_job(3, *SWEEP, "--timeout", f"{PATIENCE}s")
        self.wait_for(lambda: 1 in ranks_of(job), "rank 1")
        os.kill(ranks_of(job)[1], signal.SIGSTOP)
        err = self.expect_end(job, 90)
        self.assertRegex(err, f"MPI_Init_thread has not returned for 60 s: a rank is missing|has not responded for {PATIENCE} s")

    def test_rank_slow_at_the_start(self):
        """A rank that starts after the others' patience is not missing."""
        job = self.start_job(2, *SWEEP, "--timeout", "2s", "--runs", "3")
        self.wait_for(lambda: 1 in ranks_of(job), "rank 1")
        rank = ranks_of(job)[1]
        starts = not self.read("out")
        os.kill(rank, signal.SIGSTOP)
        time.sleep(5)
        os.kill(rank, signal.SIGCONT)
        status = job.wait(timeout=180)
        if "has not responded for 2 s" in self.read("err"):
            self.skipTest("the rank had started before it was stopped")
        self.assertTrue(starts)
        self.assertEqual(status, 0, self.read("err"))


@unittest.skipIf(NO_JOBS, NO_JOBS)
class SlowRanks(FaultTest):
    def test_rank_stopped_and_resumed(self):
        job, ranks = self.sweep_in_job(3, "--timeout", f"{PATIENCE}s")
        for victim in (1, 0, 2):
            os.kill(ranks[victim], signal.SIGSTOP)
            time.sleep(1)
            os.kill(ranks[victim], signal.SIGCONT)
        self.assertEqual(job.wait(timeout=120), 0, self.read("err"))

    def test_rank_slowed(self):
        """A rank that runs a tenth of the time is slow, not missing."""
        for _ in range(5):
            job, ranks = self.sweep_in_job(2, "--timeout", f"{PATIENCE}s")
            turns = 0
            with contextlib.suppress(ProcessLookupError):  # the sweep has ended
                for turns in range(12):
                    os.kill(ranks[1], signal.SIGSTOP)
                    time.sleep(0.45)
                    os.kill(ranks[1], signal.SIGCONT)
                    time.sleep(0.05)
            self.assertEqual(job.wait(timeout=120), 0, self.read("err"))
            if turns > 2:  # on a busy machine, this process may wake so late that the sweep is over
                return
        self.fail(f"the last of 5 sweeps ended after {turns} turns")

    def test_job_suspended(self):
        job, ranks = self.sweep_in_job(3, "--timeout", f"{PATIENCE}s")
        for pid in ranks.values():
            os.kill(pid, signal.SIGSTOP)
        time.sleep(PATIENCE + 2)
        for pid in ranks.values():
            os.kill(pid, signal.SIGCONT)
        self.assertEqual(job.wait(timeout=120), 0, self.read("err"))


@unittest.skipUnless(program.TRAINS, "built without LibTorch")
@unittest.skipIf(NO_JOBS, NO_JOBS)
class InTraining(FaultTest):
    def test_rank_stopped_in_training(self):
        job = self.start_job(2, "train", "--epochs", "100", "--data", "samples=6400", "--checkpoint", "c:every=20",
                             "--timeout", f"{PATIENCE}s")
        self.wait_for(lambda: list((self.folder / "c").glob("step*")) if (self.folder / "c").exists() else [], "checkpoint")
        os.kill(ranks_of(job)[1], signal.SIGSTOP)
        self.expect_end(job, 30, "rank 1 (process", f"has not responded for {PATIENCE} s", "step ")
        saved = sorted(path.name for path in (self.folder / "c").iterdir())
        self.assertTrue(saved)
        code, out, err = run_cli_mpi.Job.mpirun(self, 2, "train", "--epochs", "100", "--data", "samples=6400", "--checkpoint", "c",
                                                "--checkpoint", "every=20", "--steps", "3")
        self.assertEqual(code, 0, err)
        self.assertIn("Nothing was left to train", out + err)


class Machine(FaultTest):
    def test_disk_full(self):
        self.arlab("simulate", "ring", "-p", "4", "--json", "/dev/full", code=3)

        def limited():  # the next write fails as on a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        out, err = self.expect_status(3, "simulate", "ring", "-p", "2..64+1", "--json", "a.jsonl", preexec_fn=limited)
        self.assertIn("a.jsonl", err)
        self.assertTrue(complete_lines(self.read("a.jsonl")))

    def expect_status(self, code, *arguments, **options):
        with self.start(*arguments, **options) as process:
            out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, f"{arguments}\n{out}\n{err}")
        return out, err

    def test_an_output_is_also_an_input(self):
        (self.folder / "net.dot").write_text('graph { a -- b [bandwidth="1Gbps", latency="1us"]; }', encoding="utf-8")
        before = self.read("net.dot")
        _, err = self.arlab("show", "topology", "net.dot", "-o", "net.dot", code=2)
        self.assertIn("net.dot is also an input", err)
        self.assertEqual(self.read("net.dot"), before)

    def test_read_only_folder(self):
        _, err = self.arlab("simulate", "ring", "-p", "4", "--json", "/proc/a.jsonl", code=3)
        self.assertIn("/proc/a.jsonl", err)

    @unittest.skipIf(SANITIZED, "the sanitizer reserves more memory than the limit")
    def test_out_of_memory(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

        for arguments in (["run", "ring", "-p", "4", "-s", "128M"], ["simulate", "butterfly", "-p", "1M"],
                          ["verify", "ring", "-p", "4096", "--limit", "seconds=1e9"]):
            _, err = self.expect_status(3, *arguments, preexec_fn=limited)
            self.assertIn("memory", err)

    @unittest.skipIf(SANITIZED, "the sanitizer reserves more memory than the limit")
    def test_out_of_memory_where_nothing_can_be_thrown(self):
        self.arlab("count", "ring", "-p", "3", "--json", "a.jsonl")
        for megabytes in (56, 64, 72, 88):
            def limited(limit=megabytes << 20):
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

            done = subprocess.run([program.ARLAB, "report", "a.jsonl"], cwd=self.folder, env=program.ALONE, preexec_fn=limited,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
            self.assertIn(done.returncode, (0, 3, 127), f"{megabytes} MB: {done.stderr}")  # 127: the loader
            if done.returncode == 3:
                self.assertIn("out of memory", done.stderr)

    @unittest.skipIf(SANITIZED, "the sanitizer reserves more memory than the limit")
    def test_out_of_threads(self):
        def limited():  # stacks of 64 MiB: the first threads start, the later ones do not
            resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, 64 << 20))
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        _, err = self.expect_status(3, "run", "ring", "-p", "64", "-s", "1K", preexec_fn=limited)
        self.assertIn("threads", err)

    def test_descriptors_closed(self):
        self.arlab("simulate", "ring", "-p", "4", "--json", "whole.jsonl")
        whole = self.records_in("whole.jsonl")
        for closed in ((1,), (0, 1), (2,), (0, 1, 2)):
            with self.subTest(closed=closed):
                name = f"closed{''.join(map(str, closed))}.jsonl"
                words = " ".join(f"{fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
                done = subprocess.run(["sh", "-c", f'exec "$0" simulate ring -p 4 --json {name} {words}', program.ARLAB],
                                      cwd=self.folder, env=program.ALONE, timeout=60, check=False, stderr=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL)
                self.assertEqual(self.records_in(name), whole)  # and nothing else in the file
                self.assertIn(done.returncode, (0, 3))

        if SANITIZED:
            return  # which needs descriptors of its own

        def few():  # one more than the standard files
            resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))

        _, err = self.expect_status(3, "simulate", "ring", "-p", "4", "--json", "a.jsonl", "--csv", "b.csv", preexec_fn=few)
        self.assertIn("b.csv", err)

    def test_clock_set_back(self):
        """The time of day jumps backwards at every call; durations come from the monotonic clock."""
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("needs cc")
        source, library = self.folder / "back.c", self.folder / "back.so"
        source.write_text("""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long calls;
int clock_gettime(clockid_t id, struct timespec* t) {
  const int result = (int)syscall(SYS_clock_gettime, id, t);
  if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) t->tv_sec -= 3600 * __sync_add_and_fetch(&calls, 1);
  return result;
}
int gettimeofday(struct timeval* t, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t* t) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
""", encoding="utf-8")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        environment = {**program.ALONE, "LD_PRELOAD": str(library)}
        begin = time.monotonic()
        done = subprocess.run([*self.command("run", "ring,tree", "-p", "2", "-s", "1K,64K", "--time", "100ms", "--json",
                                             "a.jsonl")], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=60, check=False)
        took = time.monotonic() - begin
        if "cannot be preloaded" in done.stderr or "ASan runtime does not come first" in done.stderr:
            self.skipTest("a sanitizer comes first")
        self.assertEqual(done.returncode, 0, done.stderr)
        for record in self.records_in("a.jsonl"):
            self.assertGreater(record["time_us"]["min"], 0)
            self.assertLess(record["time_us"]["p99"], 1e6 * took)


class Signals(FaultTest):
    def test_signals_at_any_point(self):
        numbers = random.Random(7)
        for what in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for attempt in range(4):
                name = f"{what.name}{attempt}.jsonl"
                with self.start("run", "all", "-p", "2", "-s", "1K..64K", "--time", "20ms", "--json", name) as process:
                    time.sleep(numbers.uniform(0, 1.0))
                    begin = time.monotonic()
                    process.send_signal(what)
                    process.communicate(timeout=20 * SLOWNESS)
                    took = time.monotonic() - begin
                self.assertIn(process.returncode, (0, -what, 128 + what), f"{what.name} {attempt}")
                self.assertLess(took, 10 * SLOWNESS)
                for line in self.records_in(name):  # every complete line is a whole record
                    program.validate(line)

    @unittest.skipIf(NO_JOBS, NO_JOBS)
    def test_signals_to_a_job(self):
        for what in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(what=what.name):
                job, _ = self.sweep_in_job(2)
                job.send_signal(what)
                self.expect_end(job, 20)

    @unittest.skipUnless(program.TRAINS, "built without LibTorch")
    def test_signals_in_training(self):
        options = ["train", "-w", "2", "--epochs", "100", "--data", "samples=6400", "--checkpoint", "c:every=5"]
        # Nothing handles them: under sanitizers, which take long to start, two show it.
        for what in (signal.SIGTERM, signal.SIGKILL) if SANITIZED else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(what=what.name):
                with self.start(*options) as process:
                    self.addCleanup(process.kill)
                    self.wait_for(lambda: list((self.folder / "c").glob("step*.ckpt")), "complete checkpoint")
                    process.send_signal(what)
                    process.communicate(timeout=20 * SLOWNESS)
                self.assertNotEqual(process.returncode, 0)
                out, err = self.arlab(*options, "--steps", "1")
                self.assertIn("resuming after step", err)
                shutil.rmtree(self.folder / "c")


if __name__ == "__main__":
    unittest.main(verbosity=2)
