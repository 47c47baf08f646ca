"""mpi4py's own tests of collectives under libarlab_mpi.so: on 1 to 5 ranks, the failures of the plain library and no others.

    mpi4py_own.py CLASS LIBRARY MPIEXEC

The variable ARLAB_TEST_MPI4PY names a folder of mpi4py's sources, of the version that is installed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import open_mpi  # noqa: E402

LIBRARY, MPIEXEC = (pathlib.Path(word).resolve() for word in sys.argv[2:4])
PYTHON = "/usr/bin/python3"  # the one that sees the distribution's packages
SOURCES = os.environ.get("ARLAB_TEST_MPI4PY", "")
MPICH = "HYDRA" in subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=False).stdout


def why_not():
    """Why the tests cannot run here, or nothing."""
    if MPICH:
        return "the distribution's mpi4py uses Open MPI, and this build MPICH"
    found = subprocess.run([PYTHON, "-c", "import mpi4py; print(mpi4py.__version__)"], capture_output=True, text=True, check=False)
    if found.returncode:
        return "mpi4py is not installed: apt install python3-mpi4py"
    if not (pathlib.Path(SOURCES) / "test/runtests.py").exists():
        return f"mpi4py's tests are missing: set ARLAB_TEST_MPI4PY to a folder of the sources of mpi4py {found.stdout.strip()}"
    return ""


@unittest.skipIf(why_not(), why_not())
class OwnTestsOfMpiForPython(unittest.TestCase):
    def failures(self, ranks, algorithm):
        """The tests that failed on some rank, after a check that the ranks ran them."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("ARLAB_")}
        env |= open_mpi.ENVIRONMENT
        exports = ["-x", f"LD_PRELOAD={LIBRARY}", "-x", f"ARLAB_ALGORITHM={algorithm}", "-x", "ARLAB_REPORT=1"] if algorithm else []
        tests = f"{PYTHON} -B runtests.py -v " + " ".join(f"-i test_{which}" for which in ("cco", "op", "attributes", "errhandler", "threads"))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([MPIEXEC, "-n", str(ranks), *exports, "bash", "-c", f"exec {tests} 2>{folder}/$OMPI_COMM_WORLD_RANK"],
                           cwd=pathlib.Path(SOURCES) / "test", env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=1800, check=False)
            texts = [(pathlib.Path(folder) / str(rank)).read_text() for rank in range(ranks)]
        for text in texts:
            self.assertGreater(int(re.search(r"^Ran (\d+) tests", text, re.MULTILINE)[1]), 300, text[-2000:])
        if algorithm and ranks > 1:
            for ours in re.findall(r"arlab: (\d+) of \d+ calls of MPI_(?:Allreduce|Bcast)", texts[0])[:1 if algorithm == "ring" else 2]:
                self.assertGreater(int(ours), 0, texts[0][-2000:])
        return {name for text in texts for name in re.findall(r"^(?:FAIL|ERROR): (.*)$", text, re.MULTILINE)}

    def test_failures_are_those_of_the_plain_library(self):
        for ranks in range(1, 6):
            plain = self.failures(ranks, None)
            for algorithm in ("shared", "ring"):
                with self.subTest(ranks=ranks, algorithm=algorithm):
                    ours = self.failures(ranks, algorithm)
                    print(f"{ranks} ranks, {algorithm}: {len(ours)} tests fail, {len(plain)} without the library", file=sys.stderr)
                    self.assertLessEqual(ours, plain)


if __name__ == "__main__":
    unittest.main(argv=[*sys.argv[:2], *sys.argv[4:]], verbosity=2)
