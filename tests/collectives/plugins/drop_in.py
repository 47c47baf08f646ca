"""libarlab_mpi.so under programs that know nothing of it: our own in C++ and Fortran, mpi4py, hpcc, LAMMPS.

    drop_in.py LIBRARY MPI_PROGRAM MPIEXEC
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY, PROGRAM, MPIEXEC = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
PYTHON = "/usr/bin/python3"  # the one that sees the distribution's packages
MPICH = "HYDRA" in subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=False).stdout
# Programs of the distribution are linked to its default library.
OF_DEFAULT = unittest.skipIf(MPICH, "the distribution's programs use Open MPI, and this build MPICH")

# An input of LAMMPS: a melting crystal, with thermodynamic output every step.
MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 1
run 100
"""


class DropIn(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def run_ranks(self, ranks, *command, library=LIBRARY, status=0, **settings):
        """Runs a program; returns (stdout, stderr). Settings are variables ARLAB_*, in lower case and without it."""
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OPENBLAS_NUM_THREADS": "1"}  # of a rank: the ranks share the cores
        preload = [str(library)] if library else []
        if MPICH and "LD_PRELOAD" in env:  # ranks that wait give way (yield_in_ucx.cpp)
            preload.append(env["LD_PRELOAD"])
        for name in [name for name in env if name.startswith("ARLAB_") or name == "LD_PRELOAD"]:
            del env[name]
        given = {f"ARLAB_{name.upper()}": str(value) for name, value in settings.items()}
        if preload:
            given["LD_PRELOAD"] = ":".join(preload)
        exports = [word for name, value in given.items() for word in (("-genv", name, value) if MPICH else ("-x", f"{name}={value}"))]
        done = subprocess.run([MPIEXEC, "-n", str(ranks), *exports, *map(str, command)], cwd=self.folder, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout, done.stderr

    def share(self, err):
        """The calls that ran by arlab, and all calls, of the report."""
        found = re.search(r"arlab: (\d+) of (\d+) calls of MPI_Allreduce ran by arlab", err)
        self.assertTrue(found, err)
        return int(found[1]), int(found[2])

    def test_every_way_to_call_is_right(self):
        algorithms = ("ring", "butterfly@16K,ring", "mpi@4K,circulant", "hierarchical:within=ring,across=tree", "pat")
        for ranks, count in ((1, 1), (2, 3), (3, 5), (4, 5)):  # one rank exchanges nothing, two know two orders
            for algorithm in algorithms[:count]:
                with self.subTest(ranks=ranks, algorithm=algorithm):
                    out, err = self.run_ranks(ranks, PROGRAM, algorithm=algorithm, report=1)
                    self.assertRegex(out, r"calls \d+, wrong 0\n")
                    ours, calls = self.share(err)
                    self.assertEqual(calls, int(re.search(r"calls (\d+)", out)[1]))
                    self.assertTrue(0 < ours < calls or "hierarchical" in algorithm, err)

    def test_decisions_are_kept_until_a_communicator_is_freed(self):
        """With a report every call is decided anew."""
        for ranks in (2, 4):
            for algorithm in ("mpi@4K,ring", "butterfly@16K,ring", "ring@64K"):
                with self.subTest(ranks=ranks, algorithm=algorithm):
                    out, err = self.run_ranks(ranks, PROGRAM, algorithm=algorithm)
                    self.assertRegex(out, r"calls \d+, wrong 0\n")
                    self.assertEqual(err.count("arlab: "), 0, err)

    def test_the_report_says_what_ran_and_why_the_rest_did_not(self):
        _, err = self.run_ranks(2, PROGRAM, algorithm="ring@64K", report=1)
        for what in ("| ring |", "| mpi |", "| mpi: no elements |", "| mpi: another type or operation |", "| mpi: an intercommunicator |"):
            self.assertIn(what, err)

    def test_a_tuned_table_chooses_by_ranks_and_bytes(self):
        ring, native = ({"bytes": [0, None], "algorithm": name, "segments": 1} for name in ("ring", "native"))
        small = [{"bytes": [0, 4095], "algorithm": "native", "segments": 1}, {"bytes": [4096, None], "algorithm": "butterfly", "segments": 1}]
        table = {"schema": 1, "kind": "tuning_table", "collective": "allreduce",
                 "rows": [{"ranks": [1, 1], "sizes": [native]}, {"ranks": [2, 2], "sizes": small}, {"ranks": [3, None], "sizes": [ring]}]}
        (self.folder / "tuned.json").write_text(json.dumps(table))
        for ranks, algorithm in ((2, "butterfly"), (3, "ring")):  # its communicators have fewer ranks, too
            out, err = self.run_ranks(ranks, PROGRAM, algorithm="tuned.json", report=1)
            self.assertIn("wrong 0", out)
            self.assertIn(f"| {algorithm} |", err)
            self.assertNotIn(f"| {ranks} | 4 | float32 sum | butterfly |", err)
            out, _ = self.run_ranks(ranks, PROGRAM, algorithm="tuned.json")  # decisions are kept without a report
            self.assertIn("wrong 0", out)
        (self.folder / "tuned.json").write_text("{")
        out, err = self.run_ranks(2, PROGRAM, algorithm="tuned.json")
        self.assertIn("wrong 0", out)
        self.assertIn("tuning table tuned.json: is not JSON", err)

    def test_without_or_with_wrong_settings_the_library_runs_and_it_is_said_once(self):
        for settings, text in (({}, "ARLAB_ALGORITHM is not set"), ({"algorithm": "rnig"}, "unknown algorithm 'rnig', did you mean 'ring'?"),
                               ({"algorithm": "ring@x"}, "'x'"), ({"algorithm": "ring@16K,tree@8K"}, "never applies"),
                               ({"algorithm": "torus_bucket"}, "torus")):
            with self.subTest(settings=settings):
                out, err = self.run_ranks(3, PROGRAM, **settings)
                self.assertIn("wrong 0", out)
                self.assertEqual(err.count("arlab: "), 1, err)
                self.assertIn(text, err)
        out, err = self.run_ranks(3, PROGRAM, algorithm="rnig", report=1)
        self.assertEqual(self.share(err)[0], 0)

    def test_a_profile_lists_the_calls_by_size(self):
        self.run_ranks(2, PROGRAM, algorithm="ring", profile="calls.jsonl")
        lines = [json.loads(line) for line in (self.folder / "calls.jsonl").read_text().splitlines()]
        self.assertTrue(all(line["kind"] == "profile" and line["calls"] > 0 for line in lines))
        self.assertTrue(all(line["least_rank_s"] <= line["most_rank_s"] for line in lines))
        self.assertIn((2, 80044, "float32", "sum", "ring"),
                      [(line["ranks"], line["bytes"], line["dtype"], line["op"], line["ran"]) for line in lines])
        _, err = self.run_ranks(2, PROGRAM, algorithm="ring", profile="calls.jsonl/below")
        self.assertIn("ARLAB_PROFILE: cannot write calls.jsonl/below (Not a directory)", err)

    @OF_DEFAULT
    @unittest.skipUnless(shutil.which("mpif90"), "mpif90 is not installed: apt install gfortran")
    def test_a_fortran_program(self):
        subprocess.run(["mpif90", "-w", HERE / "mpi_program.f90", "-o", "fortran"], cwd=self.folder, check=True)
        for ranks in (2, 4):
            out, err = self.run_ranks(ranks, self.folder / "fortran", algorithm="ring", report=1)
            self.assertIn("wrong 0", out)
            self.assertEqual(self.share(err), (3, 3))

    @OF_DEFAULT
    @unittest.skipUnless(subprocess.run([PYTHON, "-c", "import mpi4py, numpy"], capture_output=True, check=False).returncode == 0,
                         "mpi4py is not installed: apt install python3-mpi4py")
    def test_mpi4py(self):
        for ranks in (2, 4):
            out, err = self.run_ranks(ranks, PYTHON, "-B", HERE / "mpi_program.py", algorithm="butterfly@16K,ring", report=1)
            self.assertIn("wrong 0", out)
            self.assertEqual(self.share(err), (8 * 3 * 3, 9 * 3 * 3))  # all types but int16

    @OF_DEFAULT
    @unittest.skipUnless(shutil.which("hpcc"), "hpcc is not installed: apt install hpcc")
    def test_hpcc_passes_its_own_checks(self):
        example = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
        text = example.read_text() if example.exists() else ""
        self.assertTrue(text, "hpcc came without its example input")
        (self.folder / "hpccinf.txt").write_text(text)
        _, err = self.run_ranks(4, "hpcc", algorithm="butterfly@16K,ring", report=1)
        result = (self.folder / "hpccoutf.txt").read_text()
        self.assertIn("Success=1", result)
        self.assertNotIn("FAILED", result.replace("0 tests completed and failed", "").replace("FAILED residual checks", ""))
        ours, calls = self.share(err)
        print(f"hpcc: {ours} of {calls} calls ran by arlab", file=sys.stderr)
        self.assertGreater(ours, 0.9 * calls)

    @OF_DEFAULT
    @unittest.skipUnless(shutil.which("lmp"), "LAMMPS is not installed: apt install lammps")
    def test_lammps_prints_the_same_lines(self):
        (self.folder / "in.melt").write_text(MELT)

        def thermo(text):
            return [line for line in text.splitlines() if re.match(r"\s+\d+\s+[-\d.]+\s+[-\d.]+\s+", line)]
        for ranks in (2, 4):
            plain, _ = self.run_ranks(ranks, "lmp", "-in", "in.melt", library=None)
            ours, err = self.run_ranks(ranks, "lmp", "-in", "in.melt", algorithm="ring", report=1)
            self.assertGreater(len(thermo(plain)), 100)
            self.assertEqual(thermo(ours), thermo(plain))
            ran, calls = self.share(err)
            print(f"LAMMPS, {ranks} ranks: {ran} of {calls} calls ran by arlab", file=sys.stderr)
            self.assertGreater(ran, 0.9 * calls)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
