#!/usr/bin/env python3
"""Step time of DistributedDataParallel over Gloo and over this project's backend, in the same processes: they take turns of a few
steps, so that a busy machine is busy for both. One thread a process.

  PYTHONPATH=build/release/python mpirun -n 2 /usr/bin/python3 bench/plugins/ddp_turns.py [--rounds 31] [--steps 8] [--of fastest]

For each model: medians of the rounds, the median of the rounds' ratios Gloo / arlab with its 95% interval, and Gloo / no
communication, which no backend can exceed. A turn counts by its median step, or by its fastest (--of fastest), which others on the
machine disturb least. ARLAB_ALGORITHM=butterfly@16K,ring measures the backend over MPI instead of shared memory.
"""
import argparse
import pathlib
import statistics
import sys
import time

import torch
import torch.distributed as dist

import arlab.torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import compare_ddp  # noqa: E402
from turns import interval  # noqa: E402

WAYS = ("Gloo", "arlab", "no communication")


def prepared(name, way, gloo, batch, of):
    """Returns a function that trains some steps, and returns the seconds of a step on this rank: `of` all of them."""
    torch.manual_seed(1)
    group = gloo if way == "Gloo" else dist.group.WORLD
    model = torch.nn.parallel.DistributedDataParallel(compare_ddp.torch_model(name), process_group=group)
    if way == "no communication":
        model.register_comm_hook(None, compare_ddp.leave)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.8)
    mine = batch // dist.get_world_size()
    images, labels = torch.rand(mine, 1, 28, 28), torch.randint(10, (mine,))

    def train(steps):
        times = []
        for _ in range(steps):
            began = time.perf_counter()
            optimizer.zero_grad(set_to_none=False)
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            loss.item()
            times.append(time.perf_counter() - began)
        return of(times)

    return train


def slowest(seconds):
    """Of all ranks."""
    value = torch.tensor([seconds])
    dist.all_reduce(value, dist.ReduceOp.MAX)
    return value.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--steps", type=int, default=8, help="of a turn")
    parser.add_argument("--batch", type=int, default=64, help="samples in a step, of all processes together")
    parser.add_argument("--of", choices=("median", "fastest"), default="median", help="which step of a turn counts")
    parser.add_argument("--models", default=",".join(compare_ddp.MODELS))
    options = parser.parse_args()
    torch.set_num_threads(1)
    arlab.torch.init()
    gloo = dist.new_group(backend="gloo")
    of = min if options.of == "fastest" else statistics.median
    ratios = []
    if dist.get_rank() == 0:
        print("| model | Gloo | arlab | no communication | Gloo / arlab | interval | Gloo / no communication |\n|---|--:|--:|--:|--:|--:|--:|")
    for name in options.models.split(","):
        trains = {way: prepared(name, way, gloo, options.batch, of) for way in WAYS}
        for train in trains.values():
            train(4)  # DistributedDataParallel cuts its buckets anew
        rounds = []
        for number in range(options.rounds):
            times = {}
            for way in WAYS[number % 3:] + WAYS[:number % 3]:
                dist.barrier()
                times[way] = slowest(trains[way](options.steps))
            rounds.append(times)
        medians = [f"{statistics.median(times[way] for times in rounds) * 1e3:.2f} ms" for way in WAYS]
        ours = [times["Gloo"] / times["arlab"] for times in rounds]
        bound = statistics.median(times["Gloo"] / times["no communication"] for times in rounds)
        low, high = interval(ours)
        ratios.append(statistics.median(ours))
        if dist.get_rank() == 0:
            print(f"| `{name}` | " + " | ".join(medians) + f" | {ratios[-1]:.2f} | {low:.2f} to {high:.2f} | {bound:.2f} |", flush=True)
    if dist.get_rank() == 0:
        print(f"\ngeometric mean {statistics.geometric_mean(ratios):.2f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
