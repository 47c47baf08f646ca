"""arlab identify, arlab tune, and rows of the library's algorithms, with Open MPI and without MPI."""

import json
import os
import subprocess
import sys
import unittest

import program
from run_cli_mpi import ENVIRONMENT, MPIEXEC, why_not


def records(text, kind):
    return [record for record in program.parse(text)[1] if record["kind"] == kind]


class TuneTest(program.ProgramTest):
    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def run_arlab(self, *arguments):
        """Returns the exit code, stdout, and stderr of a process outside any job."""
        with self.start(*arguments) as process:
            out, err = process.communicate(timeout=120)
        return process.returncode, out, err


class Alone(TuneTest):
    """What needs no MPI."""

    def test_a_simulated_table_chooses_what_auto_runs(self):
        code, out, err = self.run_arlab("tune", "ring,butterfly", "--network", "alpha_beta", "-p", "2,4", "-s", "1K,16M", "--table", "t.json")
        self.assertEqual(code, 0, err)
        rows = json.loads(self.read("t.json"))["rows"]
        self.assertEqual(rows[1]["ranks"], [4, None])
        self.assertEqual([sizes["algorithm"] for sizes in rows[1]["sizes"]], ["butterfly", "ring"])
        self.assertEqual(rows[1]["sizes"][0]["bytes"], [0, 131071])  # up to the geometric mean
        code, out, err = self.run_arlab("run", "auto:table=t.json", "-b", "threads", "-p", "4", "-s", "1K,1M",
                                        "--time", "0", "--json", "run.jsonl")
        self.assertEqual(code, 0, err)
        self.assertEqual([record["algorithm"] for record in records(self.read("run.jsonl"), "run") if record["family"] != "native"],
                         ["auto:butterfly", "auto:ring"])
        code, out, err = self.run_arlab("run", "auto:table=t.json,ring", "-b", "threads", "-p", "4", "-s", "1K", "--time", "0", "-o", "x.md")
        self.assertEqual(code, 0, err)
        self.assertIn("| ring ", self.read("x.md"))
        self.assertIn("| auto:butterfly ", self.read("x.md"))

    def test_what_runs_cannot_know_is_no_choice(self):
        code, out, err = self.run_arlab("tune", "ring,forest", "--network", "rail_pod", "-p", "16", "-s", "64K,4M", "--table", "t.json")
        self.assertEqual(code, 0, err)
        self.assertEqual((out + err).count("forest is left out"), 1, out + err)
        self.assertNotIn('"forest"', self.read("t.json"))
        self.assertIn("ARLAB_ALGORITHM=ring", out)

    def test_a_measured_table_on_threads(self):
        code, out, err = self.run_arlab("tune", "ring,butterfly", "-b", "threads", "-p", "2", "-s", "1K", "--runs", "5", "--table", "t.json")
        self.assertEqual(code, 0, err)
        [row] = json.loads(self.read("t.json"))["rows"]
        self.assertIn(row["sizes"][0]["algorithm"], ("native", "ring", "butterfly"))

    def test_guided_tuning_is_gone_and_says_what_to_use(self):
        code, out, err = self.run_arlab("tune", "ring", "--by", "guided", "-p", "2")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--by guided is gone, since it saved no time: leave it out, or simulate with --network", err)

    def test_simulated_choices_become_rules_of_any_release(self):
        common = ("tune", "ring,butterfly", "--network", "alpha_beta", "-p", "4", "-s", "1K,16M", "--open-mpi")
        code, out, err = self.run_arlab(*common, "r.conf:version=4.1.4")
        self.assertEqual(code, 0, err)
        plain = [line.split("#")[0].split() for line in self.read("r.conf").splitlines()]
        self.assertEqual([line for line in plain if line], [["1"], ["2"], ["1"], ["1"], ["2"], "0 3 0 0".split(), "131072 4 0 0".split()])
        code, out, err = self.run_arlab(*common, "r.json:version=6.0.0")
        self.assertEqual(code, 0, err)
        self.assertEqual([rule["alg"] for rule in json.loads(self.read("r.json"))["collectives"]["allreduce"][0]["rules"]], [3, 4])

    def test_nccl_lines_from_a_simulation(self):
        code, out, err = self.run_arlab("tune", "ring,double_tree", "--network", "alpha_beta", "-p", "8", "-s", "1K,64M", "--nccl",
                                        "n.csv:channels=8")
        self.assertEqual(code, 0, err)
        lines = [line for line in self.read("n.csv").splitlines() if not line.startswith("#")]
        self.assertTrue(all(line.startswith("allreduce,") and line.endswith(",simple,8,-1,8") for line in lines), lines)

    def test_refusals(self):
        self.write("gap.json", json.dumps({"schema": 1, "kind": "tuning_table", "collective": "allreduce", "rows": [
            {"ranks": [1, None], "sizes": [{"bytes": [4, None], "algorithm": "ring", "segments": 1}]}]}))
        for arguments, message in (
            (("run", "auto", "-p", "2"), "auto has no table: write auto:table=FILE"),
            (("run", "auto:table=gap.json", "-p", "2"), "begins at 4, but 0 comes next"),
            (("run", "ring", "--table", "gap.json", "-p", "2"), "name the algorithm auto"),
            (("run", "native:ring", "-b", "threads", "-p", "2"), "use the backend mpi"),
            (("run", "native:ring", "-c", "broadcast", "-p", "2"), "only allreduce has algorithms of the library"),
            (("identify", "-s", "1K"), "start it as `mpirun -n 4 arlab identify`"),
            (("identify", "ring"), "leave out other names"),
            (("tune", "--launcher", "mpirun -n 4"), "write {} where the number of ranks belongs"),
            (("tune", "-t", "float32,int32"), "one --dtype"),
            (("tune", "ring", "--network", "crossbar:hosts=4,mesh:dims=4", "-p", "4", "-s", "1K"), "one topology: start it once for each"),
            (("tune", "--by", "guessing"), "unknown way 'guessing'"),
            (("tune", "--mode", "both"), "unknown mode 'both'"),
            (("tune", "--buffers", "both"), "unknown buffers 'both'"),
            (("tune", "--network", "10G", "-p", "4", "--buffers", "out-of-place"), "--buffers"),
            (("tune", "--network", "10G", "-p", "4", "--mode", "streaming"), "--mode"),
            (("tune", "--open-mpi", "version=four"), "such as 4.1.4"),
            (("tune", "--mpich", "m.json"), "--mpich needs base"),
            (("tune", "--nccl", "n.csv"), "--nccl needs channels"),
            (("tune", "--table", "a", "--open-mpi", "a"), "name a file for each"),
            (("tune", "-b", "threads", "--open-mpi", "r.conf"), "has no MPI library"),
            (("tune", "--table", "-"), "name a file, not -"),
            (("tune", "--open-mpi", "missing.conf:check=on,version=4.1.4"), "missing.conf"),
            (("tune", "--open-mpi", "check=on"), "has no file"),
            (("tune", "--runs", "4"), "--runs"),
        ):
            code, out, err = self.run_arlab(*arguments)
            self.assertIn(code, (2, 3), arguments)
            self.assertIn(message, err, arguments)


@unittest.skipIf(why_not(), why_not())
class OpenMpi(TuneTest):
    def mpirun(self, ranks, *arguments, variables=None):
        done = subprocess.run([MPIEXEC, "-n", str(ranks), *self.command(*arguments)], cwd=self.folder,
                              env={**ENVIRONMENT, **(variables or {})}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def tune(self, *arguments, variables=None):
        done = subprocess.run(self.command("tune", *arguments), cwd=self.folder, env={**ENVIRONMENT, **(variables or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_jobs_measure_in_the_mode_that_was_asked_for(self):
        self.write("launch", f'#!/bin/sh\nn=$1; shift; echo "$@" >>words; exec {MPIEXEC} -n "$n" "$@"\n')
        (self.folder / "launch").chmod(0o755)
        code, out, err = self.tune("ring,butterfly", "-p", "2", "-s", "64,1M", "--runs", "5", "--mode", "streaming", "--buffers", "out-of-place",
                                   "--table", "t.json", "--launcher", "./launch {}")
        self.assertEqual(code, 0, err)
        brief, longer = self.read("words").splitlines()
        for words in brief, longer:
            self.assertIn(" --mode streaming --buffers out-of-place", words)
        self.assertNotIn("repeats", brief)
        self.assertIn("--mode repeats=2", longer)
        self.assertIn("--mode streaming", json.loads(self.read("t.json"))["made_by"])

    def identified(self, ranks, *arguments, variables=None):
        code, out, err = self.mpirun(ranks, "identify", *arguments, "--json", "-", variables=variables)
        self.assertEqual(code, 0, err)
        return {(record["asked"], record["elements"]): record for record in records(out, "identify")}

    def setUp(self):
        super().setUp()
        library = subprocess.run([program.ARLAB, "list", "backends"], capture_output=True, text=True, check=True).stdout
        if "Open MPI" not in library:
            self.skipTest("the MPI library is not Open MPI")

    def test_algorithms_are_told_apart(self):
        # The unit tests tell 8 apart, too. Sanitized ranks of two cores take seconds each to start.
        for ranks in (4,) if os.environ.get("ARLAB_SANITIZE") else (4, 8):
            found = self.identified(ranks, "native:all", "-n", "3,4096")
            for name in ("basic_linear", "recursive_doubling", "rabenseifner"):
                self.assertEqual(found[name, 4096]["ran"], [name])
            self.assertEqual(found["ring", 4096]["ran"], ["ring", "segmented_ring"])
            self.assertIn("nonoverlapping", found["nonoverlapping", 4096]["ran"])
            self.assertEqual(found["ring", 4096]["same_as"], ["ring"])
            self.assertIn("butterfly", found["recursive_doubling", 4096]["same_as"])
            self.assertEqual(found["ring", 4096]["messages"], 2 * ranks * (ranks - 1))
            # Fewer elements than ranks: another algorithm runs silently.
            self.assertEqual(found["ring", 3]["ran"], ["recursive_doubling"])
            self.assertEqual(found["ring", 3]["note"], f"fell back: 3 elements are fewer than {ranks} ranks")
            self.assertIn("fell back", found["rabenseifner", 3]["note"])

    def test_odd_ranks_types_and_operations(self):
        found = self.identified(3, "native:recursive_doubling,native:rabenseifner,native:ring", "-n", "1001", "-t", "float64", "--op", "max")
        for name in ("recursive_doubling", "rabenseifner", "ring"):
            self.assertIn(name, found[name, 1001]["ran"])

    def test_two_ranks_cannot_tell_all_apart(self):
        found = self.identified(2, "-n", "1000", "native:rabenseifner,native:basic_linear")
        self.assertIn("rabenseifner", found["rabenseifner", 1000]["ran"])
        self.assertIn("basic_linear", found["basic_linear", 1000]["ran"])

    def test_segments_are_seen(self):
        found = self.identified(4, "native:segmented_ring:segment=512", "-n", "4096")
        self.assertEqual(found["segmented_ring:segment=512", 4096]["messages"], 4 * 27)
        self.assertEqual(found["segmented_ring:segment=512", 4096]["ran"], ["segmented_ring"])
        found = self.identified(4, "native:segmented_ring:segment=400", "-n", "1000,1100")
        for elements, messages in ((1000, 9), (1100, 12)):
            self.assertEqual(found["segmented_ring:segment=400", elements]["messages"], 4 * messages)
            self.assertEqual(found["segmented_ring:segment=400", elements]["ran"], ["segmented_ring"])

    def test_a_choice_that_is_not_taken_is_named(self):
        code, out, err = self.mpirun(4, "identify", "native:ring", "-n", "1000", variables={"OMPI_MCA_coll_tuned_use_dynamic_rules": "0"})
        self.assertEqual(code, 3, out)
        self.assertIn("coll_tuned_use_dynamic_rules is off", err)

    def test_without_monitoring_it_says_what_to_start(self):
        code, out, err = self.mpirun(2, "identify", "-n", "1000", variables={"OMPI_MCA_pml_monitoring_enable": "0"})
        self.assertEqual(code, 3, out)
        self.assertIn("does not count its messages", err)
        self.assertIn("mpirun --mca pml_monitoring_enable 1", err)

    def test_the_library_s_algorithms_take_turns_with_ours(self):
        code, out, err = self.mpirun(4, "run", "ring", "native:all", "native:segmented_ring:segment=1K", "-s", "16K", "--runs", "5",
                                     "--json", "a.jsonl")
        self.assertEqual(code, 0, err)
        names = [record["algorithm"] for record in records(self.read("a.jsonl"), "run")]
        self.assertEqual(names[:2], ["ring", "MPI_Allreduce:basic_linear"])
        for name in ("ring", "rabenseifner", "segmented_ring:segment=1K"):
            self.assertIn(f"MPI_Allreduce:{name}", names)
        self.assertEqual(names[-1], "MPI_Allreduce")
        self.assertTrue(all(record["wrong"] == 0 for record in records(self.read("a.jsonl"), "run")))

    def test_only_the_library_and_unknown_names(self):
        code, out, err = self.mpirun(2, "run", "native:ring", "-s", "1K", "--runs", "5", "--json", "-")
        self.assertEqual([record["algorithm"] for record in records(out, "run")], ["MPI_Allreduce:ring", "MPI_Allreduce"], err)
        code, out, err = self.mpirun(2, "run", "native:rign", "-s", "1K", "--runs", "5")
        self.assertEqual(code, 2)
        self.assertIn("unknown algorithm of the library 'rign', did you mean 'ring'?", err)
        self.assertIn("rabenseifner", err)
        code, out, err = self.mpirun(2, "run", "native:ring:chunks=3", "-s", "1K", "--runs", "5")
        self.assertEqual(code, 2)
        self.assertIn("has no setting 'chunks'", err)

    def test_tune_writes_rules_that_open_mpi_takes(self):
        code, out, err = self.tune("ring,butterfly,native:all", "-p", "2,4", "-s", "1K,64K", "--runs", "10", "--open-mpi", "jobs=1",
                                   "--launcher", f"{MPIEXEC} -n {{}}", "--open-mpi", "rules.conf", "--table", "t.json")
        self.assertEqual(code, 0, err)
        self.assertRegex(err, "Open MPI takes rules.conf in all 4 cells|the library's default stays in all 4 cells")
        self.assertEqual(out.count("| yes "), 4)
        json.loads(self.read("t.json"))

    def check(self, text, *more, variables=None):
        self.write("rules.conf", text)
        return self.tune("--open-mpi", "rules.conf:check=on", "-p", "4", "-s", "4K,256K", "--launcher", f"{MPIEXEC} -n {{}}", "--open-mpi", "jobs=0", *more,
                         variables=variables)

    def test_a_rules_file_is_proved_to_be_taken(self):
        code, out, err = self.check("1\n2\n1\n4\n2\n0 1 0 0\n65536 4 0 0\n")
        self.assertEqual(code, 0, err)
        self.assertIn("basic_linear", out)
        self.assertEqual(out.count("| yes "), 2)
        # The same file, which the library does not get to read: no rule of it is taken.
        code, out, err = self.check("1\n2\n1\n4\n2\n0 1 0 0\n65536 4 0 0\n", variables={"OMPI_MCA_coll": "^tuned"})
        self.assertEqual(code, 1, err)
        self.assertIn("does not take rules.conf", err)

    def test_a_faulty_rules_file_is_detected(self):
        for text, message in (
            ("1\n2\n1\n4\n2\n0 1 0 0\n65536 4 0\n", "ends before the segment"),
            ("1\n2\n1\n4\n1\n0 7 0 0\n", "has no allreduce algorithm 7"),
            ("1\n2\n1\n4\n1\n1024 4 0 0\n", "not for 0 bytes"),
            ("rule-file-version-2\n1\n2\n1\n4\n1\n0 4 0 0 0\n", "rule-file-version-2"),
        ):
            code, out, err = self.check(text, "--open-mpi", "version=4.1.4")
            self.assertEqual(code, 2, out)
            self.assertIn(message, err)

    def test_tune_is_not_a_rank(self):
        code, out, err = self.mpirun(2, "tune", "-s", "1K")
        self.assertEqual(code, 2)
        self.assertIn("start it without mpirun", err)


if __name__ == "__main__":
    if not os.environ.get("ARLAB"):
        sys.exit("set ARLAB to the program to test")
    unittest.main(verbosity=2)
