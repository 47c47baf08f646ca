"""The backend of torch.distributed under mpirun: its collectives, DistributedDataParallel beside Gloo, a rank that stops.

    torch_backend.py PACKAGES MPIEXEC
"""
import os
import pathlib
import re
import socket
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES, MPIEXEC = sys.argv[1:3]
PYTHON = "/usr/bin/python3"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class TorchBackend(unittest.TestCase):
    def run_ranks(self, ranks, script, *arguments, status=0, launcher=None, **environment):
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1", "PYTHONPATH": PACKAGES,
               "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
               **{name: str(value) for name, value in environment.items()}}
        launcher = [MPIEXEC, "-n", str(ranks)] if launcher is None else launcher
        done = subprocess.run([*launcher, PYTHON, "-B", HERE / script, *map(str, arguments)], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode == 0, status == 0, done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout, done.stderr

    def test_every_collective_is_right(self):
        for ranks in (1, 4):  # 2 in the next test
            with self.subTest(ranks=ranks):
                out, _ = self.run_ranks(ranks, "all_collectives.py", free_port())
                self.assertIn("all collectives are right", out)
        out, _ = self.run_ranks(3, "all_collectives.py", free_port(), ARLAB_ALGORITHM="mpi@1K,circulant")
        self.assertIn("all collectives are right", out)

    @unittest.skipUnless(subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True, check=False).returncode == 0,
                         "mpi4py is not installed: apt install python3-mpi4py")
    def test_an_mpi_that_runs_already_is_joined(self):
        out, _ = self.run_ranks(2, "all_collectives.py", free_port(), ARLAB_TEST_MPI4PY=1)
        self.assertIn("all collectives are right", out)

    def test_two_processes_train_to_the_bits_of_gloo(self):
        results = {backend: re.search(r"loss (\S+) weights (\S+)", self.run_ranks(2, "ddp.py", backend, free_port(), 30)[0]).groups()
                   for backend in ("gloo", "arlab")}
        self.assertEqual(results["arlab"], results["gloo"])

    def test_four_processes_train_to_the_loss_of_gloo(self):
        losses = [float(re.search(r"loss (\S+) ", self.run_ranks(4, "ddp.py", backend, free_port(), 30)[0])[1])
                  for backend in ("gloo", "arlab")]
        self.assertAlmostEqual(losses[0], losses[1], places=4)

    def test_a_rank_that_stops_is_named_in_an_exception_within_the_timeout(self):
        _, err = self.run_ranks(3, "ddp.py", "arlab", free_port(), 30, status=1, ARLAB_TEST_STOP=1, ARLAB_TEST_TIMEOUT=5)
        self.assertRegex(err, r"RuntimeError: arlab: \w+ (allreduce|broadcast) of \d+ \w+ on 3 ranks, round \d+: "
                              r"rank [02] waits for .*rank 1 \(process \d+\) has not responded for 5 s")

    def test_without_mpirun_it_says_how_to_start(self):
        _, err = self.run_ranks(1, "ddp.py", "arlab", free_port(), 1, status=1, launcher=[])
        self.assertIn("start the program with `mpirun -n 2 python3 ...`", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
