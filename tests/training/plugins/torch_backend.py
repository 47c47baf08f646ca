"""The backend of torch.distributed under mpirun: its collectives, DistributedDataParallel beside Gloo, a rank that stops.

    torch_backend.py CLASS PACKAGES MPIEXEC

More numbers of ranks with ARLAB_THOROUGH=1: each takes two seconds to import PyTorch.
"""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import open_mpi  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parents[2] / "training" / "plugins" / "torch" / "example" / "train.py"
PACKAGES, MPIEXEC = sys.argv[2:4]
PYTHON = "/usr/bin/python3"
THOROUGH = bool(os.environ.get("ARLAB_THOROUGH"))


def torchrun(ranks):
    return [PYTHON, "-B", HERE / "as_torchrun.py", str(ranks), str(free_port())]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def segments():
    """Files of shared memory but those of MPI jobs that run beside: torchrun's ranks start none."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith(("vader_segment.", "sm_segment."))}


def new_segments(before):
    """Those that stay: what belongs to other tests ends with them."""
    new = segments() - before
    deadline = time.monotonic() + 120
    while new and time.monotonic() < deadline:
        time.sleep(1)
        new &= segments()
    return new


class BackendTest(unittest.TestCase):
    def run_ranks(self, ranks, script, *arguments, status=0, launcher=None, **environment):
        env = {**os.environ, **open_mpi.ENVIRONMENT, "PYTHONPATH": PACKAGES, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
               "USE_LIBUV": "0",  # with which Debian's PyTorch 2.6 is not built
               **{name: str(value) for name, value in environment.items()}}
        launcher = [MPIEXEC, "-n", str(ranks)] if launcher is None else launcher
        done = subprocess.run([*launcher, PYTHON, "-B", HERE / script, *map(str, arguments)], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode == 0, status == 0, done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout, done.stderr


class Backend(BackendTest):
    def test_every_collective_is_right(self):
        more = ((2, ""), (4, ""), (3, "shared@1K,ring")) if THOROUGH else ()
        for ranks, algorithm in ((1, ""), (3, "mpi@1K,circulant"), *more):  # the next test: 3 with shared memory
            with self.subTest(ranks=ranks, algorithm=algorithm):
                out, _ = self.run_ranks(ranks, "all_collectives.py", free_port(), ARLAB_ALGORITHM=algorithm)
                self.assertIn("all collectives are right", out)

    def test_processes_of_torchrun_need_no_mpi(self):
        before = segments()
        out, _ = self.run_ranks(3, "all_collectives.py", free_port(), launcher=torchrun(3), ARLAB_TEST_NO_MESSAGES=1)
        self.assertIn("all collectives are right", out)
        self.assertEqual(new_segments(before), set())

    def test_groups_start_again_after_their_end_by_file_and_by_address(self):
        for launcher in (torchrun(2), None):
            with tempfile.TemporaryDirectory() as folder:
                out, _ = self.run_ranks(2, "again.py", free_port(), folder, launcher=launcher)
                self.assertEqual(out.count("right"), 4, out)

    def test_messages_and_groups_in_any_order(self):
        out, _ = self.run_ranks(3, "messages.py", free_port())
        self.assertIn("all messages are right", out)

    def test_ranks_that_ask_for_different_things_all_get_an_error(self):
        # A group that has timed out leaves MPI running, which mpirun takes for a failure.
        out, _ = self.run_ranks(3, "mismatches.py", free_port(), 1, 40, 1, status=1)
        self.assertRegex(out, r"errors on every rank: \d\d \{.*'group': 1\}")

    def test_compressed_gradients(self):
        out, _ = self.run_ranks(3, "compression.py", free_port(), ARLAB_ALGORITHM="ring")
        self.assertIn("all averages are right", out)

    def test_two_processes_train_to_the_bits_of_gloo(self):
        out, _ = self.run_ranks(2, "ddp.py", free_port(), 30)
        ours, theirs = re.findall(r"loss (\S+) weights (\S+)", out)
        self.assertEqual(ours, theirs)

    def test_without_mpirun_it_says_how_to_start(self):
        _, err = self.run_ranks(1, "ddp.py", free_port(), 1, status=1, launcher=[])
        self.assertIn("start the program with `mpirun -n 2 python3 ...`", err)


class Missing(BackendTest):
    """Ranks that are killed, stop or never come: the others mostly wait for timeouts."""

    def test_a_killed_rank_is_named_and_leaves_nothing(self):
        before = segments()
        _, err = self.run_ranks(3, "killed.py", free_port(), status=1, launcher=torchrun(3))
        self.assertRegex(err, r"RuntimeError: arlab: allreduce of \d+ Float by SUM: timeout after 3 s: rank 1 \(process \d+\) does not take part")
        self.assertEqual(new_segments(before), set())

    def test_a_rank_that_ends_early_is_named_at_once(self):
        for launcher, status in ((torchrun(3), 0), (None, 1)):  # MPI cannot end without the others
            out, _ = self.run_ranks(3, "ended.py", free_port(), status=status, launcher=launcher)
            self.assertEqual(out.count("left"), 2, out)
            self.assertIn("too late: arlab: ", out)
            self.assertIn("the group has ended", out)

    def test_a_rank_that_never_comes_is_named_within_the_timeout(self):
        out, _ = self.run_ranks(3, "late.py", free_port(), status=1)
        self.assertIn("every missing rank was named", out)

    def test_a_rank_that_stops_is_named_in_an_exception_within_the_timeout(self):
        _, err = self.run_ranks(3, "ddp.py", free_port(), 30, status=1, ARLAB_TEST_STOP=1, ARLAB_TEST_TIMEOUT=15)  # in which all must have started, too
        self.assertRegex(err, r"RuntimeError: arlab: (allreduce|broadcast) of \d+ \w+ .*: timeout after 15 s: "
                              r"rank 1 \(process \d+\) does not take part")


class Horovod(BackendTest):
    """arlab.horovod: each function, and losses beside DistributedDataParallel."""

    def test_every_function_is_right(self):
        for ranks, launcher in ((1, []), (3, None), *(((2, torchrun(2)), (4, None)) if THOROUGH else ())):
            with self.subTest(ranks=ranks):
                out, _ = self.run_ranks(ranks, "horovod_api.py", launcher=launcher)
                self.assertIn("arlab.horovod is right", out)

    def test_losses_are_those_of_distributed_data_parallel(self):
        for ranks in (1, 2, 4) if THOROUGH else (2,):
            out, _ = self.run_ranks(ranks, "horovod_losses.py", 20)
            self.assertLessEqual(float(re.fullmatch(rf"{ranks} ranks: losses differ by (\S+)\n", out)[1]), 1e-5, out)

    def test_the_example_trains(self):
        out, _ = self.run_ranks(2, EXAMPLE.parent / "horovod_mnist.py", "--samples", 512, "--fp16-allreduce", launcher=torchrun(2))
        first, last = map(float, re.findall(r"loss (\S+)\n", out))
        self.assertLess(last, first)


class Elsewhere(BackendTest):
    """In a package that pip installed, in an MPI that runs already, on more processes."""

    @unittest.skipUnless(subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True, check=False).returncode == 0,
                         "mpi4py is not installed: apt install python3-mpi4py")
    def test_an_mpi_that_runs_already_is_joined(self):
        out, _ = self.run_ranks(2, "all_collectives.py", free_port(), ARLAB_TEST_MPI4PY=1)
        self.assertIn("all collectives are right", out)

    @unittest.skipUnless(subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0,
                         "pip is not installed: apt install python3-pip")
    def test_pip_installs_the_package_and_one_line_moves_a_script_to_it(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            subprocess.run([PYTHON, "-m", "pip", "install", "-q", "--no-index", "--no-compile", "--target", folder / "site", PACKAGES],
                           check=True, capture_output=True, timeout=120)
            self.assertEqual({path.name.split(".")[0] for path in (folder / "site" / "arlab" / "torch").iterdir()},
                             {"__init__", "_torch"})
            self.assertTrue((folder / "site" / "arlab" / "horovod" / "__init__.py").exists())
            text = EXAMPLE.read_text()
            line = 'torch.distributed.init_process_group("gloo")\n'
            self.assertEqual(text.count("\n" + line), 1)
            (folder / "train.py").write_text(text.replace("\n" + line, "\nimport arlab; arlab.init()\n"))
            port = free_port()
            ours, _ = self.run_ranks(2, folder / "train.py", MASTER_PORT=port, PYTHONPATH=folder / "site", USE_LIBUV=1)
            port = free_port()
            environment = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1",
                           "USE_LIBUV": "0"}
            ranks = [subprocess.Popen([PYTHON, "-B", EXAMPLE], env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
                     for rank in range(2)]
            theirs = [rank.communicate(timeout=100)[0] for rank in ranks]
        self.assertRegex(ours, r"^step 10: loss 0\.\d+\n(step \d0: loss 0\.\d+\n){4}$")
        self.assertEqual(ours, theirs[0])

    def test_four_processes_train_to_the_loss_of_gloo(self):
        out, _ = self.run_ranks(4, "ddp.py", free_port(), 30)
        ours, theirs = map(float, re.findall(r"loss (\S+) ", out))
        self.assertAlmostEqual(ours, theirs, places=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:2] + sys.argv[4:], verbosity=2)
