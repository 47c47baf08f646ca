"""arlab under mpirun: one rank speaks and writes, disagreements are refused once, a killed rank ends the job."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest

import program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import open_mpi  # noqa: E402

MPIEXEC = os.environ.get("MPIEXEC") or shutil.which("mpirun") or shutil.which("mpiexec")
ENVIRONMENT = {
    **os.environ,
    **open_mpi.ENVIRONMENT,
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_btl": "^tcp",  # of which version 5 complains on machines with odd interfaces
    "ASAN_OPTIONS": "detect_leaks=0",
    "ARLAB_PROGRESS": "off",
}


def why_not():
    """Why nothing here can run; empty if it can."""
    listed = subprocess.run([program.ARLAB, "list", "backends"], capture_output=True, text=True, check=True).stdout
    [mpi] = [line for line in listed.splitlines() if line.startswith("| mpi ")]
    if mpi.split("|")[2].strip() != "on":
        return "this arlab is built without MPI"
    return "" if MPIEXEC else "mpirun not found"


def children(pid):
    """The processes that `pid` started, and those that they started."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    found, wanted = [], {str(pid)}
    for _ in rows:
        more = [row for row in rows if row[1] in wanted and row[0] not in wanted]
        if not more:
            break
        wanted |= {row[0] for row in more}
        found += more
    return [(int(row[0]), row[2]) for row in found]


class Job(program.ProgramTest):
    def mpirun(self, ranks, *arguments, timeout=120):
        done = subprocess.run([MPIEXEC, "-n", str(ranks), *self.command(*arguments)], cwd=self.folder, env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_a_sweep_is_written_by_one_rank_beside_the_native_allreduce(self):
        code, out, err = self.mpirun(4, "run", program.SIX, "-s", "1K..4K", "--time", "5ms", "--json", "a.jsonl", "--csv", "a.csv")
        self.assertEqual(code, 0, err)
        contexts, records = program.parse(self.read("a.jsonl"))
        self.assertEqual(len(contexts), 1)
        self.assertTrue(contexts[0]["mpi"])
        self.assertEqual(len(records), 3 * 7)
        self.assertEqual(len({program.identity(r) for r in records}), 3 * 7)
        for record in records:
            self.check_record(record)
            self.assertEqual((record["backend"], record["ranks"], record["wrong"]), ("mpi", 4, 0))
        native = [r for r in records if r["family"] == "native"]
        self.assertEqual([(r["algorithm"], r["bytes"]) for r in native],
                         [("MPI_Allreduce", 1024), ("MPI_Allreduce", 2048), ("MPI_Allreduce", 4096)])
        self.assertTrue(all(r["messages"] is None and r["claimed"] is None for r in native))
        self.assertEqual(out.count("| algorithm"), 1)
        self.assertEqual(len(program.rows(self.read("a.csv"))), len(records))

    def test_a_hunt_on_a_busy_machine_names_nothing(self):
        for ranks, verdicts in ((3, ["few"]), (4, ["quiet", "noisy"])):
            code, out, err = self.mpirun(ranks, "hunt", "--json", "hunt.jsonl")
            self.assertEqual(code, 0, out + err)
            self.assertIn("| latency ", out)
            _, [record] = program.parse(self.read("hunt.jsonl"))
            self.assertIn(record["verdict"], verdicts)
            self.assertEqual((record["backend"], record["ranks"], len(record["hosts"]), record["findings"]), ("mpi", ranks, ranks, []))
            self.assertEqual(len(record["pairs"]), ranks * (ranks - 1) // 2)

    def test_a_calibrated_machine_predicts_what_is_measured_beside_it(self):
        code, out, err = program.until_quiet(3, self.mpirun, 3, "calibrate", "--time", "1ms", "--time", "largest=256K", "-o", "m.toml")
        if code == 1 and program.TOO_BUSY in err:
            self.skipTest("the machine is too busy to be calibrated")
        self.assertEqual(code, 0, err)
        self.assertIn("| eager ", out)
        self.assertIn("[machine]", self.read("m.toml"))
        code, out, err = self.mpirun(3, "run", "ring,tree", "-s", "1K,64K", "--time", "5ms", "--machine", "m.toml", "--json", "a.jsonl")
        self.assertEqual(code, 0, err)
        self.assertIn("| modelled ", out)
        _, records = program.parse(self.read("a.jsonl"))
        self.assertEqual([r["modelled_us"] is None for r in records], [r["family"] == "native" for r in records])
        out, _ = self.arlab("compare", "a.jsonl")
        self.assertIn("| all ", out)
        self.assertIn("Kendall's tau", out)
        simulated = self.records("simulate", "ring", "-p", 3, "-s", "64K", "--network", "m.toml")
        [ring] = [r for r in records if r["algorithm"] == "ring" and r["bytes"] == 65536]
        self.assertEqual(simulated[0]["modelled_us"], ring["modelled_us"])

    def test_ranks_that_disagree_are_refused_once(self):
        code, out, err = self.mpirun(4, "run", "ring", "-p", 3, "-s", "1K", "--json", "a.jsonl")
        self.assertEqual(code, 2)
        self.assertEqual(out, "")
        self.assertEqual(err.count("error: ranks is 3, but the MPI job has 4: leave out -p, or start it with mpirun -n 3"), 1)
        self.assertEqual(err.count("error:"), 1)
        self.assertFalse((self.folder / "a.jsonl").exists())

    def test_threads_in_every_process_are_refused(self):
        code, out, err = self.mpirun(2, "run", "ring", "-b", "threads", "-s", "1K")
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(err.count("error: backend threads in each of 2 MPI processes"), 1)

    def test_bad_usage_is_said_once(self):
        for line in ("run rign", "run ring -p four", "coutn", "run ring --nothing", "run ring -t flaot32"):
            with self.subTest(line=line):
                code, out, err = self.mpirun(3, *line.split())
                self.assertEqual((code, out), (2, ""))
                errors = [text for text in err.splitlines() if text.startswith("error: ")]
                said, repeated = errors[0], errors[1:]
                self.assertFalse(said.startswith("error: rank "), err)
                for text in repeated:  # by ranks that the launcher did not end within a second
                    self.assertRegex(text, "^error: rank [12]: " + re.escape(said.removeprefix("error: ")) + "$")

    def test_a_file_that_cannot_be_written_ends_the_job(self):
        (self.folder / "file").write_text("", encoding="utf-8")
        code, _, err = self.mpirun(3, "run", "ring", "-s", "1K", "--json", "file/below", timeout=60)
        self.assertEqual(code, 3)
        self.assertEqual(err.count("error: cannot write file/below (Not a directory)"), 1)

    def test_without_mpirun_it_says_how(self):
        _, err = self.arlab("run", "ring", "-b", "mpi", "-p", 4, code=2)
        self.assertEqual(err, "error: backend mpi needs a job: start the program with `mpirun -n 4`\n")

    def test_a_process_that_no_launcher_started_says_why_it_fails(self):
        variables = {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}
        done = subprocess.run(self.command("run", "ring", "-p", "2", "-n", "10"), cwd=self.folder, env={**ENVIRONMENT, **variables},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:  # MPICH runs it as the only rank
            self.assertIn("error: ", done.stderr)

    def test_plan_is_said_once(self):
        code, out, err = self.mpirun(3, "run", program.SIX, "-s", "1K", "--dry-run")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.count("configurations, about"), 1)

    def test_ranks_that_were_started_differently_are_refused_at_once(self):
        usual = ("ring", "-s", "1K", "--time", "0")
        grouped = ("hierarchical", *usual[1:], "--layout")
        for one, other in ((usual, ("ring", "-s", "2K", "--time", "0")), (usual, (*usual, "--op", "max")), (usual, ("ring", "-s", "1K", "--time", "1ms")),
                           (usual[:3], (*usual[:3], "--time", "200ms")), (usual, (*usual, "--dry-run")), (usual, (*usual, "--timeout", "0")),
                           ((*grouped, "groups=2"), (*grouped, "groups=1"))):
            with self.subTest(other=other):
                lines = [shlex.join(self.command("run", *line)) for line in (one, other)]
                done = subprocess.run([MPIEXEC, "-n", "2", *open_mpi.by_rank(*lines)], cwd=self.folder, env=ENVIRONMENT,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "error: rank 1 is to do something else than rank 0: `.*`, but rank 0 `.*`: start all "
                                              "ranks with the same options")
                self.assertEqual(done.stderr.count("error:"), 1)

    def test_a_shared_sweep_is_merged(self):
        sweep = ("simulate", "all", "-p", "2..16", "-s", "1K..16K", "--json")
        self.arlab(*sweep, "alone.jsonl")
        code, out, err = self.mpirun(3, *sweep, "shared.jsonl", "--jobs", "share=on")
        self.assertEqual((code, out), (0, ""), err)
        self.assertEqual(program.parse(self.read("shared.jsonl"))[1], program.parse(self.read("alone.jsonl"))[1])

    def test_other_verbs_need_no_job_and_work_in_every_process(self):
        for line in ("count ring", "verify ring -p 4", "simulate ring", "list types", "run --help", "--help", "--version"):
            with self.subTest(line=line):
                alone, _ = self.arlab(*line.split())
                code, out, err = self.mpirun(2, *line.split())
                self.assertEqual((code, err), (0, ""))
                self.assertEqual(sorted(out), sorted(2 * alone))  # mpirun may interleave lines

    def test_resume(self):
        sweep = ("run", program.SIX, "-s", "1K..4K", "--time", "1ms")
        self.assertEqual(self.mpirun(3, *sweep, "--json", "whole.jsonl")[0], 0)
        text = self.read("whole.jsonl")
        expected = {program.identity(r) for r in program.parse(text)[1]}
        (self.folder / "cut.jsonl").write_text(text[:len(text) * 2 // 3], encoding="utf-8")
        code, _, err = self.mpirun(3, *sweep, "--json", "cut.jsonl", "--resume")
        self.assertEqual(code, 0, err)
        self.assertEqual(err.count("incomplete line"), 1)
        records = program.parse(self.read("cut.jsonl"))[1]
        self.assertEqual({program.identity(r) for r in records}, expected)
        self.assertLess(len(records) - len(expected), 7)  # those of the problem that was cut are measured again
        self.assertTrue(all(r["wrong"] == 0 for r in records))

    @unittest.skipUnless(shutil.which("ps"), "ps not found, which finds the ranks")
    def test_a_killed_rank_ends_the_job_and_loses_nothing(self):
        path = self.folder / "a.jsonl"
        job = subprocess.Popen([MPIEXEC, "-n", "4", *self.command("run", program.SIX, "-s", "1K..64K", "--time", "200ms", "--json",
                                                                  path.name)],
                               cwd=self.folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with job:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (path.exists() and path.read_bytes().count(b"\n") > 8):
                time.sleep(0.05)
            before = program.parse(self.read(path.name))[1]
            ranks = [pid for pid, name in children(job.pid) if name == "arlab"]
            self.assertEqual(len(ranks), 4)
            os.kill(ranks[2], signal.SIGKILL)
            killed = time.monotonic()
            try:
                _, err = job.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                job.kill()
                self.fail("the job went on for 20 seconds")
        print(f"the job ended {time.monotonic() - killed:.1f} s after its rank", file=sys.stderr)
        self.assertNotEqual(job.returncode, 0)
        self.assertTrue(err.strip(), "nothing was said")
        self.assertGreater(len(before), 0)
        lines = self.read(path.name).split("\n")
        self.assertEqual(program.parse("\n".join(lines[:-1]))[1][:len(before)], before)


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(verbosity=2)
