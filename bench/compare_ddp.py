#!/usr/bin/env python3
"""Step time of `arlab train` over MPI beside PyTorch's DistributedDataParallel over Gloo: two processes on this
machine, one thread each, the same models, batches and optimizer. The two take turns, so that a busy machine is busy
for both; the table holds medians of the rounds, and the median of the rounds' ratios.

  /usr/bin/python3 bench/compare_ddp.py build/release/bench/arlab [--rounds 5] [--steps 100] [--batch 64]
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time

MODELS = ("mlp", "cnn_pooled", "cnn")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def torch_model(name):
    from torch import nn

    if name == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    if name == "cnn":
        return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(26 * 26 * 32, 128), nn.ReLU(),
                             nn.Linear(128, 10))
    return nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(13 * 13 * 32, 64),
                         nn.ReLU(), nn.Linear(64, 10))


def ddp_worker(name, steps, batch):
    """One of the two processes; RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT say which."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch_model(name))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.8)
    images = [torch.rand(batch // 2, 1, 28, 28) for _ in range(8)]
    labels = [torch.randint(10, (batch // 2,)) for _ in range(8)]
    times = []
    for step in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=False)
        loss = torch.nn.functional.cross_entropy(model(images[step % 8]), labels[step % 8])
        loss.backward()
        optimizer.step()
        loss.item()
        times.append((time.perf_counter() - begin) * 1e6)
    if dist.get_rank() == 0:
        print(json.dumps(statistics.median(times[steps // 10:])), flush=True)
    dist.destroy_process_group()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def ddp(name, options):
    environment = {**os.environ, **ONE_THREAD, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                   "MASTER_PORT": free_port(), "GLOO_SOCKET_IFNAME": "lo"}
    command = [sys.executable, __file__, "--worker", name, "--steps", str(options.steps), "--batch", str(options.batch)]
    ranks = [subprocess.Popen(command, env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
             for rank in range(2)]
    outputs = [rank.communicate(timeout=600)[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        sys.exit("error: PyTorch's processes failed: is python3-torch installed, and is this /usr/bin/python3?")
    return float(outputs[0])


def ours(name, options):
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", **os.environ, **ONE_THREAD}
    samples = options.batch * 8
    command = [options.mpirun, "-n", "2", options.arlab, "train", "-m", name, "--batch", str(options.batch),
               "--samples", str(samples), "--epochs", str(options.steps // 8 + 1), "--steps", str(options.steps),
               "--prefetch", "0", "--check-every", "0", "--json", "-", *options.train.split()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])["time_us"]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arlab", nargs="?", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=64, help="samples in a step, of both processes together")
    parser.add_argument("--train", default="", help="more options for arlab train: --train=--no-overlap")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return ddp_worker(options.worker, options.steps, options.batch)
    if not options.arlab:
        parser.error("which arlab? give its path")
    print("| model | arlab train, MPI | PyTorch DDP, Gloo | DDP / arlab |\n|---|--:|--:|--:|", flush=True)
    for name in options.models.split(","):
        pairs = [(ours(name, options), ddp(name, options)) for _ in range(options.rounds)]
        mine, theirs = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"| `{name}` | {mine / 1e3:.2f} ms | {theirs / 1e3:.2f} ms | {ratio:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
