"""libarlab_mpi.so under calls that are rare, which drop_in.py's programs do not make.

    drop_in_odd.py CLASS LIBRARY MPI_PROGRAM MPIEXEC EVERY_CALL ODD_CALLS
"""
import os
import pathlib
import subprocess
import sys
import unittest

ODD_CALLS = pathlib.Path(sys.argv.pop(6)).resolve()  # the rest is drop_in's
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from drop_in import MPIEXEC, OF_DEFAULT, PROGRAM, DropInTest, open_mpi  # noqa: E402


class OddCalls(DropInTest):
    def run_all_ways(self, what, ranks):
        """Within a machine and by level, beside the library alone."""
        self.run_ranks(ranks, ODD_CALLS, what, library=None)
        for settings in ({}, {"algorithm": "shared"}, {"algorithm": "shared", "ranks_per_machine": 2}):
            with self.subTest(what=what, settings=settings):
                self.run_ranks(ranks, ODD_CALLS, what, **settings)

    def test_types_that_repeat_one_of_fortran(self):
        self.run_all_ways("types", 3)

    def test_a_rank_without_elements_may_give_one_address_twice(self):
        self.run_all_ways("empty", 4)

    def test_attributes_are_copied_only_where_the_program_copies(self):
        self.run_all_ways("attributes", 2)
        for algorithm in ("ring", "butterfly"):
            self.run_ranks(2, ODD_CALLS, "attributes", algorithm=algorithm)

    @OF_DEFAULT
    def test_a_broadcast_in_place_is_refused_as_by_the_library(self):
        self.run_all_ways("in_place", 2)

    @OF_DEFAULT
    def test_ranks_of_two_jobs_are_the_librarys(self):
        alone = subprocess.run(["timeout", "60", MPIEXEC, "-n", "1", ODD_CALLS, "spawn"], cwd=self.folder, stdin=subprocess.DEVNULL,
                               env={**os.environ, **open_mpi.ENVIRONMENT}, capture_output=True, check=False)
        if alone.returncode == 124:
            self.skipTest("this MPI library waits forever, by itself, for ranks that a program starts, as Open MPI 5.0.7 of Debian 13 does")
        self.run_all_ways("spawn", 1)
        _, err = self.run_ranks(1, ODD_CALLS, "spawn", algorithm="ring", report=1)
        self.assertIn("| mpi: ranks of several jobs |", err)

    @unittest.skipUnless(os.environ.get("ARLAB_THOROUGH"), "takes 4 GiB of memory: set ARLAB_THOROUGH")
    def test_types_of_more_than_2_gib(self):
        self.run_all_ways("large", 2)

    @OF_DEFAULT
    def test_a_library_that_takes_memory_of_gpus_is_left_alone_by_default(self):
        gpus = ("env", "TEST_TAKES_GPU_MEMORY=1", ODD_CALLS, "types")
        _, err = self.run_ranks(2, *gpus, report=1)
        self.assertEqual(err.count("this MPI library takes memory of GPUs"), 1, err)
        self.assertEqual(self.share(err), (0, 8))
        _, err = self.run_ranks(2, *gpus, algorithm="auto", report=1)
        self.assertNotIn("memory of GPUs", err)
        self.assertGreater(self.share(err)[0], 0)

    @OF_DEFAULT
    def test_ranks_per_machine_are_the_same_on_all_ranks_and_a_number(self):
        one = "if [ $OMPI_COMM_WORLD_RANK = 0 ]; then export ARLAB_RANKS_PER_MACHINE=2; fi; exec "
        out, err = self.run_ranks(2, "bash", "-c", one + str(PROGRAM), algorithm="shared", status=2)
        self.assertIn("'ARLAB_RANKS_PER_MACHINE=2' on rank 0, 'ARLAB_RANKS_PER_MACHINE=' on rank 1", out + err)
        out, err = self.run_ranks(2, PROGRAM, algorithm="shared", ranks_per_machine="0")
        self.assertIn("wrong 0", out)
        self.assertIn("ARLAB_RANKS_PER_MACHINE is 0: give 1 to", err)


if __name__ == "__main__":
    unittest.main(argv=[*sys.argv[:2], *sys.argv[6:]], verbosity=2)
