#!/usr/bin/env python3
"""Step time of `arlab train` over MPI beside PyTorch's DistributedDataParallel over Gloo, and over this project's backend
of torch.distributed: processes on this machine, one thread each, the same models, batches and optimizer. They take
turns, so that a busy machine is busy for all; the table holds medians of the rounds, and the median of the rounds' ratios.

  /usr/bin/python3 bench/compare_ddp.py build/release/bench/arlab [--rounds 5] [--steps 100] [--batch 64] [--ranks 2]

The third column needs the Python package: cmake --build build/release --target arlab_torch_plugin

The last column is a bound: DistributedDataParallel with a communication hook that leaves the gradients as they are. No backend can
be faster beside the same model, and Gloo's time / the bound's is the largest speedup that one can have.

With --sharded, `arlab train -s zero1` and `-s fsdp` beside DistributedDataParallel with ZeroRedundancyOptimizer over Gloo.
That is what PyTorch 1.13 can shard on CPUs: its FullyShardedDataParallel needs CUDA, and does not import on Python 3.11.
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
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
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


def leave(_, bucket):
    """A communication hook that does not communicate."""
    import torch

    done = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done


def ddp_worker(name, steps, batch, backend, sharded):
    """One of the processes; RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT say which, or mpirun does."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    torch.manual_seed(1)
    if backend == "arlab":
        import arlab

        arlab.init()
    else:
        dist.init_process_group("gloo")
    mine = batch // dist.get_world_size()
    model = torch.nn.parallel.DistributedDataParallel(torch_model(name))
    if backend == "none":
        model.register_comm_hook(None, leave)
    if sharded:
        from torch.distributed.optim import ZeroRedundancyOptimizer

        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, parameters_as_bucket_view=True, lr=0.01, momentum=0.8)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.8)
    images = [torch.rand(mine, 1, 28, 28) for _ in range(8)]
    labels = [torch.randint(10, (mine,)) for _ in range(8)]
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


def ddp(name, options, backend="gloo"):
    environment = {**os.environ, **ONE_THREAD, "WORLD_SIZE": str(options.ranks), "MASTER_ADDR": "127.0.0.1",
                   "MASTER_PORT": free_port(), "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [subprocess.Popen(worker(name, options, backend), env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE,
                              text=True) for rank in range(options.ranks)]
    outputs = [rank.communicate(timeout=600)[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        sys.exit("error: PyTorch's processes failed: is python3-torch installed, and is this /usr/bin/python3?")
    return float(outputs[0])


def worker(name, options, backend):
    return [sys.executable, __file__, "--worker", name, "--steps", str(options.steps), "--batch", str(options.batch),
            "--backend", backend, *(["--sharded"] if options.sharded else [])]


def plugged(name, options, package):
    """DistributedDataParallel over this project's backend."""
    environment = {**MPI, **os.environ, **ONE_THREAD, "MASTER_PORT": free_port(), "PYTHONPATH": str(package)}
    done = subprocess.run([options.mpirun, "-n", str(options.ranks), *worker(name, options, "arlab")], env=environment,
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        sys.exit(f"error: PyTorch's processes over arlab failed:\n{done.stderr}")
    return float(done.stdout)


def ours(name, options, *more):
    environment = {**MPI, **os.environ, **ONE_THREAD}
    samples = options.batch * 8
    command = [options.mpirun, "-n", str(options.ranks), options.arlab, "train", "-m", name, "--batch", str(options.batch),
               "--data", f"samples={samples}", "--epochs", str(options.steps // 8 + 1), "--steps", str(options.steps),
               "--input", "prefetch=0", "--exchange", "check_every=0", "--json", "-", *more, *options.train.split()]
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
    parser.add_argument("--train", default="", help="more options for arlab train: --train='--exchange overlap=off'")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--ranks", type=int, default=2, help="processes")
    parser.add_argument("--sharded", action="store_true", help="compare strategies that shard the optimizer")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--backend", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return ddp_worker(options.worker, options.steps, options.batch, options.backend, options.sharded)
    if not options.arlab:
        parser.error("which arlab? give its path")
    package = pathlib.Path(options.arlab).parents[1] / "python"
    gloo = "DDP with ZeRO, Gloo" if options.sharded else "DDP, Gloo"
    runs = {"arlab train, MPI": ours, gloo: ddp}
    if options.sharded:
        runs = {f"arlab train -s {strategy}": lambda name, options, strategy=strategy: ours(name, options, "-s", strategy)
                for strategy in ("zero1", "fsdp")} | {gloo: ddp}
    elif any(package.glob("arlab/torch/_torch*.so")):
        runs["DDP, arlab"] = lambda name, options: plugged(name, options, package)
    else:
        print(f"note: without DDP over arlab, since {package} has no built package", file=sys.stderr)
    if not options.sharded:
        runs["DDP, no communication"] = lambda name, options: ddp(name, options, "none")
    others = [what for what in runs if what != gloo]
    print("| model | " + " | ".join([*runs, *(f"Gloo / {what}" for what in others)]) + " |\n|---|"
          + "--:|" * (len(runs) + len(others)), flush=True)
    for name in options.models.split(","):
        rounds = [{what: run(name, options) for what, run in runs.items()} for _ in range(options.rounds)]
        times = [f"{statistics.median(each[what] for each in rounds) / 1e3:.2f} ms" for what in runs]
        ratios = [f"{statistics.median(each[gloo] / each[what] for each in rounds):.2f}" for what in others]
        print(f"| `{name}` | " + " | ".join([*times, *ratios]) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
