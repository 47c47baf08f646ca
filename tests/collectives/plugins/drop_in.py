"""libarlab_mpi.so under programs that know nothing of it: our own in C++ and Fortran, mpi4py, hpcc, LAMMPS.

    drop_in.py CLASS LIBRARY MPI_PROGRAM MPIEXEC EVERY_CALL
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import open_mpi  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY, PROGRAM, MPIEXEC, EVERY_CALL = (pathlib.Path(word).resolve() for word in sys.argv[2:6])
PYTHON = "/usr/bin/python3"  # the one that sees the distribution's packages
MPICH = "HYDRA" in subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=False).stdout
# Programs of the distribution are linked to its default library.
OF_DEFAULT = unittest.skipIf(MPICH, "the distribution's programs use Open MPI, and this build MPICH")

# Of Open MPI 5's own shared memory, so that limits of files concern ours only.
SMALL_SEGMENTS = "export OMPI_MCA_btl_sm_segment_size=4194304"

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


# Rank 0 does not allreduce; the others do, on a communicator of their own.
OF_WORKERS = """#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, one = 1, sum = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm workers;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &workers);
  if (rank != 0) {
    int ranks;
    MPI_Comm_size(workers, &ranks);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, workers);
    wrong = sum != ranks;
    MPI_Comm_free(&workers);
  }
  MPI_Finalize();
  return wrong;
}
"""

# Whether MPI_Allreduce refuses the same buffer twice, and MPI_IN_PLACE as the result.
ODD_BUFFERS = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // Open MPI reports some there
  double x[4] = {1, 2, 3, 4}, y[4] = {0};
  MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  const int codes[2] = {MPI_Allreduce(x, x, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF),
                        MPI_Allreduce(x, MPI_IN_PLACE, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF)};
  for (int i = 0; i < 2; ++i) {
    int kind = 0;
    MPI_Error_class(codes[i], &kind);
    printf("%d ", kind == MPI_ERR_BUFFER);
  }
  MPI_Finalize();
  return 0;
}
"""

# Whether MPI_Allreduce refuses a negative count, between two calls that it does not.
NEGATIVE_COUNT = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  double x[4] = {1, 2, 3, 4}, y[4] = {0};
  MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const int code = MPI_Allreduce(x, y, -1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int kind = 0;
  MPI_Error_class(code, &kind);
  printf("%d ", kind == MPI_ERR_COUNT);
  MPI_Finalize();
  return 0;
}
"""

# Fortran's MPI_BOTTOM: a type of absolute addresses as the receive buffer.
BOTTOM = """program bottom
  use mpi
  implicit none
  integer, target :: x(3)
  integer :: e, n, t
  integer(MPI_ADDRESS_KIND) :: where(1)
  external :: add
  integer :: op
  call MPI_Init(e)
  call MPI_Comm_size(MPI_COMM_WORLD, n, e)
  x = [1, 2, 3]
  call MPI_Get_address(x, where(1), e)
  call MPI_Type_create_hindexed(1, [3], where, MPI_INTEGER, t, e)
  call MPI_Type_commit(t, e)
  call MPI_Op_create(add, .true., op, e)
  call MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, t, op, MPI_COMM_WORLD, e)
  if (any(x /= [1, 2, 3] * n)) stop 1
  call MPI_Finalize(e)
end program
"""
ADD = """#include <mpi.h>
void add_(char* from, char* into, MPI_Fint* count, MPI_Fint* type) {
  MPI_Aint low, extent;
  MPI_Type_get_true_extent(MPI_Type_f2c(*type), &low, &extent);
  for (int i = 0; i < 3 * *count; ++i) ((int*)(into + low))[i] += ((int*)(from + low))[i];
}
"""


class DropInTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def run_ranks(self, ranks, *command, library=LIBRARY, status=0, **settings):
        """Runs a program; returns (stdout, stderr). Settings are variables ARLAB_*, in lower case and without it."""
        env = {**os.environ, **open_mpi.ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1"}  # of a rank: the ranks share the cores
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
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=800, check=False)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout, done.stderr

    def share(self, err):
        """The calls that ran by arlab, and all calls, of the report."""
        found = re.search(r"arlab: (\d+) of (\d+) calls of MPI_Allreduce ran by arlab", err)
        self.assertTrue(found, err)
        return int(found[1]), int(found[2])

    def compile(self, compiler, name, **sources):
        """Compiles the sources, given as suffix=text; returns the program."""
        paths = []
        for suffix, text in sources.items():
            paths.append(self.folder / f"{name}.{suffix}")
            paths[-1].write_text(text)
            if len(sources) > 1:
                subprocess.run(["mpicc" if suffix == "c" else compiler, "-w", "-c", paths[-1], "-o", paths[-1].with_suffix(f".{suffix}.o")],
                               cwd=self.folder, check=True)
                paths[-1] = paths[-1].with_suffix(f".{suffix}.o")
        subprocess.run([compiler, "-w", *paths, "-o", name], cwd=self.folder, check=True)
        return self.folder / name

    def run_unlike(self, first, others, library_of_others=LIBRARY, words_of_others=()):
        """Runs rank 0 and two others with ARLAB_ALGORITHM (none: not set) of their own; returns a process."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("ARLAB_")}
        env |= open_mpi.ENVIRONMENT
        commands = []
        for algorithm, library, words in ((first, LIBRARY, ()), (others, library_of_others, words_of_others)):
            settings = [f"LD_PRELOAD={library}"] * bool(library) + [f"ARLAB_ALGORITHM={algorithm}"] * bool(algorithm)
            commands.append(shlex.join(["env", *settings, str(PROGRAM), *words]))
        return subprocess.Popen([MPIEXEC, "-n", "3", *open_mpi.by_rank(*commands)], env=env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Programs(DropInTest):
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

    def test_with_wrong_settings_the_library_runs_and_it_is_said_once(self):
        for settings, text in (({"algorithm": "rnig"}, "unknown algorithm 'rnig', did you mean 'ring'?"),
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
    def test_ranks_that_call_nothing_do_not_stop_the_report_and_the_profile(self):
        program = self.compile("mpicc", "workers", c=OF_WORKERS)
        _, err = self.run_ranks(3, program, algorithm="ring", report=1, profile="calls.jsonl")
        self.assertEqual(self.share(err), (1, 1))
        lines = [json.loads(line) for line in (self.folder / "calls.jsonl").read_text().splitlines()]
        self.assertEqual([(line["ranks"], line["bytes"], line["ran"], line["calls"]) for line in lines], [(2, 4, "ring", 1)])

    @OF_DEFAULT
    def test_buffers_that_the_library_refuses_are_refused(self):
        program = self.compile("mpicc", "buffers", c=ODD_BUFFERS)
        self.assertEqual(self.run_ranks(1, program, library=None)[0], "1 1 ")
        self.assertEqual(self.run_ranks(1, program, algorithm="ring")[0], "1 1 ")

    @OF_DEFAULT
    def test_a_negative_count_is_refused_by_the_library_and_in_no_profile(self):
        program = self.compile("mpicc", "negative", c=NEGATIVE_COUNT)
        out, err = self.run_ranks(2, program, algorithm="ring", report=1, profile="calls.jsonl")
        self.assertEqual((out, self.share(err)), ("1 1 ", (2, 2)))
        lines = [json.loads(line) for line in (self.folder / "calls.jsonl").read_text().splitlines()]
        self.assertEqual([(line["bytes"], line["ran"], line["calls"]) for line in lines], [(32, "ring", 2)])

    @OF_DEFAULT
    def test_ranks_with_different_settings_end_with_a_message(self):
        (self.folder / "a.json").write_text("{}")
        for first, others in (("ring", None), (None, "ring"), ("ring", "rabenseifner"), ("mpi@64K,ring", "mpi@4K,ring"), ("a.json", "b.json")):
            with self.subTest(first=first, others=others), self.run_unlike(first, others) as job:
                out, _ = job.communicate(timeout=120)
                self.assertEqual(job.returncode, 2, out)
                self.assertIn(f"different settings: 'ARLAB_ALGORITHM={first or ''}' on rank 0, "
                              f"'ARLAB_ALGORITHM={others or ''}' on rank 1", out)

    @OF_DEFAULT
    @unittest.skipUnless(shutil.which("mpif90"), "mpif90 is not installed: apt install gfortran")
    def test_bottom_in_fortran(self):
        program = self.compile("mpif90", "bottom", f90=BOTTOM, c=ADD)
        self.run_ranks(2, program, library=None)
        self.run_ranks(2, program, algorithm="ring")
        _, err = self.run_ranks(2, program, algorithm="ring", report=1)
        self.assertIn("| mpi: another type or operation |", err)

    @OF_DEFAULT
    @unittest.skipUnless(shutil.which("mpif90"), "mpif90 is not installed: apt install gfortran")
    def test_a_fortran_program(self):
        subprocess.run(["mpif90", "-w", HERE / "mpi_program.f90", "-o", "fortran"], cwd=self.folder, check=True)
        for ranks in (2, 4):
            out, err = self.run_ranks(ranks, self.folder / "fortran", algorithm="ring", report=1)
            self.assertIn("wrong 0", out)
            self.assertEqual(self.share(err), (3, 3))


class Shared(DropInTest):
    """Ranks of one machine, through shared memory."""

    def test_every_call_type_and_operation_is_that_of_the_library(self):
        for ranks, algorithm in ((2, "shared"), (3, "shared"), (4, None)):
            with self.subTest(ranks=ranks, algorithm=algorithm):
                out, err = self.run_ranks(ranks, EVERY_CALL, **({"algorithm": algorithm} if algorithm else {}))
                self.assertRegex(out, r"calls \d+, wrong 0\n")
                self.assertNotIn("arlab: ", err)

    def test_the_report_counts_what_ran_through_shared_memory(self):
        _, err = self.run_ranks(2, EVERY_CALL, algorithm="shared", report=1)
        for call in ("Allgather", "Allreduce", "Bcast", "Reduce", "Reduce_scatter", "Reduce_scatter_block"):
            self.assertRegex(err, rf"arlab: [1-9]\d* of [1-9]\d* calls of MPI_{call} ran by arlab")
            self.assertRegex(err, rf"\| {call} \|.*\| shared memory \|")
        for why in ("the first calls on a communicator", "a single rank", "another type or operation"):
            self.assertIn(f"| mpi: {why} |", err)

    def test_communicators_leave_nothing(self):
        before = sorted(os.listdir("/dev/shm"))
        count = os.environ.get("ARLAB_TEST_COMMUNICATORS", "300")  # 100000 take some minutes
        out, _ = self.run_ranks(2, EVERY_CALL, count, algorithm="shared")
        found = re.search(rf"left: 0 mappings, since half of {count}: 0 descriptors, (-?\d+) KiB", out)
        self.assertTrue(found, out)
        self.assertLess(int(found[1]), 1024, out)
        self.assertEqual([name for name in os.listdir("/dev/shm") if "arlab" in name], [], before)

    def test_memory_that_cannot_be_had_is_said_once_and_the_library_runs(self):
        limited = ("bash", "-c", f"{SMALL_SEGMENTS}; ulimit -f 7000; exec {PROGRAM}")  # KiB: the library needs less, shared memory of 4 ranks more
        out, err = self.run_ranks(4, *limited, algorithm="shared")
        self.assertIn("wrong 0", out)
        self.assertEqual(err.count("arlab: "), 1, err)
        self.assertIn("the ranks cannot share 8 MiB of address space: File too large; their collectives are the library's", err)

    @unittest.skipIf(MPICH, "MPICH's launcher reports the status of a killed rank otherwise")
    def test_a_killed_rank_ends_the_job_and_leaves_nothing(self):
        script = f"if [ $OMPI_COMM_WORLD_RANK = 1 ]; then (sleep 3; kill -9 $$) & fi; exec {EVERY_CALL} 100000000"
        started = time.monotonic()
        self.run_ranks(2, "bash", "-c", script, algorithm="shared", status=137)
        self.assertLess(time.monotonic() - started, 60)
        self.assertEqual([name for name in os.listdir("/dev/shm") if "arlab" in name], [])


class ByLevel(DropInTest):
    """Ranks of several machines, for which one stands."""

    def test_every_call_type_and_operation_is_that_of_the_library(self):
        for ranks, each in ((4, 2), (5, 3), (3, 2)):  # machines alike, one with fewer ranks, one with a single rank
            with self.subTest(ranks=ranks, each=each):
                out, err = self.run_ranks(ranks, EVERY_CALL, algorithm="shared", ranks_per_machine=each)
                self.assertRegex(out, r"calls \d+, wrong 0\n")
                self.assertNotIn("arlab: ", err)

    def test_the_report_says_what_went_by_level(self):
        out, err = self.run_ranks(4, PROGRAM, algorithm="shared", report=1, ranks_per_machine=2)
        self.assertIn("wrong 0", out)
        self.assertIn("| by level |", err)
        self.assertIn("| shared memory |", err)  # of the halves
        self.assertIn("| mpi: another type or operation |", err)
        _, err = self.run_ranks(4, EVERY_CALL, algorithm="shared", report=1, ranks_per_machine=2)
        self.assertRegex(err, r"\| Bcast \|.*\| by level \|")
        _, err = self.run_ranks(3, PROGRAM, algorithm="shared", report=1, ranks_per_machine=1)
        self.assertIn("| mpi: one rank per machine |", err)

    def test_short_vectors_and_fast_networks_are_left_to_the_library(self):
        out, err = self.run_ranks(4, PROGRAM, report=1, ranks_per_machine=2)
        self.assertIn("wrong 0", out)
        self.assertRegex(err, r"\| Allreduce \| 4 \| 80044 \|.*\| mpi: several machines \|")
        _, err = self.run_ranks(4, EVERY_CALL, report=1, ranks_per_machine=2)
        self.assertRegex(err, r"\| Allreduce \| 4 \| 320000 \|.*\| (mpi: a fast network|by level) \|")  # by the machine's load

    def test_communicators_leave_nothing(self):
        out, _ = self.run_ranks(4, EVERY_CALL, "100", algorithm="shared", ranks_per_machine=2)
        found = re.search(r"left: 0 mappings, since half of 100: 0 descriptors, (-?\d+) KiB", out)
        self.assertTrue(found, out)
        self.assertLess(int(found[1]), 1024, out)

    def test_memory_that_one_machine_lacks_is_said_once_and_the_library_runs(self):
        limited = ("bash", "-c", f"{SMALL_SEGMENTS}; ulimit -f 5000; exec {PROGRAM}")  # KiB: 6144 of 3 ranks, 2048 of the other one
        out, err = self.run_ranks(4, *limited, algorithm="shared", ranks_per_machine=3)
        self.assertIn("wrong 0", out)
        self.assertEqual(err.count("arlab: "), 1, err)
        self.assertIn("the ranks cannot share 6 MiB of address space: File too large; their collectives are the library's", err)


class ProgramsOfOthers(DropInTest):
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


class WithoutLibrary(DropInTest):
    @OF_DEFAULT
    def test_a_rank_that_has_not_loaded_it_is_named_after_a_minute(self):
        with self.run_unlike("ring", "ring", library_of_others=None, words_of_others=["100"]) as job:
            out, _ = job.communicate(timeout=200)
            self.assertEqual(job.returncode, 3, out)
            self.assertRegex(out, r"rank 0 on \S+ has loaded libarlab_mpi, but .* give LD_PRELOAD to all")


if __name__ == "__main__":
    unittest.main(argv=[*sys.argv[:2], *sys.argv[6:]], verbosity=2)
